"""The corpora of the benchmark of waiting."""

from experiments.bench.starting import write_lines
from workbench.data.corpora import load_corpus


def test_the_lines_are_as_many_as_asked_for_and_all_different(tmp_path):
    write_lines(tmp_path / "corpus.txt", 25_000)
    corpus = load_corpus(tmp_path / "corpus.txt")
    assert corpus.rows == len(set(corpus.texts)) == 25_000 and not corpus.dropped and not corpus.notices
    assert 50 < sum(map(len, corpus.texts)) / 25_000 < 110
