"""Adequacy: whether a rewritten text follows from the original, by a natural language inference model."""

from collections.abc import Sequence

from workbench.augmentations.models._weights import opened
from workbench.core.errors import BadModel
from workbench.models.tokens import encodable

_BATCH = 16


class Judge:
    """A loaded natural language inference model with the classes contradiction, neutral and entailment."""

    def __init__(self, model: str, *, setting: str = "judge", device: str = "cpu") -> None:
        """Classes are identified by their names in the configuration, or else by the order above.

        Raises:
            MissingResource: see `opened`.
            BadModel: see `opened`, or fewer than three classes.
        """
        self._tokenizer, self._model = opened(
            model, "AutoModelForSequenceClassification", setting=setting, device=device
        )
        config = self._model.config
        if (config.num_labels or 0) < 3:
            raise BadModel(
                f"{model} has {config.num_labels} classes.",
                rule="An inference model needs contradiction, neutral and entailment.",
            )
        places = {str(name).lower(): place for place, name in (config.id2label or {}).items()}
        self._against, self._for = places.get("contradiction", 0), places.get("entailment", 2)

    def adequacy(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (original, rewritten) the probability of entailment against contradiction, neutral left out."""
        import torch

        adequacies = [0.0] * len(pairs)
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][0]) + len(pairs[row][1]))
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            batch = self._tokenizer(
                [encodable(pairs[row][0]) for row in rows],
                [pairs[row][1] for row in rows],
                padding=True,
                truncation="longest_first",
                max_length=self._limit,
                return_tensors="pt",
            )
            with torch.inference_mode():
                logits = self._model(**batch.to(next(self._model.parameters()).device)).logits.double()
            both = logits[:, [self._against, self._for]].softmax(dim=1)[:, 1].tolist()
            for row, probability in zip(rows, both, strict=True):
                adequacies[row] = probability
        return adequacies

    @property
    def _limit(self) -> int:
        positions = int(getattr(self._model.config, "max_position_embeddings", 512))
        return min(int(self._tokenizer.model_max_length), positions - 2, 512)
