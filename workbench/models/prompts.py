"""The prompt that a model of sentence-transformers puts before every text unless told otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.core.errors import BadModel

FILE = "config_sentence_transformers.json"


@dataclass(frozen=True)
class Prompt:
    """What is put before every text: `name` is its name in the model's files."""

    name: str
    text: str
    pooled: bool = True
    """Whether the states of its tokens are pooled, which sentence-transformers calls `include_prompt`; if not, the vector of a
    text is pooled from what follows the prompt, for `cls` the first token after it."""

    @property
    def words(self) -> str:
        """What it does, as the end of a sentence.

        >>> Prompt("query", "query: ").words
        "'query: ' before every text"
        """
        return f"{self.text!r} before every text{'' if self.pooled else ', which is not pooled'}"


def said_of_prompt(label: str, prompt: Prompt | None) -> list[str]:
    """What belongs beside every score of an encoder in words; nothing without a prompt.

    >>> said_of_prompt("e5", Prompt("query", "query: "))
    ["e5 puts its prompt 'query: ' before every text."]
    """
    return [f"{label} puts its prompt {prompt.words}."] if prompt else []


def default_prompt(config: Mapping[str, object], path: Path, *, pooled: bool) -> Prompt | None:
    """The default prompt in `config`, which was read from `path`; None if there is none or it is empty.

    >>> default_prompt({"prompts": {"query": "query: "}, "default_prompt_name": "query"}, Path(FILE), pooled=True)
    Prompt(name='query', text='query: ', pooled=True)
    >>> default_prompt({"prompts": {"query": "query: "}, "default_prompt_name": None}, Path(FILE), pooled=True)

    Raises:
        BadModel: the default prompt is not among the prompts, or is not a text.
    """
    prompts, name = config.get("prompts"), config.get("default_prompt_name")
    if name is None:
        return None
    text = prompts.get(name, 0) if isinstance(prompts, dict) and isinstance(name, str) else 0
    if text is not None and not isinstance(text, str):
        raise BadModel(
            f"{path} has no prompt {str(name)[:40]!r}, its default_prompt_name.",
            rule="It names one of its prompts, which are texts.",
            way_out="Set default_prompt_name to null to use the model without a prompt, or save it again.",
        )
    return Prompt(str(name), text, pooled) if text else None
