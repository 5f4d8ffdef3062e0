"""What pip calls to build from source: `pip install .` and the archive of `cargo xtask release`. It needs Rust and gcc.

The work is done by `cargo xtask wheel`; this file only speaks pip's language (PEP 517).
"""

import gzip
import io
import os
import re
import subprocess
import tarfile

import wheel

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    command = ["cargo", "xtask", "wheel", os.path.abspath(wheel_directory)]
    try:
        output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    except FileNotFoundError:
        raise SystemExit("error: cargo is not installed; building Millpond needs Rust 1.95 or newer and gcc") from None
    return os.path.basename(output.strip().splitlines()[-1])


def build_sdist(sdist_directory, config_settings=None):
    version = package_version()
    name = f"{wheel.NAME}-{version}"
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with io.BytesIO() as buffer:
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
            add(archive, f"{name}/PKG-INFO", wheel.metadata(version).encode(), 0o644, epoch)
            for path in sorted(listed.decode().split("\0")):
                full = os.path.join(ROOT, path)
                # A file that is deleted but not committed is still listed.
                if path and os.path.isfile(full):
                    with open(full, "rb") as file:
                        data = file.read()
                    mode = 0o755 if os.access(full, os.X_OK) else 0o644
                    add(archive, f"{name}/{path}", data, mode, epoch)
        data = gzip.compress(buffer.getvalue(), 9, mtime=0)
    with open(os.path.join(sdist_directory, f"{name}.tar.gz"), "wb") as file:
        file.write(data)
    return f"{name}.tar.gz"


def add(archive, name, data, mode, epoch):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    entry.mode = mode
    entry.mtime = epoch
    archive.addfile(entry, io.BytesIO(data))


def package_version():
    """The version of the workspace."""
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as file:
        return re.search(r'^version = "([^"]+)"', file.read(), re.MULTILINE).group(1)
