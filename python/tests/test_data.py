"""Readers and synthetic data, as plain Python objects."""
import dataclasses
import gzip
import os
import pickle

import numpy as np
import pytest

import espalier as esp
from espalier.data import Vocabulary

data = esp.data


def written(folder, name, text):
    path = folder / name
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def published(name):
    """A published file; the test is skipped if it is not there."""
    folder = os.environ.get("ESPALIER_DATA")
    if not folder or not os.path.exists(os.path.join(folder, name)):
        pytest.skip(f"$ESPALIER_DATA has no {name}")
    return os.path.join(folder, name)


def error_of(f):
    with pytest.raises(esp.DataError) as caught:
        f()
    return str(caught.value)


# ---- vocabularies


def test_vocabulary_maps_words_to_indices():
    words = Vocabulary(["a", "b", "a"])
    assert words.add("c", times=5) == 2
    assert list(words) == ["a", "b", "c"] and len(words) == 3 and words[1] == "b"
    assert "a" in words and "z" not in words and 7 not in words
    assert words.find("c") == 2 and words.find("z") == -1
    assert [words.count(i) for i in range(3)] == [2, 1, 5]
    assert words.by_count() == [2, 0, 1]
    assert not words.closed
    words.close()
    assert words.closed and words.add("z") == 3 and len(words) == 3
    assert repr(words) == "<Vocabulary of 3 words, closed>"


def test_vocabulary_refuses_other_indices():
    with pytest.raises(IndexError, match="no word 1; it has 1 words"):
        Vocabulary(["a"])[1]
    with pytest.raises(esp.IndexError):
        Vocabulary(["a"]).count(-1)
    with pytest.raises(TypeError, match="a word is an int; it must be a string"):
        Vocabulary([1])


@pytest.mark.parametrize("closed", [False, True])
def test_vocabulary_is_pickled_and_packed(closed):
    words = Vocabulary(["a b", "back\\slash", "\u00e9", "line\nend", "\udcff"])
    words.add("a b", 3)
    if closed:
        words.close()
    copy = pickle.loads(pickle.dumps(words))
    assert list(copy) == list(words) and copy.count(0) == 4 and copy.closed == closed
    assert list(Vocabulary.unpack(words.pack())) == list(words)
    assert "vocabulary:1:2: " in error_of(lambda: Vocabulary.unpack("x"))


# ---- trees


def test_sentiment(tmp_path):
    words = Vocabulary()
    path = written(tmp_path, "train.txt", "(3 (2 It) (4 (2 's) (4 great)))\n\n(0 bad)\n")
    first, second = data.sentiment.read(path, words)
    assert (first.label, first.left.word, first.right.label, first.right.right.word) == (3, 0, 4, 2)
    assert not first.is_leaf and first.left.is_leaf and second == data.Tree(0, 3)
    assert list(words) == ["It", "'s", "great", "bad"]
    assert data.sentiment.parse("(3 (2 It) (4 (2 's) (4 great)))", words) == first


def test_gzip_and_names_of_all_kinds(tmp_path):
    zipped = written(tmp_path, "train.txt.gz", "(0 bad)\n")
    odd = written(tmp_path, "tr\u00e4in.txt", "(0 bad)\n")
    for path in (zipped, str(zipped), odd, os.fsencode(odd)):
        assert data.sentiment.read(path, Vocabulary()) == [data.Tree(0, 0)]


def test_an_error_has_file_line_and_column_and_adds_no_words(tmp_path):
    words = Vocabulary()
    path = written(tmp_path, "train.txt", "(3 (2 It) (4 great))\n(0 (1 worse) (5 bad))\n(1 more)\n")
    text = error_of(lambda: data.sentiment.read(path, words))
    assert f"{path}:2:15: '5' is not a label; expected a digit 0-4 (test_data.py:" in text
    assert list(words) == ["It", "great"]
    assert "nowhere.txt" in error_of(lambda: data.sentiment.read(tmp_path / "nowhere.txt", words))
    with pytest.raises(ValueError):  # a DataError is one
        data.sentiment.parse("(", words)


