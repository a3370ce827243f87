import gc

import pytest

from workbench.core.collecting import RARELY, rarely_collected


def test_the_usual_thresholds_come_back_even_after_an_error():
    usual = gc.get_threshold()
    with pytest.raises(ImportError), rarely_collected():
        assert gc.get_threshold() == RARELY != usual
        raise ImportError
    assert gc.get_threshold() == usual


def test_they_come_back_when_the_last_thread_leaves_whatever_the_order():
    usual = gc.get_threshold()
    first, second = rarely_collected(), rarely_collected()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == RARELY
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_what_is_frozen_is_not_walked_again():
    made = []
    try:
        with rarely_collected(freeze=True):
            made.append([])
        assert not any(one is made for one in gc.get_objects())
        with rarely_collected():
            later = [[]]
        assert any(one is later for one in gc.get_objects())
    finally:
        gc.unfreeze()
