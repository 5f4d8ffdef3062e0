// Makes the pictures of docs/view.md: `npm run pictures -- FOLDER`. MILLPOND names the command, CHROMIUM the browser.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { complete, launch, serve, whole } from "./browser.mjs";

const out = process.argv[2];
if (out === undefined) throw new Error("usage: npm run pictures -- FOLDER");
const data = join(dirname(fileURLToPath(import.meta.url)), "..", "test");
const file = (name) => join(data, `${name}.pickle.gz`);
const browser = await launch();

async function picture(name, files, act, options = {}) {
  const { server, address } = await serve(files);
  const page = await browser.newPage({ viewport: { width: 1400, height: 880 }, deviceScaleFactor: 1.5, ...options });
  await page.goto(address);
  await whole(page);
  await act(page);
  await page.waitForTimeout(300);
  await complete(page);
  await page.screenshot({ path: join(out, `${name}.png`) });
  await page.close();
  server.kill();
}

const tab = (name) => async (page) => {
  await page.click(`[data-tab=${name}]`);
  await page.waitForTimeout(200);
};
await picture("view", [file("before")], async () => {});
await picture("view-dark", [file("before")], async (page) => {
  for (let turn = 0; turn < 5; turn += 1) await page.keyboard.press("+");
}, { colorScheme: "dark" });
await picture("view-leaks", [file("before")], tab("Leaks"));
await picture("view-compare", [file("before"), file("after")], tab("Compare"));
await picture("view-ranks", [file("ranks")], tab("Ranks"));
await picture("view-phone", [file("before")], async () => {}, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
await browser.close();
