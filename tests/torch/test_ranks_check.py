"""`millpond check` on ranks under torchrun: one finding for all ranks, with the line of the script on each of them.

Each script with an error is followed by the corrected script; one line differs.
"""

import pathlib
import textwrap

import pytest
from support import script

SCRIPT = """
    import os

    import torch
    import torch_npu
    import torch.distributed as dist


    def train():
        rank = int(os.environ["LOCAL_RANK"])
        torch.npu.set_device(rank)
        dist.init_process_group("hccl")
        x = torch.ones(8, device="npu")
        dist.all_reduce(x)
        {line}
            dist.all_reduce(x[: 8 - late])
        torch.npu.synchronize()
        dist.destroy_process_group()


    train()
"""

CASES = {
    "collective.mismatch": ("for late in [int(rank == 1)]:", "for late in [0]:"),
    "collective.rank-gone": ("for late in [0, 0][rank:]:", "for late in [0, 0]:"),
}


def checked(folder, line):
    file = pathlib.Path(folder) / "train.py"
    file.write_text(textwrap.dedent(SCRIPT.format(line=line)))
    launch = f"""if True:
        import runpy
        import sys
        sys.argv = ["torchrun", "--standalone", "--nproc-per-node", "2", {str(file)!r}]
        runpy.run_module("torch.distributed.run", run_name="__main__")
    """
    return file, script(launch, check=[], env={"MILLPOND_DEVICES": "2"}, folder=str(folder))


@pytest.mark.parametrize("rule", CASES)
def test_what_ranks_do_wrong_is_one_finding(tmp_path, rule):
    wrong, right = CASES[rule]
    file, ended = checked(tmp_path, wrong)
    loud = [finding for finding in ended.findings if finding["severity"] != "hint"]
    assert [finding["rule"] for finding in loud] == [rule], ended
    operations = loud[0]["operations"]
    assert {operation["what"].split(":")[0] for operation in operations} == {"rank 0", "rank 1"}
    for operation in operations:
        places = [place for place in operation["stack"] if place.get("file") == str(file)]
        assert any(place["function"] == "train" and place["line"] for place in places), operation

    _, ended = checked(tmp_path, right)
    assert ended.findings == [], ended
    assert ended.status == 0, ended
