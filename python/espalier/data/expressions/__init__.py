"""Expressions as trees, whose values depend on the whole tree."""
from . import arithmetic, listops, logic

__all__ = ["arithmetic", "listops", "logic"]
