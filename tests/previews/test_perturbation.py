from contextlib import nullcontext

import numpy as np
import pytest

from tests.tiny import FAMILIES, tiny_model
from workbench.models.load import load
from workbench.previews import perturbation
from workbench.previews.perturbation import BATCH, Inside, dropout
from workbench.previews.states_preview import states

SENTENCES = ["the man plays the red guitar", "a dog runs on the ball", "the cat", "this sentence means a blue ball"]
TOKENS = [8, 8, 4, 8]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load(str(tiny_model(tmp_path_factory.mktemp("perturbed") / "bert")))


def inside(encoder, texts=SENTENCES, seed=0, after=lambda vectors: vectors):
    def views(texts, rate, told):
        return encoder.dropout_views(texts, 2, rate, seed)

    return Inside(lambda: encoder, texts, seed=seed, views=views, lock=nullcontext(), after=after)


def of(encoder, line, **said):
    return inside(encoder, **said).of(line, lambda share, note: None)


def cosines(found):
    one, other = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (found.before, found.after))
    return (one * other).sum(axis=1)


@pytest.mark.parametrize(
    ("line", "share"),
    [
        # floor(.5 * L) tokens, floor(.25 * 32) dimensions, floor(.5 * L * 32) numbers
        ("token_cutoff(rate=0.5)", 0.5),
        ("feature_cutoff(rate=0.25)", 0.25),
        ("embedding_dropout(rate=0.5)", 0.5),
    ],
)
def test_shares_are_exact(encoder, line, share):
    found = of(encoder, line)
    assert found.share == pytest.approx([share] * 4)
    assert found.changed.all() and (found.length == 0).all()
    assert (found.size > 0).all() and (cosines(found) < 0.9999).all()


def test_noise_changes_nearly_every_number(encoder):
    assert (of(encoder, "fgsm(epsilon=0.5)").share > 0.95).all()


def test_the_size_is_the_norm_of_the_change_over_that_of_the_matrix(encoder):
    found = of(encoder, "fgsm(epsilon=0.5)")
    for row, text in enumerate(SENTENCES):
        table = encoder.tokenise([text])
        ids, _ = table.batch([0])
        matrix = encoder.backbone.embeddings(input_ids=ids).detach().numpy()
        # Every number moves by .5, but for the few whose gradient is zero.
        expected = 0.5 * np.sqrt(found.share[row] * matrix.size) / np.linalg.norm(matrix)
        assert found.size[row] == pytest.approx(expected, rel=1e-4)


def test_cutting_tokens_off_changes_the_length(encoder):
    found = of(encoder, "span_cutoff(rate=0.25)")
    assert found.length == pytest.approx([-0.25] * 4) and found.share == pytest.approx([0.25] * 4)
    assert "no longer attended to; left: “" in found.describe(0) and found.describe(0).startswith("2 of 8 tokens")


def test_moved_positions_are_counted_and_named(encoder):
    found = of(encoder, "token_shuffle", texts=SENTENCES * 4)
    counted = found.share * np.array(TOKENS * 4)
    assert counted == pytest.approx(counted.round()) and (found.share <= 1).all() and (found.size > 0).any()
    row = int(found.share.argmax())
    assert found.describe(row).startswith(f"{counted[row]:.0f} of {TOKENS[row % 4]} tokens at another position: “")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("token_cutoff(rate=0.15)", "1 of 8 tokens zeroed: “"),
        ("feature_cutoff(rate=0.25)", "8 of 32 dimensions zeroed in every token"),
        ("embedding_dropout(rate=0.5)", "128 of 256 numbers zeroed"),
        ("fgv", " % of the numbers changed, in total by "),
        ("modals_extrapolation", "the vector moved by "),
        ("dropout(rate=0.2)", "two passes at rate 0.2; their vectors differ by "),
    ],
)
def test_a_change_in_words(encoder, line, said):
    assert said in of(encoder, line).describe(0)


