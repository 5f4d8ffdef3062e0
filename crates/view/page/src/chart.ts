// Bytes over time: streams stacked, the reserved bytes as a line above them.

import { Surface } from "./canvas";
import * as colours from "./colours";
import * as format from "./format";
import type { Store } from "./store";
import type { Run, Series } from "./types";
import { BUCKETS, type TileName, type Viewport } from "./viewport";

const LEFT = 64;
const BOTTOM = 18;

/** The tiles to draw, each or the nearest one above it that is here, and whether all are exact. */
export function covering(store: Store, run: number, view: Viewport, pixels: number): { tiles: Series[]; exact: boolean } {
  const wanted = view.level(pixels);
  const tiles = new Map<string, Series>();
  let exact = true;
  for (const name of view.tiles(wanted)) {
    let found: Series | null = store.isFile ? store.peek(key(run, name)) : store.now(key(run, name));
    let at: TileName = name;
    while (found === null && at.level > 0) {
      exact = false;
      at = { level: at.level - 1, number: Math.floor(at.number / 2) };
      found = store.peek(key(run, at));
    }
    if (found !== null) tiles.set(key(run, at), found);
  }
  return { tiles: [...tiles.values()], exact };
}

function key(run: number, name: TileName): string {
  return `series/${run}/${name.level}/${name.number}`;
}

export class Chart {
  private readonly surface: Surface;

  constructor(element: HTMLCanvasElement, private readonly store: Store) {
    this.surface = new Surface(element);
  }

  get left(): number {
    return LEFT;
  }

  get plotWidth(): number {
    return Math.max(1, this.surface.width - LEFT);
  }

  timeAt(x: number, view: Viewport): number {
    return view.from + ((x - LEFT) / this.plotWidth) * view.shown;
  }

  /** Draws, and tells whether every tile is at the level that the zoom wants. */
  draw(run: number, about: Run, view: Viewport, cursor: number | null, selection: [number, number] | null): boolean {
    this.surface.begin();
    const { context, width, height } = this.surface;
    const { tiles, exact } = covering(this.store, run, view, this.plotWidth);
    const floor = height - BOTTOM;
    const x = (time: number) => LEFT + ((time - view.from) / view.shown) * this.plotWidth;
    let top = 1;
    for (const tile of tiles) {
      const step = (tile.to - tile.from) / BUCKETS;
      for (let at = 0; at < BUCKETS; at += 1) {
        const time = tile.from + at * step;
        if (time + step < view.from || time > view.to) continue;
        top = Math.max(top, (tile.most[at] ?? 0) + (tile.waiting[at] ?? 0), tile.reserved?.[at] ?? 0);
      }
    }
    top *= 1.05;
    const y = (value: number) => floor - (value / top) * (floor - 6);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width - LEFT, height);
    context.clip();
    for (const tile of tiles) this.tile(tile, view, x, y);
    this.marks(about, view, x, floor);
    if (selection !== null) {
      context.fillStyle = colours.theme("--accent") + "33";
      context.fillRect(x(selection[0]), 0, x(selection[1]) - x(selection[0]), floor);
    }
    if (cursor !== null) {
      context.fillStyle = colours.theme("--mark");
      context.fillRect(x(cursor) - 0.5, 0, 1.5, floor);
    }
    context.restore();
    this.axes(view, top, y, floor);
    return exact;
  }

  private tile(tile: Series, view: Viewport, x: (time: number) => number, y: (value: number) => number): void {
    const { context } = this.surface;
    const step = (tile.to - tile.from) / BUCKETS;
    const first = Math.max(0, Math.floor((view.from - tile.from) / step));
    const last = Math.min(BUCKETS - 1, Math.ceil((view.to - tile.from) / step));
    if (last < first) return;
    const below = new Float64Array(last - first + 1);
    const layers = [...tile.streams.map((values, place) => ({ values, colour: colours.stream(place) })), { values: tile.waiting, colour: "#999999" }];
    for (const layer of layers) {
      context.fillStyle = layer.colour;
      context.beginPath();
      // Along the top to the right, and back along the bottom.
      for (let at = first; at <= last; at += 1) {
        const height = y((below[at - first] ?? 0) + (layer.values[at] ?? 0));
        context.lineTo(x(tile.from + at * step), height);
        context.lineTo(x(tile.from + (at + 1) * step), height);
      }
      for (let at = last; at >= first; at -= 1) {
        const height = y(below[at - first] ?? 0);
        context.lineTo(x(tile.from + (at + 1) * step), height);
        context.lineTo(x(tile.from + at * step), height);
        below[at - first] = (below[at - first] ?? 0) + (layer.values[at] ?? 0);
      }
      context.fill();
    }
    if (tile.reserved !== null) {
      context.strokeStyle = colours.theme("--text");
      context.lineWidth = 1.2;
      context.beginPath();
      for (let at = first; at <= last; at += 1) {
        const height = y(tile.reserved[at] ?? 0);
        context.lineTo(x(tile.from + at * step), height);
        context.lineTo(x(tile.from + (at + 1) * step), height);
      }
      context.stroke();
    }
  }

  private marks(about: Run, view: Viewport, x: (time: number) => number, floor: number): void {
    const { context } = this.surface;
    context.font = "10px system-ui";
    let free = LEFT;
    for (const mark of about.marks) {
      if (mark.time < view.from || mark.time > view.to) continue;
      const at = x(mark.time);
      context.fillStyle = colours.theme("--faint");
      context.fillRect(at, 0, 1, floor);
      if (at > free) {
        context.fillText(mark.text.slice(0, 24), at + 2, 10);
        free = at + 8 + context.measureText(mark.text.slice(0, 24)).width;
      }
    }
    context.fillStyle = colours.theme("--mark");
    for (const finding of about.findings) {
      if (finding.time === null || finding.time < view.from || finding.time > view.to) continue;
      const at = x(finding.time);
      context.beginPath();
      context.moveTo(at - 5, 0);
      context.lineTo(at + 5, 0);
      context.lineTo(at, 9);
      context.fill();
    }
    for (const failure of about.failures) {
      if (failure.time >= view.from && failure.time <= view.to) context.fillRect(x(failure.time) - 1, 0, 2, floor);
    }
  }

  private axes(view: Viewport, top: number, y: (value: number) => number, floor: number): void {
    const { context } = this.surface;
    context.fillStyle = colours.theme("--faint");
    context.font = "11px system-ui";
    const unit = 2 ** Math.floor(Math.log2(top / 3));
    context.textAlign = "right";
    for (let value = 0; value <= top; value += unit) {
      context.fillText(format.bytes(value), LEFT - 4, y(value) + 3);
      context.globalAlpha = 0.25;
      context.fillRect(LEFT, y(value), this.plotWidth, 0.5);
      context.globalAlpha = 1;
    }
    context.textAlign = "left";
    const step = niceStep(view.shown / Math.max(2, this.plotWidth / 110));
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const at = LEFT + ((time - view.from) / view.shown) * this.plotWidth;
      context.fillRect(at, floor, 1, 3);
      context.fillText(format.time(time, step), at + 2, floor + 13);
    }
  }
}