def test_vocabularies_are_needed(tmp_path):
    path, words = written(tmp_path, "train.txt", "(0 bad)\n"), Vocabulary()
    for read in (
        lambda: data.sentiment.read(path, None),
        lambda: data.text.read(path, ["bad"]),
        lambda: data.tagged.read(path, words, None),
        lambda: data.treebank.read(path, None, words),
        lambda: data.labelled_tree.read(path, words, None),
        lambda: data.sick.read(tmp_path, None),
        lambda: data.sentiment.parse("(0 bad)", None),
    ):
        with pytest.raises(TypeError, match="Vocabulary"):
            read()


def test_a_stream_continues_after_an_error(tmp_path):
    path = written(tmp_path, "train.txt", "(0 bad)\n(\n(1 more)\n")
    trees = data.sentiment.stream(path, Vocabulary())
    assert next(trees).label == 0
    with pytest.raises(esp.DataError):
        next(trees)
    assert next(trees).label == 1
    with pytest.raises(StopIteration):
        next(trees)


def test_words_that_are_not_utf8(tmp_path):
    words = Vocabulary()
    path = written(tmp_path, "text.txt", b"caf\xe9 caf\xc3\xa9 caf\xe9\n")
    assert data.text.read(path, words) == [[0, 1, 0]]
    assert list(words) == ["caf\udce9", "caf\u00e9"] and words.find("caf\udce9") == 0
    assert ":1:" in error_of(lambda: data.sentiment.read(path, words))
    broken = written(tmp_path, "tags.txt", b"caf\xe9\n")
    assert ":1:1:" in error_of(lambda: data.tagged.read(broken, words, Vocabulary()))


def test_depth_is_limited_by_memory_only(tmp_path):
    depth = 100_000
    path = written(tmp_path, "deep.txt", "(0 (1 a) " * depth + "(2 b)" + ")" * depth + "\n")
    (tree,) = data.sentiment.read(path, Vocabulary())
    steps = 0
    while not tree.is_leaf:
        tree, steps = tree.right, steps + 1
    assert steps == depth and tree.label == 2
    deep = data.listops.parse("[MAX 1 " * depth + "2" + " ]" * depth)
    assert deep.value == 2 and data.listops.evaluate(deep) == 2


def test_labelled_trees(tmp_path):
    labels, words = Vocabulary(), Vocabulary()
    path = written(tmp_path, "trees.txt", "pos\t( ( It ) ( was really great ) )\nneg\t( bad )\n")
    first, second = data.labelled_tree.read(path, labels, words)
    assert data.labelled_tree.form_of("pos\t( ( It )") == "root"
    assert labels[first.label] == "pos" and first.children[0].label == -1
    assert [words[n.word] for n in first.children[1].children] == ["was", "really", "great"]
    assert second.is_leaf and words[second.word] == "bad"
    binary = data.labelled_tree.binarise(first)
    assert (binary.label, binary.left.word, binary.right.label) == (0, 0, -1)
    assert [binary.right.left.left.word, binary.right.left.right.word, binary.right.right.word] == [1, 2, 3]

    tree = data.labelled_tree.parse("(3 (2 It) (4 great))", labels, words)
    assert [labels[n.label] for n in (tree, *tree.children)] == ["3", "2", "4"]
    listops = data.labelled_tree.parse("[MAX 2 [MIN 4 7 ] ]", labels, words)
    assert words[listops.children[0].word] == "[MAX" and len(listops.children) == 4

    labels.close()
    other = written(tmp_path, "other.txt", "pos\t( a )\nelse\t( b )\n")
    assert "other.txt:2:1: " in error_of(lambda: data.labelled_tree.read(other, labels, words))
    with pytest.raises(esp.Error, match="form 'tree' is unknown; it must be labels, root or listops"):
        data.labelled_tree.read(path, labels, words, form="tree")
    with pytest.raises(esp.DataError, match="neither a word nor children"):
        data.labelled_tree.binarise(data.NaryTree())


