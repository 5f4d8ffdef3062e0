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
    tried = ", ".join(f"{each['bytes'] / GB:.2f} {'ok' if each.get('finished') else 'no'}" for each in said["tried"]) or "nothing tried"
    return f"finishes in {said['smallest'] / GB:.2f} GB ({tried})"


def calls_line(said):
    if error_of(said):
        return error_of(said)
    return ", ".join(f"{line['what']} {count_of(line)}: {line['ns']:,.0f} ns" for line in said["lines"])


def count_of(line):
    """What tells apart two lines about the same."""
    if "threads" in line:
        return f"{line['threads']} thread{'s' * (line['threads'] > 1)}"
    bytes = line.get("bytes", 0)
    return f"{bytes >> 20} MiB" if bytes >= 1 << 20 else f"{bytes} B"


def problems(figures):
    """What makes the run a failure, in sentences."""
    for arm, said in figures.get("calls", {}).items():
        if error_of(said) and not (arm == "cpp" and figures["machines"][-1]["gpu"] == "none"):
            yield f"calls, {arm}: {error_of(said)}"
    for entry in figures["results"]:
        for part in ("about", "memory", "time", "limit"):
            error = error_of(entry.get(part))
            if error:
                yield f"{entry['workload']}, {entry['arm']}, {'start' if part == 'about' else part}: {error}"


def merged(runs):
    """One set of figures from several runs. Parts of the same workload and arm go together; the later run wins, unless it measured no calls."""
    entries = {}
    for run in runs:
        for entry in run["results"]:
            entries.setdefault((entry["workload"], entry["arm"]), {}).update(entry)
    calls = {}
    for run in runs:
        calls |= {arm: said for arm, said in run.get("calls", {}).items() if "lines" in said or arm not in calls}
    machines = [machine for run in runs for machine in run["machines"]]
    skipped = [what for run in runs for what in run.get("skipped", [])]
    more = {"calls": calls, "skipped": skipped}
    return {"machines": machines, "results": list(entries.values())} | {name: each for name, each in more.items() if each}


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
        smallest, live, skipped = entry["limit"]["smallest"], entry["limit"]["live"], entry["limit"].get("skipped")
        return f"{'≤ ' * bool(skipped)}{smallest / GB:.2f} GB, {smallest / live:.3f} ×" + f" ({skipped} attempts skipped)" * bool(skipped)

    def rest(_workload, entry):
        return f"{entry['memory']['gpu_rest'] / 1e6:.0f}"

    lines = ["# PyTorch on a GPU: allocators compared", ""]
    for machine in figures["machines"]:
        lines.append(
            f"{machine['date']}, {machine['gpu']}, driver {machine['driver']}, CUDA {machine['cuda']}, PyTorch {machine['torch']}, "
            f"Python {machine['python']}, Millpond {machine.get('commit', 'unknown')}: `{machine['command']}`"
        )
        lines.append("")
    lines += targets(figures)
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
    lines += calls_table(figures)
    skipped = figures.get("skipped")
    if skipped:
        lines += ["## Skipped, for lack of time", "", *(f"- {what}" for what in skipped), ""]
    wrong = list(problems(figures))
    if wrong:
        lines += ["## Failed", "", *(f"- {problem}" for problem in wrong), ""]
    return "\n".join(lines)


# What is promised: workload, its name in the table, and the most that may be reserved for each byte that is live.
RATIOS = (
    ("gpt-fixed", "reserved / allocated, fixed training", 1.02),
    ("gpt-varlen", "reserved / allocated, variable length", 1.02),
    ("decode-chunks", "reserved / allocated, growing KV, sixteen tokens at a time", 1.01),
    ("decode", "reserved / allocated, growing KV, token by token", 1.01),
    ("moe", "reserved / allocated, MoE", 1.02),
    ("streams", "reserved / allocated, three streams, CPU ahead", 2.0),
)
PEERS = ("default", "expandable", "cudaMallocAsync")


