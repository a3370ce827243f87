"""Mended and broken pairs of two targets: the cosines are theirs, the pair that changed most comes first."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.verbs.trial import asked
from workbench.core.progress import no_progress
from workbench.data.pairs import load_pairs
from workbench.store.names import runs_folder
from workbench.verbs import changed_pairs


class Models:
    """Random vectors, other ones for each target."""

    def fit(self, target, on_progress, scored):
        rng = np.random.default_rng(len(target.text))
        return SimpleNamespace(on="", vectors=lambda texts, on_progress: rng.normal(size=(len(texts), 4)))


def test_all_pairs_are_listed_by_how_much_they_changed(tmp_path):
    request = asked(
        runs_folder(tmp_path / "runs"), "changed_pairs", before="mini-mlm", after="minilm-l3", threshold=0.2
    )
    table = changed_pairs.run(request, Models(), no_progress)
    known = load_pairs("demo:dev")
    assert sorted(table["row"]) == list(range(len(known))) and table.attrs["n"] == len(known)
    assert table["first"].tolist() == [known.first[row] for row in table["row"]]
    assert table["gold"].tolist() == [known.gold[row] for row in table["row"]]
    sizes = table["change"].abs().to_numpy()
    assert (np.diff(sizes) <= 0).all()
    assert (table["verdict"] == "mended").sum() == table.attrs["mended"] == (table["change"] < -0.2).sum() > 0
    assert (table["cosine_before"] - table["cosine_after"]).abs().max() > 0.1
    sizes = [table[f"residual_{name}"].abs().to_numpy() for name in ("before", "after")]
    assert sizes[1] - sizes[0] == pytest.approx(table["change"].to_numpy())
