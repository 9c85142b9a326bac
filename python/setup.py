"""Builds the extension with CMake and copies the shared libraries it needs beside it, so that the wheel needs only glibc.

ESPALIER_BUILD: a build folder that already has the extension (./dev python passes it); otherwise the core is built here.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(espalier VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

# Libraries of glibc, which every Linux has, and whose version is that of the system.
GLIBC = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|util)\.so)")


def needed(library: Path) -> dict[str, Path]:
    """The shared libraries that a file needs, directly or not, without glibc's."""
    text = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if arrow and not GLIBC.match(name):
            path = rest.split(" (")[0]
            if path == "not found":
                raise SystemExit(f"espalier: {name}, needed by {library.name}, is not found")
            found[name] = Path(path)
    return found


class CMakeBuild(build_ext):
    def run(self) -> None:
        build = os.environ.get("ESPALIER_BUILD")
        if build is None:
            build = str(Path(self.build_temp).resolve() / "cmake")
            options = ["-DCMAKE_BUILD_TYPE=Release", "-DESPALIER_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}"]
            subprocess.run(["cmake", "-S", str(ROOT), "-B", build, *options], check=True)
            subprocess.run(["cmake", "--build", build, "--parallel", "--target", "espalier_python"], check=True)
        target = Path(self.get_ext_fullpath("espalier._core")).resolve()
        made = list((Path(build) / "python" / "espalier").glob(f"_core.{sys.implementation.cache_tag}*.so"))
        made = made or list((Path(build) / "python" / "espalier").glob("_core.*.so"))
        if len(made) != 1:
            raise SystemExit(f"espalier: {build}/python/espalier has {len(made)} extensions; one is needed")
        libraries = target.parent / "_libs"
        shutil.rmtree(libraries, ignore_errors=True)
        libraries.mkdir(parents=True)
        shutil.copyfile(made[0], target)
        for name, path in needed(made[0]).items():
            shutil.copyfile(path.resolve(), libraries / name)
        for file in [target, *libraries.iterdir()]:
            subprocess.run(["strip", "--strip-unneeded", str(file)], check=True)


setup(version=VERSION, ext_modules=[Extension("espalier._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
