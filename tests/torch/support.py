"""Shared helpers: comparing results with the CPU's, and running scripts in separate processes."""

import json
import os
import pathlib
import subprocess
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "torch"

# Tolerance for differences from the CPU's results, by type.
TOLERANCE = {
    torch.float32: dict(rtol=1e-4, atol=1e-5),
    torch.float16: dict(rtol=1e-2, atol=1e-3),
    torch.bfloat16: dict(rtol=2e-2, atol=1e-2),
}


def same(ours, cpu, **tolerance):
    """Asserts that a result on the device equals the CPU's in type, shape and values."""
    if isinstance(cpu, (tuple, list)):
        assert len(ours) == len(cpu)
        for one, other in zip(ours, cpu):
            same(one, other, **tolerance)
        return
    ours = ours.detach().cpu()
    cpu = cpu.detach()
    limits = {**TOLERANCE.get(cpu.dtype, dict(rtol=0, atol=0)), **tolerance}
    torch.testing.assert_close(ours, cpu, equal_nan=True, **limits)


def on_both(function, *inputs, **tolerance):
    """Runs a function on the CPU and on the device and compares the results."""
    def to(value, device):
        return value.to(device) if isinstance(value, torch.Tensor) else value

    cpu = function(*inputs)
    ours = function(*[to(value, "npu") for value in inputs])
    same(ours, cpu, **tolerance)
    return ours


class Ended:
    """The result of a process."""

    def __init__(self, status, out, err, findings):
        self.status, self.out, self.err, self.findings = status, out, err, findings

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def millpond():
    """The `millpond` command; `cargo xtask torch` sets its path."""
    return os.environ.get("MILLPOND_COMMAND", "millpond")


def script(source, *arguments, check=None, env=None, timeout=300, folder=None):
    """Runs a script (a path or text) in a separate process.

    `check` is a list of options for `millpond check`; `findings` then has the report's findings.
    """
    if isinstance(source, pathlib.Path):
        command = [sys.executable, str(source)]
    else:
        command = [sys.executable, "-c", source]
    command += [str(argument) for argument in arguments]
    findings = None
    report = None
    if check is None:
        command = [millpond(), "run", "--", *command]
    else:
        report = pathlib.Path(folder or os.environ.get("TMPDIR", "/tmp")) / f"report-{os.getpid()}.json"
        command = [millpond(), "check", "--format", "json", "-o", str(report), *check, "--", *command]
    ended = subprocess.run(
        command,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if report is not None and report.exists():
        findings = json.loads(report.read_text())["findings"]
        report.unlink()
    return Ended(ended.returncode, ended.stdout, ended.stderr, findings)
