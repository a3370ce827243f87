"""The evidence behind docs/RESULTS.md and docs/results: every recipe, transform and baseline computed alike, cell by cell.

`python -m experiments.evidence --data DIR --out FOLDER [--minutes N]` computes the cells that are still missing, the most
informative ones first, one line each in FOLDER/cells.jsonl; started again it continues, on another machine too: what
docs/evidence.jsonl states is not computed twice. `--report` adds the cells of FOLDER to it, with their resamples,
and writes the page of findings, the pages and the figures; without FOLDER from what is kept. The list is finished: no further
cells are computed for the pages.

What a cell is: a recipe (or transform, or baseline), a pooling, a corpus, a budget, a learning rate, a seed and a
backbone: `minilm-l3`, or another that `--backbone` names. `--claims` computes the cells of the field's ordering claims
alone, which claims.py lists. Recipes come from the recipe files with what they need, so a new one joins by itself.
Heads are the backbone's card's, as in the app: none.
"""

from experiments.evidence.running import main

__all__ = ["main"]