def test_unary_nodes_are_binarised():
    labels, words = Vocabulary(), Vocabulary(["unary"])
    tree = data.labelled_tree.parse("(1 (2 (3 a) (4 b)))", labels, words)
    assert data.labelled_tree.binarise(tree).left.is_leaf
    joined = data.labelled_tree.binarise(tree, unary=0)
    assert 0 in (joined.left.word, joined.right.word)


def test_treebank(tmp_path):
    labels, words = Vocabulary(), Vocabulary()
    text = "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))"
    path = written(tmp_path, "wsj.mrg", f"( {text[:26]}\n   {text[26:]} )\n{text}\n")
    first, second = data.treebank.read(path, labels, words)
    assert first == second and labels[first.label] == "S"
    assert data.treebank.to_text(first, labels, words) == text
    bad = written(tmp_path, "bad.mrg", f"{text}\n(S (NP")
    assert "bad.mrg:3:1: the file ends inside the tree" in error_of(lambda: data.treebank.read(bad, labels, words))
    with pytest.raises(esp.IndexError, match="label 99 is not in a vocabulary of 6"):
        data.treebank.to_text(data.NaryTree(99, 0), labels, words)
    with pytest.raises(esp.Error):
        data.treebank.to_text(data.NaryTree(0, -1), labels, words)


def test_sick(tmp_path):
    files = {"a.toks": "A dog runs", "a.parents": "2 3 0", "b.toks": "It runs", "b.parents": "2 0", "sim.txt": "4.5"}
    for name, line in files.items():
        written(tmp_path, name, line + "\n")
    words = Vocabulary()
    (pair,) = data.sick.read(tmp_path, words)
    assert pair.similarity == 4.5 and pair.a.parents == [1, 2, -1] and pair.a.words == [0, 1, 2]
    root = pair.a.root
    assert (root.word, root.position) == (2, 2) and root.children[0].children[0].word == 0
    assert data.sick.parse("\t".join(files.values()), words) == pair
    written(tmp_path, "a.parents", "2 3\n")
    assert "a.parents:1:1: " in error_of(lambda: data.sick.read(tmp_path, words))


def test_random_trees_depend_on_the_seed_only():
    arguments = dict(leaves=20, words=50, labels=5)
    trees = data.random_trees(30, **arguments, seed=1)
    assert trees == data.random_trees(30, **arguments, seed=1)
    assert trees != data.random_trees(30, **arguments, seed=2)
    assert trees[:10] == data.random_trees(10, **arguments, seed=1)
    seen = [node for tree in trees for node in nodes_of(tree)]
    assert len(seen) == 30 * 39
    assert {n.label for n in seen} == set(range(5))
    assert {n.word for n in seen if n.is_leaf} == set(range(50))
    assert {n.word for n in seen if not n.is_leaf} == {-1}


def nodes_of(tree):
    return [tree] if tree.is_leaf else [*nodes_of(tree.left), *nodes_of(tree.right), tree]


def test_binary_trees_of_all_forms():
    def depth(tree):
        return 1 if tree.is_leaf else 1 + max(depth(tree.left), depth(tree.right))

    of = {form: data.binary_tree.generate(1, leaves=16, kinds=3, form=form)[0] for form in ("balanced", "sequence")}
    assert depth(of["balanced"]) == 5 and depth(of["sequence"]) == 16
    with pytest.raises(esp.Error, match="form 'flat' is unknown"):
        data.binary_tree.generate(1, leaves=2, kinds=2, form="flat")
    with pytest.raises(esp.Error):
        data.binary_tree.generate(1, leaves=0, kinds=2)
    with pytest.raises(ValueError, match="labels is 0"):
        data.random_trees(1, leaves=2, words=2, labels=0)


