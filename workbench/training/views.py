"""How a batch becomes views: all terms' requests gathered, equal ones encoded once, alike ones encoded together."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.augmentations.draw import Drawer, Lines
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.config import Augmenting, Term, View
from workbench.core.errors import BadData
from workbench.core.seeds import derive

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

Columns = Mapping[str, Sequence[str]]
ViewKey = tuple[str, int, str, str | float]


def key(view: View) -> ViewKey:
    """What makes two requests one encoding."""
    return (view.role, view.draw, view.augmentation, view.dropout)


def requests(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms, in order of first mention."""
    return list({key(view): view for term in terms for view in term.views.values()}.values())


def check_roles(terms: Sequence[Term], columns: Columns) -> None:
    """That the corpus has every text column the terms ask for.

    Raises:
        BadData: names the missing column and those present.
    """
    for view in requests(terms):
        if view.role not in columns:
            raise BadData(
                f"The recipe needs texts called {view.role!r}.",
                got=f"a corpus with {', '.join(columns)}",
                way_out="Choose a corpus with that column, or another recipe.",
            )


class Views:
    """Encodes the views of one batch. One instance a run: what does not change between batches is made once."""

    def __init__(
        self,
        encoder: "Encoder",
        terms: Sequence[Term],
        columns: Columns,
        *,
        max_length: int,
        seed: int,
        augmenting: Augmenting | None = None,
        lines: Lines | None = None,
    ) -> None:
        """`lines` makes and keeps what a model makes of all texts, see `Drawer`.

        Raises:
            BadData: the corpus lacks a text column that a term needs.
            MissingResource: an augmentation needs a lexicon, parser or model that is not here.
        """
        check_roles(terms, columns)
        self.encoder, self.columns, self.max_length, self.seed = encoder, columns, max_length, seed
        self.views = requests(terms)
        self.pipelines = {view.augmentation: parse(view.augmentation) for view in self.views}
        self.augmenting = augmenting or Augmenting()
        protection = Protection(self.augmenting.protect, self.augmenting.protect_pattern)
        # Corpus statistics are counted over every text that a view may show.
        resources = Resources(
            lambda: [text for texts in columns.values() for text in texts], device=str(encoder.device)
        )
        self.drawers = {
            line: Drawer(pipeline, seed=seed, protection=protection, resources=resources, lines=lines)
            for line, pipeline in self.pipelines.items()
            if pipeline.on_texts
        }
        self.labels: dict[ViewKey, list[str]] = {}
        """Which augmentations changed each text of the latest batch, for views whose texts are augmented."""
        self.tables: dict[str, TokenTable] = {
            role: encoder.tokenise(list(columns[role]), max_length)
            for role in {v.role for v in self.views if v.augmentation not in self.drawers}
        }

    def pieces(self, rows: np.ndarray, epoch: int) -> dict[str | float, list[tuple[View, "TokenTable", np.ndarray]]]:
        """The token rows of each view, grouped by dropout policy."""
        groups: dict[str | float, list[tuple[View, TokenTable, np.ndarray]]] = {}
        self.labels = {}
        for view in self.views:
            if view.augmentation in self.drawers:
                number = derive("view", epoch if self.augmenting.resample else 0, view.draw) % 2**31
                texts = self.columns[view.role]
                drawn = self.drawers[view.augmentation].many([texts[row] for row in rows.tolist()], number)
                self.labels[key(view)] = [made.label for made in drawn]
                table = self.encoder.tokenise([made.text for made in drawn], self.max_length)
                item = (view, table, np.arange(len(rows)))
            else:
                item = (view, self.tables[view.role], rows)
            groups.setdefault(view.dropout, []).append(item)
        return groups

    def encode(
        self,
        rows: np.ndarray,
        *,
        epoch: int,
        pooling: str,
        rate: float,
        parts: int,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[ViewKey, "Tensor"] | None:
        """One (batch, dim) fp32 tensor per view, rows in batch order, or None if cancelled on the way.

        Views of one dropout policy share `parts` length-sorted sub-forwards: less padding, same gradient. Each weight
        is rounded once for all of them.
        """
        import torch

        encoder = self.encoder
        found: dict[ViewKey, Tensor] = {}
        groups = self.pieces(rows, epoch)
        used = [_ids(table, picked) for items in groups.values() for _, table, picked in items]
        on_cpu = encoder.device.type == "cpu"
        # On a CPU, rounding the weights once and staying in bf16 is a fifth faster than autocast, which goes to and fro.
        autocast = torch.autocast(encoder.device.type, dtype=torch.bfloat16, enabled=precision == "bf16" and not on_cpu)
        own = precision if on_cpu else "fp32"
        words = np.concatenate(used)
        with autocast, encoder.computing(own, pooling=pooling, vocabulary=words) as states:
            for policy, items in groups.items():
                lengths = np.concatenate([table.lengths[picked] for _, table, picked in items])
                order = np.argsort(lengths, kind="stable")
                owner = np.repeat(np.arange(len(items)), [len(picked) for _, _, picked in items])
                token_rows = np.concatenate([picked for _, _, picked in items])
                vectors = []
                encoder.backbone.train()
                with encoder.dropout("off" if policy == "off" else rate if policy == "on" else float(policy)):
                    for part in np.array_split(order, min(parts, len(order))):
                        if cancelled():
                            return None
                        ids, mask = _batch([items[k][1] for k in owner[part]], token_rows[part], encoder)
                        vectors.append(encoder.pool(states(ids, mask), ids, mask, pooling))
                inverse = torch.from_numpy(np.argsort(order, kind="stable")).to(vectors[0].device)
                joined = torch.cat(vectors)[inverse].float()
                for (view, _, _), tensor in zip(
                    items, joined.split([len(picked) for _, _, picked in items]), strict=True
                ):
                    found[key(view)] = tensor
        return found


def _ids(table: "TokenTable", rows: np.ndarray) -> np.ndarray:
    return np.concatenate([table.ids[table.offsets[row] : table.offsets[row + 1]] for row in rows.tolist()])


def _batch(tables: Sequence["TokenTable"], rows: np.ndarray, encoder: "Encoder") -> tuple["Tensor", "Tensor"]:
    """Ids and mask of rows that may come from several tables, padded to the longest among them."""
    import torch

    pieces = [
        table.ids[table.offsets[row] : table.offsets[row + 1]] for table, row in zip(tables, rows.tolist(), strict=True)
    ]
    lengths = np.array([len(piece) for piece in pieces])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, encoder.tokens.pad, dtype=np.int64)
    ids[mask] = np.concatenate(pieces)
    device = encoder.device
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask.astype(np.int64)).to(device)
