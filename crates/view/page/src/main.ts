// The page: what is shown, what the user does with it, and when to draw.

import { Chart, Fragmentation, covering } from "./chart";
import { Surface } from "./canvas";
import * as colours from "./colours";
import * as format from "./format";
import { BlockMap } from "./layout";
import * as panels from "./panels";
import { ranks } from "./ranks";
import { Store } from "./store";
import type { Detail, Diff, Finding, Found, Picture, Range, Ranks, Run, Summary } from "./types";
import { Viewport } from "./viewport";

const TABS = ["Moment", "Range", "Leaks", "Compare", "Steps", "Block", "Findings", "Ranks"] as const;
type Tab = (typeof TABS)[number];

function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found as T;
}

class Page {
  private readonly store = new Store(() => this.redraw());
  private readonly chart = new Chart(element("chart"), this.store);
  private readonly fragmentation = new Fragmentation(element("fragmentation"), this.store);
  private readonly map = new BlockMap(element("layout"), this.store);
  private readonly overview = new Surface(element("overview"));
  private runs: Run[] = [];
  private run = 0;
  private view = new Viewport(0, 1);
  private cursor: number | null = null;
  private selection: [number, number] | null = null;
  private tab: Tab = "Moment";
  private chosen: number | null = null;
  private address: string | null = null;
  private other = 1;
  private dirty = false;
  /** Counts answers to panels, so that a late one does not replace a newer one. */
  private turn = 0;
  /** Milliseconds of script in each of the last frames, for tests. */
  readonly frames: number[] = [];

  /** Whether everything that is shown is there, for tests. */
  get isComplete(): boolean {
    return this.frames.length > 0 && !this.dirty && !this.store.isBusy;
  }

  get about(): Run {
    const run = this.runs[this.run];
    if (run === undefined) throw new Error("there is no such recording");
    return run;
  }

  async start(): Promise<void> {
    const summary = await this.store.ask<Summary>("summary");
    if (summary === null || summary.runs.length === 0) {
      element("note").textContent = "The recording has no allocations.";
      return;
    }
    this.runs = summary.runs;
    const select = element<HTMLSelectElement>("run");
    this.runs.forEach((run, at) => select.append(new Option(run.name, String(at))));
    select.addEventListener("change", () => this.choose(Number(select.value)));
    this.tabs();
    this.buttons();
    this.pointer();
    this.keyboard();
    new ResizeObserver(() => this.redraw()).observe(document.body);
    this.choose(0);
  }

  private choose(run: number): void {
    this.run = run;
    this.view = new Viewport(this.about.from, this.about.to);
    this.cursor = this.about.peak_time;
    this.selection = null;
    this.chosen = null;
    this.address = null;
    this.other = run === 0 ? 1 : 0;
    const { about } = this;
    const reserved = about.reserved === null ? [] : [["reserved", format.bytes(about.reserved)]];
    const fragmented = about.fragmentation === null ? [] : [["fragmentation", `${(100 * about.fragmentation).toFixed(1)} %`]];
    const found = about.findings.length === 0 ? [] : [["findings", format.count(about.findings.length)]];
    const rows = [["peak", format.bytes(about.peak)], ...reserved, ...fragmented, ...found, ["allocations", format.count(about.allocations)], ["time", format.time(about.to - about.from)]];
    element("numbers").replaceChildren(...rows.map(([name, value]) => panels.make("span", { "data-number": name ?? "" }, `${name} `, panels.make("b", {}, value ?? ""))));
    const entries: [string, string][] = about.streams.map((name, at) => [name, colours.stream(at)]);
    entries.push(["freed, still used by another stream", "#999999"]);
    if (about.reserved !== null) entries.push(["reserved from the device (line)", "currentColor"]);
    element("legend").replaceChildren(...entries.slice(0, 24).map(([name, colour]) => panels.make("span", {}, panels.make("i", { style: `background:${colour}` }), name)));
    for (const part of ["fragmentation", "fragmented"]) element(part).hidden = about.reserved === null;
    element("unreserved").hidden = about.reserved !== null;
    element("notes").replaceChildren(...about.notes.map((note) => panels.make("li", {}, note)));
    element("notes").hidden = about.notes.length === 0;
    element<HTMLSelectElement>("run").value = String(run);
    this.redraw();
    void this.panel();
  }