# ---- expressions


def test_listops(tmp_path):
    path = written(tmp_path, "listops.tsv", "9\t[MAX 2 9 [MIN 4 7 ] 0 ]\n( ( ( [SM 3 ) 8 ) ] )\n")
    first, second = data.listops.read(path)
    assert (first.value, first.token, [a.value for a in first.args]) == (9, 10, [2, 9, 4, 0])
    assert second.value == 1 and second.args[0].is_digit and not second.is_digit
    assert data.listops.to_text(first) == "[MAX 2 9 [MIN 4 7 ] 0 ]"
    assert data.listops.to_text(second, "binarised") == "( ( ( [SM 3 ) 8 ) ] )"
    assert data.listops.parse(data.listops.to_text(first, "binarised")) == first
    assert data.listops.vocabulary[14] == "]" and data.listops.tokens == 15
    binary = data.listops.binarise(second)
    assert binary.label == 1 and binary.right.word == 14 and binary.left.label == -1
    assert data.listops.evaluate(dataclasses.replace(first, value=0)) == 9
    bad = written(tmp_path, "bad.tsv", "9\t[MAX 2 9 ]\n3\t[MAX 2 9 ]\n")
    assert "bad.tsv:2:1: label 3 of an expression with value 9" in error_of(lambda: data.listops.read(bad))
    with pytest.raises(esp.IndexError, match="token 14"):
        data.listops.to_text(data.listops.Expression(14, 0))
    with pytest.raises(esp.DataError, match="has no arguments"):
        data.listops.evaluate(data.listops.Expression(10, 0))
    with pytest.raises(esp.OptionError, match="form 'x' is unknown"):
        data.listops.to_text(first, "x")


def test_listops_are_generated():
    made = data.listops.generate(50, seed=3, max_depth=6)
    assert made[:20] == data.listops.generate(20, seed=3, max_depth=6)
    assert len({data.listops.to_text(e) for e in made}) == 50
    assert all(data.listops.parse(data.listops.to_text(e)) == e for e in made)
    with pytest.raises(esp.Error):
        data.listops.generate(10, max_depth=1)


def test_arithmetic(tmp_path):
    path = written(tmp_path, "simple.tsv", "-10\t( + ( ( - ( 7 8 ) ) -9 ) )\n4\n")
    first, second = data.arithmetic.read(path)
    assert (first.value, first.op, first.left.op, first.right.value) == (-10, "+", "-", -9)
    assert (first.token, first.right.token, second.token) == (21, 1, 14) and second.is_number
    assert data.arithmetic.to_text(first) == "( + ( ( - ( 7 8 ) ) -9 ) )"
    assert data.arithmetic.parse(data.arithmetic.to_text(first, "infix")) == first
    assert data.arithmetic.parse("1 + 2 * 3").value == 7
    leaves = [n.word for n in nodes_of(data.arithmetic.binarise(first)) if n.is_leaf]
    assert leaves == [21, 22, 17, 18, 1]
    assert "simple.tsv:1:1: " in error_of(
        lambda: data.arithmetic.read(written(tmp_path, "simple.tsv", "1\t( + ( 1 1 ) )\n"))
    )
    with pytest.raises(esp.DataError, match="operator '/' is unknown"):
        data.arithmetic.to_text(data.arithmetic.Expression("/", 1, second, second))


def test_arithmetic_is_generated():
    made = data.arithmetic.generate(40, seed=2)
    assert made == data.arithmetic.generate(40, seed=2) and all(-10 <= e.value <= 10 for e in made)
    assert data.arithmetic.draw(5, seed=2) == data.arithmetic.draw(5, seed=2) != data.arithmetic.draw(6, seed=2)
    calculator = data.arithmetic.generate(40, seed=2, **data.arithmetic.calculator)
    assert any(e.value > 20 for e in calculator)


