// The tables and graphs beside the chart, one tab each.

import * as colours from "./colours";
import * as format from "./format";
import type { Detail, Diff, Flame, Found, Line, Picture, Range, Run } from "./types";

type Child = Node | string;

/** An element with attributes and children. Text is never parsed as HTML. */
export function make(name: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Lines of a comparison that are shown; a table of more makes the page slow. */
const MOST_CHANGES = 200;

interface Column { title: string; numeric?: boolean }

export function table(columns: Column[], rows: { cells: Child[]; attributes?: Record<string, string> }[]): HTMLElement {
  const kind = (column: Column | undefined) => (column?.numeric ? "n" : "place");
  const head = make("tr", {}, ...columns.map((column) => make("th", { class: kind(column) }, column.title)));
  const body = rows.map((row) =>
    make("tr", row.attributes === undefined ? {} : { tabindex: "0", ...row.attributes }, ...row.cells.map((cell, at) => make("td", { class: kind(columns[at]) }, cell))),
  );
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

function lines(list: Line[], more: number, whole: number, text: string): HTMLElement {
  const wanted = text.toLowerCase();
  const shown = list.filter((line) => line.place.toLowerCase().includes(wanted));
  const out = make("div");
  out.append(
    table(
      [{ title: "bytes", numeric: true }, { title: "", numeric: true }, { title: "blocks", numeric: true }, { title: "source line" }],
      shown.map((line) => ({ cells: [format.bytes(line.bytes), format.part(line.bytes, whole), format.count(line.blocks), line.place] })),
    ),
  );
  if (more > 0) out.append(make("p", {}, `${format.count(more)} more lines with less`));
  if (shown.length === 0) out.append(make("p", {}, text === "" ? "nothing" : `no line contains “${text}”`));
  return out;
}

/** A flame graph from the outermost frame down. A click on a frame makes it the whole width. */
export function flame(root: Flame): HTMLElement {
  const box = make("div", { class: "flame" });
  const draw = (top: Flame) => {
    box.replaceChildren();
    let depth = 0;
    const place = (node: Flame, left: number, row: number) => {
      const width = (100 * node.bytes) / Math.max(1, top.bytes);
      if (width < 0.15) return;
      depth = Math.max(depth, row);
      const title = `${node.name}\n${format.bytes(node.bytes)}, ${format.part(node.bytes, root.bytes)}`;
      const bar = make("button", { type: "button", title, style: `left:${left}%;width:${width}%;top:${row * 18}px;background:${colours.flame(node.name)}` }, node.name);
      bar.addEventListener("click", () => draw(node === top ? root : node));
      box.append(bar);
      let next = left;
      for (const child of node.children) {
        place(child, next, row + 1);
        next += (100 * child.bytes) / Math.max(1, top.bytes);
      }
    };
    place(top, 0, 0);
    box.style.height = `${(depth + 1) * 18}px`;
  };
  draw(root);
  return box;
}

export function moment(picture: Picture, about: Run, text: string, nearest: boolean): HTMLElement {
  const out = make("div");
  const reserved = picture.reserved === null ? "" : `, ${format.bytes(picture.reserved)} reserved, ${format.part(Math.max(0, picture.reserved - picture.live), picture.reserved)} of it not live`;
  const waiting = picture.waiting === 0 ? "" : `, ${format.bytes(picture.waiting)} freed but still used by another stream`;
  const when = picture.time === about.peak_time ? "the peak" : "this moment";
  out.append(
    make("p", { id: "moment" }, `At ${format.time(picture.time)} (${when}): ${format.bytes(picture.live)} live in ${format.count(picture.blocks)} blocks${reserved}${waiting}.`),
  );
  if (nearest) out.append(make("p", { id: "nearest" }, "This file has the live blocks of some moments only; this is the nearest one. `millpond view` has all of them."));
  out.append(make("h2", {}, "By call stack"), flame(picture.flame), make("h2", {}, "By source line"), lines(picture.lines, picture.more_lines, picture.live, text));
  out.append(
    make("h2", {}, "Largest blocks"),
    table(
      [{ title: "bytes", numeric: true }, { title: "allocated at", numeric: true }, { title: "source line" }],
      picture.largest.map((block) => ({
        cells: [format.bytes(block.bytes), format.time(block.start), block.place],
        attributes: { "data-block": String(block.block) },
      })),
    ),
  );
  return out;
}

export function range(answer: Range, about: Run, text: string): HTMLElement {
  const out = make("div");
  out.append(
    make("p", { id: "range" },
      `From ${format.time(answer.from)} to ${format.time(Math.min(answer.to, about.to))}: ${format.count(answer.allocations)} allocations of ${format.bytes(answer.allocated)}, ` +
      `${format.count(answer.frees)} frees of ${format.bytes(answer.freed)}, at most ${format.bytes(answer.peak)} live.`),
  );
  const most = Math.max(1, ...answer.sizes.map((size) => size.blocks));
  const first = answer.sizes.findIndex((size) => size.blocks > 0);
  const bars = make("div", { class: "bars", role: "img", "aria-label": "Allocations by size" });
  answer.sizes.forEach((size, at) => {
    if (at < first) return;
    const title = `up to ${format.bytes(2 ** at)}: ${format.count(size.blocks)} blocks, ${format.bytes(size.bytes)}`;
    const bar = make("div", { title, style: `height:${(100 * size.blocks) / most}%` });
    if ((at - first) % 4 === 0) bar.append(make("span", {}, format.bytes(2 ** at)));
    bars.append(bar);
  });
  out.append(make("h2", {}, "Allocations by size"), bars, make("h2", {}, "Allocated by source line"), lines(answer.lines, answer.more_lines, answer.allocated, text));
  return out;
}

export function leaks(about: Run, text: string): HTMLElement {
  const out = make("div");
  const grown = about.leaks.reduce((sum, leak) => sum + leak.grown, 0);
  out.append(
    make("p", { id: "leaks" }, about.leaks.length === 0
      ? "No leaks: no owner's unfreed blocks keep growing until the end."
      : `Leaks: ${format.bytes(grown)} are never freed and keep growing until the end. \`millpond advise\` shows what they cost.`),
  );
  const wanted = text.toLowerCase();
  if (about.leaks.length > 0) {
    out.append(
      table(
        [{ title: "grown by", numeric: true }, { title: "not freed", numeric: true }, { title: "blocks", numeric: true }, { title: "source line" }],
        about.leaks.filter((leak) => leak.place.toLowerCase().includes(wanted)).map((leak) => ({
          cells: [make("span", { class: "up" }, format.bytes(leak.grown)), format.bytes(leak.bytes), format.count(leak.blocks), leak.place],
        })),
      ),
    );
  }
  const leaking = about.leaks.reduce((sum, leak) => sum + leak.bytes, 0);
  out.append(
    make("h2", {}, "Also not freed"),
    make("p", { id: "left" }, about.left_blocks === 0
      ? "Every block was freed before the recording ended."
      : `${format.bytes(about.left_bytes - leaking)} were not freed before the recording ended but did not keep growing. These are typically weights, optimizer states and caches. With the leaks that is ${format.bytes(about.left_bytes)} in ${format.count(about.left_blocks)} blocks.`),
  );
  if (about.left.length > 0) out.append(lines(about.left, about.more_left, about.left_bytes, text));
  return out;
}

export function findings(about: Run, text: string): HTMLElement {
  if (about.findings.length === 0) {
    return make("p", { id: "findings" }, "No findings. `millpond check --format json --record run.mpt -o report.json -- PROGRAM` looks for mistakes, and `millpond view --findings report.json run.mpt` marks them here.");
  }
  const wanted = text.toLowerCase();
  const out = make("div", {}, make("p", { id: "findings" }, `${format.count(about.findings.length)} findings of \`millpond check\`. Enter or a click goes to the moment and the block.`));
  about.findings.forEach((finding, at) => {
    const parts = finding.operations.map((operation) => [operation.what, ...operation.lines.map((line) => `    ${line}`)].join("\n"));
    const whole = [finding.message, ...parts].join("\n");
    if (!whole.toLowerCase().includes(wanted)) return;
    const often = finding.times > 1 ? `, ${format.count(finding.times)} times` : "";
    const where = finding.address === null ? "" : `, ${finding.bytes === null ? "" : `${format.bytes(finding.bytes)} at `}${finding.address}`;
    const when = finding.time === null ? "" : `, at ${format.time(finding.time)}`;
    out.append(
      make("article", { class: "finding", tabindex: "0", role: "button", "data-finding": String(at) },
        make("p", {}, make("b", { class: finding.severity === "hint" ? "" : "up" }, `${finding.severity}[${finding.rule}]`), ` ${finding.message}${often}${where}${when}`),
        make("pre", {}, parts.join("\n")),
        ...(finding.advice === "" ? [] : [make("p", {}, `Help: ${finding.advice}`)]),
      ),
    );
  });
  return out;
}

export function diff(answer: Diff, before: string, after: string, text: string): HTMLElement {
  const out = make("div");
  const change = answer.after - answer.before;
  out.append(
    make("p", { id: "diff" }, `Peak of ${before}: ${format.bytes(answer.before)}. Peak of ${after}: ${format.bytes(answer.after)} (${change >= 0 ? "+" : "−"}${format.bytes(Math.abs(change))}).`),
  );
  const wanted = text.toLowerCase();
  const all = answer.lines.filter((line) => line.place.toLowerCase().includes(wanted));
  const shown = all.slice(0, MOST_CHANGES);
  out.append(
    table(
      [{ title: "change", numeric: true }, { title: "before", numeric: true }, { title: "after", numeric: true }, { title: "source line" }],
      shown.map((line) => {
        const by = line.after - line.before;
        const cell = make("span", by > 0 ? { class: "up" } : {}, `${by >= 0 ? "+" : "−"}${format.bytes(Math.abs(by))}`);
        return { cells: [cell, format.bytes(line.before), format.bytes(line.after), line.place] };
      }),
    ),
  );
  if (all.length > shown.length) {
    const most = Math.abs(all[shown.length]!.after - all[shown.length]!.before);
    out.append(make("p", { id: "more" }, `${format.count(all.length - shown.length)} more lines, which change by ${most === 0 ? "nothing" : `${format.bytes(most)} at most`}. Search finds them.`));
  }
  return out;
}

export function block(detail: Detail): HTMLElement {
  const freed = detail.end === null ? "not freed" : `freed at ${format.time(detail.end)}`;
  const reusable = detail.done !== null && detail.end !== null && detail.done > detail.end ? `, reusable at ${format.time(detail.done)}` : "";
  return make("div", {},
    make("p", { id: "block" }, `Block ${detail.block}: ${format.bytes(detail.bytes)} (${format.count(detail.bytes)} bytes) at ${detail.address}, ${detail.stream}, allocated at ${format.time(detail.start)}, ${freed}${reusable}.`),
    make("h2", {}, "Call stack"),
    make("pre", {}, detail.frames.length === 0 ? "(no call stack recorded)" : detail.frames.join("\n")),
  );
}

export function found(answer: Found, address: string): HTMLElement {
  const out = make("div", {}, make("p", { id: "found" }, `${format.count(answer.count)} blocks covered ${address}.`));
  out.append(
    table(
      [{ title: "bytes", numeric: true }, { title: "allocated at", numeric: true }, { title: "innermost frame" }],
      answer.blocks.map((one) => ({
        cells: [format.bytes(one.bytes), format.time(one.start), one.frames[0] ?? "(no call stack recorded)"],
        attributes: { "data-block": String(one.block) },
      })),
    ),
  );
  return out;
}

export function marks(about: Run): HTMLElement {
  const rows = [...about.failures.map((mark) => ({ ...mark, failed: true })), ...about.marks.map((mark) => ({ ...mark, failed: false }))];
  rows.sort((a, b) => a.time - b.time);
  if (rows.length === 0) return make("p", {}, "The recording has no steps, annotations or failed requests.");
  return table(
    [{ title: "at", numeric: true }, { title: "what" }],
    rows.map((mark) => ({
      cells: [format.time(mark.time), mark.failed ? make("span", { class: "up" }, mark.text) : mark.text],
      attributes: { "data-time": String(mark.time) },
    })),
  );
}
