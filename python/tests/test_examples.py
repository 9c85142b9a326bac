"""The lessons print what is recorded in python/examples/output. ESPALIER_RECORD=1 rewrites the records."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
LESSONS = sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", LESSONS)
def test_lesson(name, tmp_path):
    lesson = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py")], cwd=tmp_path, capture_output=True,
                            encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1"})
    assert lesson.returncode == 0, lesson.stderr
    record = EXAMPLES / "output" / f"{name}.txt"
    if os.environ.get("ESPALIER_RECORD"):
        record.write_text(lesson.stdout, encoding="utf-8")
    assert lesson.stdout == record.read_text(encoding="utf-8")


def test_every_record_has_a_lesson():
    assert sorted(path.stem for path in (EXAMPLES / "output").glob("*.txt")) == LESSONS