def test_logic(tmp_path):
    path = written(tmp_path, "logic.txt", "<\t( a ( and b ) )\ta\n#\ta\t( not b )\n")
    first, second = data.logic.read(path)
    assert data.logic.relation_names[first.relation] == "<" and first.right.is_variable
    assert second.right.left is None and second.right.right.token == 1
    assert data.logic.to_text(first.left) == "( a ( and b ) )"
    assert data.logic.relation(first.right, first.left) == data.logic.relation_names.index(">")
    assert data.logic.parse_formula("( a ( and b ) )") == first.left and first.left.operators == 1
    assert data.logic.parse("<\t( a ( and b ) )\ta") == first
    leaves = [data.logic.token_names[n.word] for n in nodes_of(data.logic.binarise(first.left)) if n.is_leaf]
    assert leaves == ["a", "and", "b"]
    assert "logic.txt:1:" in error_of(lambda: data.logic.read(written(tmp_path, "logic.txt", "=\ta\tb\n")))
    for broken in (data.logic.Formula(7), data.logic.Formula(0, None, first.left), data.logic.Formula(6, first.left)):
        with pytest.raises(esp.DataError, match="operands"):
            data.logic.to_text(broken)


def test_logic_is_generated():
    made = data.logic.generate(20, seed=1)
    assert made == data.logic.generate(20, seed=1)
    assert all(data.logic.relation(p.left, p.right) == p.relation for p in made)
    assert data.logic.draw(3, seed=1) == data.logic.draw(3, seed=1)


# ---- sentences and tables


def test_conllu(tmp_path):
    rows = ["1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_", "2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_"]
    path = written(tmp_path, "en.conllu", "# text = Dogs bark\n" + "\n".join(rows) + "\n\n")
    (sentence,) = data.conllu.read(path)
    assert sentence[0] == data.conllu.Word("Dogs", "dog", "NOUN", "NNS", "nsubj", 2)
    assert sentence[1].head == 0 and data.conllu.is_projective(sentence)
    crossing = [data.conllu.Word("x", head=h) for h in (3, 4, 0, 3)]
    assert not data.conllu.is_projective(crossing)
    bad = written(tmp_path, "bad.conllu", rows[0].replace("\t2\t", "\t9\t") + "\n\n")
    assert "bad.conllu:" in error_of(lambda: data.conllu.read(bad))


def test_tagged(tmp_path):
    words, tags = Vocabulary(), Vocabulary()
    path = written(tmp_path, "train.txt", "Espalier|I-ORG grows|O .|O\n")
    assert data.tagged.read(path, words, tags) == [[(0, 0), (1, 1), (2, 1)]]
    assert data.tagged.read(path, words, tags)[0][1].tag == 1
    bad = written(tmp_path, "bad.txt", "a|O word\n")
    assert "bad.txt:1:5: 'word' has no tag" in error_of(lambda: data.tagged.read(bad, words, tags))
    made_words, made_tags = Vocabulary(), Vocabulary()
    made = data.tagged.generate(20, made_words, made_tags, seed=1)
    assert made == data.tagged.generate(20, Vocabulary(), Vocabulary(), seed=1)
    assert max(t.word for s in made for t in s) < len(made_words)


def test_text(tmp_path):
    words = Vocabulary()
    path = written(tmp_path, "text.txt", "a b a\n\n  c\n")
    assert data.text.read(path, words) == [[0, 1, 0], [2]] == list(data.text.stream(path, words))
    words.close()
    assert data.text.parse("b z", words) == [1, 3]
    assert data.text.generate(5, Vocabulary(), seed=1) == data.text.generate(5, Vocabulary(), seed=1)


