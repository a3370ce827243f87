"""The losses of the first ten steps, computed from the formula, of recipes that cannot be changed into a neighbouring recipe.

On the same batches, with the weights at the start of each step. Dropout is off.
"""

import copy
import math

import numpy as np
import pytest
import torch

from tests.recipes.trial import STEPS, loop_of
from workbench.models.load import load
from workbench.objectives.ct import partners

STILL = {"training.dropout": 0.0}


@pytest.fixture(scope="module")
def start(place):
    """The backbone as it is before any step."""
    return load(str(place / "bert"))


def check(loop, formula):
    """Check that `formula(rows, epoch)`, before each step, equals the loss of that step, and that all losses differ."""
    steps, batches, found, wanted = loop.run(), loop._batches(), [], []
    for _ in range(STEPS):
        epoch, rows = next(batches)
        loop.texts.shown = {}  # clear the texts of the previous batch
        wanted.append(formula(rows, epoch))
        found.append(next(steps).loss)
    assert found == pytest.approx(wanted, rel=2e-4)
    assert len({round(value, 5) for value in found}) == STEPS


def shown(loop, rows, epoch, name, label="views"):
    """The texts of a view of the first term."""
    return loop.texts.show(getattr(loop.config.terms[0], label)[name], rows, epoch).texts()


def column(loop, rows, role="text"):
    return [loop.columns[role][row] for row in rows]


def states(encoder, texts):
    """For each text the states of all layers, (layers, tokens of the text, dim), the embedding output first."""
    ids, mask = encoder.tokenise(texts, 32).batch(range(len(texts)))
    with torch.no_grad(), encoder.evaluating():
        hidden = torch.stack(tuple(encoder.forward(ids, mask))).double().numpy()
    return [hidden[:, row, :length] for row, length in enumerate(mask.sum(dim=1).tolist())]


def vectors(encoder, texts):
    """The mean of the last states of each text, special tokens included: (texts, dim)."""
    return np.stack([layers[-1].mean(axis=0) for layers in states(encoder, texts)])


def cosines(left, right):
    left, right = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right))
    return left @ right.T


def picking(own, others):
    """Cross-entropy of picking the logit `own` among itself and `others`."""
    return float(np.logaddexp.reduce([own, *others]) - own)


def softplus(value):
    return float(np.logaddexp(0, value))


def test_gist_drops_candidates_that_its_guide_finds_closer(place, start):
    loop = loop_of(place, "gist", **STILL)
    struck = []

    def by_hand(rows, epoch):
        texts, partner = column(loop, rows), column(loop, rows, "positive")
        own, seen = ({}, {})
        for encoder, found in ((loop.encoder, own), (start, seen)):
            a, b = vectors(encoder, texts), vectors(encoder, partner)
            found.update({"ab": cosines(a, b), "aa": cosines(a, a), "bb": cosines(b, b)})
        each = []
        for i in range(8):
            candidates = [(name, j) for name in own for j in range(8) if j != i]
            left = [pair for pair in candidates if seen[pair[0]][i, pair[1]] <= seen["ab"][i, i]]
            struck.append(1 - len(left) / len(candidates))
            each.append(picking(own["ab"][i, i] / 0.01, [own[name][i, j] / 0.01 for name, j in left]))
        return np.mean(each)

    check(loop, by_hand)
    assert 0.05 < np.mean(struck) < 0.95


def test_contrastive_tension_has_two_encoders_and_pairs_one_text_in_eight_with_itself(place):
    loop = loop_of(place, "ct", **STILL)
    first = copy.copy(loop.encoder)
    first.backbone = loop.objectives[0].twin
    apart = []

    def by_hand(rows, epoch):
        texts = column(loop, rows)
        others = partners(texts, 7, loop._batch(0, loop.config.terms[0], rows, epoch).generator)
        assert [row == other for row, other in enumerate(others)] == [True] + [False] * 7
        one, two = vectors(first, texts), vectors(loop.encoder, texts)
        apart.append(float(np.abs(one - two).max()))
        z = [float(one[row] @ two[other]) for row, other in enumerate(others)]
        return np.mean([softplus(-z[0]), *(softplus(value) for value in z[1:])])

    check(loop, by_hand)
    assert apart[0] < 1e-5 < 1e-3 < apart[1]


def test_isbert_tells_windows_of_tokens_from_those_of_other_texts(place):
    loop = loop_of(place, "isbert", channels=8, **STILL)

    def windows(said):
        """(tokens, 24): the features of windows of 1, 3 and 5 tokens around each state, with zeros beyond the ends."""
        found = []
        for window in loop.objectives[0].windows:
            weight, bias = window.weight.detach().double().numpy(), window.bias.detach().double().numpy()
            half = weight.shape[2] // 2
            padded = np.pad(said, ((half, half), (0, 0)))
            pieces = [padded[offset : offset + len(said)] @ weight[:, :, offset].T for offset in range(2 * half + 1)]
            found.append(np.sum(pieces, axis=0) + bias)
        return np.concatenate(found, axis=1)

    def by_hand(rows, epoch):
        local = [windows(layers[-1]) for layers in states(loop.encoder, column(loop, rows))]
        whole = [tokens.mean(axis=0) for tokens in local]
        own = [math.log(2) - softplus(-u) for i in range(8) for u in local[i] @ whole[i]]
        other = [softplus(u) - math.log(2) for i in range(8) for j in range(8) if i != j for u in local[i] @ whole[j]]
        return np.mean(other) - np.mean(own)

    check(loop, by_hand)


