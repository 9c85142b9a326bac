"""What bench_run measures: the commands of each table, and the data that they read."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = {"tree-lstm": "sst/train.txt", "tagger": "wikiner/dev.txt", "tagger-char": "wikiner/dev.txt",
        "lm": "text/train.txt"}
WORKS = [("fold-tree", ["--dim", "256"]), ("fold-tree", ["--dim", "1024"]), ("tree-lstm", []), ("tagger", []),
         ("tagger-char", []), ("lm", [])]
BATCHES = [1, 16, 64, 256]
TORCH = {"fold-tree": "bench/peers/torch_tree.py", "tree-lstm": "bench/peers/torch_tree.py",
         "tagger": "bench/peers/torch_sequences.py", "lm": "bench/peers/torch_sequences.py"}


def data_folders():
    """The folders that the program searches for data sets, in order."""
    user = os.environ.get("XDG_DATA_HOME", "")
    home = pathlib.Path(user) if user.startswith("/") else pathlib.Path.home() / ".local/share"
    named = os.environ.get("ESPALIER_DATA")
    return ([pathlib.Path(named)] if named else []) + [pathlib.Path("data"), home / "espalier"]


def with_data(task):
    """(flags for the data of a task, name of the data)."""
    for folder in data_folders() if task in DATA else []:
        if (ROOT / folder / DATA[task]).exists():
            return ["--data", str(folder / DATA[task])], DATA[task]
    return [], "generated"


def standard_groups(program, quick, hand, python):
    """(task, commands): the commands of a group are compared with each other. `hand`: the hand-written program; `python`:
    a Python with PyTorch; None without these peers."""
    for task, sizes in WORKS:
        for mode in ("train", "infer"):
            for batch in BATCHES[::2] if quick else BATCHES:
                group = [[program, "bench", task, *sizes]]
                if hand and task == "tree-lstm":
                    group.append([hand])
                if python and task in TORCH:
                    group.append([python, TORCH[task], task, *sizes])
                    if task in ("fold-tree", "tree-lstm") and batch == 1:
                        group.append([python, TORCH[task], task, *sizes, "--way", "nodes"])
                if task == "tree-lstm" and mode == "train" and batch == 64:
                    group += [[program, "bench", task, *more] for more in (
                        ["--policy", "none"], ["--policy", "depth"], ["--policy", "agenda"], ["--threads", "2"])]
                yield task, [command + ["--mode", mode, "--batch", str(batch)] for command in group]


def growth_groups(program, quick):
    """(task, commands, additional keys per row)."""
    def curve(name, task, flag, sizes, *fixed):
        sizes = sizes[::2] if quick else sizes
        return (task, [[program, "bench", task, flag, str(size), *fixed] for size in sizes],
                [{"curve": name, "grows": flag.lstrip("-"), "size": size} for size in sizes])

    batches, hidden = [1, 4, 16, 64, 256, 1024], [32, 64, 128, 256, 512, 1024]
    yield curve("tree-lstm by batch", "tree-lstm", "--batch", batches)
    yield curve("lm by batch", "lm", "--batch", batches[:-1])
    yield curve("tree-lstm by hidden size", "tree-lstm", "--hidden", hidden, "--batch", "64")
    yield curve("fold-tree by leaves of a tree", "fold-tree", "--leaves", [8, 32, 128, 512, 2048, 4096],
                     "--dim", "32", "--batch", "16")
    yield curve("chains by length", "fold-tree", "--leaves", [10, 32, 100, 316, 1000, 3162, 10000],
                     "--shape", "sequence", "--dim", "32", "--batch", "16")


# {batch size: number of threads that prepare whole minibatches ahead}; these numbers keep the GPU busy.
CUDA_AHEAD = {1: "2", 16: "4", 64: "6", 256: "8", 1024: "8"}


def cuda_groups(program, quick):
    """(task, command): each command prints one line per mode."""
    ahead = {batch: CUDA_AHEAD[batch] for batch in (1, 64, 1024)} if quick else CUDA_AHEAD
    works = [("fold-tree", ["--precision", precision], min(ahead)) for precision in ("f32", "tf32", "bf16")]
    works += [("tree-lstm", ["--hidden", "256", "--dim", "256", "--precision", precision], 64)
              for precision in ("tf32", "bf16")]
    for task, sizes, smallest in works:
        for batch in (b for b in ahead if b >= smallest):
            yield task, [program, "bench", task, "--device", "cuda", *sizes, "--batch", str(batch), "--ahead",
                         ahead[batch], "--mode", "infer,train"]