def test_table(tmp_path):
    path = written(tmp_path, "esol.csv", 'name,logp\n"a, ""b""",1.5\nc,\n')
    assert data.table.read(path, numbers=["logp"]) == [{"name": 'a, "b"', "logp": 1.5}, {"name": "c", "logp": None}]
    assert data.table.read(path)[0]["logp"] == "1.5"
    assert "no column 'logq'; the table has 'name', 'logp'" in error_of(lambda: data.table.read(path, numbers=["logq"]))
    assert "esol.csv:2:1: " in error_of(lambda: data.table.read(path, numbers=["name"]))
    assert "bad.csv:2:" in error_of(lambda: data.table.read(written(tmp_path, "bad.csv", "a,b\n1\n")))


# ---- word vectors


GLOVE = "the 1 2 3\ncat 4 5 6\nthe 7 8 9\nDog 0 0 1\n"


def test_word_vectors(tmp_path):
    vectors = data.word_vectors.read(written(tmp_path, "glove.txt.gz", GLOVE))
    assert list(vectors) == ["the", "cat", "Dog"] and len(vectors) == 3 and vectors.columns == 3
    assert vectors.matrix.dtype == np.float32 and not vectors.matrix.flags.writeable
    np.testing.assert_array_equal(vectors["cat"], [4, 5, 6])
    assert np.shares_memory(vectors["cat"], vectors.matrix)
    assert (vectors.rows, vectors.repeated) == (4, 1)
    assert "cat" in vectors and "Cat" not in vectors and vectors.get("Cat") is None
    np.testing.assert_array_equal(vectors.find("CAT", lower_case=True), [4, 5, 6])
    with pytest.raises(KeyError, match="zebra"):
        vectors["zebra"]
    assert dict(vectors).keys() == {"the", "cat", "Dog"}
    matrix = vectors.matrix
    del vectors
    assert matrix.sum() == 22


def test_word_vectors_of_some_words(tmp_path):
    path = written(tmp_path, "glove.txt", GLOVE)
    vectors = data.word_vectors.read(path, only=Vocabulary(["THE", "zebra"]))
    assert list(vectors) == ["the"] and vectors.rows == 4
    none = data.word_vectors.read(path, only=Vocabulary(["zebra"]))
    assert none.matrix.shape == (0, 3) and none.get("the") is None
    bad = written(tmp_path, "bad.txt", "a 1 2\nb 1\n")
    assert "bad.txt:2:" in error_of(lambda: data.word_vectors.read(bad))


def test_fill_copies_vectors_into_an_embedding(tmp_path):
    vectors = data.word_vectors.read(written(tmp_path, "glove.txt", GLOVE))
    words = Vocabulary(["zebra", "cat", "THE"])
    table = esp.nn.Embedding(4, 3)
    table.initialize(seed=1)
    before = np.array(table["weight"])
    assert data.fill(table, words, vectors, lower_case=True) == (2, 1)
    after = np.array(table["weight"])
    np.testing.assert_array_equal(after[1:3], [[4, 5, 6], [1, 2, 3]])
    np.testing.assert_array_equal(after[[0, 3]], before[[0, 3]])
    parameter = esp.Parameter((3, 3), init=0.0)
    assert data.fill(parameter, words, vectors).words == 1
    with pytest.raises(esp.ShapeError, match=r"must be \[n,3\] with n at least 3"):
        data.fill(esp.nn.Embedding(4, 2), words, vectors)
    with pytest.raises(TypeError, match="a Parameter or an Embedding"):
        data.fill(np.zeros((4, 3)), words, vectors)


# ---- synthetic data


def test_digit_images():
    images = data.digit_images.generate(20, seed=1)
    assert {i.digit for i in images} <= set(range(10)) and images[0].pixels.shape == (28, 28)
    assert images[3].pixels.min() >= 0 and images[3].pixels.max() <= 1
    np.testing.assert_array_equal(images[3].pixels, data.digit_images.draw(3, seed=1).pixels)


