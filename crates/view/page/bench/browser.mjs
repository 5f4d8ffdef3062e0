// Starts `millpond view` and a browser, for measurements and pictures. MILLPOND names the command, CHROMIUM the browser.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

/** `millpond view` with these arguments: the process, its address, and the milliseconds until that was printed. */
export async function serve(args) {
  const began = performance.now();
  const server = spawn(process.env.MILLPOND, ["view", ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", () => reject(new Error(`millpond view ${args.join(" ")} ended`)));
  });
  return { server, address, began, took: performance.now() - began };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** Waits until the page shows its first tab with everything in it. */
export async function whole(page) {
  await page.waitForSelector("#moment", { timeout: 600_000 });
  await complete(page);
}

/** Waits until everything is there that the page shows, whichever tab that is. */
export async function complete(page) {
  await page.waitForFunction(() => window.millpond.isComplete, null, { timeout: 600_000 });
}
