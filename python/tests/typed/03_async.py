# The program of the same name, with annotations: type checkers read it, in strict mode.
"""Control flow on computed values: each example awaits its numbers, and all examples of a batch wait together."""
import espalier as esp


class Decoder(esp.Module):
    def __init__(self, symbols: int, n: int) -> None:
        self.symbols = esp.nn.Embedding(symbols, n)
        self.lstm = esp.nn.LSTM(n, n)
        self.out = esp.nn.Linear(n, symbols)

    async def generate(self, start: int, limit: int) -> list[int]:
        """Greedy until symbol 0: how long that takes, nobody knows beforehand."""
        words, state = [start], None
        while words[-1] != 0 and len(words) < limit:
            state = self.lstm(self.symbols(words[-1]), state)
            scores = await self.out(state.h)                   # a NumPy array; the other examples go on meanwhile
            words.append(int(scores.argmax()))
        return words


model = Decoder(50, 16)
model.initialize(seed=2)
engine = esp.Engine(seed=1)
starts = list(range(1, 33))
together = engine.infer(starts, lambda s: model.generate(s, 20))
assert together.rounds <= 20, together.rounds
alone = [engine.infer([s], lambda s: model.generate(s, 20))[0] for s in starts]
assert list(together) == alone
print(f"{len(starts)} sequences in {together.rounds} rounds")
