"""The installed wheel: what it needs, and how large it is. Runs after ./dev python has installed it."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import espalier

FOLDER = Path(espalier.__file__).parent
GLIBC = re.compile(r"^(linux-vdso|ld-linux|/lib.*/ld-linux|lib(c|m|dl|rt|pthread|util)\.so)")

pytestmark = pytest.mark.skipif("ESPALIER_WHEEL" not in os.environ, reason="only ./dev python installs the wheel")


def extension() -> Path:
    (found,) = FOLDER.glob("_core.*.so")
    return found


def test_libraries_come_from_the_package_or_glibc():
    lines = subprocess.run(["ldd", extension()], check=True, capture_output=True, text=True).stdout.splitlines()
    outside = []
    for line in lines:
        name, arrow, rest = line.strip().partition(" => ")
        if not GLIBC.match(name.strip()) and not rest.startswith(str(FOLDER)):
            outside.append(line.strip())
    assert outside == []


def test_the_path_of_libraries_is_relative():
    text = subprocess.run(["readelf", "-d", extension()], check=True, capture_output=True, text=True).stdout
    (path,) = re.findall(r"\(RPATH\).*\[(.*)\]", text)
    assert path == "$ORIGIN/_libs"


def test_the_oldest_glibc_is_documented():
    versions = set()
    for file in [extension(), *(FOLDER / "_libs").iterdir()]:
        text = subprocess.run(["objdump", "-T", file], check=True, capture_output=True, text=True).stdout
        versions |= {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", text)}
    assert max(versions) <= (2, 36)


def test_the_wheel_is_small():
    (wheel,) = (Path(sys.prefix).parent / "python-wheel").glob("*.whl")
    assert wheel.stat().st_size < 40 << 20
