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
let server;
let address;

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

before(async () => {
  const files = [trace(join(folder, "before.csv"), 0), trace(join(folder, "after.csv"), MIB)];
  server = spawn(process.env.MILLPOND, ["view", ...files], { stdio: ["ignore", "pipe", "inherit"] });
  address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", () => reject(new Error("millpond view ended")));
  });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  server?.kill();
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
