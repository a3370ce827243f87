"""Whose turn it is among requests that take long, and what they make way for."""

import threading
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.compute import lanes
from workbench.compute.lanes import BEGUN, ModelLock, TurnLane
from workbench.core.undivided import undivided

SECONDS = 20


def row(key):
    """A request, with its encoder behind a dot."""
    return {"verb": key, "key": key, "arguments": "", "target": key.partition(".")[2]}


class Served:
    """A lane whose requests take steps, each as the test lets it, and note them."""

    def __init__(self, **settings):
        self.lane, self.steps, self.holding = TurnLane(**settings), [], ()
        self._changed, self._allowed, self._ready = threading.Condition(), 0, 0
        for _ in range(BEGUN):
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while (key := self.lane.take()["key"])[0] != "z":
            for number in range(int(key[1])):
                if key in self.holding:
                    with undivided():
                        self.lane.make_way(key)
                else:
                    self.lane.make_way(key)
                with self._changed:
                    self._ready += 1
                    assert self._changed.wait_for(lambda: self._allowed > 0, SECONDS)
                    self._allowed, self._ready = self._allowed - 1, self._ready - 1
                    self.steps.append(f"{key}.{number}")
                    self._changed.notify_all()
            self.lane.done(key)
        self.lane.done(key)

    def end(self):
        """End its threads, once all requests are done."""
        eventually(lambda: not self.lane.busy)
        put(self, *[f"z{number}" for number in range(BEGUN)])

    def step(self, count=1):
        """The steps that are taken next."""
        for _ in range(count):
            with self._changed:
                before = len(self.steps)
                self._allowed += 1
                self._changed.notify_all()
                assert self._changed.wait_for(lambda known=before: len(self.steps) > known, SECONDS)
            eventually(lambda: self._ready or not self.lane.busy)
        return self.steps[-count:]


@pytest.fixture
def served():
    lane = Served()
    yield lane
    lane.end()


def put(served, *keys):
    for key in keys:
        served.lane.put(row(key))


def begun(served, key):
    eventually(lambda: key in served.lane._begun and served._ready)


def eventually(condition):
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_one_after_the_other_while_all_are_shown(served):
    put(served, "a2", "b2")
    assert served.step(4) == ["a2.0", "a2.1", "b2.0", "b2.1"]


def test_what_no_page_shows_makes_way_and_goes_on_afterwards_where_it_was(served):
    put(served, "a3", "b2")
    begun(served, "a3")
    served.lane.note(aside={"a3"}, withdrawn=set())
    # It is past its first look already; from its second step on the other one goes first.
    assert served.step(5) == ["a3.0", "b2.0", "b2.1", "a3.1", "a3.2"]


def test_a_page_that_is_shown_again_gets_its_turn_back(served):
    put(served, "a4", "b4")
    begun(served, "a4")
    served.lane.note(aside={"a4"}, withdrawn=set())
    assert served.step(2) == ["a4.0", "b4.0"]
    served.lane.note(aside={"b4"}, withdrawn=set())
    assert served.step(6) == ["b4.1", "a4.1", "a4.2", "a4.3", "b4.2", "b4.3"]


def test_a_withdrawn_one_does_not_wait_for_its_turn(served):
    put(served, "a2", "b3")
    begun(served, "a2")
    served.lane.note(aside={"a2"}, withdrawn=set())
    assert served.step(2) == ["a2.0", "b3.0"]
    served.lane.note(aside=set(), withdrawn={"a2"})
    assert set(served.step(3)) == {"a2.1", "b3.1", "b3.2"}, "the request itself then finds that it is cancelled"


def test_what_holds_a_lock_of_others_is_not_set_aside(served):
    served.holding = {"a3"}
    put(served, "a3", "b1")
    begun(served, "a3")
    served.lane.note(aside={"a3"}, withdrawn=set())
    assert served.step(4) == ["a3.0", "a3.1", "a3.2", "b1.0"]


def test_only_some_begin_so_that_memory_suffices(served):
    keys = [f"{letter}2" for letter in "abcdefg"]
    put(served, *keys)
    begun(served, "a2")
    for number in range(1, BEGUN):
        served.lane.note(aside=set(keys[:number]), withdrawn=set())
        assert served.step() == [f"{keys[number - 1]}.0"]
        begun(served, keys[number])
    served.lane.note(aside=set(keys[:BEGUN]), withdrawn=set())
    assert served.step(3) == [f"{keys[BEGUN - 1]}.0", "a2.1", f"{keys[BEGUN]}.0"], "one must end before another begins"
    served.step(2 * len(keys) - len(served.steps))
    assert len(set(served.steps)) == 2 * len(keys)


