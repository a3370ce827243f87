"""Models made elsewhere, by their folders."""

import json

from tests.tiny import tiny_model
from workbench.models.elsewhere import looks_raw


def state(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_only_a_masked_language_model_that_names_no_other_looks_raw(tmp_path):
    folder = tiny_model(tmp_path / "mine")
    assert not looks_raw(str(folder))
    state(folder, architectures=["BertForMaskedLM"])
    assert looks_raw(str(folder))
    state(folder, _name_or_path="bert-base-uncased")
    assert not looks_raw(str(folder))
    assert not looks_raw("minilm-l3") and not looks_raw("tfidf") and not looks_raw(str(folder.parent))
