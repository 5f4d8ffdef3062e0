"""What the other ranks see when one fails, stops calling or is killed.

A failure ends the process group, so each case has processes of its own. They are forked from one that has imported the packages,
and nobody but Millpond and torch_npu ends them: there is no launcher.
"""

import datetime
import os
import random
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback

RANKS = 2
os.environ.update(WORLD_SIZE=str(RANKS), LOCAL_WORLD_SIZE=str(RANKS), MASTER_ADDR="127.0.0.1")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch_npu  # noqa: E402, F401

# Far more than any case takes. A case that hangs is ended and reported.
LIMIT = 120


class Ended:
    def __init__(self, status, text, seconds):
        self.status, self.text, self.seconds = status, text, seconds

    def __repr__(self):
        return f"status {self.status} after {self.seconds:.1f} s\n{self.text}"


class Rank:
    """A forked rank. It reports steps through a pipe."""

    def __init__(self, number, body, port, settings):
        self.output = tempfile.TemporaryFile()
        self.steps, report = os.pipe()
        self.began = time.monotonic()
        self.process = os.fork()
        if self.process:
            os.close(report)
            return
        os.close(self.steps)
        os.dup2(self.output.fileno(), 1)
        os.dup2(self.output.fileno(), 2)
        os.environ.update(RANK=str(number), LOCAL_RANK=str(number), MASTER_PORT=str(port), **settings)
        status = 0
        try:
            body(number, report)
        except Exception:
            traceback.print_exc()
            status = 1
        # As a script ends, with what it leaves behind.
        sys.exit(status)

    def wait(self):
        """Waits for its end, which must come without help."""
        hangs = threading.Timer(LIMIT, os.kill, (self.process, signal.SIGKILL))
        hangs.start()
        _, status = os.waitpid(self.process, 0)
        hung = not hangs.is_alive()
        hangs.cancel()
        os.close(self.steps)
        self.output.seek(0)
        text = self.output.read().decode(errors="replace")
        assert not hung, f"rank hung:\n{text}"
        return Ended(os.waitstatus_to_exitcode(status), text, time.monotonic() - self.began)


def start(body, **settings):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return [Rank(number, body, port, settings) for number in range(RANKS)]


def ends(body, **settings):
    return [rank.wait() for rank in start(body, **settings)]


def begin(**options):
    device = f"npu:{os.environ['LOCAL_RANK']}"
    torch.npu.set_device(device)
    dist.init_process_group("hccl", **options)
    return torch.ones(1000, device=device)


def has(ended, *words):
    missing = [word for word in words if word not in ended.text]
    assert not missing, (missing, ended)


# An exception, and ranks that do different things -----------------------------------------------------------------


def an_exception_of_one_rank():
    def body(number, _):
        x = begin()
        for step in range(100):
            dist.all_reduce(x)
            torch.npu.synchronize()
            if number == 1 and step == 3:
                raise ValueError("the data are wrong")

    one, other = ends(body)
    assert other.status == 1, other
    has(other, "the data are wrong")
    assert one.status != 0, one
    has(one, "EI0002", "rank 1")


def a_rank_that_exits():
    def body(number, _):
        x = begin()
        dist.all_reduce(x)
        torch.npu.synchronize()
        if number == 1:
            os._exit(0)
        dist.all_reduce(x)
        torch.npu.synchronize()

    one, other = ends(body)
    assert other.status == 0, other
    assert one.status != 0, one
    has(one, "EI0002", "rank 1", "has ended")


def a_rank_that_is_done_early():
    def body(number, _):
        x = begin()
        for _ in range(4 - number):
            dist.all_reduce(x)
        torch.npu.synchronize()
        dist.destroy_process_group()

    one, other = ends(body)
    assert other.status == 0, other
    assert one.status != 0, one
    has(one, "EI0002", "rank 1")


def different_sizes():
    def body(number, _):
        x = begin()
        dist.all_reduce(x[: 500 + number])
        torch.npu.synchronize()

    for number, ended in enumerate(ends(body)):
        assert ended.status != 0, ended
        has(ended, "EI0005", "parameter[count]", f"rank {number}: {500 + number}", f"rank {1 - number}: {501 - number}")


def different_operations():
    def body(number, _):
        x = begin()
        dist.all_reduce(x)
        if number:
            dist.broadcast(x, 0)
        else:
            dist.all_reduce(x)
        torch.npu.synchronize()

    for ended in ends(body):
        assert ended.status != 0, ended
        has(ended, "EI0005", "AllReduce", "Broadcast")


def different_types():
    def body(number, _):
        x = begin()
        dist.all_reduce(x.half() if number else x)
        torch.npu.synchronize()

    for ended in ends(body):
        assert ended.status != 0, ended
        has(ended, "EI0005", "float16", "float32")


def a_product_that_the_device_lacks():
    def body(_, __):
        x = begin()
        try:
            dist.all_reduce(x.bfloat16(), dist.ReduceOp.PRODUCT)
            torch.npu.synchronize()
        except RuntimeError as error:
            assert "products of int16 and bfloat16 are not supported" in str(error), error
        else:
            raise AssertionError("it was accepted")
        # The group is as good as before.
        dist.all_reduce(x)
        assert x.sum().item() == 1000 * RANKS
        dist.destroy_process_group()

    for ended in ends(body):
        assert ended.status == 0, ended


# Time limits ------------------------------------------------------------------------------------------------------


def late(number, body, **options):
    """Rank 1 does not call before rank 0 has ended."""
    x = begin(**options)
    processes = [None] * RANKS
    dist.all_gather_object(processes, os.getpid())
    torch.npu.synchronize()
    if number == 0:
        body(x)
    else:
        outlive(processes[0])


