"""Who looks like whom in a figure."""

import pytest

from workbench.ui import figures


@pytest.fixture
def styles_of(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path))
    monkeypatch.setattr(figures, "dark", lambda: False)
    return figures.styles_of


def test_untrained_ones_never_share_a_symbol(styles_of):
    variants = [f"minilm-l3+whitening(k={k})" for k in range(1, 10)]
    targets = ["minilm-l3", "minilm-l3+centre", "tfidf", *variants]
    found = [styles_of(targets)[target] for target in targets]
    assert len({style.symbol for style in found}) == 12 and len({style.colour for style in found}) == 1
    assert all("open" in style.symbol for style in found)


def test_the_usual_ones_keep_their_symbol(styles_of):
    alone = styles_of(["tfidf"])["tfidf"]
    assert styles_of(["minilm-l6:cls", "minilm-l3", "tfidf"])["tfidf"] == alone
