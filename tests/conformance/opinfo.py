#!/usr/bin/env python3
"""PyTorch's own operator database on the NPU device of Millpond, compared with PyTorch's CPU device.

Reads lines `NAME<TAB>VARIANT<TAB>FORM` from standard input and writes one JSON line for each. Every operator runs in a process of its own,
forked before the device is used. `conformance.py` starts this program and ends it when an operator hangs.

Forms: forward_float32, backward_float32, forward_float16, forward_bfloat16, forward_int64. The result of an operator is that of its worst
sample: pass < fallback (right, but torch_npu computed on the CPU) < refused < wrong.
"""

import collections
import json
import os
import re
import sys
import tempfile
import time
import warnings

import torch
import torch_npu  # noqa: F401 registers the device
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import SampleInput

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "int64": torch.int64}
TOLERANCE = {torch.float16: (2e-2, 2e-2), torch.bfloat16: (2e-2, 2e-2)}
SAMPLES = 60
# Operators whose tensors must be on the CPU device, by PyTorch's own rule: only the first one moves.
INDICES_ON_CPU = {"tensor_split"}
# Which of equal elements comes first is open there, unless a stable order is asked for: indices have to lead to the right values.
OPEN_ORDER = {"topk", "kthvalue", "sort", "argsort"}
# Factors that are unique up to signs: what is compared is what the database makes of them for gradients.
UP_TO_SIGNS = {"svd", "linalg.svd"}
RANK = {"skipped": -1, "pass": 0, "fallback": 1, "refused": 2, "wrong": 3}


def forms(op):
    """The forms in which the CPU device supports an operator."""
    found = []
    for name, dtype in DTYPES.items():
        if dtype in op.supported_dtypes("cpu"):
            found.append(f"forward_{name}")
    if op.supports_autograd and torch.float32 in op.supported_backward_dtypes("cpu"):
        found.append("backward_float32")
    return found


def moved(value, device):
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            return value.detach().to(device).requires_grad_(value.requires_grad)
        # The whole storage moves, so that views keep their strides and what lies around them. It is a copy even on the CPU device: an operator
        # that writes its input must not change the sample.
        held = value.untyped_storage().nbytes() // value.element_size()
        storage = value.detach().as_strided((held,), (1,), 0).clone().to(device)
        copy = storage.as_strided(value.size(), value.stride(), value.storage_offset())
        copy = (copy.conj() if value.is_conj() else copy).detach()
        return copy.requires_grad_(value.requires_grad)
    if isinstance(value, torch.device):
        return torch.device(device)
    if isinstance(value, (list, tuple)):
        members = [moved(one, device) for one in value]
        return type(value)(*members) if hasattr(value, "_fields") else type(value)(members)
    if isinstance(value, dict):
        return {key: moved(one, device) for key, one in value.items()}
    if isinstance(value, str) and value == "cpu":
        return device
    return value


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [one for member in value.values() for one in tensors(member)]
    if isinstance(value, (list, tuple)):
        return [one for member in value for one in tensors(member)]
    return []


def plain(value):
    """Numbers and the like among the results."""
    if isinstance(value, torch.Tensor):
        return None
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if isinstance(value, (int, float, bool, str)) else None


def difference(got, want, random):
    """What is wrong with a result, in words; `None` if nothing is."""
    if len(got) != len(want):
        return f"{len(got)} results instead of {len(want)}"
    for index, (left, right) in enumerate(zip(got, want)):
        if left is None or right is None:
            if (left is None) != (right is None):
                return f"result {index} is {'missing' if left is None else 'not expected'}"
            continue
        left = left.detach().cpu()
        right = right.detach()
        if left.shape != right.shape:
            return f"result {index} has the shape {tuple(left.shape)} instead of {tuple(right.shape)}"
        if left.dtype != right.dtype:
            return f"result {index} is {left.dtype} instead of {right.dtype}"
        if random:
            continue
        relative, absolute = TOLERANCE.get(right.dtype, (1e-3, 1e-4))
        if right.is_floating_point() or right.is_complex():
            if not torch.allclose(left.to_dense() if left.is_sparse else left, right.to_dense() if right.is_sparse else right, relative, absolute, equal_nan=True):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    distance = (left - right).abs().nan_to_num(0).max().item() if left.numel() else 0
                return f"result {index} differs by up to {distance:.3g}"
        elif not torch.equal(left.to_dense() if left.is_sparse else left, right.to_dense() if right.is_sparse else right):
            return f"result {index} differs"
    return None


