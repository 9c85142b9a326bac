"""Sentences for torch_sequences.py: reads or generates them, and numbers their words as `espalier bench` does."""

import bisect
import collections
import itertools
import random

RARE = 5  # a word of the tagger with at most this count is <unk>
EDGE, UNKNOWN = 0, 1  # of the language model: <s> before and after a sentence, <unk>

# Lengths of generated sentences (0 %, 5 % … 100 %) and the number of kinds of words: the statistics of
# src/data/synthetic/tagged.cc and src/data/sentences/text.cc.
TAGGED = [1, 8, 10, 11, 13, 14, 15, 17, 18, 19, 20, 22, 23, 25, 26, 29, 31, 35, 40, 48, 71], 20_000
TEXT = [1, 2, 3, 4, 6, 7, 9, 10, 11, 13, 14, 15, 17, 19, 20, 22, 25, 28, 32, 39, 59], 24_000
TAGS = ["O", "I-ORG", "I-PER", "I-LOC", "I-MISC"]


def generate(count, lengths, kinds):
    """Sentences of words w0, w1 …, whose frequencies follow Zipf's law."""
    draw = random.Random(7)
    sums = list(itertools.accumulate(1 / (rank + 2) for rank in range(kinds)))
    for _ in range(count):
        at = draw.random() * (len(lengths) - 1)
        low, high = lengths[int(at):int(at) + 2]
        length = round(low + (at % 1) * (high - low))
        yield [f"w{bisect.bisect(sums, draw.random() * sums[-1])}" for _ in range(length)]


def read_lines(path):
    """The words of each non-empty line as bytes, which are separated by ASCII whitespace."""
    with open(path, "rb") as file:
        for line in file:
            if words := line.split():
                yield words


def tagged(path):
    """(sentences as (words, tags), number of words, number of tags), from a file of word|tag tokens."""
    if path:
        sentences = [[token.rsplit(b"|", 1) for token in line] for line in read_lines(path)]
    else:
        draw, tag_of = random.Random(8), collections.defaultdict(lambda: draw.choice([TAGS[0]] * 10 + TAGS[1:]))
        sentences = [[(word, tag_of[word]) for word in line] for line in generate(1_696, *TAGGED)]
    counts = collections.Counter(word for sentence in sentences for word, _ in sentence)
    common = [word for word, count in counts.items() if count > RARE]
    number = {word: i for i, word in enumerate(common)}
    tags = {tag: i for i, tag in enumerate(dict.fromkeys(tag for sentence in sentences for _, tag in sentence))}
    numbered = [([number.get(word, len(common)) for word, _ in sentence], [tags[tag] for _, tag in sentence])
                for sentence in sentences]
    return numbered, len(common) + 1, len(tags)


def text(path, vocabulary):
    """Sentences as (words, next words) with the most frequent words of a file of plain text; both have the length of the
    sentence plus one."""
    sentences = list(read_lines(path) if path else generate(12_544, *TEXT))
    counts = collections.Counter(word for sentence in sentences for word in sentence)
    number = {word: 2 + i for i, (word, _) in enumerate(counts.most_common(vocabulary - 2))}
    numbered = [[number.get(word, UNKNOWN) for word in sentence] for sentence in sentences]
    return [([EDGE, *words], [*words, EDGE]) for words in numbered]


def minibatches(task, sentences, size):
    """Minibatches of `size` sentences, each from long to short. `lm`: of similar length, in shuffled order."""
    draw = random.Random(1)
    if task == "tagger":
        draw.shuffle(sentences)
    else:
        sentences.sort(key=lambda sentence: len(sentence[0]))
    cut = [sorted(sentences[i:i + size], key=lambda sentence: -len(sentence[0]))
           for i in range(0, len(sentences) - size + 1, size)]
    if task == "lm":
        draw.shuffle(cut)
    return cut
