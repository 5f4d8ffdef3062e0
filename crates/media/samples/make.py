"""Makes the JPEG files of the tests: python make.py, in an environment with Pillow and numpy.

Brightness and colour follow formulas that the tests repeat. Colour is constant in blocks of the size that a file's chroma
samples cover, and changes much from block to block: a decoder that smooths it is noticed.
"""

import pathlib

import numpy
from PIL import Image

here = pathlib.Path(__file__).parent


def picture(width: int, height: int, across: int, down: int) -> Image.Image:
    y, x = numpy.mgrid[0:height, 0:width]
    luma = 30 + (x * 3 + y * 2) % 180
    block = (x // across + y // down) % 2
    blue = 100 + 56 * block
    red = 90 + (x // across * 7 + y // down * 11) % 70
    return Image.fromarray(numpy.stack([luma, blue, red], -1).astype(numpy.uint8), "YCbCr")


def save(name: str, image: Image.Image, **options: object) -> None:
    image.save(here / f"{name}.jpg", quality=100, **options)


save("444", picture(40, 36, 1, 1), subsampling="4:4:4")
save("422", picture(48, 34, 2, 1), subsampling="4:2:2")
save("420", picture(66, 50, 2, 2), subsampling="4:2:0")
save("odd", picture(67, 51, 2, 2), subsampling="4:2:0")
save("gray", picture(40, 36, 1, 1).getchannel(0))
save("progressive", picture(40, 36, 1, 1), progressive=True)
exif = Image.Exif()
exif[0x112] = 6
save("rotated", picture(40, 36, 1, 1), exif=exif)
