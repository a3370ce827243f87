"""Each metric against its definition in loops, and its invariances."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IsoScore.IsoScore import IsoScore

from workbench.core.errors import BadData
from workbench.core.rows import row_cosines, unit_rows
from workbench.core.seeds import numpy_rng
from workbench.metrics import METHODS, checked_cosines, nearest
from workbench.metrics import uniformity as of_uniformity
from workbench.metrics.alignment import alignment
from workbench.metrics.effective_rank import effective_rank
from workbench.metrics.hubness import hubness, occurrences
from workbench.metrics.isoscore import isoscore
from workbench.metrics.mean_cosine import mean_cosine
from workbench.metrics.participation_ratio import participation_ratio
from workbench.metrics.partition_isotropy import partition_isotropy
from workbench.metrics.top_component_share import top_component_share
from workbench.metrics.uniformity import uniformity

OF_VECTORS = [name for name, method in METHODS.items() if method.tags["inputs"] == "vectors"]


def cloud(rows=40, dim=6, seed=0, shift=0.5):
    return np.random.default_rng(seed).normal(size=(rows, dim)) + shift


def rotation(dim, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]


def unit(x):
    length = math.sqrt(sum(p * p for p in x))
    return [p / length for p in x]


def test_alignment_is_the_mean_squared_distance_of_partners():
    a, b = cloud(seed=1), cloud(seed=2)
    by_hand = [
        sum((p - q) ** 2 for p, q in zip(unit(x), unit(y), strict=True))
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert alignment(a, b) == pytest.approx(sum(by_hand) / len(by_hand))
    assert alignment(a, b) == pytest.approx(2 - 2 * row_cosines(a, b).mean())
    assert alignment(a, b, power=1.0) == pytest.approx(sum(map(math.sqrt, by_hand)) / len(by_hand))
    assert alignment(a, b, power=4.0) == pytest.approx(sum(one**2 for one in by_hand) / len(by_hand))


@pytest.mark.parametrize("scale", [2.0, 0.5, 5.0])
def test_uniformity_is_the_log_mean_kernel_over_unordered_pairs(scale):
    rows = [unit(x) for x in cloud().tolist()]
    kernels = [
        math.exp(-scale * sum((p - q) ** 2 for p, q in zip(rows[i], rows[j], strict=True)))
        for i in range(len(rows))
        for j in range(i)
    ]
    assert uniformity(cloud(), scale=scale) == pytest.approx(math.log(sum(kernels) / len(kernels)))


def test_uniformity_of_many_rows_is_sampled_within_its_error(monkeypatch):
    monkeypatch.setattr(of_uniformity, "EXACT_ROWS", 1000)
    centres = cloud(rows=20, dim=6, seed=3)
    x = centres[np.arange(3000) % 20] + cloud(rows=3000, dim=6, shift=0) / 3
    truth = of_uniformity.estimate(x, exact=True)
    assert truth.error is None and uniformity(x, exact=True) == truth.value
    sampled = [of_uniformity.estimate(np.random.default_rng(seed).permutation(x)) for seed in range(12)]
    off = np.array([(found.value - truth.value) / found.error for found in sampled])
    assert (
        0 < np.abs(off).max() < 4 and 0.4 < np.sqrt((off**2).mean()) < 2
    )  # the errors are neither too small nor too large
    assert (
        all(found.error < 0.01 for found in sampled) and uniformity(x) == of_uniformity.estimate(x).value
    )  # no chance
    sharp, sampled = (of_uniformity.estimate(x, scale=5.0, exact=exact) for exact in (True, False))
    assert 0 < abs(sampled.value - sharp.value) < 4 * sampled.error < 0.1 < truth.value - sharp.value


def test_sampled_uniformity_takes_the_pairs_up_to_sixteen_groups_apart(monkeypatch):
    monkeypatch.setattr(of_uniformity, "EXACT_ROWS", 1000)
    x = cloud(rows=1300, dim=4)
    order = numpy_rng("uniformity", 1300).permutation(1300)
    groups = [order[start:end] for start, end in itertools.pairwise(np.linspace(0, 1300, 21).astype(int))]
    rows = unit_rows(x)
    means = []
    for apart in range(1, 17):
        kernels = [
            np.exp(-2 * np.square(rows[i] - rows[j]).sum())
            for number, group in enumerate(groups)
            for i in group
            for j in groups[(number + apart) % len(groups)]
        ]
        means.append(sum(kernels) / len(kernels))
    mean = sum(means) / 16
    error = math.sqrt(sum((each - mean) ** 2 for each in means) / 15 / 16) / mean
    assert of_uniformity.estimate(x) == pytest.approx((math.log(mean), error), rel=1e-6)


def test_mean_cosine_is_that_of_all_pairs():
    x = cloud()
    pairs = [row_cosines(x[i : i + 1], x[j : j + 1])[0] for i in range(len(x)) for j in range(i)]
    assert mean_cosine(x) == pytest.approx(np.mean(pairs))


def test_collapsed_and_opposite_vectors():
    same = np.tile([[0.3, 0.1, -0.2]], (9, 1))
    assert alignment(same, same) == 0
    assert uniformity(same) == pytest.approx(0, abs=1e-9)
    assert mean_cosine(same) == pytest.approx(1)
    assert alignment(np.eye(2)[:1], np.eye(2)[1:]) == 2
    assert uniformity(np.array([[0.0, 2.0], [0.0, -1.0]])) == -8.0


def test_an_even_sphere_is_near_the_isotropic_limit():
    vectors = np.random.default_rng(0).normal(size=(2000, 768)).astype(np.float32)
    assert uniformity(vectors) == pytest.approx(-3.99, abs=0.02)


@pytest.mark.parametrize("block", [1, 7, 40, 1000])
def test_blocks_do_not_change_uniformity(block):
    assert uniformity(cloud(), block=block) == pytest.approx(uniformity(cloud()), abs=1e-12)
    small = cloud().astype(np.float32)
    assert uniformity(small, block=block) == pytest.approx(uniformity(cloud()), abs=1e-5)


@given(scale=st.lists(st.floats(0.01, 100), min_size=40, max_size=40), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_sphere_metrics_ignore_scale_and_rotation(scale, seed):
    a, b = cloud(seed=seed), cloud(seed=seed + 1)
    factor, turned = np.array(scale)[:, None], rotation(6, seed)
    for metric in (uniformity, mean_cosine):
        assert metric(a * factor) == pytest.approx(metric(a))
        assert metric(a @ turned) == pytest.approx(metric(a))
    assert alignment(a * factor, b) == pytest.approx(alignment(a, b))
    assert alignment(a @ turned, b @ turned) == pytest.approx(alignment(a, b))


@given(seed=st.integers(0, 99))
@settings(max_examples=20)
def test_spectral_metrics_ignore_rotation_and_order(seed):
    x = cloud(seed=seed)
    shuffled = np.random.default_rng(seed).permutation(x)
    for metric in (isoscore, effective_rank, participation_ratio, top_component_share, partition_isotropy):
        assert metric(shuffled) == pytest.approx(metric(x))
        if metric is not partition_isotropy:
            assert metric(x @ rotation(6, seed)) == pytest.approx(metric(x))


def test_isoscore_runs_from_one_line_to_a_ball():
    assert isoscore(np.vstack([np.eye(5), -np.eye(5)])) == pytest.approx(1)
    line = np.outer(np.arange(10.0), [1.0, 2.0, 2.0])
    assert isoscore(line) == pytest.approx(0, abs=1e-9)
    assert isoscore(line + 100) == pytest.approx(0, abs=1e-9)


def test_isoscore_equals_its_formula():
    x = cloud()
    d = x.shape[1]
    s = np.linalg.eigvalsh(np.cov(x.T))
    s_hat = np.sqrt(d) * s / np.sqrt((s**2).sum())
    delta = np.sqrt(((s_hat - 1) ** 2).sum()) / np.sqrt(2 * (d - np.sqrt(d)))
    phi = (d - delta**2 * (d - np.sqrt(d))) ** 2 / d**2
    assert isoscore(x) == pytest.approx((d * phi - 1) / (d - 1))


KINDS = {
    "isotropic": cloud(rows=400, dim=16, shift=0.0),
    "far from the origin": cloud(rows=400, dim=16, shift=50.0),
    "anisotropic": cloud(rows=300, dim=24) * np.geomspace(1.0, 1e-3, 24) @ rotation(24),
    "low rank": cloud(rows=200, dim=3) @ cloud(rows=3, dim=32, seed=1),
    "one line": np.outer(np.arange(20.0), cloud(rows=1, dim=8)[0]),
    "fewer rows than dimensions": cloud(rows=9, dim=40),
    "two rows": cloud(rows=2, dim=12),
    "two dimensions": cloud(rows=30, dim=2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_isoscore_equals_its_authors_package(kind):
    """Up to the single precision of its square root of the number of dimensions.

    It divides by one row less, which is a scale that cancels. Where all rows are the same it gives nan and ours a reason.
    """
    theirs = float(IsoScore(KINDS[kind]))
    assert isoscore(KINDS[kind]) == pytest.approx(theirs, rel=1e-5, abs=2e-6)


def test_spectra_with_known_values():
    line = np.outer(np.arange(1.0, 8.0), [3.0, 4.0])
    for metric in (effective_rank, participation_ratio):
        assert metric(np.eye(6)) == pytest.approx(6)
        assert metric(line) == pytest.approx(1)
    assert top_component_share(line) == pytest.approx(1)
    assert top_component_share(np.eye(6)) == pytest.approx(1 / 6)
    # Uncentred, a far cloud is one direction; its mean subtracted, it is not.
    far = cloud(shift=50)
    assert effective_rank(far) < 1.5 < 5 < effective_rank(far, centred=True)
    kept = far.copy()
    for metric in (participation_ratio, top_component_share):
        assert metric(far, centred=True) == pytest.approx(metric(far - far.mean(axis=0)))
    assert np.array_equal(far, kept), "the caller's vectors are not written into"


@pytest.mark.parametrize("shape", [(50, 6), (6, 50)])
def test_singular_values_do_not_depend_on_the_shortcut(shape):
    x = np.random.default_rng(0).normal(size=shape)
    s = np.linalg.svd(x, compute_uv=False)
    p = s / s.sum()
    assert effective_rank(x) == pytest.approx(np.exp(-(p * np.log(p)).sum()))
    assert effective_rank(np.diag([1.0, 1.0, 0.0])) == pytest.approx(2)


def test_partition_isotropy():
    cross = np.vstack([np.eye(4), -np.eye(4)])
    assert partition_isotropy(cross) == pytest.approx(1)
    flat = np.pad([[2.0, 6.0, 8.0], [-4.0, -3.0, 8.0], [-4.0, 6.0, -4.0]], ((0, 0), (0, 3)))
    for x in (cloud(), flat):  # of the second, the least is in directions outside the span
        directions = np.linalg.eigh(x.T @ x)[1].T
        sums = [sum(math.exp(sign * c @ row) for row in x) for c in directions for sign in (1, -1)]
        assert partition_isotropy(x) == pytest.approx(min(sums) / max(sums))
    assert 0 <= partition_isotropy(cloud(shift=3)) < partition_isotropy(cloud(shift=0)) <= 1
    assert partition_isotropy(cloud() * 1000) >= 0  # no overflow
    tiny = cloud(rows=200, shift=0.3) * 0.01  # to first order (n - ||sum||) / (n + ||sum||), along the sum itself
    total = np.linalg.norm(tiny.sum(axis=0))
    assert partition_isotropy(tiny) == pytest.approx((len(tiny) - total) / (len(tiny) + total), rel=1e-2)


def test_nearest_is_a_full_sort_with_ties_by_row():
    x = unit_rows(np.round(cloud(rows=60, dim=3) * 2) + 0.0)
    for block in (7, 1024):
        found, cosines = nearest(x, 5, block=block)
        for row in range(len(x)):
            near = x[row] @ x.T
            others = [other for other in range(len(x)) if other != row]
            want = sorted(others, key=lambda other: (-near[other], other))[:5]
            assert cosines[row] == pytest.approx(near[want], abs=1e-12)
            assert row not in found[row]
    same = np.ones((6, 2))
    assert nearest(same, 2)[0].tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1], [0, 1]]


def test_hubness():
    x = cloud(rows=100)
    counts = occurrences(x)
    assert counts.sum() == 100 * 10
    assert occurrences(x * np.arange(1, 101)[:, None]).tolist() == counts.tolist()
    centred = counts - counts.mean()
    assert hubness(x) == pytest.approx((centred**3).mean() / (centred**2).mean() ** 1.5)
    angles = np.arange(24) * 2 * np.pi / 24
    assert hubness(np.stack([np.cos(angles), np.sin(angles)], axis=1)) == pytest.approx(0, abs=1e-9)
    with pytest.raises(BadData, match="more than 10"):
        hubness(x[:10])
    counts = occurrences(x, neighbours=3)
    centred = counts - 3
    assert hubness(x, neighbours=3) == pytest.approx((centred**3).mean() / (centred**2).mean() ** 1.5)
    # The last is nobody's neighbour.
    assert occurrences(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), neighbours=1).tolist() == [1, 2, 0]


@pytest.mark.parametrize("name", OF_VECTORS)
def test_bad_vectors_are_named(name):
    metric = METHODS[name].fn
    for number in (np.nan, np.inf):
        broken = cloud()
        broken[3, 2] = number
        with pytest.raises(BadData, match="NaN or infinity"):
            metric(broken)
    with pytest.raises(BadData, match=r"at least|more than"):
        metric(cloud(rows=1))
    for shape in (5, (5, 0)):
        with pytest.raises(BadData, match="rows"):
            metric(np.zeros(shape))


def test_what_is_undefined_is_named():
    same = np.full((5, 3), 0.1)
    with pytest.raises(BadData, match="the same"):
        isoscore(same)
    with pytest.raises(BadData, match="the same"):
        effective_rank(same, centred=True)
    with pytest.raises(BadData, match="zero"):
        participation_ratio(np.zeros((4, 3)))
    with pytest.raises(BadData, match="2 dimensions"):
        isoscore(np.arange(4.0)[:, None])
    with pytest.raises(BadData, match="row-aligned"):
        alignment(cloud(), cloud(rows=41))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_equal_rows_have_cosine_one_whatever_their_length(kind):
    rows = np.random.default_rng(0).normal(size=(500, 384)).astype(kind)
    other = rows.copy()
    other[::2, 5] *= 1.5
    for factor in (1, 0.7, 3):
        cosines = row_cosines(rows * kind(factor), other * kind(factor))
        assert (cosines[1::2] == 1).all() and (cosines[::2] < 1).all()


@pytest.mark.parametrize("count", [1100, 2100])
@pytest.mark.parametrize("seed", [0, 1])
def test_equal_rows_are_ties_wherever_a_matrix_product_rounds_them(count, seed):
    rng = np.random.default_rng(seed)
    rows = unit_rows(rng.normal(size=(count, count // 21)).astype(np.float32))
    copies = np.sort(rng.choice(count, 200, replace=False)).tolist()
    rows[copies] = rows[copies[0]]
    found, cosines = nearest(rows, 10)
    for row in copies:
        assert found[row].tolist() == [one for one in copies[:11] if one != row][:10]
    assert (np.diff(cosines[copies], axis=1) == 0).all()


def test_zero_rows_have_cosine_zero():
    assert checked_cosines(np.zeros((0, 3)), np.zeros((0, 3))).tolist() == []
    assert row_cosines(np.zeros((1, 3)), np.ones((1, 3))).tolist() == [0.0]
    assert mean_cosine(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]])) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["isoscore", "partition_isotropy"])
def test_more_dimensions_than_texts(name):
    """The computation from products of texts equals that from the covariance of all dimensions."""
    rows = np.random.default_rng(0).normal(size=(9, 30)) + 0.3
    if name == "isoscore":
        centred = rows - rows.mean(axis=0)
        variances = np.linalg.eigvalsh(centred.T @ centred / 9).clip(0)
        scaled = np.sqrt(30) * variances / np.linalg.norm(variances)
        defect = np.linalg.norm(scaled - 1) / np.sqrt(2 * (30 - np.sqrt(30)))
        used = (30 - defect**2 * (30 - np.sqrt(30))) ** 2 / 30**2
        expected = (30 * used - 1) / 29
    else:
        _, directions = np.linalg.eigh(rows.T @ rows)
        sums = np.exp(np.concatenate([rows @ directions, -rows @ directions], axis=1)).sum(axis=0)
        expected = sums.min() / sums.max()
    assert METHODS[name].fn(rows) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("noise", [0.0, 1e-7, 1e-6])
def test_a_collapsed_space_is_not_measured_by_its_rounding(noise):
    rng = np.random.default_rng(1)
    same = (np.tile(rng.normal(size=64), (120, 1)) + noise * rng.normal(size=(120, 64))).astype(np.float32)
    for metric in (isoscore, partial(effective_rank, centred=True), partial(participation_ratio, centred=True)):
        with pytest.raises(BadData, match=r"collapsed|the same"):
            metric(same)
    narrow = (10 + 0.01 * rng.normal(size=(400, 16))).astype(np.float32)
    assert isoscore(narrow) > 0.9, "a narrow cone is not collapsed"