def test_fizz_buzz():
    numbers = data.fizz_buzz.generate(50, seed=1, first=1, last=30)
    assert all(1 <= n.number <= 30 and n.answer == data.fizz_buzz.answer(n.number) for n in numbers)
    assert data.fizz_buzz.answer_names[data.fizz_buzz.answer(15)] == "fizzbuzz"
    with pytest.raises(esp.Error):
        data.fizz_buzz.generate(1, first=2, last=1)


def test_languages():
    texts = data.languages.generate(40, seed=1)
    assert texts[7] == data.languages.draw(7, seed=1) and texts != data.languages.generate(40, seed=2)
    assert {t.language for t in texts} == set(range(len(data.languages.names)))
    assert all(t.letters.replace(" ", "").islower() for t in texts)


def test_marked():
    for sequence in data.marked.generate(5, seed=1, shortest=12, longest=20):
        marked = [s.number for s in sequence.steps if s.mark == 1]
        assert 12 <= len(sequence.steps) <= 20 and len(marked) == 2
        assert sequence.target == pytest.approx(0.5 + sum(marked) / 4, abs=1e-6)
    product = data.marked.parse("0.5* 1 1 0.5* 1", problem="multiplication")
    assert product.target == pytest.approx(0.25) and product.steps[0].mark == 1
    assert "line:1:" in error_of(lambda: data.marked.parse("1 2 3 4"))
    with pytest.raises(esp.Error, match="problem 'division' is unknown"):
        data.marked.draw(0, problem="division")


def test_meaningless_trees():
    trees = data.sentiment.generate(20, seed=1)
    assert trees == data.sentiment.generate(30, seed=1)[:20]
    with pytest.raises(ValueError, match="-1 is given; a number from 0"):
        data.sentiment.generate(-1)
    assert all(n.word < data.sentiment.generated_words for t in trees for n in nodes_of(t))


# ---- molecules


def propane():
    molecule = data.molecule
    bonds = [molecule.Bond((0, 1), molecule.BondOrder.SINGLE), molecule.Bond((1, 2), molecule.BondOrder.SINGLE)]
    return data.Molecule([molecule.Atom(element=6) for _ in range(3)], bonds)


def test_molecule():
    assert propane().bonds_of_atoms() == [[0], [0, 1], [1]]
    assert propane().pairs_within(2) == [((0, 1), 1, 0), ((0, 2), 2, -1), ((1, 2), 1, 1)]
    assert propane().pairs_within(1)[1].bond == 1
    with pytest.raises(esp.IndexError, match="atom 3 of 3"):
        data.Molecule(propane().atoms, [data.molecule.Bond((0, 3))]).bonds_of_atoms()


# ---- published data, if it is there


def test_published_sentiment():
    words = Vocabulary()
    trees = data.sentiment.read(published("sst/train.txt"), words)
    assert len(trees) == 8544 and len(words) == 18_280
    assert sum(n.is_leaf for t in trees for n in nodes_of(t)) == 163_563


def test_published_sentences():
    sentences = data.conllu.read(published("ud_english_ewt/en_ewt-ud-dev.conllu"))
    assert len(sentences) == 2001 and sum(map(len, sentences)) == 25_147
    assert sum(not data.conllu.is_projective(s) for s in sentences) == 31
    words, tags = Vocabulary(), Vocabulary()
    assert len(data.tagged.read(published("wikiner/dev.txt"), words, tags)) == 1696
    assert (len(words), len(tags)) == (8504, 5)


def test_published_pairs():
    assert len(data.sick.read(published("sick/dev"), Vocabulary())) == 500
    pairs = data.logic.read(published("propositional_logic/train3.gz"))
    assert all(max(p.left.operators, p.right.operators) == 3 for p in pairs)


def test_published_word_vectors():
    words = Vocabulary()
    data.sentiment.read(published("sst/dev.txt"), words)
    vectors = data.word_vectors.read(published("glove/glove.6B.300d.sst.txt.gz"), only=words)
    assert vectors.matrix.shape[1] == 300 and vectors["film"].shape == (300,)
