"""The source archive has the sources, in a checkout and outside of one."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[1]
ROOT = PYTHON.parents[1]
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]


def sources(folder):
    """A small project that builds its archive with our code, and with files that must not be in it."""
    files = {
        "Cargo.toml": 'version = "1.2.3"\n',
        ".gitignore": (ROOT / ".gitignore").read_text(),
        "crates/one/src/lib.rs": "//! One.\n",
        "PKG-INFO": "of an older archive\n",
        "target/debug/large": "built\n",
        "crates/python/__pycache__/wheel.pyc": "compiled\n",
        "docs/target/page.md": "# A page\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("build_backend.py", "wheel.py"):
        shutil.copy(PYTHON / name, folder / "crates/python" / name)
    return folder


def names_in_archive(folder, out):
    out.mkdir()
    script = "import sys, build_backend; print(build_backend.build_sdist(sys.argv[1]))"
    environment = dict(os.environ, PYTHONPATH=str(folder / "crates/python"), PYTHONDONTWRITEBYTECODE="1")
    name = subprocess.run(
        [sys.executable, "-c", script, str(out)], env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    with tarfile.open(out / name) as archive:
        return sorted(archive.getnames())


EXPECTED = sorted(
    "millpond-1.2.3/" + name
    for name in (
        ".gitignore",
        "Cargo.toml",
        "PKG-INFO",
        "crates/one/src/lib.rs",
        "crates/python/build_backend.py",
        "crates/python/wheel.py",
        "docs/target/page.md",
    )
)


def test_outside_of_a_checkout_all_files_that_are_not_ignored_are_taken(tmp_path):
    assert names_in_archive(sources(tmp_path / "project"), tmp_path / "out") == EXPECTED


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_in_a_checkout_the_tracked_files_are_taken(tmp_path):
    folder = sources(tmp_path / "project")
    subprocess.run([*GIT, "init", "-q"], cwd=folder, check=True)
    subprocess.run([*GIT, "add", "-A"], cwd=folder, check=True)
    (folder / "not-tracked").write_text("")
    assert names_in_archive(folder, tmp_path / "out") == EXPECTED


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_in_an_ignored_folder_of_another_checkout_nothing_is_missing(tmp_path):
    (tmp_path / ".gitignore").write_text("/copies\n")
    subprocess.run([*GIT, "init", "-q"], cwd=tmp_path, check=True)
    assert names_in_archive(sources(tmp_path / "copies/project"), tmp_path / "out") == EXPECTED


def test_pip_learns_what_the_wheel_needs_without_building_it(tmp_path):
    folder = sources(tmp_path / "project")
    script = "import sys, build_backend; print(build_backend.prepare_metadata_for_build_wheel(sys.argv[1]))"
    environment = dict(os.environ, PYTHONPATH=str(folder / "crates/python"), PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout == "millpond-1.2.3.dist-info\n"
    found = tmp_path / "millpond-1.2.3.dist-info"
    assert "\nVersion: 1.2.3\n" in (found / "METADATA").read_text()
    assert "millpond = millpond.__main__:main\n" in (found / "entry_points.txt").read_text()


def test_a_folder_without_sources_is_refused(tmp_path):
    folder = sources(tmp_path / "project")
    (folder / "Cargo.toml").unlink()
    script = "import sys, build_backend; build_backend.sources(sys.argv[1])"
    environment = dict(os.environ, PYTHONPATH=str(PYTHON), PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run([sys.executable, "-c", script, str(folder)], env=environment, capture_output=True, text=True)
    assert run.returncode == 1
    assert "Cargo.toml was expected" in run.stderr
