"""Values and gradients of those sentence-transformers losses that encode texts themselves, on the same backbone and texts."""

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import losses as reference
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

from tests.objectives.trial import loop_of, step, view
from tests.tiny import tiny_tokenizer
from tests.trial import TEXTS
from workbench.core.config import Term
from workbench.models.load import quiet
from workbench.objectives.ct import partners

FIRST, SECOND = TEXTS[:8], TEXTS[8:16]
COLUMNS = {"text": FIRST, "positive": SECOND}


@pytest.fixture
def theirs(folder):
    """The backbone with mean pooling, without dropout."""
    transformer = Transformer(str(folder), max_seq_length=32)
    modules = [transformer, Pooling(transformer.get_embedding_dimension())]
    return SentenceTransformer(modules=modules, device="cpu").eval()


def backbone(model):
    return model[0].auto_model


def given(module):
    """The gradients of a module's parameters by name, without those that have none."""
    return {name: p.grad for name, p in module.named_parameters() if p.grad is not None}


def same_gradients(own, wanted, factor=1.0):
    """Check that `own` are `factor` times the wanted ones, and zero elsewhere; none is missing, and not all are zero."""
    assert wanted and wanted.keys() <= own.keys()
    most = factor * max(float(gradient.abs().max()) for gradient in wanted.values())
    assert most > 1e-6
    for name, gradient in own.items():
        right = factor * wanted[name] if name in wanted else torch.zeros_like(gradient)
        torch.testing.assert_close(
            gradient, right, atol=2e-5 * most, rtol=1e-3, msg=lambda said, at=name: f"{at}: {said}"
        )


def moved(module):
    """The module with every weight changed slightly, as after some steps."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.05 * torch.randn(parameter.shape, generator=generator)
    return module


@pytest.mark.parametrize("total", [False, True])
def test_contrastive_tension(folder, theirs, total):
    """Theirs sums over the pairs; ours takes the mean by default, as the authors' code does (METHODS 3.9)."""
    term = Term(views={"a": view(dropout="off")}, objective="ct", settings={"negatives": 3, "total": total})
    loop = loop_of(folder, term)
    module = loop.objectives[0]
    loss = reference.ContrastiveTensionLoss(theirs)
    # The two encoders start equal: a mix-up of the two shows only once they differ.
    backbone(loss.model1).load_state_dict(moved(module.twin).state_dict())
    others = partners(FIRST, 3, loop._batch(0, loop.config.terms[0], np.arange(8), 0).generator)
    pairs = [theirs.preprocess(side) for side in (FIRST, [FIRST[other] for other in others])]
    value = loss(pairs)  # it works out which pairs have equal texts
    value.backward()
    factor = 1.0 if total else 1 / 8
    assert float(step(loop)[0]) == pytest.approx(factor * float(value.detach()), rel=1e-5)
    same_gradients(given(module.twin), given(backbone(loss.model1)), factor)
    same_gradients(given(loop.encoder.backbone), given(backbone(loss.model2)), factor)


def test_contrastive_tension_in_the_batch(folder, theirs):
    loop = loop_of(folder, Term(views={"a": view(dropout="off")}, objective="ct", settings={"form": "in_batch"}))
    module = loop.objectives[0]
    loss = reference.ContrastiveTensionLossInBatchNegatives(theirs)
    backbone(loss.model1).load_state_dict(moved(module.twin).state_dict())
    value = loss([theirs.preprocess(FIRST)], None)
    value.backward()
    assert float(step(loop)[0]) == pytest.approx(float(value.detach()), rel=1e-5)
    same_gradients(given(module.twin), given(backbone(loss.model1)))
    same_gradients(given(loop.encoder.backbone), given(backbone(loss.model2)))
    assert float(module.log_scale.grad) == pytest.approx(float(loss.logit_scale.grad), rel=1e-4)


@pytest.mark.parametrize("product", [False, True])
def test_softmax(folder, theirs, product):
    """The fourth block that ConSERT adds, `maximum`, is not in theirs."""
    labels = np.arange(8) % 3
    views = {"a": view(), "b": view(role="positive")}
    term = Term(views=views, objective="sbert_softmax", settings={"product": product})
    loop = loop_of(folder, term, columns=COLUMNS, numbers={"label": labels})
    loss = reference.SoftmaxLoss(theirs, 32, num_labels=3, concatenation_sent_multiplication=product)
    linear = loop.objectives[0].linear
    loss.classifier.load_state_dict(linear.state_dict())
    value = loss([theirs.preprocess(side) for side in (FIRST, SECOND)], torch.from_numpy(labels))
    value.backward()
    assert float(step(loop)[0]) == pytest.approx(float(value.detach()), rel=1e-5)
    same_gradients(given(linear), given(loss.classifier))
    same_gradients(given(loop.encoder.backbone), given(backbone(theirs)))


@pytest.mark.parametrize("chunks", [2, 3])
def test_batches_larger_than_memory(folder, theirs, chunks):
    """`memory_parts` corresponds to their cached loss; both encode each chunk again for its gradient."""
    term = Term(views={"a": view(), "b": view(role="positive")}, loss="infonce_nn")
    loop = loop_of(folder, term, columns=COLUMNS, memory_parts=chunks)
    loss = reference.CachedMultipleNegativesRankingLoss(theirs, scale=20.0, mini_batch_size=3)
    value = loss([theirs.preprocess(side) for side in (FIRST, SECOND)], None)
    value.backward()
    assert float(step(loop)[0]) == pytest.approx(float(value.detach()), rel=1e-5)
    same_gradients(given(loop.encoder.backbone), given(backbone(theirs)))


