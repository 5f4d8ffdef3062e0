// The page in a real browser, with real clicks. MILLPOND names the command, CHROMIUM the browser.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const MIB = 1 << 20;
const folder = mkdtempSync(join(tmpdir(), "millpond-view-"));
let browser;
let address;
const servers = [];

/** Ten steps: weights that stay, and activations that grow and go. The second stream frees late. */
function trace(file, extra) {
  const lines = ["t_us,op,addr,size,stream"];
  const base = 0x7f0000000000;
  const at = (block) => (base + block * 8 * MIB).toString(16);
  lines.push(`0,S,${base.toString(16)},${512 * MIB},0`, `1,a,${at(0)},${4 * MIB + extra},0`);
  let time = 10;
  for (let step = 0; step < 10; step += 1) {
    for (let block = 1; block <= 5; block += 1) lines.push(`${(time += 10)},a,${at(block)},${(step + block) * (MIB / 4)},${block % 2}`);
    for (let block = 5; block >= 1; block -= 1) {
      const size = (step + block) * (MIB / 4);
      lines.push(`${(time += 10)},f,${at(block)},${size},${block % 2}`, `${time + 5},c,${at(block)},${size},${block % 2}`);
    }
  }
  writeFileSync(file, lines.join("\n") + "\n");
  return file;
}

/** Starts `millpond view`; it ends with the tests. */
async function serve(...args) {
  const server = spawn(process.env.MILLPOND, ["view", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", () => reject(new Error("millpond view ended")));
  });
}

/** A snapshot of this folder: make.py says what is in it. */
const snapshot = (name) => join(import.meta.dirname, `${name}.pickle.gz`);
/** What the server answers, to compare the page with. */
const ask = async (where, question) => (await fetch(`${where}data/${question}`)).json();

before(async () => {
  address = await serve(trace(join(folder, "before.csv"), 0), trace(join(folder, "after.csv"), MIB));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  for (const server of servers) server.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function open(where, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, ...options });
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(where);
  await page.waitForSelector("#moment");
  return { page, errors };
}

// 9 + 1..5 quarters in the last step, and 4 MiB of weights: 60 / 4 + 4.
const PEAK = "19.0 MiB";

