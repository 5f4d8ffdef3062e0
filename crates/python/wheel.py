"""Makes a wheel of a folder that contains what the environment will contain. `cargo xtask` calls it.

    python3 wheel.py FOLDER OUT VERSION

A wheel is a zip archive with a few files beside the packages, so no packaging tool is needed. The libraries must
keep their names and places, which such tools would change. The same folder gives the same bytes.
"""

import base64
import hashlib
import os
import re
import struct
import sys
import zipfile

NAME = "millpond"
SUMMARY = "Runs and checks programs for Ascend NPUs on any Linux machine: AscendCL for C, C++, Python and PyTorch"
# Python 3.9 and all later ones: the extension uses the stable interface.
PYTHON = "cp39-abi3"
# The year in which zip archives begin: the same files give the same wheel.
WHEN = (1980, 1, 1, 0, 0, 0)
# The machines of ELF files, in the words that pip knows.
MACHINES = {62: "x86_64", 183: "aarch64"}


def main() -> None:
    folder, out, version, *options = sys.argv[1:]
    if options not in ([], ["--small"]):
        sys.exit(f"error: unknown option {options[0]}; the only one is --small")
    print(make(folder, out, version, archive_class(options)))


def archive_class(options):
    """What writes zip archives. With --small it takes a minute and saves 3 % of the bytes; needs zopfli."""
    if not options:
        return zipfile.ZipFile
    import zopfli.zlib

    class Compressor:
        def __init__(self):
            self.parts = []

        def compress(self, data):
            self.parts.append(bytes(data))
            return b""

        def flush(self):
            # Archives have no header and no checksum of zlib.
            return zopfli.zlib.compress(b"".join(self.parts), numiterations=5)[2:-4]

    class Archive(zipfile.ZipFile):
        def _open_to_write(self, *arguments, **named):
            file = super()._open_to_write(*arguments, **named)
            file._compressor = Compressor()
            return file

    return Archive


def make(folder, out, version, archive_class=zipfile.ZipFile) -> str:
    """Writes the wheel and returns its path."""
    files = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            files[os.path.relpath(path, folder)] = path
    tag = f"{PYTHON}-{platform_tag(files.values())}"
    info = f"{NAME}-{version}.dist-info"
    texts = {f"{info}/{name}": text for name, text in information(version).items()}
    texts[f"{info}/WHEEL"] += f"Tag: {tag}\n"
    wheel = os.path.join(out, f"{NAME}-{version}-{tag}.whl")
    records = []
    with archive_class(wheel + ".next", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            with open(files[name], "rb") as file:
                data = file.read()
            mode = 0o755 if os.access(files[name], os.X_OK) else 0o644
            add(archive, records, name, data, mode)
        for name in sorted(texts):
            add(archive, records, name, texts[name].encode(), 0o644)
        records.append(f"{info}/RECORD,,")
        add(archive, [], f"{info}/RECORD", ("\n".join(records) + "\n").encode(), 0o644)
    os.replace(wheel + ".next", wheel)
    return wheel


def information(version) -> dict:
    """The files that describe a wheel, but for the tag, which depends on what is in it."""
    return {
        "METADATA": metadata(version),
        "WHEEL": "Wheel-Version: 1.0\nGenerator: millpond\nRoot-Is-Purelib: false\n",
        "entry_points.txt": ENTRY_POINTS,
        "top_level.txt": "acl\nmillpond\n",
    }


def metadata(version) -> str:
    """What pip reads: of the wheel, and of the source archive."""
    return METADATA.format(name=NAME, version=version, summary=SUMMARY)


def add(archive, records, name, data, mode) -> None:
    entry = zipfile.ZipInfo(name, WHEN)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def platform_tag(paths) -> str:
    """The machine of the libraries and the oldest C library that has all that they ask for, in the words that pip knows."""
    newest = (2, 17)
    machines = set()
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] == b"\x7fELF":
            machines.add(struct.unpack_from("<H", data, 18)[0])
            found = re.findall(rb"GLIBC_(\d+)\.(\d+)\0", data + b"\0")
            newest = max([newest] + [(int(major), int(minor)) for major, minor in found])
    if len(machines) != 1 or not machines <= MACHINES.keys():
        sys.exit(f"error: the libraries are for the machines {sorted(machines)}; one of {sorted(MACHINES)} was expected")
    # Older systems cannot run ONNX Runtime's packages, so no older tag is promised.
    newest = max(newest, (2, 28))
    return f"manylinux_{newest[0]}_{newest[1]}_{MACHINES[machines.pop()]}"


# The extra `torch` is the newest pair of crates/cli/src/python/advice.rs without torch_npu: that requires a build of torch that the
# index lacks, so it is a second line with --no-deps. A test of that file compares the versions.
METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: Apache-2.0 OR MIT
Requires-Python: >=3.9
Requires-Dist: onnxruntime>=1.20; python_version >= "3.10"
Provides-Extra: torch
Requires-Dist: torch==2.14.0; extra == "torch"
Requires-Dist: numpy; extra == "torch"
Requires-Dist: pyyaml; extra == "torch"
Classifier: Programming Language :: Python :: 3
Classifier: Operating System :: POSIX :: Linux
Classifier: Framework :: Pytest
Description-Content-Type: text/markdown

Millpond is a device-memory runtime with the AscendCL, HCCL and MSTX interfaces. Programs for Ascend NPUs run on any Linux machine, and
`millpond check` reports the memory rules that they break.

```sh
cc -g program.c $(millpond flags) -o program && millpond check -- ./program
millpond check -- python train.py    # PyTorch for Ascend: install millpond[torch], then the line that `millpond doctor` prints
```

The installation has headers, libraries and examples; `millpond home` prints where. Millpond is not affiliated with or endorsed by Huawei.
"""

ENTRY_POINTS = """\
[console_scripts]
millpond = millpond.__main__:main

[pytest11]
millpond = millpond.pytest_plugin
millpond_check = millpond.pytest_check
"""

if __name__ == "__main__":
    main()
