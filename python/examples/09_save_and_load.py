"""Lesson 9: save, and resume bit for bit.

A checkpoint is one safetensors file: parameters by name, the optimiser's moments, and your own metadata. Random numbers
depend only on (seed, epoch, example), so there is no generator state to save: a run that is stopped and resumed ends
with the same bits as an uninterrupted run.
"""
import os
import tempfile

import espalier as esp

data = [[i % 10, i // 10 % 10, i * 7 % 10] for i in range(200)]


class Model(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(10, 8)
        self.lstm = esp.nn.LSTM(8, 8)
        self.out = esp.nn.Linear(8, 2)

    def loss(self, sentence: list[int]) -> esp.Expr:  # the label: is the first word even?
        rows = self.lstm.run([self.words(word) for word in sentence])
        return esp.cross_entropy(self.out(esp.dropout(rows[-1], 0.2)), sentence[0] % 2)


class Training:
    def __init__(self, seed: int) -> None:
        self.engine = esp.Engine(seed=9)
        self.model = Model()
        self.model.initialize(seed)
        self.adam = esp.optim.Adam(self.model.parameters(), lr=0.01)

    def run(self, first_epoch: int, end: int) -> None:
        for epoch in range(first_epoch, end):
            for batch in esp.minibatches(data, 20, seed=9, epoch=epoch):  # epoch and ids key the dropout
                losses = self.engine.record(batch, self.model.loss)
                self.adam.step(self.engine.backward(losses, scale=1 / 20))


through = Training(seed=9)
through.run(0, 6)

before = Training(seed=9)
before.run(0, 3)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "lesson9.safetensors")
    esp.save(before.model, path, optimizer=before.adam, metadata={"epoch": "3"})

    after = Training(seed=12345)  # the file replaces the initial values of this other seed
    loaded = esp.load(after.model, path, optimizer=after.adam)
    after.run(int(loaded.metadata["epoch"]), 6)

    equal = [name for name, value in through.model.state_dict().items()
             if (value.numpy() == after.model[name].numpy()).all()]
    print(f"{len(equal)} of {len(through.model.parameters())} parameters have the same bits\n")

    # The safetensors package reads the file, too.
    for name, tensor in esp.load_file(path).items():
        print(f"{name:22} {list(tensor.shape)}")
