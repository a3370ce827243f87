"""Values of reference implementations, on the same fixed random vectors."""

import pytest
import torch
from pytorch_metric_learning.losses import NTXentLoss
from sentence_transformers.sentence_transformer import losses as reference
from sentence_transformers.util import pairwise_cos_sim
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

from tests.losses.plain import views
from workbench.losses.angle import angle
from workbench.losses.augcse_neg import augcse_neg
from workbench.losses.cosent import cosent
from workbench.losses.gist import gist
from workbench.losses.infonce_nn import infonce_nn
from workbench.losses.infonce_sym import infonce_sym
from workbench.losses.matryoshka import matryoshka
from workbench.losses.ntxent_2n import ntxent_2n
from workbench.losses.ntxent_interleaved import ntxent_interleaved
from workbench.losses.score_regression import score_regression
from workbench.losses.simcse_sup import simcse_sup
from workbench.losses.triplet import triplet

GOLD = torch.tensor([0, 3, 1, 5, 2, 3, 4, 0], dtype=torch.float64) / 5
SEEDS = range(3)


class Given(torch.nn.Module):
    """A model that returns the vectors it is given."""

    max_seq_length = 8

    def __init__(self, name="sentence_embedding"):
        super().__init__()
        self.name = name
        self.tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(WordLevel({"a": 0}, unk_token="a")))

    def __getitem__(self, place):
        return self

    def get_embedding_dimension(self):
        return 8

    def forward(self, features):
        return {"sentence_embedding": features[self.name]}


def value(loss, *given, labels=None, guides=()):
    features = [{"given": tensor} for tensor in given]
    for feature, guide in zip(features, guides, strict=False):
        feature["guide"] = guide
    return loss(features, labels).item()


def near(view, seed, share=0.7):
    return view + share * views(1, rows=8, dim=8, seed=seed)[0]


@pytest.fixture(params=SEEDS)
def triple(request):
    a = views(1, rows=8, dim=8, seed=request.param)[0]
    return a, near(a, 10 + request.param), near(a, 20 + request.param)


@pytest.mark.parametrize("temperature", [0.05, 0.5])
def test_ntxent_is_pytorch_metric_learnings(triple, temperature):
    a, b, _ = triple
    own = torch.arange(8)
    both = NTXentLoss(temperature)(torch.cat([a, b]), own.repeat(2)).item()
    assert ntxent_2n(a, b, temperature=temperature).item() == pytest.approx(both, rel=1e-6)
    assert ntxent_interleaved(a, b, temperature=temperature).item() == pytest.approx(both, rel=1e-6)
    # A copy of the labels: given the same tensor twice, it would leave out the diagonal, as within one view.
    one = NTXentLoss(temperature)(a, own, ref_emb=b, ref_labels=own.clone()).item()
    assert infonce_nn(a, b, temperature=temperature).item() == pytest.approx(one, rel=1e-6)


def test_hard_negatives_are_pytorch_metric_learnings(triple):
    a, b, n = triple
    labels = torch.arange(16)
    want = NTXentLoss(0.05)(a, labels[:8], ref_emb=torch.cat([b, n]), ref_labels=labels).item()
    assert simcse_sup(a, b, n).item() == pytest.approx(want, rel=1e-6)


def test_multiple_negatives_ranking(triple):
    a, b, n = triple
    loss = reference.MultipleNegativesRankingLoss(Given("given"), scale=20.0)
    assert infonce_nn(a, b).item() == pytest.approx(value(loss, a, b), rel=1e-6)
    assert simcse_sup(a, b, n).item() == pytest.approx(value(loss, a, b, n), rel=1e-6)
    changed = torch.tensor([True] * 6 + [False] * 2)
    assert augcse_neg(a, b, n, changed=changed).item() == pytest.approx(value(loss, a[:6], b[:6], n[:6]), rel=1e-6)
    loss = reference.MultipleNegativesRankingLoss(
        Given("given"), scale=20.0, directions=("query_to_doc", "doc_to_query"), partition_mode="per_direction"
    )
    assert infonce_sym(a, b).item() == pytest.approx(value(loss, a, b), rel=1e-6)