/** The share of what is reserved that is not live, over time. */
export class Fragmentation {
  private readonly surface: Surface;

  constructor(readonly element: HTMLCanvasElement, private readonly store: Store) {
    this.surface = new Surface(element);
  }

  draw(run: number, view: Viewport, cursor: number | null): void {
    this.surface.begin();
    const { context, width, height } = this.surface;
    const plot = Math.max(1, width - LEFT);
    const { tiles } = covering(this.store, run, view, plot);
    const x = (time: number) => LEFT + ((time - view.from) / view.shown) * plot;
    const floor = height - 4;
    const y = (share: number) => floor - share * (floor - 6);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, plot, height);
    context.clip();
    context.fillStyle = colours.theme("--accent") + "66";
    for (const tile of tiles) {
      if (tile.unused === null) continue;
      const step = (tile.to - tile.from) / BUCKETS;
      context.beginPath();
      context.moveTo(x(tile.from), floor);
      for (let at = 0; at < BUCKETS; at += 1) {
        const unused = tile.unused[at] ?? 0;
        const all = unused + (tile.most[at] ?? 0);
        const high = y(all > 0 ? unused / all : 0);
        context.lineTo(x(tile.from + at * step), high);
        context.lineTo(x(tile.from + (at + 1) * step), high);
      }
      context.lineTo(x(tile.to), floor);
      context.fill();
    }
    if (cursor !== null) {
      context.fillStyle = colours.theme("--mark");
      context.fillRect(x(cursor) - 0.5, 0, 1.5, floor);
    }
    context.restore();
    context.fillStyle = colours.theme("--faint");
    context.font = "11px system-ui";
    context.textAlign = "right";
    for (const share of [0, 0.5, 1]) {
      context.fillText(`${100 * share} %`, LEFT - 4, Math.min(height - 3, y(share) + 4));
      context.globalAlpha = 0.25;
      context.fillRect(LEFT, y(share), plot, 0.5);
      context.globalAlpha = 1;
    }
    context.textAlign = "left";
  }
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  const factor = wanted / power;
  return (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10) * power;
}
