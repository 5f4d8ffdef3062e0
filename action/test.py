#!/usr/bin/env python3
"""Runs what action.yml, gitlab.yml and the Dockerfile would run, as far as this machine can.

    python3 action/test.py WHEEL WORK

Needs PyYAML. The steps of the GitHub action that are shell scripts run with the variables that the runner would set; steps that use
other actions are only checked to be complete. The container is built if a Docker daemon answers.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# The wheel comes from a file: nothing is fetched for it, and operators are not used here.
PIP = "--no-deps"


def github(steps, inputs, folder):
    """Runs the shell steps as the runner would, and returns the status of each by name."""
    path, statuses = folder / "path", {}
    path.write_text("")
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step["uses"]), step["uses"]
            continue
        assert step["shell"] == "sh", step
        if step.get("if") == "inputs.run != ''" and not inputs["run"]:
            continue
        values = {"github.action_path": str(HERE), **{f"inputs.{name}": value for name, value in inputs.items()}}
        env = {**os.environ, "RUNNER_TEMP": str(folder), "GITHUB_PATH": str(path), "MILLPOND_ACTION_PIP": PIP}
        for name, text in step.get("env", {}).items():
            env[name] = re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda found: values[found[1]], text)
        env["PATH"] = ":".join([*path.read_text().split(), env["PATH"]])
        done = subprocess.run(["sh", "-e", "-c", step["run"]], env=env, cwd=folder, capture_output=True, text=True)
        statuses[step["name"]] = done.returncode
        print(f"{step['name']}: {done.returncode}\n{done.stdout}{done.stderr}")
        if done.returncode != 0:
            break
    return statuses


def check_reports(reports, findings):
    """Both reports are there and have these findings."""
    sarif = json.loads((reports / "millpond.sarif").read_text())
    rules = {result["ruleId"] for run in sarif["runs"] for result in run["results"] if result.get("level") in ("error", "warning")}
    assert rules == findings, rules
    junit = xml.etree.ElementTree.parse(reports / "millpond.xml").getroot()
    failed = {case.get("name") for case in junit.iter("testcase") if case.find("failure") is not None}
    assert len(failed) == len(findings), failed


def build(work, *options):
    """A program, built as a user of the wheel would."""
    program = work / "program"
    home = work / "action/millpond/lib"
    include = next(home.glob("python3*/site-packages/millpond/include"))
    command = [os.environ.get("CC", "cc"), "-g", *options, f"-I{include}", str(ROOT / "examples/c/two_mistakes.c"), f"-L{include.parent}/lib64", "-lascendcl", "-o"]
    subprocess.run([*command, str(program)], check=True)
    return program


def test_action(wheel, work):
    action = yaml.safe_load((HERE / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    used = set(re.findall(r"inputs\.(\w+)", (HERE / "action.yml").read_text()))
    assert used == set(action["inputs"]), used ^ set(action["inputs"])
    uploads = [step["with"] for step in action["runs"]["steps"] if "uses" in step]
    names = [step.get("name", step.get("category")) for step in uploads]
    # The jobs of a matrix upload side by side, and an artifact's name can be used once.
    assert len(names) == 2 and all("inputs.name" in name and "strategy.job-index" in name for name in names), names
    steps, folder = action["runs"]["steps"], work / "action"
    folder.mkdir()
    defaults = {name: entry["default"] for name, entry in action["inputs"].items()}
    inputs = {**defaults, "version": str(wheel)}
    assert github(steps, inputs, folder) == {"Install Millpond": 0}
    program = build(work)
    inputs["run"] = f"{program}"
    assert github(steps[1:], inputs, folder) == {"Run": 127}, "without the path of the first step"
    assert github(steps, inputs, folder) == {"Install Millpond": 0, "Run": 1}
    check_reports(folder / inputs["reports"], {"stream.race", "memory.freed-in-use"})
    assert github(steps, {**inputs, "check": "false"}, folder)["Run"] == 0
    assert github(steps, {**inputs, "version": "nonsense"}, folder)["Install Millpond"] == 2
    assert github(steps, {**inputs, "devices": "3", "check": "false", "run": 'test "$MILLPOND_DEVICES" = 3'}, folder)["Run"] == 0
    build(work, "-DFIXED")
    assert github(steps, inputs, folder)["Run"] == 0
    check_reports(folder / inputs["reports"], set())


def test_gitlab(wheel, work):
    template = yaml.safe_load((HERE / "gitlab.yml").read_text())
    job = template[".millpond"]
    assert job["artifacts"]["reports"]["junit"] == "millpond-reports/millpond.xml"
    folder = work / "gitlab"
    folder.mkdir()
    env = {**os.environ, **job["variables"], "MILLPOND_VERSION": str(wheel), "MILLPOND_RUN": str(build(work)), "MILLPOND_ACTION_PIP": PIP}
    script = "\n".join(job["script"])
    done = subprocess.run(["sh", "-e", "-c", script], env=env, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    check_reports(folder / "millpond-reports", {"stream.race", "memory.freed-in-use"})
    env["MILLPOND_CHECK_RUN"] = "false"
    subprocess.run(["sh", "-e", "-c", script], env=env, cwd=folder, check=True, capture_output=True)


def test_docker(wheel, work):
    if shutil.which("docker") is None or subprocess.run(["docker", "info"], capture_output=True).returncode != 0:
        print("SKIPPED: no Docker daemon answers, so the container was not built")
        return
    context = work / "docker"
    shutil.copytree(HERE, context)
    shutil.copy(wheel, context)
    command = ["docker", "build", "--quiet", "-t", "millpond-test", "--build-arg", f"VERSION={wheel.name}", str(context)]
    subprocess.run(command, check=True)
    subprocess.run(["docker", "run", "--rm", "-e", "MILLPOND_ACTION_CHECK=false", "millpond-test", "millpond", "doctor"], check=True)


def main():
    wheel, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    # Of the machine's own setting nothing may help.
    for name in list(os.environ):
        if name.startswith(("MILLPOND", "ASCEND", "LD_LIBRARY_PATH", "PYTHON")):
            del os.environ[name]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for test in (test_action, test_gitlab, test_docker):
        test(wheel, work)
        print(f"{test.__name__}: done")


if __name__ == "__main__":
    main()
