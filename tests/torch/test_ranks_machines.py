"""Ranks on two machines: torchrun once per machine, in network namespaces with a switch between them. The same scripts as in
`test_ranks.py`, so every rank compares all its results with the CPU."""

import os
import pathlib
import subprocess
import sys

import pytest
from support import millpond
from test_ranks import SCRIPTS, Job, all_passed

PER_MACHINE = 2


def ip(words, check=True):
    return subprocess.run(["ip", *words.split()], capture_output=True, text=True, check=check)


@pytest.fixture
def machines():
    """The names of two namespaces, in which eth0 has the addresses 10.79.0.1 and 10.79.0.2."""
    if not (pathlib.Path(os.environ["ASCEND_HOME_PATH"]) / "lib64" / "libmillpond_gloo.so").exists():
        pytest.skip("libmillpond_gloo.so is not there (apt-get install libgloo-dev, then cargo xtask dist)")
    switch, names = f"mpt{os.getpid()}s", [f"mpt{os.getpid()}m{number}" for number in range(2)]
    try:
        ip(f"netns add {switch}")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"network namespaces are not permitted: {error}")
    try:
        ip(f"-n {switch} link add bridge0 type bridge")
        ip(f"-n {switch} link set bridge0 up")
        for number, name in enumerate(names):
            ip(f"netns add {name}")
            ip(f"-n {name} link set lo up")
            ip(f"-n {switch} link add port{number} type veth peer name eth0 netns {name}")
            ip(f"-n {switch} link set port{number} master bridge0 up")
            ip(f"-n {name} addr add 10.79.0.{number + 1}/24 dev eth0")
            ip(f"-n {name} link set eth0 up")
        yield names
    finally:
        for name in [switch, *names]:
            ip(f"netns del {name}", check=False)


@pytest.mark.parametrize("script", ["collectives.py", "training.py"])
def test_every_rank_on_two_machines_has_the_results_of_the_cpu(script, machines):
    jobs = []
    for number, name in enumerate(machines):
        launcher = f"-m torch.distributed.run --nnodes 2 --node-rank {number} --master-addr 10.79.0.1 --master-port 29500"
        command = [sys.executable, *launcher.split(), f"--nproc-per-node={PER_MACHINE}", str(SCRIPTS / script)]
        # PyTorch's own Gloo, for CPU tensors, would look up the machine's name.
        inside = ["ip", "netns", "exec", name, millpond(), "run", "--", *command]
        jobs.append(Job(inside, GLOO_SOCKET_IFNAME="eth0"))
    ends = [job.wait() for job in jobs]
    for ended in ends:
        assert ended.status == 0, ends
    both = ends[0]
    both.out += ends[1].out
    all_passed(both, script, 2 * PER_MACHINE)
