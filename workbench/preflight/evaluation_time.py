"""How long a run will probe and evaluate, from encoding a few of its scored sentences."""

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from workbench.core.config import RunConfig
from workbench.core.schedule import DROPOUT_TEXTS, evaluated_pairs, probed_pairs, probes_after, selections
from workbench.core.seeds import numpy_rng, some_rows

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder

PATIENCE = 1.5
"""Seconds after which no more sentences are encoded."""
FEW, MOST = 16, 512
"""The fewest and the most sentences that are timed."""
COUNTED = 20_000
"""The most sentences whose tokens are counted."""
DROPOUT_PASSES = 3
"""Each is encoded for a probe, and so are two dropout views of it."""


def evaluation_seconds(
    config: RunConfig,
    encoder: "Encoder",
    texts: Sequence[str],
    *,
    precision: Literal["fp32", "bf16"],
    rivals: int = 0,
) -> float:
    """Seconds of all probes and evaluations of a run: their tokens at the pace of a few sentences.

    The encoder is as it is evaluated, `texts` are those of the corpus, `precision` is that of the training, and so many
    `rivals` compete with the encoder for the best step. It is what they take at most: an earlier run of the folder may have
    encoded the sentences with the first weights, and the best step may be the last. Scoring is not counted.

    Raises:
        WorkbenchError: scored pairs cannot be read.
    """
    from workbench.data.pairs import load_pairs
    from workbench.evaluation.sts import METHOD as STS
    from workbench.scoring.pair_scores import Scored

    probed, evaluated, folder = probed_pairs(config), evaluated_pairs(config), config.evaluation.sts_folder
    sets = {ref: load_pairs(ref) for ref in dict.fromkeys([*probed, *evaluated])}
    probe_texts = Scored([sets[ref] for ref in probed]).texts
    final_texts = Scored([sets[ref] for ref in evaluated]).texts
    suite_texts = Scored(STS.read(folder).sets).texts if folder else []
    times = probes_after(config, -1) + selections(config) * rivals
    during = times * _tokens(encoder, probe_texts)
    if not config.probe.pairs:
        some = some_rows(len(texts), DROPOUT_TEXTS, config.training.seed, "probe texts")
        drawn = [texts[row] for row in some]
        during += probes_after(config, -1) * DROPOUT_PASSES * _tokens(encoder, drawn)
        probe_texts = probe_texts or drawn
    # Step 0, the last and, where one is chosen, the best.
    after = (3 if config.selection.selects else 2) * (_tokens(encoder, final_texts) + _tokens(encoder, suite_texts))
    pace = _seconds_per_token(encoder, probe_texts, precision)
    exact = (
        pace if precision == "fp32" or not after else _seconds_per_token(encoder, final_texts or suite_texts, "fp32")
    )
    return during * pace + after * exact


def _tokens(encoder: "Encoder", texts: Sequence[str]) -> float:
    """How many tokens the encoder reads of them; of many texts, by those of some."""
    if not texts:
        return 0.0
    some = [texts[row] for row in some_rows(len(texts), COUNTED, 0, "evaluation tokens")]
    return len(texts) * float(encoder.tokenise(some).lengths.mean())


def _seconds_per_token(encoder: "Encoder", texts: Sequence[str], precision: Literal["fp32", "bf16"]) -> float:
    """The time of a token, by some of the texts in random order: twice as many each time, of which the least counts, since
    what else the machine does only adds to it.
    """
    order = numpy_rng(0, "evaluation time").permutation(len(texts))[:MOST]
    some = [texts[row] for row in order]
    encoder.encode(some[:FEW], precision=precision)  # warm-up
    least, count, began = math.inf, FEW, time.perf_counter()
    while count < 2 * len(some) and time.perf_counter() - began < PATIENCE:
        taken, start = some[:count], time.perf_counter()
        encoder.encode(taken, precision=precision)
        least = min(least, (time.perf_counter() - start) / max(1.0, _tokens(encoder, taken)))
        count *= 2
    return least if some else 0.0
