"""Tables of what `run.py` measured."""

import statistics

GB = 1e9


def error_of(said):
    if isinstance(said, list):
        return next((error for error in map(error_of, said) if error), None)
    return said.get("error") if said else None


def memory_line(said):
    if error_of(said):
        return error_of(said)
    if "peak_allocated" not in said:
        return f"{said['steps']} steps in {said['seconds']:.1f} s, loss {said['loss']:.4f}"
    live = said["peak_allocated"]
    by_gpu = f", GPU {said['gpu_peak'] / live:.3f}" if "gpu_peak" in said else ""
    return (
        f"live {live / GB:.2f} GB, reserved {said['peak_reserved'] / live:.3f}{by_gpu}, "
        f"{said['steps']} steps in {said['seconds']:.1f} s, loss {said['loss']:.4f}"
    )


def time_line(samples):
    good = [sample["ms"] for sample in samples if "ms" in sample]
    if not good:
        return error_of(samples) or "no times"
    return f"{statistics.median(good):.2f} ms a step ({min(good):.2f} to {max(good):.2f})"


def limit_line(said):
    if error_of(said):
        return error_of(said)
    tried = ", ".join(f"{each['bytes'] / GB:.2f} {'ok' if each.get('finished') else 'no'}" for each in said["tried"])
    return f"finishes in {said['smallest'] / GB:.2f} GB ({tried})"


def problems(figures):
    """What makes the run a failure, in sentences."""
    for entry in figures["results"]:
        for part in ("about", "memory", "time", "limit"):
            error = error_of(entry.get(part))
            if error:
                yield f"{entry['workload']}, {entry['arm']}, {'start' if part == 'about' else part}: {error}"


def merged(runs):
    """One set of figures from several runs. Parts of the same workload and arm go together; the later run wins."""
    entries = {}
    for run in runs:
        for entry in run["results"]:
            entries.setdefault((entry["workload"], entry["arm"]), {}).update(entry)
    return {"machines": [machine for run in runs for machine in run["machines"]], "results": list(entries.values())}


def markdown(figures):
    results = figures["results"]
    workloads = list(dict.fromkeys(entry["workload"] for entry in results))
    arms = list(dict.fromkeys(entry["arm"] for entry in results))
    found = {(entry["workload"], entry["arm"]): entry for entry in results}

    def table(title, part, cell, first=lambda entry: "", heading=""):
        if not any(entry.get(part) for entry in results):
            return []
        heads = ["workload", *([heading] if heading else []), *arms]
        lines = [f"## {title}", "", f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
        for workload in workloads:
            entries = [found.get((workload, arm), {}) for arm in arms]
            cells = [workload]
            if heading:
                cells.append(next((text for text in map(first, entries) if text), ""))
            cells += [describe(entry, part, lambda entry: cell(workload, entry)) for entry in entries]
            lines.append(f"| {' | '.join(cells)} |")
        return [*lines, ""]

    def live(entry):
        peak = (entry.get("memory") or {}).get("peak_allocated")
        return f"{peak / GB:.2f}" if peak else ""

    def ratio_of(key):
        return lambda _workload, entry: f"{entry['memory'][key] / entry['memory']['peak_allocated']:.3f}"

    def times(workload, entry):
        good = [sample["ms"] for sample in entry["time"]]
        base = [sample["ms"] for sample in found.get((workload, "default"), {}).get("time", []) if "ms" in sample]
        ratio = ""
        if base and entry["arm"] != "default":
            ratio = f", {statistics.median(a / b for a, b in zip(good, base)):.3f} ×"
        return f"{statistics.median(good):.2f} ({min(good):.2f} to {max(good):.2f}){ratio}"

    def limit(_workload, entry):
        smallest, live = entry["limit"]["smallest"], entry["limit"]["live"]
        return f"{smallest / GB:.2f} GB, {smallest / live:.3f} ×"

    def rest(_workload, entry):
        return f"{entry['memory']['gpu_rest'] / 1e6:.0f}"

    lines = ["# PyTorch on a GPU: allocators compared", ""]
    for machine in figures["machines"]:
        lines.append(
            f"{machine['date']}, {machine['gpu']}, driver {machine['driver']}, CUDA {machine['cuda']}, PyTorch {machine['torch']}, "
            f"Python {machine['python']}: `{machine['command']}`"
        )
        lines.append("")
    measured = any("peak_allocated" in (entry.get("memory") or {}) for entry in results)
    if measured:
        lines += table("Peak reserved / peak live, by the allocator's statistics", "memory", ratio_of("peak_reserved"), live, "live, GB")
        lines += table("Peak of the GPU's memory / peak live, by the GPU", "memory", ratio_of("gpu_peak"))
        lines += table("The process's other memory on the GPU, MB", "memory", rest)
    else:
        lines += table("Steps", "memory", lambda _, entry: memory_line(entry["memory"]))
    lines += table("Step time, ms: median (smallest to largest), relative to the default", "time", times)
    if any(entry.get("limit") for entry in results):
        lines += table("Smallest free memory in which it finishes, and relative to what is live", "limit", limit)
    wrong = list(problems(figures))
    if wrong:
        lines += ["## Failed", "", *(f"- {problem}" for problem in wrong), ""]
    return "\n".join(lines)


def describe(entry, part, cell):
    if not entry.get(part):
        return ""
    if error_of(entry[part]) or error_of(entry.get("about")):
        return "failed"
    return cell(entry)
