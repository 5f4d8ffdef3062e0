"""`millpond check` on realistic scripts: correct scripts have no findings, and errors are reported with their lines.

Each script with an error is followed by the corrected script.
"""

import pathlib
import textwrap

import pytest
from support import EXAMPLES, script


def checked(folder, source, *options):
    """Writes a script to a file and runs it under the checker."""
    file = pathlib.Path(folder) / "train.py"
    file.write_text(textwrap.dedent(source))
    ended = script(file, check=list(options), folder=str(folder))
    assert ended.findings is not None, ended
    return file, ended


def line_of(file, text):
    """The number of the only line that contains this text."""
    found = [number for number, line in enumerate(file.read_text().splitlines(), 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


def stands_at(operation, file, text, function):
    """Whether an operation's call stack contains this line of the script, in this function."""
    line = line_of(file, text)
    return any(
        place.get("file") == str(file) and place.get("line") == line and place.get("function") == function
        for place in operation["stack"]
    )


def silent(ended):
    assert ended.findings == [], ended
    assert ended.status == 0, ended


# Examples ---------------------------------------------------------------------------------------------------------

SCRIPTS = [
    ("mlp.py",),
    ("lenet.py",),
    ("resnet.py",),
    ("transformer.py", "--steps", "2"),
    ("transformer.py", "--steps", "1", "--attention", "mha"),
    ("transformer.py", "--steps", "1", "--attention", "sdpa", "--generate", "4"),
    ("transformer.py", "--steps", "1", "--amp", "bf16"),
    ("prefetch.py", "--right"),
]


@pytest.mark.parametrize("command", SCRIPTS, ids=" ".join)
def test_a_script_that_is_right_is_silent(command, tmp_path):
    name, *arguments = command
    silent(script(EXAMPLES / name, *arguments, check=[], folder=str(tmp_path), timeout=600))


def test_the_mistake_of_the_example_is_reported_once_per_tensor_with_its_lines(tmp_path):
    file = EXAMPLES / "prefetch.py"
    ended = script(file, check=[], folder=str(tmp_path))
    # A batch is two tensors, inputs and labels, which different operators read last.
    assert [finding["rule"] for finding in ended.findings] == ["stream.missing-record-use"] * 2, ended
    for finding in ended.findings:
        overwritten, used, freed = finding["operations"]
        assert stands_at(overwritten, file, "self.next = [", "Prefetcher.fetch"), ended
        assert stands_at(used, file, "loss.backward()", "main"), ended
        assert stands_at(freed, file, "inputs, labels = batch", "main"), ended
    assert ended.err.count("error[stream.missing-record-use]") == 2, ended


RIGHT = """
    import torch, torch_npu

    def main():
        side = torch.npu.Stream()
        ready = torch.npu.Event()
        host = torch.randn(64, 1024).pin_memory()
        kept = torch.zeros(64, 1024, device="npu")
        for step in range(6):
            batch = host.to("npu", non_blocking=True)
            ready.record()
            with torch.npu.stream(side):
                ready.wait()
                doubled = batch * 2
            batch.record_stream(side)
            del batch
            torch.npu.current_stream().wait_stream(side)
            kept += doubled
            doubled.record_stream(torch.npu.current_stream())
            del doubled
            empty = torch.empty(64, 1024, device="npu")
            empty.fill_(step)
        back = kept.to("cpu", non_blocking=True)
        torch.npu.synchronize()
        print(back.sum().item())
        torch.npu.empty_cache()

    main()
"""


@pytest.mark.parametrize("segments", ["False", "True"])
def test_streams_events_and_pinned_memory_used_rightly_are_silent(segments, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTORCH_NPU_ALLOC_CONF", f"expandable_segments:{segments}")
    _, ended = checked(tmp_path, RIGHT)
    silent(ended)


def test_the_last_batch_of_a_script_without_a_function_is_no_leak(tmp_path):
    source = """
        import torch, torch_npu
        from torch.utils.data import DataLoader

        for batch in DataLoader(torch.ones(8, 4), batch_size=4, pin_memory=True):
            total = batch.npu(non_blocking=True).sum()
        print(total.item())
    """
    _, ended = checked(tmp_path, source)
    silent(ended)


# A missing record_stream ------------------------------------------------------------------------------------------

RECORD_STREAM = """
    import torch, torch_npu

    def main():
        side = torch.npu.Stream()
        total = torch.zeros(256, 1024, device="npu")
        for step in range(4):
            batch = torch.ones(256, 1024, device="npu")
            side.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(side):
                total.add_(batch)
            {record}
            del batch
            again = torch.full((256, 1024), 7.0, device="npu")
        torch.npu.synchronize()
        print(total.sum().item())

    main()
"""


def test_a_missing_record_stream_is_told_with_the_use_the_free_and_the_next_tensor(tmp_path):
    file, ended = checked(tmp_path, RECORD_STREAM.format(record="pass"))
    assert [finding["rule"] for finding in ended.findings] == ["stream.missing-record-use"], ended
    finding = ended.findings[0]
    reused, used, freed = finding["operations"]
    assert any(place.get("file") == str(file) for place in reused["stack"]), ended
    assert stands_at(used, file, "total.add_(batch)", "main"), ended
    assert stands_at(freed, file, "del batch", "main"), ended
    assert stands_at(finding["block"]["allocated"], file, "batch = torch.ones", "main"), ended
    assert "record_stream" in finding["advice"]
    assert ended.status == 1


def test_with_record_stream_it_is_silent(tmp_path):
    silent(checked(tmp_path, RECORD_STREAM.format(record="batch.record_stream(side)"))[1])


# A second stream that does not wait -------------------------------------------------------------------------------

SECOND_STREAM = """
    import torch, torch_npu

    def double(side, x):
        with torch.npu.stream(side):
            return x * 2

    def main():
        side = torch.npu.Stream()
        x = torch.ones(512, 512, device="npu")
        {before}
        y = double(side, x)
        {after}
        z = y + 1
        torch.npu.synchronize()
        print(z.sum().item())

    main()
"""


def test_work_on_a_second_stream_without_a_wait_is_told_with_both_lines(tmp_path):
    file, ended = checked(tmp_path, SECOND_STREAM.format(before="pass", after="pass"))
    assert {finding["rule"] for finding in ended.findings} == {"stream.race"}, ended
    first, second = ended.findings
    assert stands_at(first["operations"][0], file, "return x * 2", "double"), ended
    assert stands_at(first["operations"][1], file, "x = torch.ones", "main"), ended
    assert stands_at(second["operations"][0], file, "z = y + 1", "main"), ended
    assert stands_at(second["operations"][1], file, "return x * 2", "double"), ended


def test_with_waits_it_is_silent(tmp_path):
    source = SECOND_STREAM.format(
        before="side.wait_stream(torch.npu.current_stream())",
        after="torch.npu.current_stream().wait_stream(side); x.record_stream(side)",
    )
    silent(checked(tmp_path, source)[1])


# A pointer that outlives its tensor -------------------------------------------------------------------------------

STALE = """
    import ctypes
    import torch, torch_npu

    acl = ctypes.CDLL("libascendcl.so")
    word = ctypes.c_size_t

    def address():
        x = torch.ones(1024, device="npu")
        {keep}
        return x.data_ptr()

    def copy(host, device):
        return acl.aclrtMemcpy(word(host), word(4096), word(device), word(4096), 2)

    def main():
        host = torch.empty(1024)
        device = address()
        torch.npu.synchronize()
        print(copy(host.data_ptr(), device), host[0].item())

    kept = []
    main()
"""


def test_a_pointer_that_outlives_its_tensor_is_told_with_the_life_of_the_tensor(tmp_path):
    file, ended = checked(tmp_path, STALE.format(keep="pass"))
    assert [finding["rule"] for finding in ended.findings] == ["memory.use-after-free"], ended
    finding = ended.findings[0]
    assert finding["operations"][0]["call"] == "aclrtMemcpy"
    assert stands_at(finding["operations"][0], file, "return acl.aclrtMemcpy", "copy"), ended
    assert stands_at(finding["block"]["allocated"], file, "x = torch.ones", "address"), ended


def test_a_pointer_into_a_tensor_that_lives_is_silent(tmp_path):
    silent(checked(tmp_path, STALE.format(keep="kept.append(x)"))[1])


# Contents ---------------------------------------------------------------------------------------------------------

FALLBACKS = [
    "torch.lgamma(torch.ones(3).npu())",
    "torch.linalg.cholesky((torch.eye(3) * 4).npu())",
    "F.fractional_max_pool2d(torch.rand(1, 1, 6, 6).npu(), 2, output_size=(3, 3))",
    "torch.distributions.Gamma(torch.ones(2).npu(), torch.ones(2).npu()).log_prob(torch.ones(2).npu())",
]


@pytest.mark.parametrize("expression", FALLBACKS)
def test_an_operator_that_is_computed_on_the_host_is_silent(expression, tmp_path):
    source = f"""
        import torch, torch_npu
        import torch.nn.functional as F
        print({expression}.cpu())
    """
    silent(checked(tmp_path, source)[1])


def test_a_tensor_that_nothing_wrote_is_told(tmp_path):
    source = """
        import torch, torch_npu
        x = torch.empty(3, device="npu")
        print(x.cpu())
    """
    _, ended = checked(tmp_path, source)
    assert [finding["rule"] for finding in ended.findings] == ["memory.uninitialised-read"], ended


# Leaks ------------------------------------------------------------------------------------------------------------

GROWTH = """
    import torch, torch_npu
    import torch.nn as nn, torch.nn.functional as F

    losses = []

    def step(model, optimizer, x, t):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), t)
        loss.backward()
        optimizer.step()
        return loss

    def main():
        model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).npu()
        optimizer = torch.optim.Adam(model.parameters())
        x, t = torch.randn(128, 32).npu(), torch.randint(0, 10, (128,)).npu()
        for _ in range(20):
            losses.append({what})
        print(float(losses[-1]))

    main()
"""


def test_losses_that_are_kept_are_told_with_their_number_and_the_line_that_makes_them(tmp_path):
    file, ended = checked(tmp_path, GROWTH.format(what="step(model, optimizer, x, t)"))
    assert [finding["rule"] for finding in ended.findings] == ["memory.growth"], ended
    finding = ended.findings[0]
    assert "20 blocks" in finding["message"], ended
    # They are little: a hint, and no reason to fail.
    assert (finding["severity"], ended.status) == ("hint", 0), ended
    assert stands_at(finding["operations"][0], file, "loss = F.cross_entropy", "step"), ended


def test_losses_that_are_kept_as_numbers_are_silent(tmp_path):
    silent(checked(tmp_path, GROWTH.format(what="step(model, optimizer, x, t).item()"))[1])


LEAK = """
    import ctypes
    import torch, torch_npu

    acl = ctypes.CDLL("libascendcl.so")

    def scratch():
        place = ctypes.c_void_p()
        assert acl.aclrtMalloc(ctypes.byref(place), ctypes.c_size_t(4096), 0) == 0
        return place

    def main():
        x = torch.ones(8, device="npu")
        for _ in range(10):
            place = scratch()
            acl.aclrtMemset(place, ctypes.c_size_t(4096), 0, ctypes.c_size_t(4096))
            {free}
        print(x.sum().item())

    main()
"""


def test_memory_of_the_runtime_that_each_step_leaves_is_told_once(tmp_path):
    file, ended = checked(tmp_path, LEAK.format(free="pass"))
    assert [finding["rule"] for finding in ended.findings] == ["memory.leak"], ended
    finding = ended.findings[0]
    assert "10 blocks" in finding["message"], ended
    assert stands_at(finding["operations"][0], file, "acl.aclrtMalloc(", "scratch"), ended


def test_memory_of_the_runtime_that_is_freed_is_silent(tmp_path):
    silent(checked(tmp_path, LEAK.format(free="acl.aclrtFree(place)"))[1])


# Where lines come from --------------------------------------------------------------------------------------------

def test_lines_are_those_of_the_script_and_not_of_the_packages_between(tmp_path):
    file, ended = checked(
        tmp_path,
        """
        import torch, torch_npu
        import torch.nn as nn

        def main():
            side = torch.npu.Stream()
            layer = nn.Linear(64, 64)
            for _ in range(6):
                layer = nn.Sequential(layer)
            model = layer.npu()
            x = torch.ones(8, 64, device="npu")
            torch.npu.synchronize()
            with torch.npu.stream(side):
                y = model(x)
            z = y * 3
            torch.npu.synchronize()

        main()
        """,
    )
    assert {finding["rule"] for finding in ended.findings} == {"stream.race"}, ended
    wrote = ended.findings[-1]["operations"][1]
    assert stands_at(wrote, file, "y = model(x)", "main"), ended


def test_gradients_are_told_with_the_line_of_backward(tmp_path):
    file, ended = checked(
        tmp_path,
        """
        import torch, torch_npu

        def step(model, x):
            loss = model(x).square().mean()
            loss.backward()

        def main():
            side = torch.npu.Stream()
            model = torch.nn.Linear(64, 64).npu()
            step(model, torch.randn(32, 64).npu())
            with torch.npu.stream(side):
                model.weight.grad.mul_(2)
            torch.npu.synchronize()

        main()
        """,
    )
    assert {finding["rule"] for finding in ended.findings} == {"stream.race"}, ended
    used, made = ended.findings[0]["operations"]
    assert stands_at(used, file, "grad.mul_(2)", "main"), ended
    assert stands_at(made, file, "loss.backward()", "step"), ended


def test_with_the_task_queue_on_it_is_said_that_tensors_are_not_judged(tmp_path, monkeypatch):
    monkeypatch.setenv("TASK_QUEUE_ENABLE", "1")
    _, ended = checked(tmp_path, STALE.format(keep="pass"))
    assert [finding["rule"] for finding in ended.findings] == ["heap.dialect"], ended
    assert "TASK_QUEUE_ENABLE=0" in ended.findings[0]["message"]
    assert ended.status == 0, "a hint"


# Pinned memory that the program touches ----------------------------------------------------------------------------

TOUCH = """
    import torch
    import torch_npu

    def main():
        side = torch.npu.Stream()
        done = torch.npu.Event()
        x = torch.arange(4096, dtype=torch.float32, device="npu")
        {copy}
        {wait}
        print({use})
        torch.npu.synchronize()

    main()
"""

WAITS = ["torch.npu.synchronize()", "torch.npu.current_stream().synchronize()", "done.record(); done.synchronize()"]
USES = ["back.numpy()[7]", "back[7].item()", "float(back.sum())", "back.tolist()[7]"]
BACK = 'back = x.to("cpu", non_blocking=True)'


@pytest.mark.parametrize("use", USES)
def test_a_tensor_that_is_read_before_its_copy_is_waited_for_is_told_with_both_lines(use, tmp_path):
    file, ended = checked(tmp_path, TOUCH.format(copy=BACK, wait="pass", use=use))
    assert [found["rule"] for found in ended.findings] == ["stream.host-buffer"], ended
    read, copy = ended.findings[0]["operations"]
    assert "the program reads" in read["what"]
    assert stands_at(read, file, f"print({use})", "main"), ended
    assert stands_at(copy, file, BACK, "main"), ended


@pytest.mark.parametrize("wait", WAITS)
def test_a_tensor_that_is_read_after_a_wait_is_silent(wait, tmp_path):
    _, ended = checked(tmp_path, TOUCH.format(copy=BACK, wait=wait, use=", ".join(USES)))
    silent(ended)


FILL = """
    import torch
    import torch_npu

    def main():
        host = torch.zeros(4096).pin_memory()
        view = host.numpy()
        for step in range(3):
            view[:] = step
            batch = host.to("npu", non_blocking=True)
            {wait}
            {more}
        print(batch.sum().item())

    main()
"""


def test_a_batch_that_is_overwritten_before_its_copy_is_waited_for_is_told(tmp_path):
    file, ended = checked(tmp_path, FILL.format(wait="pass", more="pass"))
    assert [found["rule"] for found in ended.findings] == ["stream.host-buffer"], ended
    write, copy = ended.findings[0]["operations"]
    assert "the program writes" in write["what"]
    assert stands_at(write, file, "view[:] = step", "main"), ended
    assert stands_at(copy, file, "batch = host.to", "main"), ended


def test_a_batch_that_is_only_read_or_overwritten_after_a_wait_is_silent(tmp_path):
    _, ended = checked(tmp_path, FILL.format(wait="float(host.sum())", more="torch.npu.synchronize()"))
    silent(ended)


SAVE = """
    import os
    import torch
    import torch_npu

    def main():
        names = [__file__ + ".one", __file__ + ".two"]
        x = torch.ones(100_000, device="npu")
        back = x.to("cpu", non_blocking=True)
        {wait}
        with open(names[0], "wb") as file:
            file.write(back.numpy().data)
        back.numpy().tofile(names[1])
        torch.npu.synchronize()
        print(*map(os.path.getsize, names))

    main()
"""


def test_a_tensor_that_is_written_to_a_file_too_early_is_told_and_written(tmp_path):
    file, ended = checked(tmp_path, SAVE.format(wait="pass"))
    assert [found["rule"] for found in ended.findings] == ["stream.host-buffer"], ended
    assert stands_at(ended.findings[0]["operations"][0], file, "file.write", "main"), ended
    assert ended.out == "400000 400000\n"
    _, ended = checked(tmp_path, SAVE.format(wait="torch.npu.synchronize()"))
    silent(ended)


def test_without_pinned_accesses_nothing_is_told_of_them(tmp_path):
    _, ended = checked(tmp_path, TOUCH.format(copy=BACK, wait="pass", use=USES[0]), "--pinned-access", "no")
    silent(ended)


FAULTHANDLER = """
    import faulthandler
    {before}
    import torch
    import torch_npu

    def main():
        x = torch.ones(4096, device="npu")
        back = x.to("cpu", non_blocking=True)
        {after}
        print(back[0].item())
        torch.npu.synchronize()
        faulthandler._sigsegv()

    main()
"""


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_handler_of_the_script_for_faults_stays_what_it_is(place, tmp_path):
    enable = {"before": "pass", "after": "pass", place: "faulthandler.enable()"}
    file, ended = checked(tmp_path, FAULTHANDLER.format(**enable))
    assert [found["rule"] for found in ended.findings] == ["stream.host-buffer"], ended
    assert stands_at(ended.findings[0]["operations"][0], file, "print(back[0].item())", "main"), ended
    assert "1.0" in ended.out or "0.0" in ended.out
    assert "Fatal Python error: Segmentation fault" in ended.err, ended
