"""Tokenising texts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, Texts, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class Tokens:
    """Tokenise some texts: their sub-words, and which of them the encoder keeps."""

    texts: Annotated[tuple[str, ...], Texts()]
    target: Annotated[Target, Encoded(encoder="it has no sub-words")] = unparsed(presets.TARGET)
    max_length: Annotated[int, Knob(0, 512, 1, "Tokens kept of a text; 0 for the encoder's own.")] = 0


def run(request: Tokens, models: "ModelCache", on_progress: Progress) -> "DataFrame":
    """Columns text (its row), position, token, kind, kept, id (-1 for special tokens); one row per token."""
    import pandas

    on_progress(0.0, f"Loading {request.target.label}")
    encoder, rows = models.model(request.target), []
    with models.lock:  # a tokenizer cannot be used by two at once
        for row, text in enumerate(request.texts):
            ids = iter(encoder.tokens.table([text], specials=False).ids.tolist())
            for position, token in enumerate(encoder.token_view(text, request.max_length or None)):
                number = -1 if token.kind == "special" else next(ids, -1)
                rows.append((row, position, token.text, token.kind, token.kind != "cut", number))
    return pandas.DataFrame(rows, columns=["text", "position", "token", "kind", "kept", "id"])


VERB = Verb(Tokens, run, doing="Tokenising")
