import gc

import pytest

from workbench.core.collecting import RARELY, rarely_collected


def test_the_usual_thresholds_come_back_even_after_an_error():
    usual = gc.get_threshold()
    with pytest.raises(ImportError), rarely_collected():
        assert gc.get_threshold() == RARELY != usual
        raise ImportError
    assert gc.get_threshold() == usual
