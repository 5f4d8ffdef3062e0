"""Fourier transforms of frames."""

import numpy

from harness import case, exempt


@case("aclStft")
def _(f):
    for dtype, out in [("float32", "complex64"), ("float64", "complex128"), ("complex64", "complex64")]:
        for shape, size, hop, length in [((20,), 8, 3, 8), ((2, 20), 7, 2, 4), ((1, 8), 8, 1, 8), ((0, 12), 4, 2, 3)]:
            for one_side, normalized, windowed in [(True, False, True), (False, True, False)]:
                if one_side and dtype == "complex64":
                    continue
                x, window = f.rand(shape, dtype), f.rand((length,), "float64" if dtype == "float64" else "float32")
                weights = numpy.zeros(size)
                weights[(size - length) // 2 :][:length] = window if windowed else 1
                frames = [x[..., at : at + size] * weights for at in range(0, shape[-1] - size + 1, hop)]
                want = numpy.stack([numpy.fft.fft(one, axis=-1) for one in frames], -1) / (numpy.sqrt(size) if normalized else 1)
                want = (want[..., : size // 2 + 1, :] if one_side else want).astype(out)
                given = {"windowOptional": window if windowed else None, "nFft": size, "hopLength": hop, "winLength": length, "normalized": normalized,
                         "onesided": one_side}
                f.check(self=x, out=want, returnComplex=True, tolerance=(1e-4, 1e-5), **given)
                f.check(self=x, out=numpy.stack([want.real, want.imag], -1), returnComplex=False, tolerance=(1e-4, 1e-5), **given)
    f.refuses(self=f.rand((4,)), nFft=8, hopLength=1, winLength=8, onesided=True, returnComplex=True, out=f.rand((5, 1), "complex64"))


exempt("aclStft", zero_dim="a signal has an axis of time")