def compute(op, sample, device, backward, cotangents):
    given = (sample.args, sample.kwargs)
    arguments = (moved(sample.input, device), *moved(given, "cpu" if op.name in INDICES_ON_CPU else device))
    torch.manual_seed(0)
    result = op(arguments[0], *arguments[1], **arguments[2])
    if sample.output_process_fn_grad is not None and (backward or op.name in UP_TO_SIGNS):
        result = sample.output_process_fn_grad(result)
    if not backward:
        return tensors(result), plain(result)
    results = [one for one in tensors(result) if one.requires_grad and (one.is_floating_point() or one.is_complex())]
    inputs = [one for one in tensors(arguments) if one.requires_grad]
    if not results or not inputs:
        return None, None
    if not cotangents:
        generator = torch.Generator().manual_seed(1)
        cotangents.extend(torch.randn(one.shape, generator=generator, dtype=torch.float32).to(one.dtype) for one in results)
    gradients = torch.autograd.grad(results, inputs, [one.to(device) for one in cotangents], allow_unused=True)
    return list(gradients), None


def widened(value):
    """A sample of 16-bit floats in 64 bits."""
    if isinstance(value, torch.Tensor):
        return value.detach().double() if value.dtype in TOLERANCE else value
    if isinstance(value, (list, tuple)):
        members = [widened(one) for one in value]
        return type(value)(*members) if hasattr(value, "_fields") else type(value)(members)
    if isinstance(value, dict):
        return {key: widened(one) for key, one in value.items()}
    return torch.float64 if value in (torch.float16, torch.bfloat16) else value


def exact(op, sample, want):
    """What the CPU device computes in 64 bits, rounded at the end. In 16 bits it rounds, and overflows, after every step."""
    wide = SampleInput(widened(sample.input), args=widened(sample.args), kwargs=widened(sample.kwargs))
    try:
        results, _ = compute(op, wide, "cpu", False, [])
        return [result.to(one.dtype) for result, one in zip(results, want, strict=True)]
    except Exception:  # noqa: BLE001 the operator is not the same in 64 bits
        return None


def by_values(op, sample, results):
    """Results with the elements that their indices lead to instead of the indices."""
    source = sample.input.detach()
    axis = sample.kwargs.get("dim", -1)
    # `topk` and `kthvalue` have a number before the axis.
    before = op.name in ("topk", "kthvalue")
    if len(sample.args) > before:
        axis = sample.args[before]
    places = results[-1].cpu()
    if not source.dim():
        return [*results[:-1], places]
    reduced = places.dim() < source.dim()
    values = source.gather(axis, places.unsqueeze(axis) if reduced else places)
    return [*results[:-1], values.squeeze(axis) if reduced else values]


def classify(op, sample, backward):
    cotangents = []
    try:
        want, numbers = compute(op, sample, "cpu", backward, cotangents)
    except Exception:  # noqa: BLE001 the CPU device does not take this sample
        return "skipped", ""
    if want is None:
        return "skipped", ""
    torch.manual_seed(12345)
    # The database restores the state of the generator around operators that draw random numbers.
    random = "empty" in op.name or "wrapper_set_seed" in getattr(getattr(op.op, "__code__", None), "co_names", ())
    if not random:
        state = torch.get_rng_state()
        arguments = moved((sample.input, sample.args, sample.kwargs), "cpu")
        torch.manual_seed(99)
        before = torch.get_rng_state()
        try:
            op(arguments[0], *arguments[1], **arguments[2])
        except Exception:  # noqa: BLE001
            pass
        random = not torch.equal(before, torch.get_rng_state())
        torch.set_rng_state(state)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            got, found = compute(op, sample, "npu", backward, cotangents)
            torch.npu.synchronize()
            if not backward and op.name in OPEN_ORDER and not sample.kwargs.get("stable"):
                got, want = by_values(op, sample, got), by_values(op, sample, want)
            wrong = difference(got, want, random)
            if wrong is not None and any(one is not None and one.dtype in TOLERANCE for one in want):
                rounded = exact(op, sample, want)
                if rounded is not None:
                    wrong = difference(got, rounded, random)
            if wrong is None and not random and found != numbers and repr(found) != repr(numbers):
                wrong = f"returned {found!r} instead of {numbers!r}"
        except Exception as error:  # noqa: BLE001 whatever it is, it is not the result
            text = re.sub(r"\s+", " ", str(error)).strip()
            lines = [line for line in str(error).splitlines() if "Millpond" in line or "returned" in line]
            return "refused", f"{type(error).__name__}: {(lines[0] if lines else text)[:300]}"
        finally:
            # Where `judge_apart` looks for notices of torch_npu.
            print(*(one.message for one in seen), sep="\n", file=sys.stderr, flush=True)
    if wrong is not None:
        return "wrong", wrong
    return "pass", ""


