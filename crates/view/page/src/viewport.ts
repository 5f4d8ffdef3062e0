// Which part of time and of the addresses is shown, and which tiles cover it.

/** Buckets in a tile: BUCKETS in crates/view/src/tile.rs. */
export const BUCKETS = 256;
const DEEPEST = 56;

export interface TileName { level: number; number: number }

export class Viewport {
  from: number;
  to: number;
  /** The part of all heights that is shown. */
  low = 0;
  high = 1;

  constructor(readonly first: number, readonly last: number) {
    this.from = first;
    this.to = last;
  }

  get whole(): number {
    return this.last - this.first;
  }

  get shown(): number {
    return this.to - this.from;
  }

  show(from: number, to: number): void {
    // At least a few nanoseconds, at most everything.
    const length = Math.min(this.whole, Math.max(to - from, 16));
    const start = Math.min(Math.max(from, this.first), this.last - length);
    this.from = start;
    this.to = start + length;
  }

  zoom(factor: number, at: number): void {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  move(by: number): void {
    this.show(this.from + by, this.to + by);
  }

  zoomHeights(factor: number, at: number): void {
    const length = Math.min(1, Math.max((this.high - this.low) * factor, 1e-6));
    const low = Math.min(Math.max(at - ((at - this.low) / (this.high - this.low)) * length, 0), 1 - length);
    this.low = low;
    this.high = low + length;
  }

  /** The level at which a bucket is at most as wide as a pixel. */
  level(pixels: number): number {
    const wanted = Math.log2((this.whole * pixels) / (BUCKETS * this.shown));
    return Math.min(DEEPEST, Math.max(0, Math.ceil(wanted)));
  }

  /** The tiles of a level that cover what is shown. */
  tiles(level: number): TileName[] {
    const length = this.whole / 2 ** level;
    const begin = Math.max(0, Math.floor((this.from - this.first) / length));
    const end = Math.min(2 ** level - 1, Math.floor((this.to - this.first) / length));
    const names: TileName[] = [];
    for (let number = begin; number <= end && names.length < 64; number += 1) names.push({ level, number });
    return names;
  }

  /** The band of heights that contains what is shown, as a tile of heights. */
  band(): TileName {
    let level = 0;
    while (level < 20) {
      const parts = 2 ** (level + 1);
      const low = Math.floor(this.low * parts);
      if (Math.ceil(this.high * parts) - low > 1) break;
      level += 1;
    }
    return { level, number: Math.min(2 ** level - 1, Math.floor(this.low * 2 ** level)) };
  }
}
