"""The rows that bench_run prints and the tables show: their unit, work and commands."""


def unit(task):
    """Minibatches of lm differ in length, so their rate is in words."""
    return "words/s" if task == "lm" else "examples/s"


def rate(row):
    return row["tokens_per_s" if row["task"] == "lm" else "examples_per_s"]


def number(value, digits=3):
    """A number with `digits` significant digits: 1234567 is 1,230,000. Empty for None."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    value = float(f"{value:.{digits}g}")
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def with_deviation(value, deviation):
    """The number ± its relative deviation."""
    return number(value) + (f" ± {100 * deviation:.0f} %" if deviation else "")


def flag(row, name):
    """The value of a flag of the row's command; None if it has none."""
    flags = row.get("command", "").split()
    return flags[flags.index(name) + 1] if name in flags else None


def sizes(row):
    """The sizes that the command sets, such as "dim 256"."""
    return [f"{name} {flag(row, '--' + name)}" for name in ("hidden", "dim", "leaves") if flag(row, "--" + name)]


def same_work(row):
    """Rows with equal keys did the same work."""
    return tuple(row.get(key) for key in ("task", "mode", "batch", "device", "threads", "precision", "data")) + \
        tuple(sizes(row))


def patterns(commands):
    """Commands that differ only in --mode and --batch, as one line: --mode train|infer --batch 1|16. Without --mode,
    programs train."""
    batches = {}  # command without the two flags: {mode: sizes of the batch}
    for command in dict.fromkeys(commands):
        words, chosen = command.split(), {"--mode": "train", "--batch": ""}
        for name in chosen:
            if name in words:
                at = words.index(name)
                chosen[name] = words[at + 1]
                del words[at:at + 2]
        batches.setdefault(" ".join(words), {}).setdefault(chosen["--mode"], []).append(chosen["--batch"])
    lines = []
    for command, modes in batches.items():
        together = {}  # sizes of the batch: modes that have them all
        for mode, of_mode in modes.items():
            together.setdefault("|".join(of_mode), []).append(mode)
        for of_modes, names in together.items():
            lines.append(f"{command} --mode {'|'.join(names)}" + (f" --batch {of_modes}" if of_modes else ""))
    return lines
