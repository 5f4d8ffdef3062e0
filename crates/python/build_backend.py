"""What pip calls to build from source: `pip install .` and the archive of `cargo xtask release`. It needs Rust and gcc.

The work is done by `cargo xtask wheel`; this file only speaks pip's language (PEP 517).
"""

import fnmatch
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


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What the wheel will say of itself. Without this function pip builds the whole wheel before it looks at what else is needed."""
    version = package_version()
    name = f"{wheel.NAME}-{version}.dist-info"
    folder = os.path.join(metadata_directory, name)
    os.makedirs(folder)
    for file, text in wheel.information(version).items():
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write(text)
    return name


def build_sdist(sdist_directory, config_settings=None):
    version = package_version()
    name = f"{wheel.NAME}-{version}"
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    paths = sources(ROOT)
    with io.BytesIO() as buffer:
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
            add(archive, f"{name}/PKG-INFO", wheel.metadata(version).encode(), 0o644, epoch)
            for path in paths:
                full = os.path.join(ROOT, path)
                with open(full, "rb") as file:
                    data = file.read()
                mode = 0o755 if os.access(full, os.X_OK) else 0o644
                add(archive, f"{name}/{path}", data, mode, epoch)
        data = gzip.compress(buffer.getvalue(), 9, mtime=0)
    with open(os.path.join(sdist_directory, f"{name}.tar.gz"), "wb") as file:
        file.write(data)
    return f"{name}.tar.gz"


def sources(root):
    """The files of the archive, sorted: what git has of them, or all that git would not ignore where they are no checkout."""
    found = tracked(root)
    if found is None:
        found = not_ignored(root)
    # A file that is deleted but not committed is still listed. PKG-INFO is written anew.
    paths = sorted(path for path in found if path != "PKG-INFO" and os.path.isfile(os.path.join(root, path)))
    if "Cargo.toml" not in paths:
        raise SystemExit(f"error: no sources in {root}: Cargo.toml was expected among the {len(paths)} files that are listed there")
    return paths


def tracked(root):
    """What git lists. `None` if the folder is no checkout, or only a folder within another one."""
    try:
        top = git(root, "rev-parse", "--show-toplevel").decode().rstrip("\n")
        if not os.path.samefile(top, root):
            return None
        return [path for path in git(root, "ls-files", "-z").decode().split("\0") if path]
    except (OSError, subprocess.CalledProcessError):
        return None


def git(root, *words):
    return subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def not_ignored(root):
    """All files but those that .gitignore names."""
    with open(os.path.join(root, ".gitignore"), encoding="utf-8") as file:
        patterns = [line.strip() for line in file if line.strip() and not line.startswith("#")]

    def ignored(path):
        place, name = "/" + path, os.path.basename(path)
        return name == ".git" or any(
            place == pattern if pattern.startswith("/") else fnmatch.fnmatch(name, pattern.rstrip("/")) for pattern in patterns
        )

    found = []
    for folder, folders, names in os.walk(root):
        below = os.path.relpath(folder, root)
        path = lambda name: os.path.normpath(os.path.join(below, name))
        folders[:] = [name for name in folders if not ignored(path(name))]
        found += [path(name) for name in names if not ignored(path(name))]
    return found


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
