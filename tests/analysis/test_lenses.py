import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_samples

from workbench.analysis.dropout_views import dropout_views, silhouette
from workbench.analysis.neighbours import neighbours
from workbench.analysis.projection import projection
from workbench.analysis.spectrum import spectrum
from workbench.analysis.worst_pairs import diff, worst_pairs
from workbench.core.errors import BadData
from workbench.core.rows import row_cosines, unit_rows
from workbench.metrics.effective_rank import effective_rank
from workbench.metrics.mean_cosine import mean_cosine
from workbench.metrics.participation_ratio import participation_ratio
from workbench.metrics.top_component_share import top_component_share

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8)


def cone(rows=120, dim=16, shift=1.0, seed=0):
    return (np.random.default_rng(seed).normal(size=(rows, dim)) + shift).astype(np.float32)


def views(texts=6, count=8, dim=12, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(texts, 1, dim)) + noise * rng.normal(size=(texts, count, dim)) + 1


def test_cone_keeps_the_origin_and_reports_how_narrow_it_is():
    vectors = cone()
    table = projection(vectors, method="cone")
    unit = unit_rows(vectors.astype(float))
    mean = unit.mean(axis=0)
    direction = mean / np.linalg.norm(mean)
    assert table["x"].to_numpy() == pytest.approx(unit @ direction)  # the cosine with the mean direction
    assert table["x"].mean() == pytest.approx(np.linalg.norm(mean)) == pytest.approx(table.attrs["mean_length"])
    assert table["y"].mean() == pytest.approx(0, abs=1e-9)  # the mean lies on the first axis
    assert (np.hypot(table["x"], table["y"]) <= 1 + 1e-9).all()
    assert table.attrs["mean_cosine"] == pytest.approx(mean_cosine(vectors), abs=1e-6)
    assert table.attrs["drawn_mean_cosine"] == pytest.approx(mean_cosine(table[["x", "y"]].to_numpy()))
    assert table.attrs["drawn_mean_cosine"] > 0.5
    assert abs(table.attrs["drawn_mean_cosine_centred"]) < 0.05 and abs(table.attrs["mean_cosine_centred"]) < 0.05


def test_second_axis_of_the_cone_has_the_largest_rest():
    unit = unit_rows(cone().astype(float))
    mean = unit.mean(axis=0)
    direction = mean / np.linalg.norm(mean)
    residual = unit - np.outer(unit @ direction, direction)
    top = np.linalg.svd(residual, compute_uv=False)[0]
    assert np.linalg.norm(projection(cone(), method="cone")["y"]) == pytest.approx(top)


def test_pca_equals_the_covariances_and_hides_the_cone():
    table = projection(cone(), method="pca")
    centred = unit_rows(cone().astype(float))
    centred -= centred.mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    assert [np.square(table[axis]).sum() for axis in ("x", "y")] == pytest.approx(values[:2])
    assert table.attrs["explained"] == pytest.approx(list(values[:2] / values.sum()))
    assert abs(table.attrs["drawn_mean_cosine"]) < 0.05 < 0.4 < table.attrs["mean_cosine"]


@pytest.mark.parametrize("method", ["pca", "cone"])
@given(seed=st.integers(0, 50))
@settings(max_examples=10)
def test_the_picture_does_not_depend_on_order_or_scale(method, seed):
    vectors = cone(rows=40, dim=5).astype(float)
    order = np.random.default_rng(seed).permutation(40)
    whole = projection(vectors, method=method)[["x", "y"]].to_numpy()
    turned = projection(vectors[order] * 3, method=method)[["x", "y"]].to_numpy()
    assert turned == pytest.approx(whole[order], abs=1e-7)


@pytest.mark.slow
def test_umap_is_seeded_and_keeps_clusters_together():
    groups = np.repeat([0, 1], 20)
    vectors = np.eye(8)[groups] + 0.1 * np.random.default_rng(0).normal(size=(40, 8))
    first = projection(vectors, method="umap", seed=1)
    assert first.equals(projection(vectors, method="umap", seed=1))
    assert first.attrs["drawn_mean_cosine"] is None and first.attrs["mean_cosine"] > 0
    points = first[["x", "y"]].to_numpy()
    middles = np.stack([points[groups == group].mean(axis=0) for group in (0, 1)])
    nearer = np.linalg.norm(points[:, None] - middles, axis=2).argmin(axis=1)
    assert (nearer == groups).all()
    assert len(projection(vectors[:5], method="umap")) == 5


def test_degenerate_spaces_can_be_drawn():
    same = np.tile([[1.0, 2.0, 2.0]], (5, 1))
    table = projection(same, method="cone")
    assert table[["x", "y"]].to_numpy() == pytest.approx(np.tile([1.0, 0.0], (5, 1)))
    assert np.isfinite(projection(same, method="pca")[["x", "y"]]).all(axis=None)
    cancelling = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert projection(cancelling, method="cone").attrs["mean_length"] == 0
    with pytest.raises(BadData, match="at least 3"):
        projection(same[:2])
    with pytest.raises(BadData, match="at least 5"):
        projection(same[:4], method="umap")
    with pytest.raises(BadData, match="2 dimensions"):
        projection(np.ones((5, 1)))


