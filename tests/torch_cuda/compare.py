"""Runs programs.py with PyTorch's own allocator and with the pool, and says where the results differ. Needs no pytest.

    python compare.py [PROGRAM...]        exit status 0 if all results are the same, 1 if not

test_programs.py does the same and more where pytest is installed.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Only ends a hang.
LONG = 900


def lines_of(form, names):
    """The lines of each program, and how the process ended."""
    environment = {**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    command = [sys.executable, os.path.join(HERE, "programs.py"), form, *names]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LONG)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"program"')]
    last = (done.stderr.strip() or "it wrote nothing to stderr").splitlines()[-1]
    return {line["program"]: line for line in lines}, f"the process ended with status {done.returncode}: {last}"


def difference(own, pool, ended):
    """What is wrong with the pool's result, in words, or nothing."""
    if pool is None:
        return f"did not run with the pool; {ended}"
    for form, line in (("PyTorch's own allocator", own), ("the pool", pool)):
        if line is not None and "error" in line:
            return f"failed with {form}: {line['error']}"
    if own is None:
        return "did not run with PyTorch's own allocator"
    compared = [{key: value for key, value in line["result"].items() if not key.startswith("_")} for line in (own, pool)]
    if compared[0] != compared[1]:
        keys = [key for key in {**compared[0], **compared[1]} if compared[0].get(key) != compared[1].get(key)]
        return "; ".join(f"{key}: {compared[0].get(key)!r} with its own, {compared[1].get(key)!r} with the pool" for key in keys)
    return None


def main():
    names = sys.argv[1:]
    (own, own_ended), (pool, pool_ended) = lines_of("own", names), lines_of("pool", names)
    programs = names or list(dict.fromkeys([*own, *pool]))
    wrong = 0
    for name in programs:
        said = difference(own.get(name), pool.get(name), pool_ended)
        wrong += said is not None
        print(f"{name}: {said or 'same'}", flush=True)
    if not programs:
        print(f"no program ran; with PyTorch's own allocator {own_ended}, with the pool {pool_ended}")
    print(f"{len(programs) - wrong} of {len(programs)} programs have the same results")
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
