// Blocks by address and time.

import { Surface } from "./canvas";
import * as colours from "./colours";
import * as format from "./format";
import type { Store } from "./store";
import type { Layout, Run } from "./types";
import { BUCKETS, type TileName, type Viewport } from "./viewport";

const LEFT = 64;

export interface Hit { block: number; bytes: number; start: number; end: number; done: number; stream: number }

export class BlockMap {
  private readonly surface: Surface;
  private shown: Layout[] = [];
  private readonly shades = new WeakMap<Layout, HTMLCanvasElement>();
  /** Blocks that are too small to see in what was drawn last. */
  hidden = 0;

  constructor(element: HTMLCanvasElement, private readonly store: Store) {
    this.surface = new Surface(element);
  }

  /** Draws, and tells whether every tile is at the level that the zoom wants. */
  draw(run: number, about: Run, view: Viewport, cursor: number | null, chosen: number | null): boolean {
    this.surface.begin();
    const { context, width, height } = this.surface;
    const plot = Math.max(1, width - LEFT);
    const wanted = Math.max(0, view.level(plot) - 2);
    const band = view.band();
    this.shown = [];
    this.hidden = 0;
    let exact = true;
    const used = new Set<string>();
    for (const name of view.tiles(wanted)) {
      const answer = this.find(run, name, band);
      if (answer === null) {
        exact = false;
        continue;
      }
      // An answer for a longer time that leaves nothing out is as good.
      if (answer.name !== key(run, name, band) && answer.layout.hidden > 0) exact = false;
      if (used.has(answer.name)) continue;
      used.add(answer.name);
      this.shown.push(answer.layout);
      this.hidden += answer.layout.hidden;
    }
    const x = (time: number) => LEFT + ((time - view.from) / view.shown) * plot;
    const y = (bytes: number) => height - ((bytes / about.height - view.low) / (view.high - view.low)) * height;
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, plot, height);
    context.clip();
    context.imageSmoothingEnabled = false;
    for (const tile of this.shown) {
      const shade = this.shade(tile);
      if (shade === null) continue;
      const top = y(tile.heights[1]);
      context.drawImage(shade, x(tile.from), top, x(tile.to) - x(tile.from), y(tile.heights[0]) - top);
    }
    const drawn = new Set<number>();
    for (const tile of this.shown) {
      for (let at = 0; at < tile.blocks.length; at += 1) {
        const block = tile.blocks[at] ?? 0;
        // A block that lies in two tiles is in both answers.
        if (drawn.has(block)) continue;
        drawn.add(block);
        const begin = tile.from + (tile.starts[at] ?? 0);
        const freed = begin + (tile.lives[at] ?? 0);
        const start = Math.max(x(begin), LEFT - 1);
        const end = Math.min(x(freed), width + 1);
        const done = Math.min(x(freed + (tile.waits[at] ?? 0)), width + 1);
        if (done < LEFT || start > width) continue;
        const bottom = y(tile.bottoms[at] ?? 0);
        const top = y((tile.bottoms[at] ?? 0) + (tile.bytes[at] ?? 0));
        const tall = Math.max(bottom - top - 0.3, 0.5);
        context.fillStyle = colours.stream(tile.streams[at] ?? 0);
        context.globalAlpha = block === chosen ? 1 : 0.55 + 0.3 * ((block * 7919) % 8) / 8;
        context.fillRect(start, top, Math.max(end - start - 0.3, 0.5), tall);
        if (done > end + 0.5) {
          context.fillStyle = "#999999";
          context.fillRect(end, top, done - end, tall);
        }
        if (block === chosen) {
          context.strokeStyle = colours.theme("--mark");
          context.lineWidth = 2;
          context.strokeRect(start, top, Math.max(done - start, 1), tall);
        }
      }
    }
    context.globalAlpha = 1;
    this.findings(about, x, y);
    context.fillStyle = colours.theme("--line");
    for (const [, bottom] of about.ranges) context.fillRect(LEFT, y(bottom), plot, 1);
    if (cursor !== null) {
      context.fillStyle = colours.theme("--mark");
      context.fillRect(x(cursor) - 0.5, 0, 1.5, height);
    }
    context.restore();
    this.axis(about, y);
    return exact;
  }

  /** A diamond where a finding's bytes are, when it happened. */
  private findings(about: Run, x: (time: number) => number, y: (bytes: number) => number): void {
    const { context } = this.surface;
    for (const finding of about.findings) {
      const height = finding.address === null ? null : heightOf(about, Number(finding.address));
      if (height === null || finding.time === null) continue;
      const at = x(finding.time);
      const up = y(height);
      context.fillStyle = colours.theme("--mark");
      context.strokeStyle = colours.theme("--back");
      context.beginPath();
      context.moveTo(at - 5, up);
      context.lineTo(at, up - 5);
      context.lineTo(at + 5, up);
      context.lineTo(at, up + 5);
      context.closePath();
      context.fill();
      context.stroke();
    }
  }

  /** The blocks that are too small to draw, as a picture of one pixel for each cell. Made once for each answer. */
  private shade(tile: Layout): HTMLCanvasElement | null {
    if (tile.shade === "") return null;
    const kept = this.shades.get(tile);
    if (kept !== undefined) return kept;
    const rows = tile.shade.length / BUCKETS;
    const canvas = document.createElement("canvas");
    canvas.width = BUCKETS;
    canvas.height = rows;
    const context = canvas.getContext("2d");
    if (context === null) return null;
    const image = context.createImageData(BUCKETS, rows);
    for (let cell = 0; cell < tile.shade.length; cell += 1) {
      const shade = parseInt(tile.shade.charAt(cell), 16);
      // The first row of the answer is the lowest.
      const at = 4 * ((rows - 1 - Math.floor(cell / BUCKETS)) * BUCKETS + (cell % BUCKETS));
      image.data.set([120, 140, 160, shade * 14], at);
    }
    context.putImageData(image, 0, 0);
    this.shades.set(tile, canvas);
    return canvas;
  }

  private axis(about: Run, y: (bytes: number) => number): void {
    const { context, height } = this.surface;
    context.fillStyle = colours.theme("--faint");
    context.font = "10px system-ui";
    context.textAlign = "right";
    let free = height + 20;
    for (const [address, bottom] of about.ranges) {
      const at = y(bottom);
      if (at < 8 || at > height || free - at < 12) continue;
      context.fillText(address.length > 11 ? `…${address.slice(-7)}` : address, LEFT - 4, at - 1);
      free = at;
    }
    context.textAlign = "left";
  }

  private find(run: number, name: TileName, band: TileName): { name: string; layout: Layout } | null {
    const wanted = key(run, name, band);
    const exact: Layout | null = this.store.isFile ? this.store.peek(wanted) : this.store.now(wanted);
    if (exact !== null) return { name: wanted, layout: exact };
    // The nearest one that is here: whole bands first, then longer times.
    let time = name;
    for (;;) {
      for (const level of [band, { level: 0, number: 0 }]) {
        const candidate = key(run, time, level);
        const layout = this.store.peek<Layout>(candidate);
        if (layout !== null) return { name: candidate, layout };
      }
      if (time.level === 0) return null;
      time = { level: time.level - 1, number: Math.floor(time.number / 2) };
    }
  }

  /** The block under a point of the canvas. */
  hit(px: number, py: number, about: Run, view: Viewport): Hit | null {
    const plot = Math.max(1, this.surface.width - LEFT);
    const time = view.from + ((px - LEFT) / plot) * view.shown;
    const height = (view.low + (1 - py / this.surface.height) * (view.high - view.low)) * about.height;
    const slack = ((view.high - view.low) * about.height) / this.surface.height;
    for (const tile of this.shown) {
      for (let at = tile.blocks.length - 1; at >= 0; at -= 1) {
        const start = tile.from + (tile.starts[at] ?? 0);
        const end = start + (tile.lives[at] ?? 0);
        const done = end + (tile.waits[at] ?? 0);
        const bottom = tile.bottoms[at] ?? 0;
        const size = tile.bytes[at] ?? 0;
        if (time >= start && time <= done && height >= bottom && height <= bottom + Math.max(size, slack)) {
          return { block: tile.blocks[at] ?? 0, bytes: size, start, end, done, stream: tile.streams[at] ?? 0 };
        }
      }
    }
    return null;
  }

  tip(hit: Hit, about: Run): string {
    const freed = hit.end >= about.to ? "not freed" : `freed after ${format.time(hit.end - hit.start)}`;
    const waited = hit.done > hit.end && hit.done < about.to ? `\nreusable ${format.time(hit.done - hit.end)} later` : "";
    return `${format.bytes(hit.bytes)}, ${about.streams[hit.stream] ?? "a stream"}\nallocated at ${format.time(hit.start)}, ${freed}${waited}`;
  }
}

/** How many used addresses lie below one, if it was used. */
export function heightOf(about: Run, address: number): number | null {
  for (const [start, bottom, bytes] of about.ranges) {
    const above = address - Number(start);
    if (above >= 0 && above < bytes) return bottom + above;
  }
  return null;
}

function key(run: number, time: TileName, band: TileName): string {
  return `layout/${run}/${time.level}/${time.number}/${band.level}/${band.number}`;
}
