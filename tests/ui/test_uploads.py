"""An upload is kept as a file that is read as the same corpus."""

import numpy as np
import pytest

from workbench.data.corpora import load_corpus, read_corpus
from workbench.data.files import examine
from workbench.ui.uploads import _written

FILES = {
    "single.txt": "One text.\nAnother, text\n",
    "triplets.csv": 'sent0,sent1,hard_neg\n"a, b",c d,e f\ng h,i j,k l\n',
    "scored.tsv": "score\tsentence1\tsentence2\n4.25\ta b\tc d\n\te f\tg h\n1\ti j\tk l\n",
    "labelled.tsv": "premise\thypothesis\tlabel\na b\tc d\te\ne f\tg h\t-\ni j\tk l\tn\n",
    "both.tsv": "sentence_A\tsentence_B\tscore\tentailment_judgment\na b\tc d\t4.5\tNEUTRAL\ne f\tg h\t1\tENTAILMENT\n",
    "documents.csv": 'id,document\n1,"It rained. We left."\n2,Who came? Ann did!\n',
}


@pytest.mark.parametrize("name", FILES)
def test_there_and_back(name, tmp_path):
    before = read_corpus(examine(FILES[name].encode(), name=name))
    text, ending = _written(before)
    (tmp_path / f"upload{ending}").write_text(text)
    after = load_corpus(tmp_path / f"upload{ending}")
    assert (after.kind, after.columns, after.classes) == (before.kind, before.columns, before.classes)
    assert after.numbers.keys() == before.numbers.keys()
    for role, values in before.numbers.items():
        np.testing.assert_array_equal(after.numbers[role], values)
    assert after.texts == before.texts
