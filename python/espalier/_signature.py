"""Signatures of the functions that C++ defines."""
import inspect


def of(text: str) -> inspect.Signature:
    """The signature that "(x, axis=-1)" describes. Its defaults are literals."""
    return inspect.signature(eval(f"lambda {text[1:-1]}: None", {}))
