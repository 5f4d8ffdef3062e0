// How long large recordings take to open, to pan and to zoom: `npm run measure -- FOLDER [mpt] [csv] [pickle]`.
// MILLPOND names the command, CHROMIUM the browser; the example `large` of millpond-view lies beside the command and writes the recordings
// into FOLDER: 10 million events (EVENTS), and a snapshot of 1.5 GB (BYTES). They are removed afterwards, unless KEEP is set.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { launch, serve, whole } from "./browser.mjs";

const [folder, ...chosen] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: npm run measure -- FOLDER [mpt] [csv] [pickle]");
const large = process.env.LARGE ?? join(dirname(process.env.MILLPOND), "examples", "large");
const sizes = { mpt: process.env.EVENTS ?? "10000000", csv: process.env.EVENTS ?? "10000000", pickle: `${process.env.BYTES ?? "1500000000"}B` };
const LIMIT = 8;

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
const short = (milliseconds) => `${milliseconds.toFixed(1)} ms`;
const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(2)} GB`;
/** The value that a share of all is not above. */
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)];

/** The most memory that a process had at one time. */
function peakOf(process) {
  const line = readFileSync(`/proc/${process.pid}/status`, "utf8").match(/^VmHWM:\s+(\d+) kB$/m);
  return 1024 * Number(line[1]);
}

/** Milliseconds of processor time that a process had, with all its threads. */
function usedBy(process) {
  const fields = readFileSync(`/proc/${process.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Moves and zooms as a user does, and returns the milliseconds of script in each frame. */
async function wander(page) {
  const frames = [];
  // The page keeps the last 600 only.
  const collect = async () => frames.push(...(await page.evaluate(() => window.millpond.frames.splice(0))));
  await page.evaluate(() => window.millpond.frames.splice(0));
  const chart = await page.locator("#chart").boundingBox();
  const middle = [chart.x + chart.width / 2, chart.y + chart.height / 2];
  const drag = async (by) => {
    await page.mouse.move(middle[0] - by, middle[1]);
    await page.mouse.down();
    await page.mouse.move(middle[0] + by, middle[1], { steps: 30 });
    await page.mouse.up();
    await collect();
  };
  const wheel = async (turns, by) => {
    for (let turn = 0; turn < turns; turn += 1) await page.mouse.wheel(0, by);
    await collect();
  };
  const keys = async (key, times) => {
    for (let time = 0; time < times; time += 1) await page.keyboard.press(key);
    await collect();
  };
  await page.mouse.move(...middle);
  // Down to single events and back, and along at every third level.
  for (let level = 0; level < 16; level += 1) {
    await wheel(5, -120);
    await drag(level % 2 === 0 ? 150 : -150);
    if (level % 3 === 0) await keys("ArrowRight", 8);
  }
  for (let level = 0; level < 16; level += 1) {
    await wheel(5, 120);
    await drag(level % 2 === 0 ? -150 : 150);
  }
  await keys("0", 1);
  await keys("+", 6);
  await keys("ArrowLeft", 20);
  await keys("ArrowUp", 4);
  await page.waitForFunction(() => !window.millpond.dirty && !window.millpond.store.isBusy, null, { timeout: 60_000 });
  await collect();
  return frames;
}

/** Milliseconds of processor time of the page's thread in each frame's script: what others do on the machine does not count. */
async function processor(page, act) {
  await browser.startTracing(page, { categories: ["devtools.timeline"] });
  await act();
  const trace = JSON.parse((await browser.stopTracing()).toString());
  return trace.traceEvents.filter((event) => event.name === "FireAnimationFrame" && event.tdur !== undefined).map((event) => event.tdur / 1000);
}

/** Milliseconds that the server takes for single tiles, asked one after the other. */
async function tiles(address, kind) {
  const took = [];
  for (let level = 0; level < 20; level += 1) {
    for (let turn = 0; turn < 10; turn += 1) {
      const number = Math.floor((turn / 10) * 2 ** level);
      if (turn > 0 && level < 4 && number < turn) continue;
      const began = performance.now();
      const reply = await fetch(`${address}data/${kind}/0/${level}/${number}${kind === "layout" ? "/0/0" : ""}`);
      await reply.arrayBuffer();
      took.push(performance.now() - began);
    }
  }
  return took;
}

mkdirSync(folder, { recursive: true });
const browser = await launch();
console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0].model.trim()}), Chromium ${browser.version()}\n`);
console.log("| recording | file | events | server ready | of the processor | whole picture | server's memory | script in a frame: 99 % | largest | of the processor: 99 % | largest | frames | a chart's tile: median | 99 % | of blocks: median | 99 % |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const format of chosen.length > 0 ? chosen : ["mpt", "csv", "pickle"]) {
  const file = join(folder, `large.${format}`);
  if (!existsSync(file)) execFileSync(large, [format, sizes[format], file], { stdio: "inherit" });
  const { server, address, began, took } = await serve([file]);
  const used = usedBy(server);
  const page = await browser.newPage({ viewport: { width: 1400, height: 880 } });
  await page.goto(address);
  await whole(page);
  const shown = performance.now() - began;
  const events = await page.evaluate(() => window.millpond.about.events);
  const opening = await page.evaluate(() => Math.max(...window.millpond.frames));
  let frames;
  const processed = await processor(page, async () => (frames = await wander(page)));
  const [charts, blocks] = [await tiles(address, "series"), await tiles(address, "layout")];
  const row = [
    `.${format}`, gigabytes(statSync(file).size), events.toLocaleString("en"), seconds(took), seconds(used), seconds(shown), gigabytes(peakOf(server)),
    short(quantile(frames, 0.99)), short(Math.max(opening, ...frames)),
    ...(processed.length > 0 ? [short(quantile(processed, 0.99)), short(Math.max(...processed))] : ["", ""]), frames.length,
    short(quantile(charts, 0.5)), short(quantile(charts, 0.99)), short(quantile(blocks, 0.5)), short(quantile(blocks, 0.99)),
  ];
  console.log(`| ${row.join(" | ")} |`);
  const slow = frames.filter((frame) => frame > LIMIT);
  if (slow.length > 0) console.log(`\n${slow.length} frames above ${LIMIT} ms: ${slow.map(short).join(", ")}\n`);
  await page.close();
  server.kill();
  if (process.env.KEEP === undefined) rmSync(file);
}
console.log(`\nload average at the end: ${loadavg()[0].toFixed(1)}`);
await browser.close();
