"""Runs a workload once, with the pool: a program for `millpond record` and `millpond check`.

    millpond record -o streams.mpt -- python bench/gpu/once.py streams
    millpond check -- python bench/gpu/once.py moe --tiny
"""

import argparse

import torch

import millpond.torch
from workloads import WORKLOADS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", choices=WORKLOADS, metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--tiny", action="store_true", help="tiny sizes")
    parser.add_argument("--steps", type=int, help="as many steps")
    options = parser.parse_args()

    millpond.torch.enable()
    kind = WORKLOADS[options.workload]
    workload = kind("cuda", options.tiny)
    for number in range(options.steps or (kind.tiny_steps if options.tiny else kind.steps)):
        workload.step(number)
    torch.cuda.synchronize()
    held = millpond.torch.statistics()
    live, reserved = held["used_bytes"]["peak"], held["reserved_bytes"]["peak"]
    print(f"{options.workload}: loss {workload.loss():.4f}, live {live / 1e9:.3f} GB, reserved {reserved / live:.3f}")


if __name__ == "__main__":
    main()