def outlive(process):
    """Waits for the end of another process and ends without a look at the group."""
    select.select([os.pidfd_open(process)], [], [])
    os._exit(0)


def the_execution_limit():
    def body(number, _):
        def wait(x):
            dist.all_reduce(x)
            torch.npu.synchronize()

        late(number, wait)

    one, _ = ends(body, HCCL_EXEC_TIMEOUT="2")
    assert one.status != 0, one
    has(one, "EI0002", "remote rank [1]", "HCCL_EXEC_TIMEOUT")


def the_limit_of_the_group():
    def body(number, _):
        def wait(x):
            dist.all_reduce(x)
            torch.npu.synchronize()

        late(number, wait, timeout=datetime.timedelta(seconds=3))

    one, _ = ends(body)
    assert one.status != 0, one
    has(one, "Watchdog caught collective operation timeout")


def the_limit_of_a_blocking_wait():
    def body(number, _):
        def wait(x):
            try:
                dist.all_reduce(x, async_op=True).wait()
            except RuntimeError as error:
                assert "imed out" in str(error) or "imeout" in str(error), error
                print("it was late", flush=True)
                os._exit(3)

        late(number, wait, timeout=datetime.timedelta(seconds=3))

    one, _ = ends(body, TORCH_HCCL_BLOCKING_WAIT="1")
    assert one.status == 3, one
    has(one, "it was late")


def a_rank_that_never_comes():
    def body(number, _):
        x = begin()
        store = dist.distributed_c10d._get_default_store()
        if number == 0:
            store.set("process", str(os.getpid()))
            dist.all_reduce(x)
            torch.npu.synchronize()
        else:
            outlive(int(store.get("process")))

    one, _ = ends(body, HCCL_CONNECT_TIMEOUT="2")
    assert one.status != 0, one
    has(one, "EI0006", "waited 2 s for rank 1")


def the_flight_recorder():
    folder = tempfile.mkdtemp()

    def body(number, _):
        if number == 0:
            # torch_npu sleeps so long before it ends the process; the default is 10 minutes.
            os.environ["TORCH_HCCL_HEARTBEAT_TIMEOUT_SEC"] = "3"

        def wait(x):
            dist.all_reduce(x)
            torch.npu.synchronize()

        late(number, wait, timeout=datetime.timedelta(seconds=3))

    one, _ = ends(
        body,
        TORCH_HCCL_TRACE_BUFFER_SIZE="100",
        TORCH_HCCL_DUMP_ON_TIMEOUT="1",
        TORCH_HCCL_ENABLE_MONITORING="1",
        TORCH_HCCL_DEBUG_INFO_TEMP_FILE=f"{folder}/trace_",
    )
    assert one.status != 0, one
    import pickle
    import shutil

    with open(f"{folder}/trace_0", "rb") as written:
        entries = pickle.load(written)["entries"]
    shutil.rmtree(folder)
    # Two for the list of processes, and the one that waits.
    states = [entry["state"] for entry in entries]
    assert len(states) == 3 and states[:2] == ["completed"] * 2 and states[2] != "completed", entries


# Kills ------------------------------------------------------------------------------------------------------------


def working(number, report):
    """All kinds of operations, without end."""
    x = begin()
    os.write(report, b".")
    pair = dist.new_group()
    whole = torch.empty(2000, device=x.device)
    other = 1 - number
    while True:
        dist.all_reduce(x)
        os.write(report, b".")
        dist.all_gather_into_tensor(whole, x)
        works = dist.batch_isend_irecv([dist.P2POp(dist.isend, x, other), dist.P2POp(dist.irecv, whole[:1000], other)])
        os.write(report, b".")
        dist.all_reduce(whole, group=pair)
        if number:
            dist.recv(x, 0)
        else:
            dist.send(x, 1)
        for work in works:
            work.wait()
        os.write(report, b".")
        torch.npu.synchronize()
        x.fill_(1)
        os.write(report, b".")


def kills():
    """Kills a rank at a random point, many times. The other one notices."""
    seed = int(os.environ.get("RANKS_SEED") or time.time_ns())
    chance = random.Random(seed)
    for attempt in range(int(os.environ.get("RANKS_KILLS", "20"))):
        ranks = start(working, HCCL_CONNECT_TIMEOUT="3")
        which = chance.randrange(RANKS)
        steps, pause = chance.choice([1, 2, 3, chance.randrange(1, 60)]), chance.random() / 100
        for _ in range(steps):
            assert os.read(ranks[which].steps, 1), ranks[which].wait()
        time.sleep(pause)
        os.kill(ranks[which].process, signal.SIGKILL)
        ended = [rank.wait() for rank in ranks]
        where = f"seed {seed}, attempt {attempt}: rank {which} after {steps} steps"
        assert ended[which].status == -signal.SIGKILL, (where, ended)
        assert ended[1 - which].status not in (0, -signal.SIGKILL, -signal.SIGSEGV), (where, ended)


CASES = [
    an_exception_of_one_rank,
    a_rank_that_exits,
    a_rank_that_is_done_early,
    different_sizes,
    different_operations,
    different_types,
    a_product_that_the_device_lacks,
    the_execution_limit,
    the_limit_of_the_group,
    the_limit_of_a_blocking_wait,
    a_rank_that_never_comes,
    the_flight_recorder,
    kills,
]

if __name__ == "__main__":
    chosen = sys.argv[1:]
    for case in CASES:
        if chosen and case.__name__ not in chosen:
            continue
        began = time.monotonic()
        case()
        print(f"passed {case.__name__} {time.monotonic() - began:.1f} s", flush=True)
