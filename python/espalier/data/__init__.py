"""Readers of data sets, and synthetic data, as plain objects."""
from .trees import Tree, random_trees

__all__ = ["Tree", "random_trees"]