def test_attrs_survive_storage(tmp_path):
    table = projection(cone(), method="pca")
    table.to_parquet(tmp_path / "points.parquet")
    assert pd.read_parquet(tmp_path / "points.parquet").attrs == table.attrs


def test_silhouette_equals_scikit_learns():
    unit = unit_rows(views().reshape(-1, 12)).reshape(6, 8, 12)
    want = silhouette_samples(unit.reshape(-1, 12), np.repeat(np.arange(6), 8), metric="cosine")
    assert silhouette(unit).ravel() == pytest.approx(want)


def test_dropout_views():
    vectors = views()
    table = dropout_views(vectors)
    assert table.columns.tolist() == ["row", "view", "x", "y", "mean_x", "mean_y", "silhouette"]
    assert table["row"].tolist() == [row for row in range(6) for _ in range(8)]
    assert table["view"].tolist() == list(range(8)) * 6
    own = table[table["row"] == 2]
    assert own["mean_x"].unique() == pytest.approx([own["x"].mean()])
    assert table.attrs["silhouette"] == pytest.approx(table["silhouette"].mean())
    within = [
        row_cosines(text[i : i + 1], text[j : j + 1])[0]
        for text in vectors
        for i in range(8)
        for j in range(8)
        if i != j
    ]
    assert table.attrs["within_cosine"] == pytest.approx(np.mean(within))
    between = [
        row_cosines(a[None], b[None])[0]
        for one in range(6)
        for other in range(6)
        if one != other
        for a in vectors[one]
        for b in vectors[other]
    ]
    assert table.attrs["between_cosine"] == pytest.approx(np.mean(between))
    assert table.attrs["separation"] == pytest.approx((1 - np.mean(between)) / (1 - np.mean(within)))


def test_separation_falls_as_dropout_rises():
    for name, least in (("separation", 20), ("silhouette", 0.8)):
        scores = [dropout_views(views(noise=noise)).attrs[name] for noise in (0.1, 0.5, 2.0)]
        assert scores == sorted(scores, reverse=True) and scores[0] > least


def test_one_text_or_one_view_has_no_separation():
    assert dropout_views(views(texts=1)).attrs["separation"] is None
    table = dropout_views(views(count=1))
    assert table.attrs["separation"] is None and table.attrs["within_cosine"] is None
    still = dropout_views(views(noise=0.0))
    assert still.attrs["separation"] is None and still.attrs["silhouette"] == pytest.approx(1)
    with pytest.raises(BadData, match="texts, views, dim"):
        dropout_views(cone())


@pytest.mark.parametrize("centred", [False, True])
def test_spectrum_agrees_with_the_metrics(centred):
    table = spectrum(cone(), centred=centred)
    assert table["component"].tolist() == list(range(1, 17))
    assert table["relative"].iloc[0] == 1 and table["cumulative"].iloc[-1] == pytest.approx(1)
    assert table["singular_value"].is_monotonic_decreasing
    assert table.attrs["effective_rank"] == pytest.approx(effective_rank(cone(), centred=centred))
    assert table.attrs["participation_ratio"] == pytest.approx(participation_ratio(cone(), centred=centred))
    assert (
        table["share"].iloc[0]
        == table.attrs["top_component_share"]
        == pytest.approx(top_component_share(cone(), centred=centred))
    )


def test_neighbours():
    vectors = cone(rows=30)
    table = neighbours(vectors, count=4)
    assert len(table) == 30 * 4 and (table["row"] != table["neighbour"]).all()
    for row, own in table.groupby("row"):
        cosines = row_cosines(np.repeat(vectors[[row]], 30, axis=0), vectors)
        want = sorted((other for other in range(30) if other != row), key=lambda other: -cosines[other])[:4]
        assert own["neighbour"].tolist() == want and own["rank"].tolist() == [1, 2, 3, 4]
        assert own["cosine"].to_numpy() == pytest.approx(cosines[want], abs=1e-6)
    assert len(neighbours(vectors[:3], count=10)) == 6


def test_worst_pairs():
    gold = [0, 1, 2, 3, 4]
    cosine = [0.9, 0.2, 0.3, 0.4, 0.1]  # the ends are swapped
    first = ["a dog runs"] * 5
    second = ["a dog sits", "b", "c", "d", "a big dog runs"]
    table = worst_pairs(cosine, gold, first=first, second=second, count=3)
    assert table["row"].tolist() == [0, 4, 1]
    assert table["residual"].tolist() == [1, -1, 0]
    assert table["verdict"].tolist() == ["too similar", "too different", "as people"]
    assert [change.kind for change in table["diff"][0]] == ["equal", "replace"]
    assert [change.second for change in table["diff"][1] if change.kind == "insert"] == ["big"]
    assert "first" not in worst_pairs(cosine, gold)
    with pytest.raises(BadData, match="not as many sentences"):
        worst_pairs(cosine, gold, first=first[:2], second=second)
    with pytest.raises(BadData, match="no pairs"):
        worst_pairs([], [])


@given(WORDS, WORDS)
def test_a_diff_contains_both_sentences(first, second):
    changes = diff(" ".join(first), " ".join(second))
    assert " ".join(change.first for change in changes if change.first) == " ".join(first)
    assert " ".join(change.second for change in changes if change.second) == " ".join(second)
    assert all((change.first == change.second) == (change.kind == "equal") for change in changes)