def test_nested_sizes_at_each_layer(folder, theirs):
    """Matryoshka2dLoss is adaptive_layer with matryoshka as its inner loss."""
    views = {"a": view(), "b": view(role="positive")}
    settings = {"inner": "matryoshka", "layers": 0, "weighting": "uniform"}
    loop = loop_of(folder, Term(views=views, objective="adaptive_layer", settings=settings), columns=COLUMNS)
    inner = reference.MultipleNegativesRankingLoss(theirs, scale=20.0)
    loss = reference.Matryoshka2dLoss(theirs, inner, [32, 16, 8], n_layers_per_step=-1, n_dims_per_step=-1)
    value = loss([theirs.preprocess(side) for side in (FIRST, SECOND)], torch.zeros(8))
    value.backward()
    assert float(step(loop)[0]) == pytest.approx(float(value.detach()), rel=1e-4)
    same_gradients(given(loop.encoder.backbone), given(backbone(theirs)))


@pytest.fixture
def decoder_folder(tmp_path):
    """A decoder of two layers in the form theirs loads, with feed-forward layers as wide as ours."""
    tokenizer = tiny_tokenizer("bert")
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        layer_norm_eps=1e-5,
        is_decoder=True,
        add_cross_attention=True,
    )
    with quiet():
        transformers.BertLMHeadModel(config).save_pretrained(tmp_path)
        tokenizer.save_pretrained(tmp_path)
    return tmp_path


def layer_pairs(own, layer):
    """For each weight of a layer of our decoder, the corresponding weights in a layer of theirs."""
    found = []
    for mine, block in ((own.self_attn, layer.attention), (own.multihead_attn, layer.crossattention)):
        parts = (block.self.query, block.self.key, block.self.value)
        found.append((mine.in_proj_weight, [part.weight for part in parts]))
        found.append((mine.in_proj_bias, [part.bias for part in parts]))
    one_for_one = [
        (own.self_attn.out_proj, layer.attention.output.dense),
        (own.norm1, layer.attention.output.LayerNorm),
        (own.multihead_attn.out_proj, layer.crossattention.output.dense),
        (own.norm2, layer.crossattention.output.LayerNorm),
        (own.linear1, layer.intermediate.dense),
        (own.linear2, layer.output.dense),
        (own.norm3, layer.output.LayerNorm),
    ]
    for mine, part in one_for_one:
        found += [(mine.weight, [part.weight]), (mine.bias, [part.bias])]
    return found


def test_denoising_auto_encoder(folder, theirs, decoder_folder):
    """The same decoder in both, once the extra parts of theirs are removed.

    The test compares which texts are encoded and which are reconstructed; that a token attends to itself, to earlier tokens
    and to one vector of the text; the layers of the decoder; that padding is ignored; and the mean over all tokens. It cannot
    compare parts that differ by design: theirs starts as a copy of a pre-trained model and may share its layers with the encoder
    (`tie_encoder_decoder`, off here), normalises the embeddings, and has a layer with an activation before the vocabulary;
    ours has a linear map before the vector is attended to and shares the words of the encoder.
    """
    term = Term(
        views={"a": view(augmentation="eda_delete(rate=0.6)")}, objective="tsdae", settings={"dropout": 0.0, "heads": 4}
    )
    loop = loop_of(folder, term)
    module, words = loop.objectives[0], loop.encoder.backbone.get_input_embeddings().weight
    with quiet():
        loss = reference.DenoisingAutoEncoderLoss(theirs, str(decoder_folder), tie_encoder_decoder=False)
    decoder = loss.decoder.eval()
    embeddings, head = decoder.bert.embeddings, decoder.cls.predictions
    embeddings.LayerNorm = torch.nn.Identity()
    head.transform = torch.nn.LayerNorm(32)
    pairs = [(module.bias, [head.bias]), (module.layers.norm.weight, [head.transform.weight])]
    for own, layer in zip(module.layers.layers, decoder.bert.encoder.layer, strict=True):
        pairs += layer_pairs(own, moved(layer))
    with torch.no_grad():
        for own, wanted in pairs:
            own.copy_(torch.cat(wanted))
        embeddings.word_embeddings.weight.copy_(words)
        assert head.decoder.weight is embeddings.word_embeddings.weight
        module.places.weight.copy_(embeddings.position_embeddings.weight + embeddings.token_type_embeddings.weight[0])
        module.memory.weight.copy_(torch.eye(32))
        module.memory.bias.zero_()
    shown = loop.texts.show(loop.config.terms[0].views["a"], np.arange(8), 0).texts()
    assert shown != FIRST
    value = loss([theirs.preprocess(side) for side in (shown, FIRST)], None)
    value.backward()
    assert float(step(loop)[0]) == pytest.approx(float(value.detach()), rel=1e-5)
    pairs.append((module.places.weight, [embeddings.position_embeddings.weight]))
    same_gradients(
        {str(number): own.grad for number, (own, _) in enumerate(pairs)},
        {str(number): torch.cat([one.grad for one in wanted]) for number, (_, wanted) in enumerate(pairs)},
    )
    # The encoder gets its gradient through the one vector; word embeddings are one table in ours and two in theirs.
    wanted = given(backbone(theirs))
    wanted["embeddings.word_embeddings.weight"] += embeddings.word_embeddings.weight.grad
    same_gradients(given(loop.encoder.backbone), wanted)
