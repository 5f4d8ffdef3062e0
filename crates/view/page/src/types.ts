// The answers of the server: crates/view/src/protocol.rs.

export interface Stamp { time: number; text: string }
export interface Line { place: string; bytes: number; blocks: number }
export interface Run {
  name: string; from: number; to: number; events: number; allocations: number; streams: string[];
  peak: number; peak_time: number; reserved: number | null; reserved_at_peak: number | null; height: number;
  ranges: [string, number, number][]; marks: Stamp[]; failures: Stamp[];
  leaks: Leak[]; left: Line[]; more_left: number; left_bytes: number; left_blocks: number;
  fragmentation: number | null; rank: number | null; notes: string[]; findings: Finding[];
}
export interface Leak { place: string; grown: number; bytes: number; blocks: number }
export interface Finding {
  rule: string; severity: string; message: string; advice: string; times: number; operations: { what: string; record: number; lines: string[] }[];
  address: string | null; bytes: number | null; time: number | null; block: number | null;
}
export interface Ranks { length: number; offsets: number[]; live: number[][] }
export interface Summary { runs: Run[] }
export interface Series {
  from: number; to: number; streams: number[][]; waiting: number[]; most: number[]; least: number[];
  reserved: number[] | null; unused: number[] | null; events: number[];
}
export interface Layout {
  from: number; to: number; heights: [number, number]; blocks: number[]; starts: number[]; lives: number[]; waits: number[];
  bottoms: number[]; bytes: number[]; streams: number[]; hidden: number; shade: string;
}
export interface Flame { name: string; bytes: number; children: Flame[] }
export interface Picture {
  time: number; live: number; blocks: number; waiting: number; reserved: number | null; lines: Line[]; more_lines: number;
  largest: { block: number; bytes: number; start: number; place: string }[]; flame: Flame;
}
export interface Range {
  from: number; to: number; allocations: number; allocated: number; frees: number; freed: number; peak: number; peak_time: number;
  sizes: { blocks: number; bytes: number }[]; lines: Line[]; more_lines: number;
}
export interface Detail {
  block: number; address: string; bytes: number; stream: string; start: number; end: number | null; done: number | null; frames: string[];
}
export interface Found { blocks: Detail[]; count: number }
export interface Diff { before: number; after: number; lines: { place: string; before: number; after: number }[] }