def test_sg_opt_picks_the_layers_of_the_initial_model_and_stays_near_it(place, start):
    loop = loop_of(place, "sg_opt", width=16, **STILL)
    begun = {name: tensor.clone() for name, tensor in start.backbone.state_dict().items()}
    far = []

    def projected(rows):
        with torch.no_grad():
            return loop.objectives[0].projection(torch.from_numpy(rows).float()).double().numpy()

    def by_hand(rows, epoch):
        texts = column(loop, rows)
        own = projected(vectors(loop.encoder, texts))
        layers = [projected(found.mean(axis=1)) for found in states(start, texts)]
        each = []
        for i in range(8):
            others = [near / 0.01 for j in range(8) if j != i for near in cosines(own[i : i + 1], layers[j])[0]]
            each += [picking(near / 0.01, others) for near in cosines(own[i : i + 1], layers[i])[0]]
        assert len(each) == 8 * 3  # the embeddings and two layers
        now = loop.encoder.backbone.state_dict()
        assert all(torch.equal(now[name], begun[name]) for name in now if name.startswith("embeddings."))
        far.append(0.1 * sum(float((now[name] - begun[name]).double().square().sum()) for name in now))
        return np.mean(each) + far[-1]

    check(loop, by_hand)
    assert far[0] == 0 < 1e-4 < far[-1]


def test_tsdae_reconstructs_the_whole_text_from_two_fifths_of_its_words(place):
    loop = loop_of(place, "tsdae", **{"terms.0.settings.dropout": 0.0}, **STILL)
    module, kept = loop.objectives[0], []

    def by_hand(rows, epoch):
        words, each = loop.encoder.backbone.get_input_embeddings().weight.detach(), []
        texts, left = column(loop, rows), shown(loop, rows, epoch, "a")
        kept.extend(len(one.split()) / len(text.split()) for one, text in zip(left, texts, strict=True))
        for text, vector in zip(texts, torch.from_numpy(vectors(loop.encoder, left)).float(), strict=True):
            ids, _ = loop.encoder.tokenise([text], 32).batch([0])
            with torch.no_grad():
                logits = (module.states(vector[None], ids[:, :-1], words)[0] @ words.T + module.bias).double().numpy()
            each += [picking(row[right], np.delete(row, right)) for row, right in zip(logits, ids[0, 1:], strict=True)]
        return np.mean(each)

    check(loop, by_hand)
    assert max(kept) < 1 and np.mean(kept) == pytest.approx(0.4, abs=0.08)


def test_declutr_takes_two_anchors_of_each_document_and_a_span_near_each(place):
    loop = loop_of(place, "declutr_spans", **STILL)

    def by_hand(rows, epoch):
        anchors, near = ([*shown(loop, rows, epoch, name), *shown(loop, rows, epoch, name, "more")] for name in "ab")
        documents = [" ".join(text.split()) for text in column(loop, rows, "document")] * 2
        for document, *spans in zip(documents, anchors, near, strict=True):
            assert all(span in document and len(span.split()) <= 24 for span in spans)
        logits = cosines(*[vectors(loop.encoder, [*anchors, *near])] * 2) / 0.05
        others = [[k for k in range(32) if k not in (i, (i + 16) % 32)] for i in range(32)]
        return np.mean([picking(logits[i, (i + 16) % 32], logits[i, others[i]]) for i in range(32)])

    check(loop, by_hand)


def test_promptbert_compares_two_prompts_after_subtracting_their_templates(place):
    loop = loop_of(place, "promptbert", **STILL)
    tokenizer = loop.encoder.tokenizer
    prompts = (('This sentence : "', '" means [MASK] .'), ('This sentence of "', '" means [MASK] .'))

    def at_mask(before, text, after, room=0):
        """The last state at the mask token, with `room` positions left empty before the words that follow the text."""
        ids = torch.tensor([[*before, *text, *after]])
        places = torch.tensor(
            [[*range(len(before) + len(text)), *(len(before) + len(text) + room + k for k in range(len(after)))]]
        )
        with torch.no_grad(), loop.encoder.evaluating():
            found = loop.encoder.backbone(input_ids=ids, position_ids=places).last_hidden_state[0]
        return found[ids[0] == tokenizer.mask_token_id][-1]

    def side(texts, prompt):
        before, after = (tokenizer(part, add_special_tokens=False).input_ids for part in prompt)
        before, after = [tokenizer.cls_token_id, *before], [*after, tokenizer.sep_token_id]
        own = [tokenizer(text, add_special_tokens=False).input_ids[: 32 - 2] for text in texts]
        alone = {room: at_mask(before, [], after, room) for room in {len(ids) for ids in own}}
        found = [at_mask(before, ids, after) - alone[len(ids)] for ids in own]
        with torch.no_grad():
            return loop.objectives[0].layer(torch.stack(found)).double().numpy()

    def by_hand(rows, epoch):
        texts = column(loop, rows)
        logits = cosines(*(side(texts, prompt) for prompt in prompts)) / 0.05
        return np.mean([picking(logits[i, i], np.delete(logits[i], i)) for i in range(8)])

    check(loop, by_hand)


def test_augcse_neg_has_only_changed_texts_as_negatives(place):
    """Without dropout partners are equal, so the loss differs from 0 only because of other texts and of changed texts."""
    loop = loop_of(place, "augcse_neg", **STILL)

    def by_hand(rows, epoch):
        texts, changed = column(loop, rows), shown(loop, rows, epoch, "negatives")
        assert all(one != other for one, other in zip(texts, changed, strict=True))
        own, hard = vectors(loop.encoder, texts), vectors(loop.encoder, changed)
        logits = np.concatenate([cosines(own, own), cosines(own, hard)], axis=1) / 0.05
        return np.mean([picking(row[i], np.delete(row, i)) for i, row in enumerate(logits)])

    check(loop, by_hand)
