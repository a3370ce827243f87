import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import losses as reference
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

from tests.objectives.trial import gradients, loop_of, masked_model, step, view
from tests.tiny import tiny_model
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.core.errors import BadSetting, UnknownName
from workbench.objectives.adaptive_layer import METHOD
from workbench.pooling import METHODS as POOLINGS

FIRST, SECOND = TEXTS[:16], TEXTS[:16][::-1]
COLUMNS = {"text": FIRST, "positive": SECOND}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A backbone of four layers."""
    import transformers

    folder = tmp_path_factory.mktemp("layers") / "bert"
    tiny_model(folder)
    config = transformers.BertConfig.from_pretrained(folder)
    config.num_hidden_layers = 4
    config.initializer_range = 0.3
    torch.manual_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def term(**settings):
    return Term(views={"a": view(), "b": view(role="positive")}, objective="adaptive_layer", settings=settings)


def pooled(loop, texts, pooling="mean"):
    """The vectors of texts from each layer, the embedding output first; dropout is off."""
    ids, mask = loop.texts.tokenise(list(texts)).batch(range(len(texts)), "cpu")
    with torch.no_grad():
        states = loop.encoder.forward(ids, mask)
    real = mask[:, :, None].float()
    return [(layer * real).sum(1) / real.sum(1) if pooling == "mean" else layer[:, 0] for layer in states]


def contrast(a, b, temperature):
    a, b = (torch.nn.functional.normalize(side, dim=1) for side in (a, b))
    logits = (a @ b.T / temperature).double()
    return float((logits.logsumexp(dim=1) - logits.diagonal()).mean())


def kl(early, final, temperature):
    p, q = (torch.softmax(side.double() / temperature, dim=1) for side in (final, early))
    return float((p * (p / q).log()).sum(dim=1).mean())


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_matches_a_separate_computation(model, pooling):
    """With all layers before the last of four: their losses count 1, 1/2, 1/3 and 1/4; divergences are summed."""
    loop = loop_of(model, term(layers=0), columns=COLUMNS, pooling=pooling, eval_pooling=pooling)
    a, b = (pooled(loop, side[:8], pooling) for side in (FIRST, SECOND))
    wanted = contrast(a[4], b[4], 0.05)
    apart = [kl(torch.cat([a[layer], b[layer]]), torch.cat([a[4], b[4]]), 0.3) for layer in range(4)]
    wanted += sum(contrast(a[layer], b[layer], 0.05) / (1 + layer) for layer in range(4)) / 4 + 0.3 * sum(apart)
    loss, losses = step(loop)
    assert float(loss) == pytest.approx(wanted, rel=1e-4)
    assert float(losses["0.adaptive_layer.divergence"]) == pytest.approx(np.mean(apart), rel=1e-4)
    assert float(losses["0.adaptive_layer.last"]) == pytest.approx(contrast(a[4], b[4], 0.05), rel=1e-4)


@pytest.mark.parametrize("weighting", ["linear", "log", "uniform"])
def test_value_and_gradient_are_those_of_sentence_transformers(model, weighting):
    loop = loop_of(model, term(layers=0, weighting=weighting), columns=COLUMNS)
    transformer = Transformer(str(model), max_seq_length=32)
    other = SentenceTransformer(
        modules=[transformer, Pooling(transformer.get_embedding_dimension())], device="cpu"
    ).eval()
    inner = reference.MultipleNegativesRankingLoss(other, scale=20.0)
    theirs = reference.AdaptiveLayerLoss(other, inner, n_layers_per_step=-1, layer_weighting=weighting)
    value = theirs([other.preprocess(side[:8]) for side in (FIRST, SECOND)], torch.zeros(8))
    value.backward()
    loss, _ = step(loop)
    assert float(loss) == pytest.approx(float(value.detach()), rel=1e-4)
    own = {name.removeprefix("backbone."): p.grad for name, p in loop.named_parameters().items()}
    given = {name: p.grad for name, p in transformer.auto_model.named_parameters() if p.grad is not None}
    assert given.keys() <= own.keys() and len(given) > 60
    most = max(float(gradient.abs().max()) for gradient in given.values())
    for name, gradient in given.items():
        torch.testing.assert_close(own[name], gradient, atol=1e-5 * most, rtol=1e-3)


def test_each_step_draws_new_layers_and_a_resumed_run_the_same_ones(model):
    loop = loop_of(model, term(layers=1), columns=COLUMNS)
    module = loop.objectives[0]

    def drawn(number):
        loop.step = number
        return module.drawn(loop._batch(0, loop.config.terms[0], np.arange(8), 0).generator)

    found = [drawn(number) for number in range(60)]
    assert all(len(one) == 1 for one in found) and {one[0] for one in found} == {0, 1, 2, 3}
    assert found == [drawn(number) for number in range(60)]
    every = loop_of(model, term(layers=9), columns=COLUMNS).objectives[0]
    assert every.drawn(torch.Generator()) == [0, 1, 2, 3]


@pytest.mark.parametrize("pooling", sorted(POOLINGS.keys() - {"static"}))
def test_only_layers_that_the_pooling_can_take_are_drawn(model, pooling):
    loop = loop_of(model, term(layers=0), columns=COLUMNS, pooling=pooling, eval_pooling=pooling)
    first = 1 if pooling in ("last2", "first_last") else 0
    assert loop.objectives[0].drawn(torch.Generator()) == list(range(first, 4))
    assert torch.isfinite(step(loop)[0])


def test_a_pooling_without_an_earlier_layer_is_refused(tmp_path):
    single = tiny_model(tmp_path / "single", layers=1)
    with pytest.raises(BadSetting, match="before the last layer"):
        loop_of(single, term(), columns=COLUMNS, pooling="last2", eval_pooling="last2")
    assert torch.isfinite(step(loop_of(single, term(), columns=COLUMNS, pooling="mean", eval_pooling="mean"))[0])


def test_the_last_layer_gets_no_gradient_from_the_divergence(model):
    loop = loop_of(model, term(layers=0, last_weight=0.0, earlier_weight=0.0), columns=COLUMNS)
    step(loop)
    assert not gradients(loop, "backbone.encoder.layer.3.").any()
    assert gradients(loop, "backbone.encoder.layer.0.").any()


def test_earlier_layers_get_better_than_without(model):
    """Partners are the texts in reverse order, a pairing that can only be learnt by training."""
    found = {}
    for weight in (0.0, 1.0):
        changes = {"steps": 40, "batch_size": 16, "learning_rate": 3e-3}
        weights = {"earlier_weight": weight, "divergence_weight": weight}
        loop = loop_of(model, term(layers=0, **weights), columns=COLUMNS, **changes)
        list(loop.run())
        loop.encoder.backbone.eval()
        a, b = (pooled(loop, side) for side in (FIRST, SECOND))
        found[weight] = [contrast(one, other, 0.05) for one, other in zip(a, b, strict=True)]
    assert found[1.0][1] < 0.85 * found[0.0][1], found
    assert all(found[1.0][layer] < found[0.0][layer] for layer in (1, 2, 3)), found


def test_nested_sizes_at_each_layer(model):
    """Both ways at once, as in the paper: matryoshka as the inner loss."""
    names = ("infonce_nn", "matryoshka")
    plain, nested = (loop_of(model, term(inner=name, layers=0), columns=COLUMNS) for name in names)
    a, b = (pooled(nested, side[:8]) for side in (FIRST, SECOND))
    counts = [1 / 4, 1 / 8, 1 / 12, 1 / 16, 1.0]
    more = sum(
        count * contrast(a[layer][:, :size], b[layer][:, :size], 0.05)
        for layer, count in enumerate(counts)
        for size in (16, 8)
    )
    assert float(step(nested)[0]) - float(step(plain)[0]) == pytest.approx(more, rel=1e-3)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"inner": "cosent"}, "takes two views"),
        ({"inner": "simcse_sup"}, "takes two views"),
        ({"inner": "matryoshka(inner=cosent)"}, "takes a, b, gold"),
        ({"inner": "infonce_nn(0.1)"}, "inner cannot be"),
        ({"inner": "infonce_nn(temperature=-1)"}, "temperature"),
    ],
)
def test_an_unsuitable_inner_loss_is_refused(settings, said):
    with pytest.raises(BadSetting, match=said):
        METHOD.check(settings)


def test_an_unknown_inner_loss_is_refused():
    with pytest.raises(UnknownName, match="infonce_nn"):
        METHOD.check({"inner": "infonce"})


def test_a_pooling_that_reads_no_layer_is_refused(model):
    with pytest.raises(BadSetting, match="static"):
        loop_of(model, term(), columns=COLUMNS, pooling="static", eval_pooling="static")


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_families(family, tmp_path):
    loop = loop_of(masked_model(tmp_path / family, family), term(), columns=COLUMNS)
    loss, _ = step(loop)
    assert torch.isfinite(loss) and gradients(loop).any()
