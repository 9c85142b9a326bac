"""Random programs recorded with the functions of the package, and with those of C++ by espalier_replay: the same calls, the
same cells, the same bits of values and gradients. ESPALIER_RANDOM_PROGRAMS sets the number of programs (200)."""
import concurrent.futures
import os
import pathlib
import subprocess

import numpy as np
import pytest

import espalier as esp
from espalier import _core
from random_program import random_program
from replay import as_text, replay

COUNT = int(os.environ.get("ESPALIER_RANDOM_PROGRAMS", 200))
REPLAY = pathlib.Path(os.environ.get("ESPALIER_REPLAY") or pathlib.Path(esp.__file__).parents[2] / "bin/espalier_replay")


@pytest.fixture(scope="module")
def programs():
    return [random_program(seed) for seed in range(200)]


@pytest.mark.skipif(not REPLAY.exists(), reason=f"{REPLAY} is missing: it belongs to the build folder")
def test_python_equals_cpp(programs):
    for first in range(0, COUNT, 100):
        seeds = range(first, min(first + 100, COUNT))
        compare([programs[seed] if seed < len(programs) else random_program(seed) for seed in seeds])


def compare(chunk):
    with concurrent.futures.ThreadPoolExecutor() as other:
        text = "".join(map(as_text, chunk))
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer for Python
        running = other.submit(subprocess.run, [str(REPLAY)], input=text, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        mine = [replay(program) for program in chunk]
        cpp = running.result()
    assert cpp.returncode == 0, cpp.stderr
    theirs = cpp.stdout.split("program ")[1:]
    assert len(theirs) == len(chunk)
    for program, lines, text in zip(chunk, mine, theirs):
        want = text.splitlines()
        assert want[0] == str(program.seed)
        for line, (a, b) in enumerate(zip(lines, want[1:])):
            assert a == b, f"seed {program.seed}, line {line}\n{as_text(program)}"
        assert len(lines) == len(want) - 1


def test_programs_contain_everything(programs):
    lines = [line for p in programs for source in (*p.cells, *p.examples) for line in source.lines]
    used = {function.split(".")[0] for function, _ in lines}
    functions = {n for n in vars(_core.functions) if not n.startswith("_")}
    assert not functions - used
    assert {"operator.add", "operator.truediv", "operator.getitem", "module.lstm", "module.child_sum", "max.list"} <= {f for f, _ in lines}
    assert any(f.startswith("call.") for p in programs for c in p.cells for f, _ in c.lines)  # a cell within a cell
    assert {kind for p in programs for c in p.cells for kind, _, _ in c.arguments} == set("riflst")
    assert {len(c.results) for p in programs for c in p.cells} == {1, 2, 3}
    assert {len(p.examples) for p in programs} >= {1, 2, 3, 4, 5}
    assert {p.threads for p in programs} == {1, 2}


def test_programs_share_calls_and_have_gradients(programs):
    """Programs whose calls are all different, or whose gradients are zeros, would compare nothing."""
    shared = gradients = 0
    for program in programs[:100]:
        lines = [line.split() for line in replay(program)]
        shared += any(line[0] == "shared" and line[1] != "0" for line in lines)
        [loss] = [line[2] for line in lines if line[0] == "loss"]
        assert np.isfinite(np.uint32(int(loss, 16)).view("f4"))
        gradients += any(line[0] == "gradient" and set(line[3:]) - {"00000000", "80000000"} for line in lines)
    assert gradients > 90 and shared > 10
