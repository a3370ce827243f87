"""A cosine as a sum over pairs of tokens."""

import numpy as np
import pytest

from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadData, BadSetting
from workbench.models.token_vectors import token_vectors

FIRST, SECOND = "A man is playing the guitar.", "The man plays."


@pytest.fixture
def models(folder):
    return ModelCache(folder)


def test_the_parts_are_those_of_the_formula_and_add_up_to_the_cosine(models, tiny):
    given = {"first": FIRST, "second": SECOND, "target": f"{tiny / 'bert'}:mean"}
    answer = answered(models, "explain_cosine", **given)
    vectors = answered(models, "encode", texts=[FIRST, SECOND], target=given["target"])
    a, b = (np.asarray(row, dtype=np.float64) for row in getattr(vectors, "vectors", vectors))
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert answer.cosine == pytest.approx(cosine, abs=1e-5) and answer.pooling == "mean"
    assert answer.parts["contribution"].sum() == pytest.approx(answer.cosine, abs=1e-12)
    encoder = models.fit(asked(models.folder, "explain_cosine", **given).target, lambda *_: None).encoder()
    one, two = token_vectors(encoder, FIRST), token_vectors(encoder, SECOND)
    for row in answer.parts.sample(12, random_state=0).to_dict("records"):
        product = sum(x * y for x, y in zip(one.vectors[row["first"]], two.vectors[row["second"]], strict=True))
        norms = np.linalg.norm(one.vectors.mean(0)) * np.linalg.norm(two.vectors.mean(0))
        assert row["contribution"] == pytest.approx(product / len(one.tokens) / len(two.tokens) / norms, abs=1e-9)
        special = one.special[row["first"]] or two.special[row["second"]]
        equal = one.tokens[row["first"]] == two.tokens[row["second"]]
        assert row["kind"] == ("special" if special else "equal" if equal else "different")


def test_equal_texts_have_a_cosine_of_1_and_symmetric_parts(models, tiny):
    answer = answered(models, "explain_cosine", first=FIRST, second=FIRST, target=f"{tiny / 'bert'}:mean")
    matrix = answer.parts.pivot(index="first", columns="second", values="contribution").to_numpy()
    assert answer.cosine == pytest.approx(1) and matrix == pytest.approx(matrix.T)


@pytest.mark.parametrize(("first", "second"), [("", "B."), ("A.", "  ")])
def test_an_empty_text_is_refused(models, tiny, first, second):
    with pytest.raises(BadData, match="text is empty"):
        asked(models.folder, "explain_cosine", first=first, second=second, target=str(tiny / "bert"))


def test_a_transform_is_refused(models, tiny):
    with pytest.raises(BadSetting, match="a transform comes after it"):
        asked(models.folder, "explain_cosine", first=FIRST, second=SECOND, target=f"{tiny / 'bert'}+centre")


def test_another_pooling_is_refused(models, tiny):
    with pytest.raises(BadSetting, match="pooling cls cannot be shared out"):
        answered(models, "explain_cosine", first=FIRST, second=SECOND, target=f"{tiny / 'bert'}:cls")