class Clock:
    """Time that passes while somebody sleeps."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(lanes, "time", clock)
    return clock


def test_what_takes_long_makes_way_for_what_may_be_quick(clock):
    served = Served(patience=3)
    put(served, "a3", "b2", "c1")
    begun(served, "a3")
    assert served.step() == ["a3.0"]
    clock.now += 4
    # Its turn has lasted too long at its next step; b2 and c1 end within theirs.
    assert served.step(5) == ["a3.1", "b2.0", "b2.1", "c1.0", "a3.2"]
    put(served, "d3", "e3")
    begun(served, "d3")
    for expected in ("d3.0", "e3.0", "d3.1", "d3.2", "e3.1", "e3.2"):  # both take long: then one after the other
        clock.now += 4
        assert served.step() == [expected]
    served.end()


def test_others_about_the_same_encoder_make_way_too(clock):
    served = Served(patience=3)
    put(served, "a3.large", "b1.large", "c1.large", "d1.small", "e1")
    begun(served, "a3.large")
    clock.now += 4
    assert served.step(3) == ["a3.large.0", "d1.small.0", "e1.0"]
    assert served.step(4) == ["a3.large.1", "a3.large.2", "b1.large.0", "c1.large.0"]
    served.end()


def test_it_waits_for_quick_ones_and_takes_turns_with_them_if_there_are_always_some(clock):
    quick = TurnLane(patience=3)
    lane = TurnLane(quick=quick)
    lane.put(row("a"))
    assert lane.take()["key"] == "a"
    quick.put(row("q"))
    clock.sleep = lambda _: quick.done(quick.take()["key"])
    lane.make_way("a")
    assert not quick.busy
    del clock.sleep
    quick.put(row("q"))
    waits = []
    for pause in (1, 5, 6, 1):
        clock.now += pause
        before = clock.now
        lane.make_way("a")
        waits.append(round(clock.now - before))
    assert waits == [10, 0, 10, 0]
    lane.make_way("of another lane")
    assert quick.take()["key"] == "q" and quick.pressing
    clock.now += 20
    quick.make_way("q")  # it takes long
    assert quick.busy and not quick.pressing
    before = clock.now
    lane.make_way("a")
    assert round(clock.now - before) == 3


def test_the_models_lock_knows_its_thread():
    lock, seen = ModelLock(), []
    with lock, lock:
        assert lock.held
        other = threading.Thread(target=lambda: seen.append(lock.held))
        other.start()
        other.join()
        with pytest.raises(ZeroDivisionError), lock:
            _ = 1 / 0
        assert lock.held
    assert not lock.held and seen == [False]


def test_the_models_lock_goes_to_whoever_waits_longest():
    lock, order = ModelLock(), []

    def work(name):
        for _ in range(3):
            with lock:
                order.append(name)
                if name == "a":
                    time.sleep(0.02)

    with lock:
        threads = [threading.Thread(target=work, args=(name,), daemon=True) for name in "abc"]
        for number, thread in enumerate(threads, 1):
            thread.start()
            eventually(lambda number=number: len(lock._waiting) == number)
    for thread in threads:
        thread.join(SECONDS)
    assert sorted(order) == sorted("abc" * 3) and order[:3] == ["a", "b", "c"] and order[:4].count("a") <= 2
    assert not lock._taken and not lock._waiting


def test_who_stops_waiting_for_the_models_lock_leaves_it_to_others(monkeypatch):
    lock, taken = ModelLock(), []

    class Stopped:
        """A lock on which nobody can wait."""

        def __init__(self):
            self.times = 0

        def acquire(self):
            self.times += 1
            if self.times > 1:
                raise KeyboardInterrupt

    def stopped():
        with pytest.raises(KeyboardInterrupt), lock:
            taken.append("never")

    with lock:
        with monkeypatch.context() as patched:
            patched.setattr(lanes, "threading", SimpleNamespace(Lock=Stopped))
            thread = threading.Thread(target=stopped)
            thread.start()
            thread.join(SECONDS)
        assert lock.held and not lock._waiting
    with lock:
        taken.append("again")
    assert taken == ["again"]


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=7),
    st.lists(st.sets(st.integers(0, 6)), max_size=12),
)
def test_every_request_takes_all_its_steps_in_order_whatever_is_shown(lengths, shown):
    served = Served()
    keys = [f"{letter}{steps}" for letter, steps in zip("abcdefg", lengths, strict=False)]
    put(served, *keys)
    for aside in shown:
        served.lane.note(aside={key for number, key in enumerate(keys) if number in aside}, withdrawn=set())
        if len(served.steps) < sum(lengths):
            served.step()
    served.step(sum(lengths) - len(served.steps))
    for key in keys:
        assert [step for step in served.steps if step.startswith(key)] == [f"{key}.{n}" for n in range(int(key[1]))]
    served.end()
