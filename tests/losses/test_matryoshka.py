import pytest
import torch

from tests.losses.plain import arguments, cosine, mean, picking, views
from workbench.core.errors import BadData, BadSetting, UnknownName
from workbench.losses import INPUTS, METHODS, needs, takes
from workbench.losses.matryoshka import METHOD, matryoshka

INNER = [pytest.param(method, id=name) for name, method in METHODS.items() if name != "matryoshka"]


def test_it_is_its_formula():
    a, b = views(dim=8)
    want = 0.0
    for weight, size in ((1.0, 8), (0.5, 4), (2.0, 3)):
        x, y = a[:, :size].tolist(), b[:, :size].tolist()
        rows = [[cosine(p, q) / 0.05 for q in y] for p in x]
        want += weight * mean(picking(row[i], row[:i] + row[i + 1 :]) for i, row in enumerate(rows))
    got = matryoshka(a, b, dims="full, 1/2, 3", weights="1, 0.5, 2").item()
    assert got == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("method", INNER)
def test_one_full_size_is_the_inner_loss(method):
    inputs = arguments(method)
    assert matryoshka(**inputs, inner=method.id, dims="full").item() == method.fn(**inputs).item()


@pytest.mark.parametrize("method", INNER)
def test_it_is_the_sum_over_prefixes_of_whatever_is_encoded(method):
    inputs = arguments(method, dim=8)
    want = 0.0
    for size in (8, 4, 2):
        want += method.fn(
            **{name: x[:, :size] if INPUTS[name] == "encoded" else x for name, x in inputs.items()}
        ).item()
    assert matryoshka(**inputs, inner=method.id).item() == pytest.approx(want, rel=1e-9)


def test_settings_reach_the_inner_loss():
    a, b, n = views(3, dim=8)
    line = 'triplet(distance="cosine", margin=0.1)'
    want = METHODS["triplet"].fn(a, b, n, distance="cosine", margin=0.1).item()
    assert matryoshka(a, b, negatives=n, inner=line, dims="full").item() == want
    assert matryoshka(a, b, inner="ntxent_2n( temperature = 1 )", dims="full").item() == pytest.approx(
        METHODS["ntxent_2n"].fn(a, b, temperature=1.0).item()
    )


def test_its_inputs_are_those_of_the_inner_loss():
    assert needs(METHOD) == ("a", "b") and takes(METHOD) == ()
    assert needs(METHOD, {"inner": "gist(margin=0.1)"}) == ("a", "b", "guide_a", "guide_b")
    assert takes(METHOD, {"inner": " augcse_neg"}) == ("changed",)
    assert needs(METHOD, {"inner": "arc_triplet"}) == ("a", "masked", "masked_more")


def test_later_dimensions_get_less_gradient():
    a, b = (view.clone().requires_grad_() for view in views(dim=8))
    matryoshka(a, b, dims="1/2").backward()
    assert a.grad[:, 4:].abs().sum() == 0 and (a.grad[:, :4].abs().sum(dim=0) > 0).all()


@pytest.mark.parametrize("dims", ["", "0", "-3", "3/2", "1/0", "half", "full,,2", "0/4", "1.5"])
def test_invalid_sizes_are_refused_before_any_step(dims):
    with pytest.raises(BadSetting, match="dims"):
        METHOD.check({"dims": dims})


@pytest.mark.parametrize("weights", ["1", "1,2", "a,b,c", "0,0,0", "-1,1,1", "nan,1,1"])
def test_invalid_weights_are_refused_before_any_step(weights):
    with pytest.raises(BadSetting, match="weights"):
        METHOD.check({"weights": weights})
    METHOD.check({"weights": "0,1,2"})


@pytest.mark.parametrize(
    ("inner", "error"),
    [
        ("", BadSetting),
        ("infonce_nn(", BadSetting),
        ("infonce_nn(0.1)", BadSetting),
        ("infonce_nn(temperature=hot)", BadSetting),
        ("infonce_nn(temperature=50)", BadSetting),
        ("arccon(margin_deg=0.17)", BadSetting),
        ("matryoshka", BadSetting),
        ("infonce_n", UnknownName),
        ("infonce_nn(margin=1)", UnknownName),
    ],
)
def test_invalid_inner_losses_are_refused_before_any_step(inner, error):
    with pytest.raises(error):
        METHOD.check({"inner": inner})


def test_a_size_beyond_the_vectors_is_refused_and_a_small_fraction_is_one_dimension():
    a, b = views()
    with pytest.raises(BadSetting, match="at most that of the vectors"):
        matryoshka(a, b, dims="full,7")
    assert torch.isfinite(matryoshka(a, b, inner="align_uniform", dims="1/100"))


def test_views_that_are_not_aligned_are_refused_even_where_a_prefix_would_fit():
    a, b = views()
    with pytest.raises(BadData, match="different shapes"):
        matryoshka(a, b[:, :3], dims="2")
