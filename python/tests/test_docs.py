"""The Python blocks of the pages run, in order and in one namespace per page."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ["README.md", "docs/python.md", "docs/coming_from_pytorch.md", "docs/coming_from_dynet.md"]


def blocks(page):
    """The program of a page, with blocks on their lines, so that errors name lines of the page. PyTorch's and DyNet's
    code is in blocks of the language `py`, which are not run."""
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = [""] * (text.count("\n") + 1)
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        first = text.count("\n", 0, found.start(1))
        for i, line in enumerate(found[1].splitlines()):
            lines[first + i] = line
    return "\n".join(lines)


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path):
    program = blocks(page)
    assert program.strip(), f"{page} has no Python block"
    file = tmp_path / page.replace("/", "_")
    file.write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, str(file)], cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_names_exist(page):
    import espalier as esp

    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```cpp.*?```", "", text, flags=re.DOTALL)
    for name in sorted(set(re.findall(r"\besp\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", text))):
        value = esp
        for part in name.split("."):
            value = getattr(value, part)
