"""The committed stubs are those of the extension module."""
import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import espalier
import pytest
from espalier import _core

ROOT = Path(__file__).resolve().parent.parent.parent
BY_PROTOCOL = {"__array__", "__getattr__", "__iter__"}  # what the extension does by another protocol
STUBS = ROOT / "python/espalier/_core"


def test_functions_are_generated():
    done = subprocess.run([sys.executable, str(ROOT / "tools/python_stubs"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", ["__init__", "init", "data", "json"])
def test_every_public_name_has_a_stub(module):
    extension = _core if module == "__init__" else getattr(_core, module)
    tree = ast.parse((STUBS / f"{module}.pyi").read_text(encoding="utf-8"))
    stubbed = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            stubbed.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            stubbed.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            stubbed.update(alias.asname for alias in node.names if alias.asname)
    missing = {name for name in vars(extension) if not name.startswith("_")} - stubbed
    assert not missing - {"Await"}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert hasattr(extension, node.name), node.name
        elif isinstance(node, ast.ClassDef) and isinstance(kind := getattr(extension, node.name, None), type):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name not in BY_PROTOCOL:
                    assert hasattr(kind, member.name), f"{node.name}.{member.name}"


def test_the_attributes_of_modules_are_declared():
    n = espalier.nn
    for made in (n.LSTM(3, 4), n.TreeLSTM(3, 4), n.GRU(3, 4), n.MVRNN(5, 3), n.StackLSTM(3, 4), n.RNTN(3)):
        known = type(made).__annotations__
        for name, _ in made.named_parameters():
            assert name in known, f"{type(made).__name__}.{name}"


@pytest.mark.skipif("ESPALIER_SANITIZED" in os.environ, reason="mypy runs no code of the package")
@pytest.mark.parametrize("what", ["python/espalier", "python/examples", "python/tests/typed"])
def test_mypy_strict(what):
    mypy = pytest.importorskip("mypy.api")
    text, _, status = mypy.run(["--strict", "--cache-dir", "/dev/null", *files(ROOT / what)])
    assert status == 0, text


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_pyright_strict(tmp_path):
    folders = [str(ROOT / "python" / part) for part in ("espalier", "tests/typed")]
    for i, folder in enumerate(folders):
        (tmp_path / str(i)).symlink_to(folder)
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "python")], "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"include": ["0", "1"], **settings}))
    done = subprocess.run(["pyright", "-p", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def files(folder):
    # A folder as an argument would make its parent the root of the package, too.
    return ["--config-file", "", str(folder)] if folder.name == "espalier" else sorted(map(str, folder.glob("*.py")))


OPERATORS = {f"__{r}{name}__" for name in ("add", "sub", "mul", "truediv", "pow", "matmul") for r in ("", "r")} | {
    "__neg__", "__pos__", "__abs__", "__len__", "__getitem__", "__iter__", "__await__", "__float__", "__call__"}  # fmt: skip


@pytest.mark.parametrize("module", ["__init__", "data"])
def test_every_member_of_a_class_has_a_stub(module):
    extension = _core if module == "__init__" else getattr(_core, module)
    for node in ast.parse((STUBS / f"{module}.pyi").read_text(encoding="utf-8")).body:
        kind = getattr(extension, node.name, None) if isinstance(node, ast.ClassDef) else None
        if not isinstance(kind, type) or issubclass(kind, BaseException):
            continue
        stubbed = {getattr(m, "name", None) or getattr(getattr(m, "target", None), "id", None) for m in node.body}
        if node.bases and ast.unparse(node.bases[0]) == "_Schedule":
            stubbed |= {"schedule", "__call__"}
        wanted = {name for name in vars(kind) if not name.startswith("_") or name in OPERATORS}
        assert not wanted - stubbed, f"{node.name}: {wanted - stubbed}"
