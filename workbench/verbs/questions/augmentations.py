"""Questions about what an augmentation does to some texts."""

from collections.abc import Sequence
from typing import Any

from workbench.augmentations.availability import files_read, missing_of
from workbench.augmentations.pipeline import parse as parse_pipeline
from workbench.augmentations.protect import Protection
from workbench.core.errors import BadData, MissingResource
from workbench.data.references import absolute_path, file_stamps
from workbench.previews.text_preview import MOST_DRAWS
from workbench.verbs.questions.question import Question, whole


def augment(
    question: Question,
    *,
    texts: Sequence[str],
    pipeline: str,
    seed: int = 0,
    draws: int = 1,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
    corpus: str = "demo",
    fetch: bool = False,
) -> None:
    """DataFrame sentence, draw, before, text, changed, acted, label, again, see previews.text_preview.

    With `fetch` models that are not on this machine are downloaded; else they are refused.
    """
    line = parse_pipeline(pipeline)
    for title, lack in ({} if fetch else missing_of(pipeline)).items():
        raise MissingResource(f"“{title}” cannot be used here.", rule=lack)
    terms = (protect,) if isinstance(protect, str) else tuple(protect)
    Protection(terms, protect_pattern).check()
    question.texts(texts, least=0)
    question.say(pipeline=str(line), seed=int(seed), draws=whole("draws", draws, 1, MOST_DRAWS))
    question.say(protect=list(terms), protect_pattern=protect_pattern, corpus=absolute_path(corpus))
    question.depends += [file_stamps(question.arguments["corpus"]), files_read(pipeline)]
    if line.modelled:
        question.lane = "slow"


def states(
    question: Question,
    *,
    texts: Sequence[str],
    pipeline: str,
    sentences: int,
    target: Any = "minilm-l3",
    seed: int = 0,
    max_length: int = 0,
    sentence: int = 0,
    draw: int = 0,
    dims: int = 48,
) -> None:
    """dict of DataFrames `cosines`, `tokens` and `values` and plain `about`, see previews.states_preview.

    `texts` are the `sentences` originals, then those of each draw; `sentence` and `draw` say whose matrix is wanted.
    """
    question.texts(texts)
    draws, over = divmod(len(texts), whole("sentences", sentences, 1, len(texts)))
    if over or draws < 2:
        raise BadData("The texts are as many originals as each draw has texts.", got=f"{len(texts)}, {sentences}")
    question.target(target, encoder="it has no states of tokens")
    question.say(pipeline=str(parse_pipeline(pipeline)), sentences=sentences, seed=int(seed))
    question.say(max_length=whole("max_length", max_length, 0, 512), dims=whole("dims", dims, 1, 512))
    question.say(sentence=whole("sentence", sentence, 0, sentences - 1), draw=whole("draw", draw, 0, draws - 2))
