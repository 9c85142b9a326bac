"""Lesson 12: gradients with respect to intermediate values.

A trained classifier predicts praise or blame. Which word is responsible? The gradient of the score with respect to the
embedding of a word, times that embedding, measures its contribution. Parameters always have gradients; for any other
value, call engine.watch(x) before backward.
"""
import random

import espalier as esp

VOCABULARY = ["the", "film", "plot", "was", "rather", "and", "long", "good", "bad", "superb", "dull", "moving"]
FIRST_OPINION = 7  # good, superb and moving are praise, bad and dull are not


class Model(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(12, 8)
        self.lstm = esp.nn.LSTM(8, 16)
        self.out = esp.nn.Linear(16, 2)

    def rows(self, sentence: list[int]) -> list[esp.Expr]:
        return [self.words(word) for word in sentence]

    def scores(self, rows: list[esp.Expr]) -> esp.Expr:
        return self.out(self.lstm.run(rows)[-1])


# Sentences of neutral words with one opinion word at a random position, which determines the label.
rng = random.Random(12)
data: list[tuple[list[int], int]] = []
for _ in range(400):
    sentence = [rng.randrange(FIRST_OPINION) for _ in range(rng.randint(3, 8))]
    opinion = rng.randrange(FIRST_OPINION, 12)
    sentence[rng.randrange(len(sentence))] = opinion
    data.append((sentence, opinion % 2))  # 7, 9, 11: praise

engine = esp.Engine()
model = Model()
model.initialize(seed=12)
adam = esp.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(6):
    for batch in esp.minibatches(data, 20, seed=12, epoch=epoch):
        losses = engine.record(batch, lambda pair: esp.cross_entropy(model.scores(model.rows(pair[0])), pair[1]))
        adam.step(engine.backward(losses, scale=1 / 20))

for text in ("the film was superb and long", "the plot was dull and long"):
    with engine.graph(mode="infer"):
        sentence = [VOCABULARY.index(word) for word in text.split()]
        rows = model.rows(sentence)
        scores = model.scores(rows)
        for row in rows:
            engine.watch(row)
        gradients = engine.backward(scores[1] - scores[0])
        shares = [float((engine.value(row) * gradients.of(row).numpy()).sum()) for row in rows]
        print("praise" if gradients.loss.item() > 0 else "blame")
        for word, share in zip(text.split(), shares):
            print(f"  {word:8}{'+' if share > 1 else '-' if share < -1 else ''}")
