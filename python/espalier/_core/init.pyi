"""Initial values of parameters."""

class Init:
    """How a parameter is drawn."""

def glorot(gain: float = 1.0) -> Init:
    """Uniform in ± gain √(6 / (in + out))."""

def he() -> Init:
    """Normal with standard deviation √(2 / in)."""

def orthogonal(gain: float = 1.0) -> Init:
    """Orthonormal rows or columns (Saxe et al. 2014)."""

def identity(gain: float = 1.0) -> Init:
    """gain on the diagonal of a matrix."""

def normal(mean: float = 0.0, sd: float = 1.0) -> Init:
    """Normal."""

def uniform(lo: float, hi: float) -> Init:
    """Uniform between lo and hi."""

def constant(value: float) -> Init:
    """The same number everywhere."""

def zeros() -> Init:
    """0 everywhere."""

def ones() -> Init:
    """1 everywhere."""

def from_file(path: str, name: str) -> Init:
    """The tensor of this name in a safetensors or PyTorch file."""
