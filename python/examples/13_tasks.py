"""Lesson 13: async functions, for control flow that differs per example.

A greedy parser must read the scores of a sentence before it can choose the next action, and every sentence takes a
different path. Written as an `async def`, it awaits an Expr where it needs its value. When all sentences wait, the values
they wait for are computed in one round. The number of rounds is that of the longest sentence, for any number of
sentences.
"""
from __future__ import annotations

from typing import NamedTuple

import espalier as esp

SHIFT, LEFT, RIGHT = range(3)


class Sentence(NamedTuple):
    words: str  # one letter per word: Determiner, Adjective, Noun, Verb
    heads: list[int]  # the position of the head of each word; -1: the root


class Stack:
    """A dependency parser's state (arc-hybrid: Kuhlmann, Gómez-Rodríguez and Satta 2011)."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.stack: list[int] = []
        self.heads = [-1] * len(sentence.words)
        self.next = 0

    def more(self) -> bool:
        return self.next < len(self.heads)

    def done(self) -> bool:
        return not self.more() and len(self.stack) == 1

    def can(self, action: int) -> bool:
        if action == RIGHT:
            return len(self.stack) > 1
        return self.more() and (action == SHIFT or bool(self.stack))

    def apply(self, action: int) -> None:
        if action == SHIFT:
            self.stack.append(self.next)
            self.next += 1
        else:
            top = self.stack.pop()
            self.heads[top] = self.next if action == LEFT else self.stack[-1]

    def gold(self) -> int:
        if not self.stack:
            return SHIFT
        top, heads = self.stack[-1], self.sentence.heads
        if self.more() and heads[top] == self.next:
            return LEFT
        complete = top not in heads[self.next:]
        return RIGHT if len(self.stack) > 1 and heads[top] == self.stack[-2] and complete else SHIFT

    def words(self) -> list[int]:
        """The two topmost words of the stack and the next word; 4: none."""
        positions = [*self.stack[::-1], -1, -1][:2] + [self.next if self.more() else -1]
        return ["DANV".index(self.sentence.words[i]) if i >= 0 else 4 for i in positions]


class Parser(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(5, 6)
        self.hidden = esp.nn.Linear(18, 24)
        self.out = esp.nn.Linear(24, 3)

    def score(self, state: Stack) -> esp.Expr:
        return self.out(esp.tanh(self.hidden(esp.concat([self.words(word) for word in state.words()]))))

    # Training: the gold actions are known, so nothing waits.
    def loss(self, sentence: Sentence) -> esp.Expr:
        state = Stack(sentence)
        losses: list[esp.Expr] = []
        while not state.done():
            losses.append(esp.cross_entropy(self.score(state), state.gold()))
            state.apply(state.gold())
        return esp.sum(losses)

    # Parsing: the scores determine the actions.
    async def parse(self, sentence: Sentence) -> list[int]:
        state = Stack(sentence)
        while not state.done():
            scores = await self.score(state)  # an array; suspends this sentence until all others wait, too
            state.apply(max(filter(state.can, range(3)), key=lambda action: float(scores[action])))
        return state.heads


sentences = [
    Sentence("NV", [1, -1]),
    Sentence("DNV", [1, 2, -1]),
    Sentence("DNVDN", [1, 2, -1, 4, 2]),
    Sentence("DANVDAAN", [2, 2, 3, -1, 7, 7, 7, 3]),
]
engine = esp.Engine()
parser = Parser()
parser.initialize(seed=13)
adam = esp.optim.Adam(parser.parameters(), lr=0.02)
for step in range(150):
    adam.step(engine.backward(engine.record(sentences, parser.loss)))

parsed = engine.infer(sentences, parser.parse)
for sentence, heads in zip(sentences, parsed):
    print(f"{sentence.words:9}", *heads, "correct" if heads == sentence.heads else "wrong")
# Every word is shifted once, and every word but the root is popped: 2 n - 1 actions.
print(f"{len(parsed)} sentences in {parsed.rounds} rounds")
print(f"100 sentences in {engine.infer(sentences * 25, parser.parse).rounds} rounds")