def targets(figures):
    """The pool against what is promised, with its peers beside it. Nothing where nothing of it was measured."""
    calls = figures.get("calls", {})
    found = {(entry["workload"], entry["arm"]): entry for entry in figures["results"]}
    rows = []

    def worst(arm, what, **where):
        """The largest figure of an arm's lines, or nothing."""
        lines = calls.get(arm, {}).get("lines", [])
        return max((line["ns"] for line in lines if line["what"] == what and where.items() <= line.items()), default=None)

    def add(name, cells, most, show):
        if any(cell is not None for cell in cells):
            ours = cells[-1]
            said = "" if most is None else "not measured" if ours is None else "met" if ours <= most else "missed"
            goal = "shown" if most is None else f"≤ {show(most)}"
            cells = ["" if cell is None else show(cell) for cell in cells]
            rows.append(f"| {name} | {' | '.join(cells)} | {goal} | {said} |")

    def nanoseconds(value):
        return f"{value:,.0f}"

    inside = [worst(arm, "pair, PyTorch from C++") for arm in PEERS]
    raw = worst("cpp", "pair", allocator="cuMemAllocAsync")
    text = "pair from C++, our own interface (peers: inside PyTorch), ns"
    add(text, [*inside, worst("cpp", "pair", allocator="millpond")], 40, nanoseconds)
    add("pair from C++, the driver's cuMemAllocAsync, ns", [None, None, raw, None], None, nanoseconds)
    add("pair inside PyTorch, allocator class, ns", [*inside, worst("millpond", "pair, PyTorch from C++")], 150, nanoseconds)
    add("pair inside PyTorch, pluggable, ns", [*inside, worst("millpond-pluggable", "pair, PyTorch from C++")], None, nanoseconds)
    mix = [worst(arm, "mix, PyTorch from C++", threads=8) for arm in PEERS]
    own = worst("cpp", "mix", allocator="millpond", threads=8)
    add("8 threads, own streams, mix, our own interface (peers: inside PyTorch), ns a call", [*mix, own], 100, nanoseconds)
    own = worst("millpond", "mix, PyTorch from C++", threads=8)
    add("8 threads, own streams, mix, inside PyTorch, ns a call", [*mix, own], 100, nanoseconds)

    def held(workload, arm):
        said = found.get((workload, arm), {}).get("memory") or {}
        return said["peak_reserved"] / said["peak_allocated"] if said.get("peak_allocated") else None

    for workload, name, most in RATIOS:
        add(name, [held(workload, arm) for arm in (*PEERS, "millpond")], most, lambda value: f"{value:.3f}")

    def ratios(workload, arm):
        """Step times over those of the default in the same round."""
        times = [found.get((workload, each), {}).get("time", []) for each in (arm, "default")]
        return [own["ms"] / base["ms"] for own, base in zip(*times) if "ms" in own and "ms" in base]

    for workload, *_ in RATIOS:
        middle = [statistics.median(all) if all else None for all in (ratios(workload, arm) for arm in (*PEERS, "millpond"))]
        ours = ratios(workload, "millpond")
        if ours:
            # Met if one of the rounds was as fast: the target is meant within their spread.
            text = f"{middle[-1]:.3f} ({min(ours):.3f} to {max(ours):.3f})"
            said = "met" if min(ours) <= 1 else "missed"
            cells = ["" if cell is None else f"{cell:.3f}" for cell in middle[:-1]]
            rows.append(f"| step time, {workload} | {' | '.join([*cells, text])} | ≤ 1.00 within the spread | {said} |")
    if not rows:
        return []
    head = ["what", *PEERS, "Millpond", "target", ""]
    return ["## Against the targets", "", f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *rows, ""]


def calls_table(figures):
    """Every figure of the calls."""
    rows, copies = {}, []
    calls = figures.get("calls", {})
    arms = [arm for arm in calls if arm != "cpp"]
    for arm, said in calls.items():
        for line in said.get("lines", []):
            if "ns" not in line:
                copies.append(line)
                continue
            # Lines of cpp/latency.c have no PyTorch.
            name = line["what"] if arm != "cpp" else f"{line['what']}, {line['allocator']} from C++"
            rows.setdefault((name, count_of(line)), {})[arm] = line["ns"]
    lines = []
    if rows:
        heads = ["what", "size or threads", "without PyTorch", *arms]
        lines += ["## Calls, ns", "", "A pair is an allocation and its free; of a mix, one call of either.", ""]
        lines += [f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
        for (name, count), found in rows.items():
            cells = [f"{found[arm]:,.1f}" if arm in found else "" for arm in ("cpp", *arms)]
            lines.append(f"| {name} | {count} | {' | '.join(cells)} |")
        lines.append("")
    if copies:
        lines += ["## Pages: copies within the GPU, and taking 4 GiB", "", "| memory | copies, TB/s | taking it, ms |", "| --- | --- | --- |"]
        for memory in dict.fromkeys(line["memory"] for line in copies):
            of = {line["what"]: line for line in copies if line["memory"] == memory}
            speed = f"{of['copy']['tb_per_s']:.2f}" if "copy" in of else ""
            grown = f"{of['grow']['ms']:.1f}" if "grow" in of else ""
            lines.append(f"| {memory} | {speed} | {grown} |")
        lines.append("")
    return lines


def describe(entry, part, cell):
    if not entry.get(part):
        return ""
    if error_of(entry[part]) or error_of(entry.get("about")):
        return "failed"
    return cell(entry)
