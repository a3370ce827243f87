"""Progress of answers under a transform, which is fitted on texts before others are encoded."""

import pytest

from tests.verbs.trial import answered
from workbench.compute.model_cache import ModelCache
from workbench.verbs import VERBS

TEXTS = [f"the dog met {number} cats" for number in range(20)]
LINES = {"pipelines": ["eda_swap", "eda_delete(rate=0.4)"]}
GIVEN = {
    "angles": {"texts": TEXTS},
    "augmentation_space": {"n": 40, **LINES},
    "clusters": {"texts": TEXTS},
    "cost": {"pipelines": ["eda_swap", "token_shuffle", "fgsm"]},
    "drawn_pairs": {"count": 4, **LINES},
    "encode": {"texts": TEXTS},
    "geometry": {"texts": TEXTS},
    "neighbours": {"texts": TEXTS},
    "project": {"texts": TEXTS},
    "scan": {"n": 6, "pipelines": ["eda_swap", "token_shuffle", "fgsm"]},
    "score": {},
    "search": {"texts": TEXTS, "query": "a cat"},
    "spread": {"texts": TEXTS},
    "states": {"texts": TEXTS[:2], "sentences": 1, "pipeline": "token_shuffle"},
}


@pytest.mark.parametrize("verb", GIVEN)
def test_it_rises(folder, tiny, tmp_path, verb):
    given = {**GIVEN[verb], "target": f"{tiny / 'bert'}+centre"}
    if "corpus" in VERBS[verb].fields:
        corpus = tmp_path / "corpus.txt"
        corpus.write_text("".join(f"the dog and the cat met here {number}\n" for number in range(60)))
        given["corpus"] = str(corpus)
    answered(ModelCache(folder), verb, **given)
