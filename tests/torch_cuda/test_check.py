"""What is recorded of PyTorch's operators, on the CPU device: which bytes are read and written, in which order. Needs PyTorch, no GPU."""

import importlib.util
import pathlib

import pytest

torch = pytest.importorskip("torch")

SOURCE = pathlib.Path(__file__).parents[2] / "crates/python/python/millpond/torch/_check.py"
if SOURCE.exists():  # alone: the package needs its libraries
    found = importlib.util.spec_from_file_location("check", SOURCE)
    _check = importlib.util.module_from_spec(found)
    found.loader.exec_module(_check)
else:
    from millpond.torch import _check


class Library:
    """Keeps what the real library would record."""

    def __init__(self):
        self.work = []

    def millpondCudaWork(self, device, stream, name, reads, read_count, writes, write_count):
        assert (len(reads), len(writes)) == (read_count.value, write_count.value)
        brief = [[(each.start, each.width, each.pitch, each.rows) for each in group] for group in (reads, writes)]
        self.work.append((stream.value, name.decode(), *brief))


@pytest.fixture
def library():
    library = Library()
    with _check.Accesses(library, device="cpu", stream=lambda _device: 77):
        yield library


def whole(tensor):
    bytes = tensor.numel() * tensor.element_size()
    return (tensor.data_ptr(), bytes, bytes, 1)


def test_a_sum_reads_its_arguments_and_writes_its_result(library):
    a, b = torch.zeros(8), torch.zeros(8)
    library.work.clear()
    c = a + b
    assert library.work == [
        (77, "aten::add", [whole(a), whole(b)], []),
        (77, "aten::add", [], [whole(c)]),
    ]


def test_an_operator_in_place_writes_its_argument_once(library):
    a, b = torch.zeros(8), torch.zeros(8)
    library.work.clear()
    a.add_(b)
    torch.add(a, b, out=b)
    assert library.work == [
        (77, "aten::add_", [whole(b)], [whole(a)]),
        (77, "aten::add", [whole(a), whole(b)], [whole(b)]),
    ]


def test_views_and_new_memory_are_no_work(library):
    a = torch.empty(4, 8)
    b = a.view(8, 4).t()[1:]
    torch.empty_like(b).detach()
    assert library.work == []
    assert b.numel() == 24


def test_lists_of_tensors_are_read_and_written(library):
    parameters, gradients = [torch.zeros(4), torch.zeros(5)], [torch.ones(4), torch.ones(5)]
    library.work.clear()
    joined = torch.cat(gradients)
    torch._foreach_add_(parameters, gradients)
    first, second, third = library.work
    assert first == (77, "aten::cat", [whole(each) for each in gradients], [])
    assert second == (77, "aten::cat", [], [whole(joined)])
    assert third == (77, "aten::_foreach_add_", [whole(each) for each in gradients], [whole(each) for each in parameters])


@pytest.mark.parametrize(
    "make, width, pitch, rows",
    [
        (lambda t: t, 4 * 6 * 8 * 4, None, 1),
        (lambda t: t[1], 6 * 8 * 4, None, 1),
        (lambda t: t.transpose(0, 2), 4 * 6 * 8 * 4, None, 1),
        (lambda t: t[:, :, 2:5], 12, 32, 24),
        (lambda t: t[:, 1:3, :], 64, 192, 4),
        (lambda t: t[0, 0, ::2], 4, 8, 4),
        (lambda t: t[0, 0, :1].expand(5, 1), 4, None, 1),
        # Two distances: all from the first byte to the last.
        (lambda t: t[:, 1:3, 2:5], (3 * 48 + 8 + 3) * 4, None, 1),
    ],
)
def test_the_bytes_of_a_tensor(make, width, pitch, rows):
    tensor = make(torch.zeros(4, 6, 8))
    span = _check.span(tensor)
    assert (span.start, span.width, span.rows) == (tensor.data_ptr(), width, rows)
    if pitch is not None:
        assert span.pitch == pitch


def test_operators_of_threads_are_recorded(library):
    """Each thread that starts later has a mode of its own, also one of a class of the program and those of an executor."""
    import concurrent.futures
    import threading

    a = torch.zeros(8)

    class Own(threading.Thread):
        def run(self):
            a.add_(1)

    end = _check.watch_threads(lambda: _check.Accesses(library, device="cpu", stream=lambda _device: 78))
    try:
        library.work.clear()
        threads = [Own(), threading.Thread(target=a.mul_, args=(2,))]
        for thread in threads:
            thread.start()
            thread.join()
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            executor.submit(a.neg_).result()
    finally:
        end()
    assert library.work == [(78, f"aten::{name}", [], [whole(a)]) for name in ("add_", "mul_", "neg_")]
    assert all("run" not in vars(thread) for thread in threads)
    threads = [threading.Thread(target=a.zero_)]
    threads[0].start()
    threads[0].join()
    assert len(library.work) == 3


def test_threads_that_run_already_are_named():
    import threading
    import warnings

    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="loader")
    thread.start()
    try:
        with pytest.warns(RuntimeWarning, match="before millpond.torch.enable.*: .*loader"):
            _check.warn_of_unseen_threads()
    finally:
        over.set()
        thread.join()
    others = [each for each in threading.enumerate() if each is not threading.current_thread()]
    if not others:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _check.warn_of_unseen_threads()


def test_nothing_is_recorded_unless_a_check_wants_it():
    class Quiet:
        def millpondCudaRecording(self):
            return 1

    assert not _check.start(Quiet())
