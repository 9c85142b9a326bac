"""Lesson 11: control flow that depends on values.

A decoder must read its scores before it can choose the next letter. Reading a value runs the pending calls: one round.
Read the values of all examples together, so that every round is a batch. Lesson 13 lets the engine do this.
"""
import espalier as esp

END = 26  # the letters are 0 … 25


def number(letter: str) -> int:
    return ord(letter) - ord("a")


class Speller(esp.Module):
    def __init__(self) -> None:
        self.letters = esp.nn.Embedding(27, 12)
        self.lstm = esp.nn.LSTM(12, 32)
        self.out = esp.nn.Linear(32, 27)

    def read(self, letter: str, before: "esp.State | None") -> esp.State:
        return self.lstm(self.letters(number(letter)), before)

    # The negative log-probability of the rest of the word, after its first letter.
    def loss(self, word: str) -> esp.Expr:
        losses: list[esp.Expr] = []
        state = None
        for letter, following in zip(word, [*map(number, word[1:]), END]):
            state = self.read(letter, state)
            losses.append(esp.cross_entropy(self.out(state.h), following))
        return esp.sum(losses)


words = ["apple", "pear", "quince", "cherry", "medlar", "fig", "lime", "orange"]
engine = esp.Engine()
speller = Speller()
speller.initialize(seed=11)
adam = esp.optim.Adam(speller.parameters(), lr=0.02)
for step in range(120):
    adam.step(engine.backward(engine.record(words, speller.loss)))

# Greedy decoding of all words together: one round per letter, for any number of words.
written = [word[0] for word in words]
states: "list[esp.State | None]" = [None] * len(words)
unfinished = list(range(len(words)))
rounds = 0
with engine.graph(mode="infer"):
    while unfinished:
        scores: list[esp.Expr] = []
        for i in unfinished:
            states[i] = state = speller.read(written[i][-1], states[i])
            scores.append(speller.out(state.h))
        best = [int(values.argmax()) for values in engine.value(scores)]  # one round for all words
        rounds += 1
        for i, letter in zip(unfinished, best):
            written[i] += "" if letter == END else chr(ord("a") + letter)
        unfinished = [i for i, letter in zip(unfinished, best) if letter != END and len(written[i]) < 12]
print(*written)
print(f"{rounds} rounds")

# Compares spellings by their loss.
guesses = ["kwince", "quince", "quinze"]
costs = engine.infer(guesses, speller.loss)
print("best:", min(zip(costs, guesses))[1])
