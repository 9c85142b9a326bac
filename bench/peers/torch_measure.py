"""The measurement loop and the output of the programs in PyTorch."""

import json
import resource
import statistics
import time

import torch


def add_arguments(parser):
    """The arguments that all programs have."""
    parser.add_argument("--mode", choices=["train", "infer"], default="train")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=["f32", "tf32"], default="f32")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="is how it prints anyway")


def prepare(a):
    """Applies the arguments to PyTorch; returns the device."""
    torch.manual_seed(1)
    torch.set_num_threads(a.threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.precision == "tf32"
    return torch.device(a.device)


def adam(model, table):
    """Adam(0.001) for `model`, with sparse updates of its lookup table: only the rows read are updated."""
    dense = [p for p in model.parameters() if p is not table and p.requires_grad]
    fused = {"fused": True} if table.is_cuda else {}
    return [torch.optim.SparseAdam([table], lr=0.001), torch.optim.Adam(dense, lr=0.001, **fused)]


def fast_products():
    """False if torch uses the slow reference BLAS, which Debian's torch allows."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        text = maps.read()
    return "/blas/libblas.so" not in text


def measure(a, policy, optimizers, loss_of, tokens):
    """Prints a line of JSON with the keys of `espalier bench --json`. loss_of(n) computes the loss of minibatch n, summed
    over its examples; tokens[n] is its number of words. Minibatches are run one after the other, from the first again
    after the last. The rates are medians of `a.reps` windows of `a.seconds`, after a window of at most one second."""
    on_gpu = torch.device(a.device).type == "cuda"
    sync = torch.cuda.synchronize if on_gpu else lambda: None

    def minibatch(number):
        if a.mode == "infer":
            with torch.no_grad():
                return loss_of(number)
        loss = loss_of(number)
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        return loss.detach()

    def window(first, seconds):
        """Runs minibatches for `seconds`, at least two; returns their number, words and loss, and the elapsed time."""
        start, count, loss = time.perf_counter(), 0, 0
        while count < 2 or time.perf_counter() - start < seconds:
            loss += minibatch((first + count) % len(tokens))
            count += 1
            if count % 4 == 0:
                sync()  # otherwise launches run ahead of the clock
        sync()
        took = time.perf_counter() - start
        return count, sum(tokens[n % len(tokens)] for n in range(first, first + count)), loss, took

    done = window(0, min(1.0, a.seconds))[0]
    rates, word_rates, loss, count = [], [], None, 0
    for _ in range(a.reps):
        count, words, loss, took = window(done, a.seconds)
        done += count
        rates.append(count * a.batch / took)
        word_rates.append(words / took)
    rate = statistics.median(rates)
    row = {
        "task": a.task, "mode": a.mode, "policy": policy, "batch": a.batch, "device": torch.device(a.device).type,
        "threads": a.threads, "precision": a.precision, "examples_per_s": rate,
        "tokens_per_s": statistics.median(word_rates),
        "examples_per_s_mad": statistics.median(abs(r - rate) for r in rates),
        "peak_bytes": torch.cuda.max_memory_allocated() if on_gpu else
                      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "loss": loss.item() / (count * a.batch)}
    if not on_gpu and not fast_products():
        row["note"] = "PyTorch runs on the reference BLAS, far below its speed; install libopenblas0"
    print(json.dumps(row), flush=True)
