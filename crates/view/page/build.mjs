// Writes built/page.html: the page with its style and script inside. `--check` compares instead and fails if it is out of date.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const bundle = async (entry, loader) => {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    format: loader === "js" ? "iife" : undefined,
    charset: "utf8",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
};

const script = await bundle("main.ts", "js");
const style = await bundle("style.css", "css");
// Functions, because a `$` in a replacement string has a meaning.
const page = readFileSync(join(here, "src", "page.html"), "utf8")
  .replace("/* style */", () => style)
  .replace("/* script */", () => script.replaceAll("</script", "<\\/script"));
const file = join(here, "built", "page.html");
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== page) {
    console.error("built/page.html differs from its source\nhint: npm run build");
    process.exit(1);
  }
} else {
  writeFileSync(file, page);
  console.log(`${file}: ${page.length} bytes`);
}
