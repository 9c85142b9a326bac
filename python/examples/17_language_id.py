"""Lesson 17: language identification.

An LSTM reads a word letter by letter, and its last state is classified. The words are from four invented languages that
differ only in the order of consonants and vowels.
"""
import random

import espalier as esp


class LanguageOf(esp.Module):
    def __init__(self, languages: int) -> None:
        self.letters = esp.nn.Embedding(128, 16)
        self.lstm = esp.nn.LSTM(16, 32)
        self.out = esp.nn.Linear(32, languages)

    def __call__(self, word: str) -> esp.Expr:
        return self.out(self.lstm.run([self.letters(ord(letter)) for letter in word])[-1])


# All languages use the same letters; they differ in the structure of a syllable: kalosi, akolis, ktasno, kaaloo.
def random_word(rng: random.Random) -> tuple[str, int]:
    language = rng.randrange(4)
    word = ""
    for _ in range(rng.randint(2, 4)):
        consonant, vowel, other = rng.choice("klmnst"), rng.choice("aeiou"), rng.choice("klmnst")
        word += (consonant + vowel, vowel + consonant, consonant + other + vowel, consonant + 2 * vowel)[language]
    return word, language


rng = random.Random(17)
train = [random_word(rng) for _ in range(1000)]
test = [random_word(rng) for _ in range(200)]

engine = esp.Engine()
model = LanguageOf(4)
model.initialize(seed=17)
adam = esp.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for batch in esp.minibatches(train, 50, seed=17, epoch=epoch):
        losses = engine.record(batch, lambda example: esp.cross_entropy(model(example[0]), example[1]))
        adam.step(engine.backward(losses, scale=1 / 50))

best = engine.infer([word for word, _ in test], model, stack=True).argmax(axis=1)  # one array [200, 4]
for (word, _), language in list(zip(test, best))[:4]:
    print(f"{word}: language {language}")
print(f"accuracy: {sum(int(a == b) for a, (_, b) in zip(best, test)) / len(test):.2f}")