test("the peak is the same in the heading, at the moment and in the range", async () => {
  const { page, errors } = await open(address);
  assert.match(await page.textContent("[data-number=peak]"), new RegExp(PEAK));
  assert.match(await page.textContent("[data-number=reserved]"), /512 MiB/);
  assert.match(await page.textContent("#moment"), new RegExp(`the peak.*: ${PEAK} live in 6 blocks, 512 MiB reserved`));
  await page.click("[data-tab=Range]");
  await page.waitForSelector("#range");
  assert.match(await page.textContent("#range"), new RegExp(`51 allocations .* 50 frees .* at most ${PEAK} live`));
  await page.click("[data-tab=Leaks]");
  assert.match(await page.textContent("#leaks"), /^No leak/);
  assert.match(await page.textContent("#left"), /4\.00 MiB in 1 blocks\.$/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a click on the chart shows that moment, a click on a block its life", async () => {
  const { page, errors } = await open(address);
  const chart = await page.locator("#chart").boundingBox();
  await page.mouse.click(chart.x + 66, chart.y + 40);
  await page.waitForFunction(() => document.querySelector("#moment")?.textContent.includes("this moment"));
  assert.match(await page.textContent("#moment"), /live in 1 blocks/);
  // The weights lie at the bottom of all addresses, all the time.
  const layout = page.locator("#layout"); // may be below the fold: a click of the locator's scrolls to it
  const map = await layout.boundingBox();
  await layout.click({ position: { x: map.width / 2, y: map.height - 6 } });
  await page.waitForSelector("#block");
  assert.match(await page.textContent("#block"), /Block 0: 4\.00 MiB \(4,194,304 bytes\) at 0x7f0000000000, stream 0, .* not freed/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("keys and the wheel move and zoom, and everything comes back", async () => {
  const { page, errors } = await open(address);
  const shown = () => page.textContent("#shown");
  const changed = async (act) => {
    const was = await shown();
    await act();
    await page.waitForFunction((was) => document.getElementById("shown").textContent !== was, was);
    return shown();
  };
  const whole = await shown();
  await changed(() => page.keyboard.press("+"));
  await changed(() => page.keyboard.press("ArrowLeft"));
  await changed(() => page.locator("#chart").hover().then(() => page.mouse.wheel(0, -300)));
  for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, -300);
  await page.waitForFunction(() => / \(\d+ ns\)$/.test(document.getElementById("shown").textContent));
  await changed(() => page.keyboard.press("0"));
  assert.equal(await shown(), whole);
  await page.keyboard.press("t");
  await page.keyboard.press("?");
  assert.ok(await page.isVisible("#keys"));
  await page.keyboard.press("Escape");
  assert.deepEqual(errors, []);
  await page.close();
});

test("search filters lines and finds addresses; a range is chosen with shift", async () => {
  const { page, errors } = await open(address);
  await page.keyboard.press("/");
  await page.keyboard.type("no such line");
  await page.waitForSelector("text=no line contains");
  await page.fill("#text", "0x7f0000000010");
  await page.waitForSelector("#found");
  assert.match(await page.textContent("#found"), /^1 blocks covered 0x7f0000000010/);
  await page.fill("#text", "");
  const chart = await page.locator("#chart").boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(chart.x + 200, chart.y + 50);
  await page.mouse.down();
  await page.mouse.move(chart.x + 300, chart.y + 50, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForSelector("#range");
  const allocations = Number((await page.textContent("#range")).match(/(\d+) allocations/)[1]);
  assert.ok(allocations > 0 && allocations < 51, `${allocations}`);
  assert.deepEqual(errors, []);
  await page.close();
});

test("two recordings are compared", async () => {
  const { page, errors } = await open(address);
  await page.click("[data-tab=Compare]");
  await page.waitForSelector("#diff");
  assert.match(await page.textContent("#diff"), /Peak of before.csv: 19\.0 MiB\. Peak of after.csv: 20\.0 MiB \(\+1\.00 MiB\)/);
  await page.selectOption("#run", "1");
  await page.waitForFunction(() => document.querySelector("#numbers").textContent.includes("20.0 MiB"));
  assert.deepEqual(errors, []);
  await page.close();
});

test("a comparison says how many lines it leaves out, and search finds them", async () => {
  // Blocks without a call stack are a line for each size.
  const sizes = (file, times) => {
    const lines = Array.from({ length: 260 }, (_, at) => `${at},a,${(0x1000000 + at * 0x100000).toString(16)},${1000 + at * times},0`);
    writeFileSync(file, ["t_us,op,addr,size,stream", ...lines].join("\n") + "\n");
    return file;
  };
  const { page, errors } = await open(await serve(sizes(join(folder, "one.csv"), 1000), sizes(join(folder, "two.csv"), 1001)));
  await page.click("[data-tab=Compare]");
  await page.waitForSelector("#more");
  const rows = await page.locator("#panel tbody tr").count();
  assert.equal(rows, 200);
  // 259 sizes differ, and one is in both.
  assert.match(await page.textContent("#more"), new RegExp(`^${259 + 260 - rows} more lines, which change by .* at most`));
  await page.fill("#text", "of 1000 bytes");
  await page.waitForFunction(() => document.querySelectorAll("#panel tbody tr").length < 200);
  assert.equal(await page.locator("#more").count(), 0);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a click on a frame of the flame graph makes it the whole width, another brings everything back", async () => {
  const where = await serve(snapshot("before"));
  const { page, errors } = await open(where);
  const run = (await ask(where, "summary")).runs[0];
  const { flame } = await ask(where, `moment/0/${run.peak_time}`);
  const shown = () => page.$$eval(".flame button", (buttons) => buttons.map((button) => [button.textContent, parseFloat(button.style.width)]));
  const whole = await shown();
  assert.deepEqual(whole[0], [flame.name, 100]);
  // The outermost frame has several callees: into the second of them.
  let parent = flame;
  while (parent.children.length < 2) parent = parent.children[0];
  const wanted = parent.children[1];
  const at = whole.findIndex(([name, width]) => name === wanted.name && Math.abs(width - (100 * wanted.bytes) / flame.bytes) < 0.01);
  assert.ok(at > 0, wanted.name);
  await page.locator(".flame button").nth(at).click();
  const near = await shown();
  assert.deepEqual(near[0], [wanted.name, 100]);
  assert.ok(near.length < whole.length);
  if (wanted.children.length > 0) assert.ok(Math.abs(near[1][1] - (100 * wanted.children[0].bytes) / wanted.bytes) < 0.01, `${near[1]}`);
  await page.locator(".flame button").first().click();
  assert.deepEqual(await shown(), whole);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a step leads to its moment, the largest block to its call stack", async () => {
  const where = await serve(snapshot("before"));
  const { page, errors } = await open(where);
  const run = (await ask(where, "summary")).runs[0];
  await page.click("[data-tab=Steps]");
  const step = page.locator("#panel tbody tr", { hasText: "ProfilerStep#3" });
  assert.equal(await page.locator("#panel tbody tr").count(), run.marks.length);
  await step.click();
  await page.waitForFunction(() => document.querySelector("#moment")?.textContent.includes("this moment"));
  const time = run.marks.find((mark) => mark.text === "ProfilerStep#3").time;
  assert.equal(await page.evaluate(() => window.millpond.cursor), time);
  const { live, blocks, largest } = await ask(where, `moment/0/${time}`);
  assert.match(await page.textContent("#moment"), new RegExp(`: ${(live / MIB).toFixed(0)} MiB live in ${blocks} blocks`));
  const first = page.locator("tr[data-block]").first();
  assert.equal(await first.getAttribute("data-block"), String(largest[0].block));
  await first.click();
  await page.waitForSelector("#block");
  const detail = await ask(where, `block/0/${largest[0].block}`);
  assert.match(await page.textContent("#block"), new RegExp(`^Block ${detail.block}: .* at ${detail.address}, stream 0`));
  assert.equal(await page.textContent("#panel pre"), detail.frames.join("\n"));
  assert.deepEqual(errors, []);
  await page.close();
});

test("requests that failed are among the steps; without segments the page says that nothing is known of them", async () => {
  const file = join(folder, "plain.csv");
  writeFileSync(file, "t_us,op,addr,size,stream\n1,a,1000,4096,0\n5,o,0,99999,0\n9,f,1000,4096,0\n9,c,1000,4096,0\n");
  const { page, errors } = await open(await serve(file));
  assert.ok(await page.isVisible("#unreserved"));
  for (const part of ["#fragmentation", "#fragmented", "[data-number=reserved]", "[data-number=fragmentation]"]) assert.ok(!(await page.isVisible(part)), part);
  assert.doesNotMatch(await page.textContent("#legend"), /reserved/);
  await page.click("[data-tab=Steps]");
  assert.match(await page.textContent("#panel tbody tr"), /a request of 99999 bytes failed/);
  await page.click("#panel tbody tr");
  await page.waitForFunction(() => /4\.00 KiB live in 1 blocks\.$/.test(document.querySelector("#moment")?.textContent));
  assert.deepEqual(errors, []);
  await page.close();
});

test("a finding leads to its moment and its block, and the list stays", async () => {
  const report = join(folder, "report.json");
  const operation = { what: "aclrtMemcpy of 64 bytes", record: 0, stack: [{ function: "main", file: "train.c", line: 12 }] };
  const finding = { rule: "memory.overrun", severity: "error", message: "a copy is longer than its block", advice: "copy less", times: 3, operations: [operation], block: { start: "0x7f0000000000", count: 4 * MIB } };
  const hint = { rule: "memory.leak", severity: "hint", title: "not freed" };
  writeFileSync(report, JSON.stringify({ findings: [finding, hint] }));
  const where = await serve("--findings", report, join(folder, "before.csv"));
  const { page, errors } = await open(where);
  assert.ok(!(await page.isVisible("#unreserved")));
  assert.match(await page.textContent("[data-number=findings]"), /findings 2/);
  await page.click("[data-tab=Findings]");
  assert.match(await page.textContent("#findings"), /^2 findings/);
  const first = page.locator(".finding", { hasText: "memory.overrun" });
  assert.match(await first.textContent(), /error\[memory\.overrun\] a copy is longer than its block, 3 times, 4\.00 MiB at 0x7f0000000000, at .*aclrtMemcpy of 64 bytes\s+train\.c:12 main.*Help: copy less/s);
  await first.click();
  await page.waitForFunction(() => window.millpond.chosen === 0);
  assert.equal(await page.evaluate(() => window.millpond.cursor), (await ask(where, "block/0/0")).start);
  assert.ok(await page.isVisible("#findings"));
  await page.fill("#text", "not freed");
  await page.waitForFunction(() => document.querySelectorAll(".finding").length === 1);
  await page.fill("#text", "");
  await page.click("[data-tab=Block]");
  assert.match(await page.textContent("#block"), /^Block 0: 4\.00 MiB/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("ranks are stacked; a click on one in the table or in the chart shows it", async () => {
  const where = await serve(snapshot("ranks"));
  const { page, errors } = await open(where);
  const { runs } = await ask(where, "summary");
  await page.click("[data-tab=Ranks]");
  await page.waitForSelector("#ranks");
  const mean = runs.reduce((sum, run) => sum + run.peak, 0) / runs.length;
  const above = ((100 * (Math.max(...runs.map((run) => run.peak)) - mean)) / mean).toFixed(1);
  assert.match(await page.textContent("#imbalance"), new RegExp(`^4 recordings\\. .*, ${above} % above the mean`));
  await page.click("tr[data-run='2']");
  await page.waitForFunction(() => document.getElementById("run").value === "2");
  assert.equal(await page.textContent("tr.current td"), runs[2].name);
  const canvas = page.locator("#ranks");
  await canvas.scrollIntoViewIfNeeded();
  const { width, height } = await canvas.boundingBox();
  // The first rank lies at the bottom, and has memory from the middle on.
  await canvas.click({ position: { x: 64 + (width - 64) * 0.5, y: height - 22 } });
  await page.waitForFunction(() => document.getElementById("run").value === "0");
  await page.waitForSelector("#moment");
  const cursor = await page.evaluate(() => window.millpond.cursor);
  assert.ok(cursor > runs[0].from && cursor < runs[0].to, `${cursor}`);
  assert.deepEqual(errors, []);
  await page.close();
});

/** Pixels of a canvas that have this colour, about: how many, and the highest of them. */
const painted = (page, id, colour, column = null) => page.evaluate(([id, colour, column]) => {
  const canvas = document.getElementById(id);
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = { count: 0, top: height };
  for (let place = 0; place < width * height; place += 1) {
    if (column !== null && place % width !== Math.round(column)) continue;
    const near = colour.every((value, at) => Math.abs((data[4 * place + at] ?? 0) - value) <= 4);
    if (!near || (data[4 * place + 3] ?? 0) < 40) continue;
    found.count += 1;
    found.top = Math.min(found.top, Math.floor(place / width));
  }
  return found;
}, [id, colour, column]);

test("the fragmentation chart is as high as the share that is not live", async () => {
  const where = await serve(snapshot("before"));
  const { page, errors } = await open(where);
  const run = (await ask(where, "summary")).runs[0];
  assert.match(await page.textContent("[data-number=fragmentation]"), new RegExp(`${(100 * run.fragmentation).toFixed(1)} %`));
  // A moment that a click chose, so near that it is wide.
  const chart = await page.locator("#chart").boundingBox();
  await page.mouse.click(chart.x + 64 + 60, chart.y + 60);
  await page.waitForFunction(() => document.querySelector("#moment")?.textContent.includes("this moment"));
  for (let turn = 0; turn < 12; turn += 1) await page.keyboard.press("+");
  await page.waitForFunction(() => window.millpond.isComplete);
  const cursor = await page.evaluate(() => window.millpond.cursor);
  const picture = await ask(where, `moment/0/${cursor}`);
  const share = 1 - picture.live / picture.reserved;
  assert.ok(share > 0.02, `${share}`);
  assert.match(await page.textContent("#moment"), new RegExp(`${(100 * share).toFixed(1)} % of it not live`));
  const [x, width] = await page.evaluate(() => {
    const { view, chart, cursor } = window.millpond;
    return [chart.left + ((cursor - view.from) / view.shown) * chart.plotWidth, chart.plotWidth];
  });
  assert.ok(x > 64 && x < width, `${x}`);
  // 56 pixels, 4 below the floor and 6 above the top.
  const { top } = await painted(page, "fragmentation", [11, 98, 168], x + 3);
  assert.ok(Math.abs(top - (52 - share * 46)) < 2.5, `${top} for ${share}`);
  assert.deepEqual(errors, []);
  await page.close();
});

test("t changes the colours of the page and of the charts", async () => {
  const { page, errors } = await open(address, { colorScheme: "light" });
  await page.waitForFunction(() => window.millpond.isComplete);
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [dark, light] = [[230, 233, 236], [28, 33, 38]];
  // The line of reserved bytes has the colour of text.
  assert.equal(await back(), "rgb(255, 255, 255)");
  assert.ok((await painted(page, "chart", light)).count > 100);
  assert.equal((await painted(page, "chart", dark)).count, 0);
  await page.keyboard.press("t");
  assert.equal(await back(), "rgb(20, 24, 28)");
  await page.waitForFunction(() => window.millpond.isComplete);
  assert.ok((await painted(page, "chart", dark)).count > 100);
  assert.equal((await painted(page, "chart", light)).count, 0);
  await page.keyboard.press("t");
  assert.equal(await back(), "rgb(255, 255, 255)");
  assert.deepEqual(errors, []);
  await page.close();
});

test("the keys 1 to 8 are the tabs, in their order", async () => {
  const { page, errors } = await open(address);
  const tabs = await page.$$eval("#tabs button", (buttons) => buttons.map((button) => button.textContent));
  assert.deepEqual(tabs, ["Moment", "Range", "Leaks", "Compare", "Steps", "Block", "Findings", "Ranks"]);
  const says = ["#moment", "#range", "#leaks", "#diff", "text=has no steps", "text=Click a block", "#findings", "#ranks"];
  for (const [at, tab] of [...tabs.entries()].toReversed()) {
    await page.keyboard.press(String(at + 1));
    await page.waitForSelector(`#panel ${says[at].startsWith("text") ? `>> ${says[at]}` : says[at]}`);
    assert.deepEqual(await page.$$eval("#tabs [aria-selected=true]", (buttons) => buttons.map((button) => button.textContent)), [tab]);
  }
  await page.keyboard.press("9");
  assert.ok(await page.isVisible("#moment"));
  assert.deepEqual(errors, []);
  await page.close();
});

test("a phone shows the same, without scrolling sideways", async () => {
  const { page, errors } = await open(address, { viewport: { width: 360, height: 740 } });
  assert.match(await page.textContent("#moment"), new RegExp(PEAK));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} wide`);
  assert.deepEqual(errors, []);
  await page.close();
});

test("one file needs no server", async () => {
  const out = join(folder, "out.html");
  const written = spawnSync(process.env.MILLPOND, ["view", "--html", out, join(folder, "before.csv")]);
  assert.equal(written.status, 0, String(written.stderr));
  const { page, errors } = await open(`file://${out}`);
  assert.match(await page.textContent("#moment"), new RegExp(`the peak.*: ${PEAK} live in 6 blocks`));
  const chart = await page.locator("#chart").boundingBox();
  await page.mouse.click(chart.x + 66, chart.y + 40);
  await page.waitForFunction(() => document.querySelector("#moment")?.textContent.includes("this moment"));
  assert.deepEqual(errors, []);
  await page.close();
});

test("the server answers to its own address, with its token, to GET only", async () => {
  const { origin, pathname, port } = new URL(address);
  const status = async (path, options) => (await fetch(origin + path, options)).status;
  assert.equal(await status(`${pathname}data/summary`), 200);
  assert.equal(await status("/"), 403);
  assert.equal(await status(`/${"0".repeat(32)}/data/summary`), 403);
  assert.equal(await status(`${pathname}data/nothing`), 404);
  assert.equal(await status(`${pathname}../../etc/passwd`), 403);
  assert.equal(await status(pathname, { method: "POST" }), 405);
  const { request } = await import("node:http");
  const foreign = await new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: pathname, headers: { host: "example.test" } }, (reply) => resolve(reply.statusCode));
    sent.on("error", reject);
    sent.end();
  });
  assert.equal(foreign, 403);
});
