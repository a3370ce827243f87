"""How long an answer will still take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.kit.pace import LEAST_SECONDS, WATCH_SECONDS, WINDOW_SECONDS, Pace


@given(st.floats(30, 1_000), st.floats(0.25, 10))
def test_an_even_pace_is_found_as_soon_as_it_was_watched(whole, pause):
    pace, now = Pace(), 0.0
    while now < whole:
        left = pace.seconds_left(now, now / whole)
        soon = whole - now < LEAST_SECONDS * 0.99
        if now < WATCH_SECONDS or soon:
            assert left is None
        elif whole - now > LEAST_SECONDS * 1.01:
            assert left == pytest.approx(whole - now, rel=0.01)
        now += pause


def test_steps_that_are_rarer_than_looks():
    pace = Pace()
    looks = [pace.seconds_left(second / 4, (second // 40) / 100) for second in range(200)]
    assert looks[39] is None and looks[40] == pytest.approx(990) and looks[44] == pytest.approx(989)
    assert looks[199] == pytest.approx(960 - 9.75)


def test_what_came_long_ago_counts_no_longer():
    pace = Pace()
    for second in range(100):  # slow at first
        pace.seconds_left(second, second / 10_000)
    for second in range(100, 100 + int(WINDOW_SECONDS) + 2):
        left = pace.seconds_left(second, 0.01 + (second - 100) / 1_000)
    assert left == pytest.approx((1 - 0.01 - 61 / 1_000) * 1_000, rel=0.02)


def test_a_progress_that_goes_back_is_watched_anew():
    pace = Pace()
    assert pace.seconds_left(0, 0.0) is None and pace.seconds_left(10, 0.1) == 90
    assert pace.seconds_left(11, 0.05) is None and pace.seconds_left(18, 0.06) is None
    assert pace.seconds_left(21, 0.15) == pytest.approx(85)


def test_what_happened_while_nobody_looked_is_not_counted():
    pace = Pace()
    assert pace.seconds_left(0, 0.0) is None and pace.seconds_left(10, 0.1) == 90
    assert pace.seconds_left(100, 0.11) is None and pace.seconds_left(110, 0.21) == pytest.approx(79)


def test_while_others_come_first_nothing_is_said_of_hours():
    pace = Pace()
    waited = [pace.seconds_left(second, min(second, 1) / 1_000) for second in range(30)]
    assert waited == [None] * 30
    after = [pace.seconds_left(30 + second, 0.001 + second / 300) for second in range(1, 15)]
    assert after[:8] == [None] * 8 and after[8:] == pytest.approx([299.7 - second for second in range(9, 15)])