  // Drawing

  redraw(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => {
      this.dirty = false;
      if (this.runs.length > 0) this.draw();
    });
  }

  private draw(): void {
    const began = performance.now();
    const exact = this.chart.draw(this.run, this.about, this.view, this.cursor, this.selection);
    if (this.about.reserved !== null) this.fragmentation.draw(this.run, this.view, this.cursor);
    const all = this.map.draw(this.run, this.about, this.view, this.cursor, this.chosen);
    this.drawOverview();
    element("shown").textContent = `${format.time(this.view.from, this.view.shown)} to ${format.time(this.view.to, this.view.shown)} (${format.time(this.view.shown)})`;
    element("hidden").textContent = this.map.hidden === 0 ? "" : `${format.count(this.map.hidden)} blocks are too small to see at this zoom`;
    element("note").textContent = this.store.isFile && !(exact && all) ? "This file has less detail than this zoom needs: `millpond view` shows it." : "";
    this.frames.push(performance.now() - began + this.store.takeSpent());
    if (this.frames.length > 600) this.frames.shift();
  }

  private drawOverview(): void {
    this.overview.begin();
    const { context, width, height } = this.overview;
    const whole = new Viewport(this.about.from, this.about.to);
    const { tiles } = covering(this.store, this.run, whole, 256);
    context.fillStyle = colours.theme("--faint");
    for (const tile of tiles) {
      const step = width / tile.most.length;
      tile.most.forEach((value, at) => {
        const tall = (value / Math.max(1, this.about.peak)) * (height - 2);
        context.fillRect(at * step, height - tall, step, tall);
      });
    }
    const x = (time: number) => ((time - whole.from) / whole.shown) * width;
    context.fillStyle = colours.theme("--accent") + "55";
    context.fillRect(x(this.view.from), 0, Math.max(2, x(this.view.to) - x(this.view.from)), height);
  }

  // Tabs

  private tabs(): void {
    const bar = element("tabs");
    for (const tab of TABS) {
      const button = panels.make("button", { type: "button", role: "tab", "data-tab": tab, "aria-controls": "panel" }, tab);
      button.addEventListener("click", () => this.open(tab));
      bar.append(button);
    }
    bar.addEventListener("keydown", (event) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (by === 0) return;
      // Inside the tabs, arrows choose one; they do not move the chart.
      event.stopPropagation();
      this.open(TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length] ?? "Moment");
      bar.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
    });
    const panel = element("panel");
    panel.addEventListener("click", (event) => this.follow(event.target as HTMLElement));
    panel.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      if ((event.key !== "Enter" && event.key !== " ") || target.tabIndex < 0 || target instanceof HTMLButtonElement) return;
      event.preventDefault();
      this.follow(target);
    });
  }

  /** Goes to what a row of a table is about. */
  private follow(target: HTMLElement): void {
    const row = target.closest<HTMLElement>("[data-block], [data-time], [data-run], [data-finding]");
    const { block, time, run, finding } = row?.dataset ?? {};
    if (block !== undefined) this.show(Number(block));
    if (time !== undefined) this.at(Number(time));
    if (run !== undefined) this.choose(Number(run));
    if (finding !== undefined) this.find(this.about.findings[Number(finding)]);
  }

  /** Shows where a finding is: its moment in the charts, its block chosen. The list of findings stays open. */
  private find(finding: Finding | undefined): void {
    if (finding === undefined) return;
    if (finding.time !== null) this.look(finding.time);
    this.chosen = finding.block;
    this.redraw();
  }

  private open(tab: Tab): void {
    this.tab = tab;
    void this.panel();
  }

  private show(block: number): void {
    this.chosen = block;
    this.address = null;
    this.open("Block");
    this.redraw();
  }

  private at(time: number): void {
    this.look(time);
    this.tab = "Moment";
    this.redraw();
    void this.panel();
  }

  /** Moves the cursor to a moment, and shows that. */
  private look(time: number): void {
    this.cursor = Math.round(Math.min(Math.max(time, this.about.from), this.about.to - 1));
    if (this.cursor < this.view.from || this.cursor > this.view.to) {
      this.view.show(this.cursor - this.view.shown / 2, this.cursor + this.view.shown / 2);
    }
  }

  private get text(): string {
    const text = element<HTMLInputElement>("text").value.trim();
    return text.startsWith("0x") ? "" : text;
  }

  private async panel(): Promise<void> {
    for (const button of document.querySelectorAll("#tabs button")) {
      button.setAttribute("aria-selected", String(button.getAttribute("data-tab") === this.tab));
    }
    this.turn += 1;
    const turn = this.turn;
    const content = await this.content();
    if (turn === this.turn && content !== null) element("panel").replaceChildren(content);
  }

  private async content(): Promise<HTMLElement | null> {
    const { run, about, text } = this;
    switch (this.tab) {
      case "Moment": {
        const [time, nearest] = this.nearest(this.cursor ?? about.peak_time);
        const picture = await this.again<Picture>(`moment/${run}/${time}`);
        return picture && panels.moment(picture, about, text, nearest);
      }
      case "Range": {
        const [from, to] = this.selection ?? (this.store.isFile ? [about.from, about.to] : [this.view.from, this.view.to]);
        const answer = await this.again<Range>(`range/${run}/${Math.floor(from)}/${Math.ceil(to)}`);
        return answer === null ? panels.make("p", {}, "This file has the whole recording only; `millpond view` answers for every range.") : panels.range(answer, about, text);
      }
      case "Leaks":
        return panels.leaks(about, text);
      case "Compare":
        return this.compare(text);
      case "Steps":
        return panels.marks(about);
      case "Block":
        return this.block();
      case "Findings":
        return panels.findings(about, text);
      case "Ranks":
        return this.ranks();
    }
  }

  /** In a file only some moments have their blocks. */
  private nearest(time: number): [number, boolean] {
    if (!this.store.isFile) return [Math.round(time), false];
    const moments = this.store.moments(this.run);
    const best = moments.reduce((one, other) => (Math.abs(other - time) < Math.abs(one - time) ? other : one), this.about.peak_time);
    return [best, best !== Math.round(time)];
  }

  private async compare(text: string): Promise<HTMLElement> {
    if (this.runs.length < 2) return panels.make("p", {}, "Give two files to compare them: millpond view BEFORE AFTER");
    const select = panels.make("select", { "aria-label": "Compare with" }) as HTMLSelectElement;
    this.runs.forEach((run, at) => {
      if (at !== this.run) select.append(new Option(run.name, String(at), false, at === this.other));
    });
    select.addEventListener("change", () => {
      this.other = Number(select.value);
      void this.panel();
    });
    const answer = await this.again<Diff>(`diff/${this.run}/${this.other}`);
    const other = this.runs[this.other]?.name ?? "";
    return panels.make("div", {}, panels.make("label", {}, "Compare with ", select), answer === null ? panels.make("p", {}, "This file does not have this comparison; millpond view without --html has all.") : panels.diff(answer, this.about.name, other, text));
  }

  private async ranks(): Promise<HTMLElement> {
    if (this.runs.length < 2) return panels.make("p", {}, "Give the files of several ranks to see them together: millpond view rank*.mpt");
    const answer = await this.again<Ranks>("ranks");
    if (answer === null) return panels.make("p", {}, "This file has no combined view of the ranks; open the recordings with `millpond view`.");
    return ranks(answer, this.runs, this.run, (run, time) => {
      this.choose(run);
      if (time !== null) this.at(time);
    });
  }

  private async block(): Promise<HTMLElement> {
    if (this.address !== null) {
      const found = await this.again<Found>(`find/${this.run}/${this.address}`);
      return found === null ? panels.make("p", {}, "This file cannot search addresses; `millpond view` can.") : panels.found(found, this.address);
    }
    if (this.chosen === null) return panels.make("p", {}, "Click a block in the picture of addresses.");
    const detail = await this.again<Detail>(`block/${this.run}/${this.chosen}`);
    return detail === null ? panels.make("p", {}, "This file has no call stacks of single blocks; `millpond view` has.") : panels.block(detail);
  }

  /** An answer, waiting for one that is on its way. */
  private async again<T>(question: string): Promise<T | null> {
    for (;;) {
      const answer = await this.store.ask<T>(question);
      if (answer !== null || !this.store.isAsked(question)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  // What the user does

  private buttons(): void {
    for (const button of document.querySelectorAll<HTMLElement>("[data-do]")) {
      button.addEventListener("click", () => this.act(button.dataset["do"] ?? ""));
    }
    element("theme").addEventListener("click", () => this.act("theme"));
    element("help").addEventListener("click", () => this.act("help"));
    const text = element<HTMLInputElement>("text");
    element("search").addEventListener("submit", (event) => event.preventDefault());
    text.addEventListener("input", () => {
      const value = text.value.trim();
      if (/^0x[0-9a-f]+$/i.test(value)) {
        this.address = value;
        this.tab = "Block";
      } else {
        this.address = null;
        if (this.tab === "Block" || this.tab === "Steps" || this.tab === "Ranks") this.tab = "Moment";
      }
      void this.panel();
    });
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  }

  private act(what: string): void {
    const middle = (this.view.from + this.view.to) / 2;
    switch (what) {
      case "in": this.view.zoom(0.5, this.focus(middle)); break;
      case "out": this.view.zoom(2, this.focus(middle)); break;
      case "left": this.view.move(-this.view.shown / 5); break;
      case "right": this.view.move(this.view.shown / 5); break;
      case "whole":
        this.view = new Viewport(this.about.from, this.about.to);
        this.selection = null;
        break;
      case "taller": this.view.zoomHeights(0.5, (this.view.low + this.view.high) / 2); break;
      case "lower": this.view.zoomHeights(2, (this.view.low + this.view.high) / 2); break;
      case "range":
        this.selection = [this.view.from, this.view.to];
        this.open("Range");
        break;
      case "peak": this.at(this.about.peak_time); break;
      case "theme": {
        const root = document.documentElement;
        root.dataset["theme"] = root.dataset["theme"] === "dark" ? "light" : "dark";
        colours.forget();
        break;
      }
      case "help": element<HTMLDialogElement>("keys").showModal(); break;
    }
    this.redraw();
    if (this.tab === "Range") void this.panel();
  }

  /** Zoom keeps the cursor in place when it is visible. */
  private focus(middle: number): number {
    const at = this.cursor;
    return at !== null && at >= this.view.from && at <= this.view.to ? at : middle;
  }

  private keyboard(): void {
    const keys: Record<string, string> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "taller", ArrowDown: "lower", r: "range", "+": "in", "=": "in", "-": "out", p: "peak", "0": "whole", t: "theme", "?": "help" };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (typing) {
        if (event.key === "Escape") (event.target as HTMLElement).blur();
        return;
      }
      const tab = TABS[Number(event.key) - 1];
      if (event.key === "/") element("text").focus();
      else if (event.key === "[" || event.key === "]") this.step(event.key === "]" ? 1 : -1);
      else if (tab !== undefined) this.open(tab);
      else if (keys[event.key] !== undefined) this.act(keys[event.key] ?? "");
      else return;
      event.preventDefault();
    });
  }

  /** Moves the cursor by a pixel. */
  private step(direction: number): void {
    const pixel = this.view.shown / Math.max(1, this.chart.plotWidth);
    this.at((this.cursor ?? this.about.peak_time) + direction * Math.max(1, pixel));
  }

  private pointer(): void {
    for (const id of ["chart", "layout"]) this.surface(element(id), id === "layout");
    const overview = element("overview");
    const jump = (event: PointerEvent) => {
      const at = this.about.from + (event.offsetX / overview.clientWidth) * (this.about.to - this.about.from);
      this.view.show(at - this.view.shown / 2, at + this.view.shown / 2);
      this.redraw();
    };
    overview.addEventListener("pointerdown", (event) => {
      overview.setPointerCapture(event.pointerId);
      jump(event);
    });
    overview.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0) jump(event);
    });
  }

  private surface(target: HTMLElement, isMap: boolean): void {
    const fingers = new Map<number, PointerEvent>();
    let began: PointerEvent | null = null;
    let moved = false;
    const perPixel = () => this.view.shown / Math.max(1, this.chart.plotWidth);
    target.addEventListener("wheel", (event) => {
      event.preventDefault();
      const factor = Math.exp(Math.sign(event.deltaY || event.deltaX) * 0.25);
      if (isMap && event.shiftKey) {
        const at = this.view.low + (1 - event.offsetY / target.clientHeight) * (this.view.high - this.view.low);
        this.view.zoomHeights(factor, at);
      } else {
        this.view.zoom(factor, this.chart.timeAt(event.offsetX, this.view));
      }
      this.redraw();
    }, { passive: false });
    target.addEventListener("pointerdown", (event) => {
      target.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
      began = event;
      moved = false;
    });
    target.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) {
        this.hover(event, isMap);
        return;
      }
      const others = [...fingers.values()].filter((finger) => finger.pointerId !== event.pointerId);
      if (began !== null && Math.hypot(event.offsetX - began.offsetX, event.offsetY - began.offsetY) > 4) moved = true;
      const other = others[0];
      if (other !== undefined) {
        const was = Math.abs(before.offsetX - other.offsetX);
        const is = Math.abs(event.offsetX - other.offsetX);
        if (was > 8 && is > 8) this.view.zoom(was / is, this.chart.timeAt((event.offsetX + other.offsetX) / 2, this.view));
      } else if (event.shiftKey && began !== null) {
        const one = this.chart.timeAt(began.offsetX, this.view);
        const two = this.chart.timeAt(event.offsetX, this.view);
        this.selection = [Math.min(one, two), Math.max(one, two)];
      } else if (moved) {
        this.view.move((before.offsetX - event.offsetX) * perPixel());
      }
      fingers.set(event.pointerId, event);
      this.redraw();
    });
    const end = (event: PointerEvent) => {
      const was = fingers.delete(event.pointerId);
      if (!was || event.type === "pointercancel") return;
      if (this.selection !== null && event.shiftKey && moved) {
        this.open("Range");
      } else if (!moved) {
        this.click(event, isMap);
      } else if (this.tab === "Range") {
        void this.panel();
      }
    };
    target.addEventListener("pointerup", end);
    target.addEventListener("pointercancel", end);
    target.addEventListener("pointerleave", () => (element("tip").hidden = true));
  }

  private click(event: PointerEvent, isMap: boolean): void {
    const hit = isMap ? this.map.hit(event.offsetX, event.offsetY, this.about, this.view) : null;
    if (hit !== null) this.show(hit.block);
    else this.at(this.chart.timeAt(event.offsetX, this.view));
  }

  private hover(event: PointerEvent, isMap: boolean): void {
    const tip = element("tip");
    const hit = isMap ? this.map.hit(event.offsetX, event.offsetY, this.about, this.view) : null;
    tip.hidden = isMap && hit === null;
    tip.textContent = hit !== null ? this.map.tip(hit, this.about) : format.time(this.chart.timeAt(event.offsetX, this.view), this.view.shown / 1000);
    tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - 220)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  }
}

const page = new Page();
(window as unknown as { millpond: Page }).millpond = page;
page.start().catch((error: unknown) => {
  element("note").textContent = `The page could not start: ${String(error)}`;
});
