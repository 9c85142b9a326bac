"""Lesson 14: beam search as an async function.

A beam keeps the few best prefixes. `await esp.gather(...)` computes the scores of all prefixes in one round, so a wide
beam takes as many rounds as a narrow one.
"""
from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np

import espalier as esp

LETTERS = "abcdefghijklmnopqrstuvwxyz."  # . ends a word


class Hypothesis(NamedTuple):
    score: float  # log probability
    word: str
    state: Optional[esp.State] = None


def best(of: list[Hypothesis], n: int) -> list[Hypothesis]:
    return sorted(of, key=lambda h: -h.score)[:n]


class Speller(esp.Module):
    def __init__(self) -> None:
        self.letters = esp.nn.Embedding(27, 12)
        self.lstm = esp.nn.LSTM(12, 32)
        self.out = esp.nn.Linear(32, 27)

    def read(self, letter: str, state: esp.State | None) -> esp.State:
        return self.lstm(self.letters(LETTERS.index(letter)), state)

    def loss(self, word: str) -> esp.Expr:
        losses: list[esp.Expr] = []
        state = None
        for letter, following in zip(word, word[1:] + "."):
            state = self.read(letter, state)
            losses.append(esp.cross_entropy(self.out(state.h), LETTERS.index(following)))
        return esp.sum(losses)

    # The most likely words that begin with a letter, best first.
    async def complete(self, first: str, beam: int) -> list[str]:
        prefixes, done = [Hypothesis(0.0, first)], list[Hypothesis]()
        while prefixes:
            states = [self.read(h.word[-1], h.state) for h in prefixes]
            # One round for the whole beam, and for the beams of all other words.
            scores = await esp.gather(*[esp.log_softmax(self.out(state.h)) for state in states])
            longer = [
                Hypothesis(h.score + float(row[letter]), h.word + LETTERS[letter], state)
                for h, state, row in zip(prefixes, states, scores)
                for letter in np.argsort(-row, kind="stable")[:beam]
            ]
            longer = best(longer, beam)
            done = best(done + [h for h in longer if h.word.endswith(".")], beam)
            prefixes = [h for h in longer if not h.word.endswith(".")]
            # Scores only decrease: a prefix below the worst of `beam` finished words cannot improve on them.
            if len(done) == beam:
                prefixes = [h for h in prefixes if h.score > done[-1].score]
        return [h.word for h in done]


words = ["apple", "apricot", "pear", "peach", "plum", "cherry", "medlar", "melon"]
engine = esp.Engine()
speller = Speller()
speller.initialize(seed=11)
adam = esp.optim.Adam(speller.parameters(), lr=0.02)
for step in range(150):
    adam.step(engine.backward(engine.record(words, speller.loss)))

for beam in (1, 2, 3):
    found = engine.infer(list("apcm"), lambda first: speller.complete(first, beam))
    # The first two of a beam are known words; what follows depends on the last bits of the training.
    print(f"beam {beam}, {found.rounds} rounds:", *["/".join(w for w in list_of if w[:-1] in words) for list_of in found])
