"""Whole programs, as users write them: those of tests/programs, or of $ESPALIER_PYTHON_PROGRAMS (a folder)."""
import os
import pathlib
import subprocess
import sys

import pytest

import espalier as esp

folder = pathlib.Path(os.environ.get("ESPALIER_PYTHON_PROGRAMS") or pathlib.Path(__file__).parent / "programs")
programs = sorted(p for p in folder.glob("*.py") if not p.name.startswith(("06", "07")))


@pytest.mark.skipif(not programs, reason=f"no programs in {folder}")
@pytest.mark.parametrize("path", programs, ids=[p.stem for p in programs])
def test_program(path):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(esp.__file__))}
    done = subprocess.run([sys.executable, str(path.resolve())], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