def spread(samples):
    """At most SAMPLES samples, evenly spread over all: the first and the last are among them."""
    if len(samples) <= SAMPLES:
        return samples
    return [samples[round(at * (len(samples) - 1) / (SAMPLES - 1))] for at in range(SAMPLES)]


def judge(op, form):
    way, dtype = form.split("_")
    backward = way == "backward"
    worst, reason, count, others, began = "skipped", "", 0, collections.Counter(), time.monotonic()
    try:
        samples = list(op.sample_inputs("cpu", DTYPES[dtype], requires_grad=backward))
    except Exception as error:  # noqa: BLE001
        return {"result": "skipped", "reason": f"samples: {error}"[:200], "samples": 0}
    for sample in spread(samples):
        result, why = classify(op, sample, backward)
        count += result != "skipped"
        if RANK[result] > RANK[worst]:
            worst, reason = result, why
        if why:
            others[f"{result}: {why}"] += 1
    seconds = round(time.monotonic() - began, 2)
    return {"result": worst, "reason": reason, "samples": count, "of": len(samples), "seconds": seconds, "failures": dict(others.most_common(12))}


# How torch_npu says that it computes on the CPU.
ON_CPU = [
    r"operator '([^']+)' is not currently supported on the NPU backend and will fall back",
    r"operator ([\w:]+)[^\n]* will fallback to run on the CPU",
    r"does not support operator '([^']+)', the operator will fall back to CPU",
    r"([\w.]+)\]? is not supported by NPU currently\. ?Now this kernel is running on CPU",
]


def judge_apart(op, form):
    """Judges in a child process: torch_npu names an operator that it computes on the CPU once for each process, on standard error."""
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            os.dup2(errors.fileno(), 2)
            try:
                answer.write(json.dumps(judge(op, form)).encode())
                answer.flush()
            except BaseException as error:  # noqa: BLE001 it must not run the parent's code
                answer.write(json.dumps({"result": "refused", "reason": repr(error)[:300], "samples": 0}).encode())
                answer.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        answer.seek(0)
        errors.seek(0)
        text, said = answer.read(), errors.read().decode(errors="replace")
    if not text:
        code = os.waitstatus_to_exitcode(status)
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        return {"result": "crash", "reason": f"{how}: {said.strip()[-300:]}", "samples": 0}
    result = json.loads(text)
    names = sorted({name for pattern in ON_CPU for name in re.findall(pattern, said)})
    if names:
        result["fallback"] = names
        if result["result"] == "pass":
            result.update(result="fallback", reason=f"torch_npu has no kernel for {', '.join(names)} and computes on the CPU")
    return result


def main():
    torch.set_warn_always(True)
    torch.set_num_threads(1)
    if "--list" in sys.argv:
        for op in op_db:
            for form in forms(op):
                print(f"{op.name}\t{op.variant_test_name}\t{form}")
        return
    known = {(op.name, op.variant_test_name): op for op in op_db}
    for line in sys.stdin:
        name, variant, form = line.rstrip("\n").split("\t")
        result = judge_apart(known[name, variant], form)
        print(json.dumps({"name": name, "variant": variant, "form": form, **result}), flush=True)


if __name__ == "__main__":
    main()
