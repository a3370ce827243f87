import gzip
import hashlib
from pathlib import Path

import pytest

from experiments.lexicon.__main__ import main, make
from workbench.__main__ import exit_status
from workbench.augmentations import wordnet
from workbench.core.paths import shipped

TINY = Path(__file__).parents[1] / "augmentations" / "wordnet"


def test_the_same_files_give_the_same_bytes_and_answers(tmp_path):
    digests = {make(TINY, tmp_path / name) for name in ("one", "other")}
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes() and len(digests) == 1
    from_file, from_folder = wordnet.Lexicon(tmp_path / "one"), wordnet.Lexicon(TINY)
    for word in ("dogs", "large", "quickly", "ran", "men", "red fox"):
        assert from_file.synonyms(word) == from_folder.synonyms(word)
        assert from_file.hyponyms(word) == from_folder.hyponyms(word)
        assert from_file.antonyms(word, "a") == from_folder.antonyms(word, "a")


def test_the_shipped_file_is_wordnet_3_0_of_debian():
    text = gzip.decompress(shipped(*wordnet.SHIPPED).read_bytes())
    assert hashlib.sha256(text).hexdigest() == "e791088411ad85530d947b2146c511a90f567dd3ab8f26c7e38bfa8864708964"
    blocks = text.decode("ascii").split("\n\n")
    sizes = [len(block.split("\n")) for block in blocks]
    # Synsets and words of WordNet 3.0 as wnstats(7) counts them.
    assert sizes[0::3] == [82115, 13767, 18156, 3621] and sizes[1::3] == [117798, 11529, 21479, 4481]


def test_a_folder_without_wordnet_is_refused(tmp_path, capsys):
    assert exit_status(lambda: main([str(tmp_path), "--out", str(tmp_path / "x")])) == 2
    assert "has no WordNet" in capsys.readouterr().err and not (tmp_path / "x").exists()


def test_the_program_says_what_it_wrote(tmp_path, capsys):
    assert main([str(TINY), "--out", str(tmp_path / "a" / "x.gz")]) == 0
    assert "SHA-256" in capsys.readouterr().out and wordnet.Lexicon(tmp_path / "a" / "x.gz").synonyms("taxi") == (
        "cab",
    )


@pytest.mark.parametrize("content", ["00000000 03 n\n", "x", "00000000 03 n 0x dog 0 000 | a\n"])
def test_other_files_of_these_names_are_named(tmp_path, capsys, content):
    for file in TINY.glob("*.*"):
        (tmp_path / file.name).write_text(content, "utf-8")
    assert exit_status(lambda: main([str(tmp_path), "--out", str(tmp_path / "x")])) == 2
    assert "cannot be read as WordNet" in capsys.readouterr().err
