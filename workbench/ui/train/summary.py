"""What the button on the Train page will do, in one sentence and a few figures."""

from collections.abc import Sequence

from workbench import api
from workbench.core.config import RunConfig
from workbench.data.pair_texts import called
from workbench.ui.kit.words import DASH, count, duration, join_names, label_of


def estimate_words(runs: Sequence[RunConfig]) -> str:
    """How long the runs will take, judging by similar runs on this machine; a dash if there were none."""
    expected = api.expected_seconds(runs)
    return f"about {duration(expected)}" if expected else DASH


def training_amount(config: RunConfig) -> dict[str, str]:
    """How many tokens or texts a run will see, with a label."""
    texts = config.training.steps * config.training.batch_size
    if config.pretrains:
        return {"Tokens seen": count(texts * config.pretraining.sequence_length)}
    if config.training.epochs:
        return {"Texts seen": f"{config.training.epochs:g} × the corpus"}
    return {"Texts seen": count(texts)}


def run_sentence(runs: Sequence[RunConfig]) -> str:
    """What the button will start, in one sentence."""
    config = runs[0]
    training = config.training
    source = config.corpus.source
    where = config.corpus.name or ("the " + called(source) if config.corpus.of_pairs else source)
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