def test_a_step_that_acts_on_no_text_changes_nothing(encoder):
    for line in (
        "token_cutoff(rate=0.1)",
        "token_cutoff(rate=0.5)@0.0001",
        "modals_gaussian(magnitude=0)",
        "dropout(rate=0)",
    ):
        found = of(encoder, line)
        assert not found.changed.any() and (found.size == 0).all()
        assert cosines(found) == pytest.approx(1, abs=1e-6)


def test_vectors_move_by_hand(encoder):
    found = of(encoder, "modals_extrapolation(magnitude=0.5)")
    assert found.after == pytest.approx(found.before + 0.5 * (found.before - found.before.mean(axis=0)), abs=1e-5)
    step = np.linalg.norm(found.after - found.before, axis=1) / np.linalg.norm(found.before, axis=1)
    assert found.share == pytest.approx(step, rel=1e-4) and (found.share == found.size).all()


def test_the_size_of_dropout_is_the_distance_of_its_two_passes(encoder):
    views = encoder.dropout_views(SENTENCES, 2, 0.3)
    found = dropout(views, rate=0.3)
    assert (found.share == 0.3).all() and found.changed.all()
    assert found.size[0] == pytest.approx(np.linalg.norm(views[0, 1] - views[0, 0]) / np.linalg.norm(views[0, 0]))


@pytest.mark.parametrize("line", ["token_shuffle", "embedding_dropout", "fgv", "modals_linear", "dropout"])
def test_results_depend_on_the_seed_alone(encoder, line):
    first, again, other = (of(encoder, line, seed=seed) for seed in (0, 0, 1))
    assert (first.after == again.after).all() and not np.allclose(first.after, other.after)
    assert not encoder.backbone.training


def test_rows_stay_aligned_over_several_batches(encoder):
    texts = [f"{SENTENCES[row % 4]} {'the ' * (row % 7)}{row}" for row in range(2 * BATCH + 5)]
    own = inside(encoder, texts)
    assert own.plain == pytest.approx(encoder.encode(texts), abs=1e-4)
    for line in ("token_cutoff(rate=0.3)", "fgsm", "modals_extrapolation"):
        found = own.of(line, lambda share, note: None)
        assert found.before == pytest.approx(own.plain) and found.changed.all()
        assert len(found.after) == len(texts) and (cosines(found) > 0.3).all()


def test_long_texts_are_mixed_in_smaller_batches(encoder, monkeypatch):
    """Memory for a gradient grows with the padded tokens of a batch; two texts are its least."""
    texts = ["the cat", *(f"the {word} man plays" for word in range(20))]
    longest = max(inside(encoder, texts).table.lengths)
    for most, rows in ((10_000, [21]), (5 * longest, [6, 5, 5, 5]), (1, [3, *[2] * 9])):
        monkeypatch.setattr(perturbation, "BATCH_TOKENS", most)
        assert [len(batch) for batch in inside(encoder, texts).mixed] == rows


def test_a_single_text_can_be_previewed(encoder):
    found = of(encoder, "token_cutoff(rate=0.5)", texts=SENTENCES[:1])
    assert found.changed.all() and not of(encoder, "modals_gaussian", texts=SENTENCES[:1]).changed.any()


def test_vectors_equal_those_of_the_sentences_tab(encoder):
    shown = states(encoder, SENTENCES, SENTENCES, "feature_cutoff(rate=0.5)", seed=0)
    found = of(encoder, "feature_cutoff(rate=0.5)")
    assert found.before == pytest.approx(shown["originals"], abs=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family(family, tmp_path):
    encoder = load(str(tiny_model(tmp_path / family, family)))
    for line in ("token_shuffle", "token_cutoff(rate=0.4)", "fgv"):
        found = of(encoder, line)
        assert np.isfinite(found.after).all() and found.describe(1)
        assert (found.share > 0).any()


def test_normalised_vectors_are_compared_as_such(tmp_path):
    encoder = load(str(tiny_model(tmp_path / "bert")))
    encoder.normalise = True
    seen = []
    of(encoder, "modals_linear", after=lambda vectors: seen.append(np.linalg.norm(vectors, axis=1)) or vectors)
    assert np.concatenate(seen) == pytest.approx(1, abs=1e-5)
