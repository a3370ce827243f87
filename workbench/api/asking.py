"""Questions to the compute process: what pages use."""

from pathlib import Path
from typing import Any

from workbench.api.places import Folder
from workbench.compute.tickets import Ticket
from workbench.core.config import Corpus
from workbench.preflight.refusals import check_path
from workbench.store.names import runs_folder
from workbench.verbs import questions


def submit(verb: str, *, session: str = "", slot: str = "", runs: Folder = None, **arguments: Any) -> Ticket:
    """Ask the compute process and return at once: what pages use. `Ticket.poll()` says how far the answer is.

    A newer question of the same session and slot takes the older one's place. Verbs, arguments and results:

    * `encode`: texts, target, precision -> array (n, d)
    * `augment`: texts, pipeline, seed, draws, protect, protect_pattern, corpus, fetch (models that are not here are
      downloaded) -> DataFrame as `augment` gives it
    * `states`: texts (some originals, then those of each draw), pipeline, sentences (how many originals), target, seed,
      max_length, sentence, draw, dims -> dict of `cosines`, `tokens`, `values` (DataFrames) and `about`: what the pipeline
      does to token states, the matrices of one sentence and draw
    * `dropout_views`: texts, target, views, dropout, seed -> array (n, views, d)
    * `project`: texts, target, method, views, dropout, neighbours, seed -> DataFrame row, view, x, y, text (with views
      also mean_x, mean_y, silhouette); `.attrs` as in `workbench.analysis`
    * `evaluate`: target, pairs -> dict of `scores` (one row of `compare`, as a dict) and `cosines` (DataFrame task,
      split, subset, row, gold, cosine, sentence1, sentence2)
    * `sts`: target, data -> DataFrame as `evaluate` gives it
    * `geometry`: texts, target -> dict of `metrics` (dict) and `spectrum` (DataFrame)
    * `neighbours`: texts, target, count -> DataFrame row, rank, neighbour, cosine
    * `tokens`: texts, target, max_length -> DataFrame text (its row), position, token, kind, kept, id
    * `fill_mask`: texts, words, target, top -> DataFrame as `fill_mask` gives it
    * `corpus_report`: corpus, backbone, max_length, batch_size, apart, dedup_batch, pairs (list) -> dict
    * `sample`: corpus, n, seed -> DataFrame row, text: some texts of a corpus, drawn evenly
    * `articles`: corpus, backbone -> dict: what the files of a pretraining hold
    * `scan`: corpus, pipelines, target, n, seed, protect, protect_pattern -> dict of `table`, `extremes` (DataFrames)
      and `about`, see `scan`
    * `cost`: as `scan` -> dict of `table` (seconds and bytes for each pipeline) and `about`, judged from 50 texts
    * `drawn_pairs`: corpus, pipelines, target, count, seed, protect, protect_pattern -> DataFrame pair, pipeline, title,
      before, text, cosine, tried: changed texts, shuffled over the pipelines
    * `inspect`: target, config (TOML; empty for that of the run), step -> dict of `similarity` (array), `rows`,
      `candidates` (DataFrames) and `about`: the batch of a step
    * `gradients`: target, config, step, pipelines, rows -> dict of `cosines`, `norms` (DataFrames) and `about`
    * `dry_run`: config (TOML) -> dict: time, memory and cautions of a run, by two steps that change nothing
    * `precision`: target -> dict precision, device
    * `wordnet`: asked (another number is another request) -> dict `missing`: fetches WordNet, and says what still lacks

    Raises:
        WorkbenchError: a verb, argument or name that does not exist, said before anything waits.
    """
    for name in ("corpus", "pairs", "data"):
        said = arguments.get(name) or ()
        for ref in [said] if isinstance(said, str | Path) else said:
            for part in Corpus(str(ref)).files:
                check_path(part)
    return questions.submit(runs_folder(runs), verb, arguments, session=session, slot=slot)
