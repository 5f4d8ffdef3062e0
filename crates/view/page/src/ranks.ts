// All recordings in one chart: the ranks of a job, stacked over time, and a table of their peaks.

import { Surface } from "./canvas";
import * as colours from "./colours";
import * as format from "./format";
import { make, table } from "./panels";
import type { Ranks, Run } from "./types";

const LEFT = 64;
const BOTTOM = 18;

/** `choose` is called with the recording and the moment that was clicked. */
export function ranks(answer: Ranks, runs: Run[], current: number, choose: (run: number, time: number | null) => void): HTMLElement {
  const peaks = runs.map((run) => run.peak);
  const mean = peaks.reduce((sum, peak) => sum + peak, 0) / peaks.length;
  const most = Math.max(...peaks);
  const canvas = make("canvas", { id: "ranks", height: "240", "aria-label": "Bytes live by recording, stacked over time; click one to see it" }) as HTMLCanvasElement;
  const rows = runs.map((run, at) => ({
    cells: [
      make("span", {}, make("i", { class: "swatch", style: `background:${colours.stream(at)}` }), run.name),
      format.bytes(run.peak), format.part(run.peak, mean), format.time(run.peak_time), run.reserved === null ? "" : format.bytes(run.reserved),
    ],
    attributes: { "data-run": String(at), ...(at === current ? { class: "current" } : {}) },
  }));
  const out = make("div", {},
    make("p", { id: "imbalance" }, `${format.count(runs.length)} recordings. The highest peak is ${format.bytes(most)}, ${format.part(most - mean, mean)} above the mean of ${format.bytes(mean)}.`),
    make("h2", {}, "Bytes live, stacked"), canvas, make("h2", {}, "Peaks"),
    table([{ title: "recording" }, { title: "peak", numeric: true }, { title: "of the mean", numeric: true }, { title: "at", numeric: true }, { title: "most reserved", numeric: true }], rows),
  );
  const surface = new Surface(canvas);
  const buckets = answer.live[0]?.length ?? 0;
  const top = Math.max(1, ...Array.from({ length: buckets }, (_, at) => answer.live.reduce((sum, live) => sum + (live[at] ?? 0), 0)));
  const draw = () => {
    surface.begin();
    const { context, width, height } = surface;
    const floor = height - BOTTOM;
    const x = (bucket: number) => LEFT + (bucket / Math.max(1, buckets)) * (width - LEFT);
    const y = (bytes: number) => floor - (bytes / (1.05 * top)) * (floor - 6);
    const below = new Float64Array(buckets);
    answer.live.forEach((live, run) => {
      context.fillStyle = colours.stream(run);
      context.globalAlpha = run === current ? 1 : 0.6;
      context.beginPath();
      for (let at = 0; at < buckets; at += 1) {
        const high = y((below[at] ?? 0) + (live[at] ?? 0));
        context.lineTo(x(at), high);
        context.lineTo(x(at + 1), high);
      }
      for (let at = buckets - 1; at >= 0; at -= 1) {
        const low = y(below[at] ?? 0);
        context.lineTo(x(at + 1), low);
        context.lineTo(x(at), low);
        below[at] = (below[at] ?? 0) + (live[at] ?? 0);
      }
      context.fill();
    });
    context.globalAlpha = 1;
    context.fillStyle = colours.theme("--faint");
    context.font = "11px system-ui";
    context.textAlign = "right";
    for (const part of [0, 0.5, 1]) context.fillText(format.bytes(top * part), LEFT - 4, y(top * part) + 4);
    context.textAlign = "left";
    for (const part of [0, 0.5]) context.fillText(format.time(answer.length * part, answer.length / 10), x(buckets * part) + 2, floor + 13);
  };
  canvas.addEventListener("click", (event) => {
    const bucket = Math.floor(((event.offsetX - LEFT) / Math.max(1, surface.width - LEFT)) * buckets);
    const floor = surface.height - BOTTOM;
    const bytes = ((floor - event.offsetY) / (floor - 6)) * 1.05 * top;
    let sum = 0;
    const run = answer.live.findIndex((live) => (sum += live[bucket] ?? 0) > bytes);
    const time = ((bucket + 0.5) / Math.max(1, buckets)) * answer.length;
    if (run >= 0 && bucket >= 0 && bytes >= 0) choose(run, time - (answer.offsets[run] ?? 0));
  });
  new ResizeObserver(draw).observe(canvas);
  return out;
}
