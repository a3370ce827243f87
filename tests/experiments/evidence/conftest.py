from functools import cache

import pytest

from workbench.data import demo
from workbench.data.pairs import load_pairs
from workbench.models import timing

LABELS = ("contradiction", "entailment", "neutral")


@pytest.fixture(scope="session", autouse=True)
def timed_once():
    """Whether bf16 is worth using is the same for every folder of cells on this machine: it is timed for the first alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "speedup", cache(timing.speedup))
        yield


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder of data as the script expects it, with sentences made for the tests."""
    base = tmp_path_factory.mktemp("data")
    (base / "sts").mkdir()
    dev, test = load_pairs("demo:dev"), load_pairs("demo:test")
    for name, pairs in (("stsb-dev", dev), ("stsb-train", test), ("sts12", test)):
        rows = zip(pairs.gold, pairs.first, pairs.second, strict=True)
        lines = ["subset\tscore\tsentence1\tsentence2", *(f"own\t{gold}\t{one}\t{two}" for gold, one, two in rows)]
        (base / "sts" / f"{name}.tsv").write_text("\n".join(lines[:100]) + "\n", encoding="utf-8")
    (base / "wiki").mkdir()
    (base / "wiki" / "enwiki_sentences.txt").write_text("\n".join(text for _, text in demo.sentences()[:100]))
    (base / "nli").mkdir()
    labelled = [
        f"{LABELS[row % 3]}\t{one}\t{two}" for row, (one, two) in enumerate(zip(dev.first, dev.second, strict=True))
    ]
    (base / "nli" / "pairs.tsv").write_text(
        "\n".join(["label\tpremise\thypothesis", *labelled[:150]]) + "\n", encoding="utf-8"
    )
    return base / "sts"
