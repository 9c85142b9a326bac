"""Types of names that a star imports, and of the items of a loop with progress."""
from espalier import *

engine: Engine = Engine()
sizes: list[int] = [len(batch) for batch in progress(minibatches(10, 4))]
try:
    engine.infer([1.0], nn.Linear(1, 2))
except OptionError as error:
    largest: int = max(sizes)  # Python's own
    print(error, largest)
