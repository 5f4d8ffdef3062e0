#!/usr/bin/env python3
"""Runs the recipes: files are taken from their pages, commands are run, and what they print is compared.

    python3 docs/recipes/test.py DIST WORK [PYTHON_WITH_TORCH]

In a page, ```LANGUAGE file=NAME is a file, ```sh run [status=N] [needs=torch] is run with `sh -e` in the folder of the files, and each line
of ```text expect has to be in the output of the commands before it. Blocks that need PyTorch for Ascend are skipped without it.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = re.compile(r"^```(\w+) (.+?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(page, folder, env, torch):
    folder.mkdir(parents=True)
    output, ran, skipped = "", 0, []
    for language, words, text in BLOCK.findall(page.read_text()):
        options = dict(word.partition("=")[::2] for word in words.split())
        if "file" in options:
            (folder / options["file"]).write_text(text)
        elif language == "sh" and "run" in options:
            needs = options.get("needs")
            if needs not in (None, "torch"):
                sys.exit(f"{page.name}: nothing is called {needs}")
            if needs and not torch:
                output = None
                skipped.append(needs)
                continue
            done = subprocess.run(["sh", "-e", "-c", text], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
            output, ran = done.stdout, ran + 1
            wanted = int(options.get("status", 0))
            if done.returncode != wanted:
                sys.exit(f"{page.name}: status {done.returncode}, expected {wanted}:\n{text}\n{output}")
        elif "expect" in options and output is not None:
            for line in text.splitlines():
                if line not in output:
                    sys.exit(f"{page.name}: expected {line!r} in the output:\n{output}")
        elif "expect" not in options:
            sys.exit(f"{page.name}: a block with unknown words: {language} {words}")
    print(f"{page.name}: {ran} commands" + (f", SKIPPED what needs {', '.join(skipped)}" if skipped else ""))


def main():
    dist, work = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    # The name stays as it is: the link in an environment decides which environment it is.
    torch = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 and os.path.exists(sys.argv[3]) else ""
    shutil.rmtree(work, ignore_errors=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MILLPOND_CHECK", "LD_LIBRARY_PATH"))}
    env["PATH"] = f"{dist / 'bin'}:{env['PATH']}"
    env["PKG_CONFIG_PATH"] = str(dist / "lib64/pkgconfig")
    env.update(ROOT=str(HERE.parents[1]), PYTHON=torch)
    for page in sorted(HERE.glob("*.md")):
        run_page(page, work / page.stem, env, torch)


if __name__ == "__main__":
    main()
