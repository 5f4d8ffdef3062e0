#!/usr/bin/env python3
"""Builds the CANN backend of llama.cpp against Millpond's dist folder, and runs llama.cpp's own test of its operators.

    python3 tests/conformance/ggml.py --dist DIST --work FOLDER [--only OPERATOR] [--no-graphs] [--save FILE]

The sources are those that the package `llama-cpp-python` ships, unchanged. The backend calls operators by function (aclnn), allocates
from virtual memory, and captures each graph of operators (aclmdlRI), unless --no-graphs is given. The test runs every case on the
backend and on the CPU and compares the results. Cases that the backend does not take are counted apart.

The backend aborts the process when a call fails. The test is then started again with the operators that were not tried; cases that
join several operators run only before the first abort.

Cases that are known to fail are in expected_ggml.tsv: an operator, a pattern of the case, and the reason; the case "aborts" stands for
an operator that ends the process. The command fails when another case fails, or when one of them passes.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tarfile

PACKAGE = "llama-cpp-python"
VERSION = "0.3.36"
# An operator, its case, and what came of it; the test colours its answers.
LINE = re.compile(r"(?:^|\s)(?P<operator>[A-Z][A-Z0-9_]*)\((?P<case>.*)\): (?P<answer>.*)$")
EXPECTED = pathlib.Path(__file__).resolve().parent / "expected_ggml.tsv"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run(*command, **keywords):
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, **keywords)


def sources(work):
    """The folder of llama.cpp, fetched and unpacked unless it is there."""
    folder = work / f"{PACKAGE.replace('-', '_')}-{VERSION}" / "vendor" / "llama.cpp"
    if not (folder / "ggml" / "CMakeLists.txt").exists():
        archive = next(work.glob(f"*{VERSION}.tar.gz"), None)
        if archive is None:
            fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", PACKAGE, "--dest", work]
            run(*fetch, f"{PACKAGE}=={VERSION}")
            archive = next(work.glob(f"*{VERSION}.tar.gz"))
        wanted = re.compile(r"/vendor/llama\.cpp/(ggml|include)/|/vendor/llama\.cpp/tests/test-backend-ops\.cpp$")
        with tarfile.open(archive) as packed:
            packed.extractall(work, [member for member in packed if wanted.search(member.name)], filter="data")
        # The package leaves this file out; only an installation would use it.
        (folder / "ggml" / "ggml.pc.in").touch()
    return folder


def build(folder, dist, work, graphs):
    """The test program."""
    made = work / ("build" if graphs else "build-without-graphs")
    tools = pathlib.Path(sys.executable).parent
    options = {
        "GGML_CANN": "ON", "SOC_TYPE": "Ascend910B1", "USE_ACL_GRAPH": "ON" if graphs else "OFF", "CANN_INSTALL_DIR": dist,
        "CMAKE_BUILD_TYPE": "Release", "GGML_NATIVE": "OFF", "GGML_OPENMP": "OFF", "GGML_BUILD_TESTS": "OFF", "GGML_BUILD_EXAMPLES": "OFF",
    }  # fmt: skip
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    defines = [f"-D{name}={value}" for name, value in options.items()]
    run("cmake", "-G", "Ninja", "-S", folder / "ggml", "-B", made, *defines, env=environment, stdout=subprocess.DEVNULL)
    run("ninja", "-C", made, "--quiet", env=environment)
    program = made / "test-backend-ops"
    libraries = [made / "src", made / "src" / "ggml-cann"]
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-w", "-o", program, folder / "tests" / "test-backend-ops.cpp"]
    command += [f"-I{folder / part}" for part in ("ggml/include", "ggml/src", "include")]
    command += [f"-L{path}" for path in libraries] + [f"-Wl,-rpath,{path}" for path in libraries]
    run(*command, "-lggml", "-lggml-base", "-lggml-cpu", "-lggml-cann", "-lpthread", f"-L{dist / 'lib64'}", f"-Wl,-rpath,{dist / 'lib64'}")
    return program


def expected():
    """Operators and patterns of the cases that fail, with the reason."""
    lines = EXPECTED.read_text().splitlines()[1:]
    return [(operator, re.compile(case), reason) for operator, case, reason in (line.split("\t") for line in lines if line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=pathlib.Path, required=True, help="the folder that `cargo xtask dist` makes")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="where sources and builds go")
    parser.add_argument("--only", help="one operator, by its name in ggml")
    parser.add_argument("--no-graphs", action="store_true", help="build the backend without graphs")
    parser.add_argument("--save", type=pathlib.Path, help="write every line of the test to this file")
    options = parser.parse_args()
    work, dist = options.work.resolve(), options.dist.resolve()
    work.mkdir(parents=True, exist_ok=True)
    program = build(sources(work), dist, work, not options.no_graphs)

    environment = {**os.environ, "LD_LIBRARY_PATH": str(dist / "lib64")}
    counts = collections.defaultdict(collections.Counter)
    known, surprises, lines = expected(), [], []

    def note(operator, case, result, line):
        counts[operator][result] += 1
        fails = any(operator == one and pattern.search(case) for one, pattern, _ in known)
        if result != "not taken" and (result == "fail") != fails:
            surprises.append(line.strip())

    listed = subprocess.run([str(program), "--list-ops"], env=environment, capture_output=True, text=True, check=True).stdout
    operators = re.findall(r"^\s+([A-Z][A-Z0-9_]*)$", listed, re.MULTILINE)
    tried = []
    while True:
        wanted = [options.only] if options.only else [name for name in operators if name not in tried] if tried else []
        command = [str(program), "test", "-b", "CANN0"] + (["-o", ",".join(wanted)] if wanted else [])
        ended, last = False, None
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as test:
            for line in test.stdout:
                line = COLOUR.sub("", line.rstrip())
                lines.append(line)
                ended |= "tests passed" in line
                found = LINE.search(line)
                if not found:
                    continue
                last, answer = found["operator"], found["answer"]
                result = "not taken" if answer.startswith("not supported") else "pass" if answer.endswith("OK") else "fail"
                note(last, found["case"], result, line)
                if last not in tried:
                    tried.append(last)
        if ended or last is None:
            break
        # The answer of the case that aborted is missing: it belongs to the operator that was being tried.
        why = next((line for line in reversed(lines) if "CANN error:" in line or "GGML_ASSERT" in line), "no reason given")
        note(last, "aborts", "fail", f"{last} aborts: {why}")
        if options.only:
            break
    if options.save:
        options.save.write_text("\n".join(lines) + "\n")

    total = sum(counts.values(), collections.Counter())
    print(f"\n{'operator':<28}{'pass':>8}{'fail':>8}{'not taken':>12}")
    for operator, count in sorted(counts.items()):
        print(f"{operator:<28}{count['pass']:>8}{count['fail']:>8}{count['not taken']:>12}")
    print(f"{'all':<28}{total['pass']:>8}{total['fail']:>8}{total['not taken']:>12}")
    for operator, case, reason in known:
        print(f"known: {operator} {case.pattern}: {reason}")
    for surprise in surprises:
        print("not as expected:", surprise)
    if surprises or not ended or not total["pass"]:
        print("\n".join(lines[-12:]))
        sys.exit(f"error: {len(surprises)} cases are not as expected; the test ended with status {test.returncode}")


if __name__ == "__main__":
    main()
