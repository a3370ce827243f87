"""What the button on the Train page will do, in one sentence and a few figures."""

from collections.abc import Sequence
from pathlib import Path

from workbench.core.config import RunConfig
from workbench.data.pair_texts import called
from workbench.data.uploads import uploaded_name
from workbench.ui.kit.words import count, join_names, label_of


def amount_words(runs: Sequence[RunConfig]) -> str:
    """How many tokens or texts each run will see."""
    config = runs[0]
    texts = config.training.steps * config.training.batch_size
    by = " by each run" if len(runs) > 1 else ""
    if config.pretrains:
        return f"{count(texts * config.pretraining.sequence_length)} tokens seen{by}."
    if config.training.epochs:
        return f"{config.training.epochs:g} × the corpus seen{by}."
    return f"{count(texts)} texts seen{by}."


def run_sentence(runs: Sequence[RunConfig]) -> str:
    """What the button will start, in one sentence."""
    config = runs[0]
    training = config.training
    source = config.corpus.source
    where = config.corpus.name or uploaded_name(Path(source.partition("#")[0]))
    if not where:
        where = f"the {called(source)}" if config.corpus.of_pairs else source
    mine = {
        dotted
        for dotted, origin in config.origins.items()
        if origin == "user" and "." in dotted and dotted != "model.backbone"
    }
    changed = join_names(sorted({label_of(dotted.rsplit(".", 1)[-1]).lower() for dotted in mine}))
    rows = f"sequences of {config.pretraining.sequence_length} tokens" if config.pretrains else "texts"
    long = f"{training.steps:,} steps"
    if training.epochs:
        long = f"{training.epochs:g} epoch{'s' * (training.epochs != 1)} in batches"
    seeds = (
        f"seed {training.seed}"
        if len(runs) == 1
        else f"seeds {training.seed} to {runs[-1].training.seed}, one run per seed"
    )
    return (
        f"{config.after or config.model.backbone} on {where}: {long} of {training.batch_size:,} {rows} "
        f"with learning rate {training.learning_rate:g}, {seeds}. "
        + (f"You changed: {changed}." if changed else "You changed nothing.")
    )
