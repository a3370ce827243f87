import numpy as np
import pandas as pd
import pytest

from workbench.ui.augment import encoder


def told(monkeypatch, tokens, draws, texts):
    shown = []
    monkeypatch.setattr(encoder.st, "html", shown.append)
    encoder.show_aligned(
        pd.DataFrame(tokens, columns=["text", "position", "token", "kind", "kept", "id"]), draws, texts, 4
    )
    return shown


def test_tokens_are_aligned_by_what_the_encoder_sees(monkeypatch):
    tokens = [(0, 0, "[CLS]", "special", True, -1), (0, 1, "Cat", "word", True, 7), (0, 2, "<b>", "cut", False, 8)]
    tokens += [(1, 0, "[CLS]", "special", True, -1), (1, 1, "cAT", "word", True, 7), (1, 2, "dog", "unknown", True, 1)]
    draws = pd.DataFrame({"before": ["Cat <b>"], "text": ["cAT dog"], "draw": [0]})
    aligned, note = told(monkeypatch, tokens, draws, ["Cat <b>", "cAT dog"])
    assert '<div><span class="">Cat</span><span class="">cAT</span></div>' in aligned
    assert '<span class="cut limit other">&lt;b&gt;</span><span class="unknown other">dog</span>' in aligned
    assert "3 (1 truncated) → 3 tokens" in aligned
    assert "Wavy" in note and "truncated at 4 tokens" in note


def test_bands_hold_nine_tenths_of_the_cosines():
    views = np.zeros((1, 2, 2))
    views[0] = [[1, 0], [0, 1]]
    assert encoder.dropout_band(views) == pytest.approx((0, 0))
    assert encoder.pair_band(np.eye(3)) == pytest.approx((0, 0))
    assert encoder.pair_band(np.eye(3)[:1]) is None
    table = pd.DataFrame({"before": ["a", "a"], "text": ["a", "b"]})
    assert encoder.closeness(table, np.eye(2), ["a", "b"])["cosine"].tolist() == [1, 0]