@pytest.mark.parametrize("scale", [20.0, 2.0])
def test_multiple_negatives_symmetric_ranking(triple, scale):
    """The loss over both directions; one direction alone gives another value."""
    a, b, _ = triple
    loss = reference.MultipleNegativesSymmetricRankingLoss(Given("given"), scale=scale)
    got = infonce_sym(a, b, temperature=1 / scale).item()
    assert got == pytest.approx(value(loss, a, b), rel=1e-6)
    assert got != pytest.approx(infonce_nn(a, b, temperature=1 / scale).item(), rel=1e-4)


@pytest.mark.parametrize("highest", [5.0, 1.0])
def test_cosine_similarity(triple, highest):
    """Their scores are already between 0 and 1."""
    a, b, _ = triple
    loss = reference.CosineSimilarityLoss(Given("given"))
    want = value(loss, a, b, labels=GOLD)
    assert score_regression(a, b, GOLD * highest, highest=highest).item() == pytest.approx(want, rel=1e-6)


def test_triplet(triple):
    loss = reference.TripletLoss(Given("given"))
    assert triplet(*triple).item() == pytest.approx(value(loss, *triple), rel=1e-6)
    metric = vars(reference.TripletDistanceMetric)["COSINE"]
    loss = reference.TripletLoss(Given("given"), distance_metric=metric, triplet_margin=0.1)
    assert triplet(*triple, distance="cosine", margin=0.1).item() == pytest.approx(value(loss, *triple), rel=1e-6)


@pytest.mark.parametrize("scale", [20.0, 1.0])
def test_cosent_and_angle(triple, scale):
    a, b, _ = triple
    loss = reference.CoSENTLoss(Given("given"), scale=scale, similarity_fct=pairwise_cos_sim)
    assert cosent(a, b, GOLD, temperature=1 / scale).item() == pytest.approx(value(loss, a, b, labels=GOLD), rel=1e-6)
    loss = reference.AnglELoss(Given("given"), scale=scale)
    assert angle(a, b, GOLD, temperature=1 / scale).item() == pytest.approx(value(loss, a, b, labels=GOLD), rel=1e-6)


@pytest.mark.parametrize("kind", ["absolute", "relative"])
@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("contrast", [True, False])
def test_gist(triple, kind, margin, contrast):
    a, b, n = triple
    guide_a = views(1, rows=8, dim=8, seed=50)[0]
    guide_b, guide_n = near(guide_a, 51, 1.0), near(guide_a, 52, 2.0)
    loss = reference.GISTEmbedLoss(
        Given("given"),
        Given("guide"),
        temperature=0.05,
        margin_strategy=kind,
        margin=margin,
        contrast_anchors=contrast,
        contrast_positives=contrast,
    )
    chosen = {
        "temperature": 0.05,
        "margin": margin,
        "margin_kind": kind,
        "contrast_a": contrast,
        "contrast_b": contrast,
    }
    want = value(loss, a, b, guides=(guide_a, guide_b))
    assert gist(a, b, guide_a, guide_b, **chosen).item() == pytest.approx(want, rel=1e-6)
    want = value(loss, a, b, n, guides=(guide_a, guide_b, guide_n))
    got = gist(a, b, guide_a, guide_b, negatives=n, guide_negatives=guide_n, **chosen).item()
    assert got == pytest.approx(want, rel=1e-6)


def test_matryoshka(triple):
    a, b, n = triple
    model = Given("given")
    inner = reference.MultipleNegativesRankingLoss(model, scale=20.0)
    loss = reference.MatryoshkaLoss(model, inner, [8, 4, 2], [1.0, 0.5, 2.0])
    got = matryoshka(a, b, negatives=n, inner="simcse_sup", dims="8,4,2", weights="1,0.5,2").item()
    assert got == pytest.approx(value(loss, a, b, n), rel=1e-6)
    inner = reference.CoSENTLoss(model)
    loss = reference.MatryoshkaLoss(model, inner, [8, 4, 2])
    got = matryoshka(a, b, gold=GOLD, inner="cosent").item()
    assert got == pytest.approx(value(loss, a, b, labels=GOLD), rel=1e-6)
