"""Synthetic data, which needs no files and is the same on every platform."""
from . import binary_tree, digit_images, fizz_buzz, languages, marked

__all__ = ["binary_tree", "digit_images", "fizz_buzz", "languages", "marked"]
