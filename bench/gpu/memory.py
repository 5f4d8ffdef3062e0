"""What the GPU itself says of its memory, asked while other processes use it."""

import ctypes
import threading
import time


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


def bus(driver=None):
    """Where CUDA's first device is. CUDA_VISIBLE_DEVICES and its order hold for CUDA and not for NVML, so CUDA is asked, without a context."""
    driver = driver or ctypes.CDLL("libcuda.so.1")
    device, text = ctypes.c_int(), ctypes.create_string_buffer(32)
    for name, *arguments in (("cuInit", 0), ("cuDeviceGet", ctypes.byref(device), 0), ("cuDeviceGetPCIBusId", text, 32, device)):
        status = getattr(driver, name)(*arguments)
        if status:
            raise OSError(f"{name} returned {status}")
    return text.value


class Gpu:
    """CUDA's first device, through the driver's management library (NVML). It needs no context, so it takes no memory itself."""

    def __init__(self, driver=None, library=None):
        self.library = library or ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        self.call("nvmlInit_v2")
        self.call("nvmlDeviceGetHandleByPciBusId_v2", bus(driver), ctypes.byref(self.device))

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            self.library.nvmlErrorString.restype = ctypes.c_char_p
            raise OSError(f"{name}: {self.library.nvmlErrorString(status).decode()} ({status})")

    def driver(self):
        text = ctypes.create_string_buffer(96)
        self.call("nvmlSystemGetDriverVersion", text, 96)
        return text.value.decode()

    def used(self):
        memory = _Memory()
        self.call("nvmlDeviceGetMemoryInfo", self.device, ctypes.byref(memory))
        return memory.used


class Sampler:
    """The largest use that was seen while the block of a `with` ran, and how often it was asked."""

    def __init__(self, gpu, interval=0.002):
        self.gpu, self.interval = gpu, interval
        self.peak = self.samples = 0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.sample)

    def sample(self):
        while not self.ends.is_set():
            self.peak = max(self.peak, self.gpu.used())
            self.samples += 1
            time.sleep(self.interval)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        self.peak = max(self.peak, self.gpu.used())
