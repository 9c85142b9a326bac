"""Lesson 21: molecules as graphs, with Weave modules (Kearnes et al. 2016).

Every atom and every bond has a row; a Weave module updates both kinds of rows from their neighbours. The molecules are
random graphs of C, N and O. The network learns whether some N is bonded to some O.
"""
import random
from typing import NamedTuple

import espalier as esp


class Molecule(NamedTuple):
    atoms: list[int]  # 0: C, 1: N, 2: O
    bonds: list[tuple[int, int]]
    orders: list[int]  # 1 or 2, one per bond

    def label(self) -> bool:
        return any({self.atoms[a], self.atoms[b]} == {1, 2} for a, b in self.bonds)


class HasBoundNAndO(esp.Module):
    def __init__(self, n: int) -> None:
        self.weaves = [esp.nn.Weave(3, 3, n, n), esp.nn.Weave(n, n, n, n)]
        self.total = esp.nn.FC(n, n)
        self.out = esp.nn.Linear(n, 2)

    def __call__(self, m: Molecule) -> esp.Expr:
        atoms = [esp.one_hot(atom, 3) for atom in m.atoms]
        bonds = [esp.one_hot(order, 3) for order in m.orders]
        for weave in self.weaves:
            atoms, bonds = weave(atoms, bonds, m.bonds)
        return self.out(self.total(esp.sum(atoms)))


def random_molecule(rng: random.Random) -> Molecule:
    n = rng.randint(3, 9)
    bonds = [(i, rng.randrange(i)) for i in range(1, n)] + ([(0, n - 1)] if n > 4 else [])
    return Molecule([rng.choice((0, 0, 1, 1, 2)) for _ in range(n)], bonds, [rng.randint(1, 2) for _ in bonds])


rng = random.Random(21)
train = [random_molecule(rng) for _ in range(1500)]
test = [random_molecule(rng) for _ in range(300)]

engine = esp.Engine()
model = HasBoundNAndO(16)
model.initialize(seed=21)
adam = esp.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(12):
    for batch in esp.minibatches(train, 50, seed=21, epoch=epoch):
        losses = engine.record(batch, lambda m: esp.cross_entropy(model(m), m.label()))
        adam.step(engine.backward(losses, scale=1 / 50))

recorded = engine.record(test, model, mode="infer")
print(engine.explain(recorded).splitlines()[0])
right = sum(int(scores.argmax() == m.label()) for scores, m in zip(engine.infer(recorded), test))
print(f"positive: {sum(m.label() for m in test) / len(test):.2f}; accuracy above 0.9: {right > 0.9 * len(test)}")
