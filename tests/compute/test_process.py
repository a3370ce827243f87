"""What the warm process makes of the requests it finds, looked at inside one process."""

import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.small_files import log_without_room
from tests.store.test_runs import CONFIG
from tests.trial import until
from workbench.compute import process as module
from workbench.compute.model_cache import ModelCache
from workbench.compute.process import Cancelled, Compute
from workbench.compute.tickets import ask
from workbench.core import presets
from workbench.core.errors import ComputeFailed
from workbench.core.progress import no_progress
from workbench.models import turns
from workbench.processes import liveness
from workbench.processes.service import Service
from workbench.store import events
from workbench.store.create import create
from workbench.targets.target import parse
from workbench.verbs import VERBS


@pytest.mark.parametrize("asked", [False, True])
def test_a_process_started_before_any_request_warms_up_at_once(folder, monkeypatch, asked):
    """One that a script's request started does not: the script is waiting."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setattr(module, "ASKING_SECONDS", -1.0)
    process = Compute(folder, ModelCache(folder))
    monkeypatch.setattr(process, "work", lambda lane: None)
    monkeypatch.setattr(process, "dispatch", lambda connection: None)
    if asked:
        ask(folder, "wordnet", {}, key="one", lane="fast")
    process.serve(SimpleNamespace(beat=int, keep_card=int, served=int, may_end=lambda idle: True), idle_seconds=0)
    task = process.slow.take()["verb"]
    process.slow.done(task)
    assert task == ("imports" if asked else "warm") and not process.slow.busy


def test_what_a_page_asks_while_it_is_built_comes_before_the_picture_that_nobody_sees(folder, monkeypatch):
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setattr(module, "ASKING_SECONDS", 1.0)
    process, begun, done = Compute(folder, ModelCache(folder)), [], threading.Event()
    monkeypatch.setattr(module, "DRAWING_SECONDS", 0.5)
    monkeypatch.setattr(module, "first_imports", lambda: None)
    monkeypatch.setattr(process, "warm_up", lambda: (begun.append("warm"), done.set()))
    monkeypatch.setattr(process, "computed", lambda row: begun.append(row["verb"]) or {"precision": "fp32"})
    asking = threading.Timer(0.05, lambda: ask(folder, "tokens", {}, key="one", lane="fast", session="reader"))
    asking.start()
    may_end = SimpleNamespace(beat=int, keep_card=int, served=int, may_end=lambda idle: done.is_set())
    process.serve(may_end, idle_seconds=0)
    assert begun == ["tokens", "warm"]


@pytest.mark.slow
def test_warming_up_leaves_the_default_encoder_and_the_vectors_of_its_first_scores(folder, capsys, monkeypatch):
    process = Compute(folder, ModelCache(folder), 2)
    process.warm_up()
    assert "Warm after" in capsys.readouterr().out
    [name] = process.models.models
    assert name.startswith(presets.TARGET)
    monkeypatch.setattr(type(process.models.models[name]), "encode", lambda *_, **__: pytest.fail("encoded again"))
    score = VERBS["score"]
    score.run(score.ask(folder, {}), process.models, no_progress)


def test_warming_up_stops_as_soon_as_somebody_asks(folder, capsys, monkeypatch):
    process, begun = Compute(folder, ModelCache(folder), 2), []

    def score(request, models, on_progress):
        begun.append("score")
        on_progress(0.1, "Encoding")
        process.working.add("a reader's question")
        with pytest.raises(Cancelled):
            on_progress(0.2, "Encoding")
        raise Cancelled

    monkeypatch.setitem(VERBS, "score", replace(VERBS["score"], run=score))
    process.warm_up()
    assert begun == ["score"] and capsys.readouterr() == ("", "")


def test_pictures_are_prepared_only_for_pages(folder, monkeypatch):
    """It takes seconds, which a script's training would lack."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    process = Compute(folder, ModelCache(folder))
    with process.table.read() as connection:
        ask(folder, "tokens", {}, key="one", lane="fast")
        process.dispatch(connection)
        assert process.working and not process.paged
        ask(folder, "tokens", {}, key="two", lane="fast", session="reader")
        process.dispatch(connection)
        assert len(process.working) == 2 and process.paged


def test_a_lane_outlives_a_preparation_that_fails(folder, monkeypatch, capsys):
    """As two lanes do that import the same packages, where Python sees a deadlock."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    process, answered = Compute(folder, ModelCache(folder)), threading.Event()

    def broken():
        raise RuntimeError("deadlock detected")

    monkeypatch.setattr(module, "first_imports", broken)
    monkeypatch.setattr(process, "answer", lambda row: answered.set())
    threading.Thread(target=process.work, args=("slow",), daemon=True).start()
    for verb in ("imports", "tokens"):
        process.lanes["slow"].put({"verb": verb, "key": verb, "arguments": "", "target": ""})
    assert answered.wait(10)
    assert "deadlock detected" in capsys.readouterr().err


def test_a_lane_outlives_a_disk_that_has_no_room_for_its_log_either(folder, monkeypatch):
    """Otherwise whoever asks then, and afterwards, waits for ever."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    process, answered = Compute(folder, ModelCache(folder)), threading.Event()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "first_imports", full)
    monkeypatch.setattr(process, "answer", lambda row: answered.set() if row["verb"] == "tokens" else full())
    monkeypatch.setattr(process, "settle", full)
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    with log_without_room():
        threading.Thread(target=process.work, args=("fast",), daemon=True).start()
        for verb in ("imports", "encode", "tokens"):
            process.lanes["fast"].put({"verb": verb, "key": verb, "arguments": "", "target": ""})
        assert answered.wait(10)


def test_an_answer_for_many_sessions_is_computed_once_while_one_still_waits(folder, monkeypatch):
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    models = ModelCache(folder)
    process, computed = Compute(folder, models), []
    monkeypatch.setattr(process, "computed", lambda row: computed.append(row["verb"]) or {"precision": "fp32"})
    tickets = [ask(folder, "tokens", {}, key="same", lane="fast", session=str(number)) for number in range(4)]
    with process.table.read() as connection:
        process.dispatch(connection)
        process.dispatch(connection)
        first = process.lanes["fast"].take()
        process.lanes["fast"].done(first["key"])
        assert not process.lanes["fast"].busy
        tickets[0].cancel()
        process.dispatch(connection)
        assert not process.cancelled, "three sessions still wait"
        process.answer(first)
    assert computed == ["tokens"]
    assert [ticket.poll().state for ticket in tickets[1:]] == ["done"] * 3
    with process.table.read() as connection:
        states = [row["state"] for row in connection.execute("SELECT state FROM requests ORDER BY id")]
    assert states == ["cancelled", "done", "done", "done"]


def test_an_answer_outlives_the_pruning_it_occasions_and_one_that_is_gone_is_asked_for_again(folder, monkeypatch):
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setenv("WORKBENCH_CACHE_BYTES", "0")
    monkeypatch.setattr(module, "PRUNE_EVERY", 1)
    process = Compute(folder, ModelCache(folder))
    monkeypatch.setattr(process, "computed", lambda row: {"precision": "fp32"})
    ticket = ask(folder, "tokens", {}, key="one", lane="fast")
    process.answer({"verb": "tokens", "key": "one", "arguments": "", "target": ""})
    assert ticket.poll().result == {"precision": "fp32"}
    module.prune(folder)
    assert ticket.poll().state == "failed"
    with pytest.raises(ComputeFailed, match=r"The stored answer is gone\. Ask again"):
        ticket.wait(2)
    again = ask(folder, "tokens", {}, key="one", lane="fast")
    assert again.number != ticket.number and again.poll().state == "queued"


def test_it_does_not_end_before_a_long_answer_is_there(folder, monkeypatch):
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setattr(module, "first_imports", lambda: None)
    process, go_on = Compute(folder, ModelCache(folder)), threading.Event()
    monkeypatch.setattr(process, "computed", lambda row: go_on.wait(10) and {"precision": "fp32"})
    ticket = ask(folder, "tokens", {}, key="long", lane="fast")
    threading.Timer(0.5, go_on.set).start()
    process.serve(SimpleNamespace(beat=int, keep_card=int, served=int, may_end=lambda idle: True), idle_seconds=0)
    assert go_on.is_set() and ticket.poll().result == {"precision": "fp32"}


def test_a_request_that_all_sessions_cancelled_is_given_up(folder, monkeypatch):
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    process = Compute(folder, ModelCache(folder))
    tickets = [ask(folder, "tokens", {}, key="same", lane="fast", session=str(number)) for number in range(2)]
    with process.table.read() as connection:
        process.dispatch(connection)
        for ticket in tickets:
            ticket.cancel()
            assert ticket.poll().state == "cancelled"
        process.dispatch(connection)
    assert process.cancelled == {"same"}
    monkeypatch.setattr(process, "computed", lambda row: pytest.fail("was computed"))
    with pytest.raises(Cancelled):
        process.answer(process.lanes["fast"].take())


def test_a_request_that_killed_the_process_twice_fails_for_all_sessions(folder, monkeypatch):
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    process = Compute(folder, ModelCache(folder))
    tickets = [ask(folder, "tokens", {}, key="same", lane="fast", session=str(number)) for number in range(2)]
    with process.table.write() as connection:
        connection.execute("UPDATE requests SET state = 'running', tries = 2 WHERE id = ?", (tickets[0].number,))
    process.recover()
    assert all("died twice" in ticket.poll().error for ticket in tickets)
    assert str(folder.jobs / "compute.log") in tickets[0].poll().error


def test_a_process_without_memory_for_its_threads_has_not_served(folder, monkeypatch):
    """Else each of its successors counts as the first that fails, and they are started without end."""
    process = Compute(folder, ModelCache(folder))
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setattr(process, "work", lambda lane: None)
    served = []
    itself = SimpleNamespace(beat=int, keep_card=int, served=lambda: served.append(True), may_end=lambda idle: True)
    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="new thread"):
        patch.setattr(threading.Thread, "start", lambda thread: _refuse_thread())
        process.serve(itself, idle_seconds=0)
    assert not served
    ask(folder, "wordnet", {}, key="one", lane="fast")
    monkeypatch.setattr(process, "dispatch", lambda connection: None)
    process.serve(itself, idle_seconds=0)
    assert served


def _refuse_thread():
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(("device", "threads"), [("cpu", 4), ("auto", 4), ("cuda:0", 8)])
def test_a_request_leaves_half_of_the_cores_to_a_training(folder, device, threads):
    process = Compute(folder, ModelCache(folder), 8)
    assert process.threads() == 8
    run = create(folder, CONFIG)
    process.queue.add(run.id)
    assert process.threads() == 8
    process.queue.claim(lambda _, wish: wish)
    events.add(run.folder, events.STARTING, who=liveness.identity(), device=device)
    run.heartbeat.parent.mkdir(parents=True, exist_ok=True)
    run.heartbeat.touch()
    assert process.threads() == threads
    events.add(run.folder, events.STOPPED)
    assert process.threads() == 8
    assert Compute(folder, ModelCache(folder), 1).threads() == 1


def test_what_a_page_no_longer_shows_makes_way_and_quick_answers_come_in_between(folder, tiny, monkeypatch):
    """With encoders, as they are served: what takes long holds the models for some batches at a time."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setattr(module, "first_imports", lambda: None)
    monkeypatch.setattr(turns, "OPERATIONS", 0)  # turns of one batch for each thread
    begun, go_on, order = threading.Event(), threading.Event(), []
    process, texts = Compute(folder, ModelCache(folder), 1), [f"text {number} of many" for number in range(4000)]

    def computed(row):
        target = parse(str(tiny / "bert"), folder)
        on_progress = process.progress_of(row["key"])

        def noted(share, note):
            if row["key"] == "left" and not begun.is_set() and share > 0:
                begun.set()
                assert go_on.wait(20)
            on_progress(share, note)

        vectors = process.models.vectors(target, texts if row["key"] != "quick" else ["one text"], noted)
        order.append(row["key"])
        return {"sum": float(vectors.sum())}

    monkeypatch.setattr(process, "computed", computed)
    left = ask(folder, "evaluate", {}, key="left", lane="slow", session="one", slot="a")
    ended = threading.Event()
    idle = SimpleNamespace(beat=int, keep_card=int, served=int, may_end=lambda idle: ended.is_set())
    served = threading.Thread(target=process.serve, args=(idle, 0), daemon=True)
    served.start()
    assert begun.wait(20)
    tickets = [ask(folder, "tokens", {}, key="quick", lane="fast", session="two")]
    tickets.append(ask(folder, "evaluate", {}, key="shown", lane="slow", session="one", slot="b"))
    left.set_aside()
    with process.table.read() as connection:
        process.dispatch(connection)
    go_on.set()
    assert [ticket.wait(60) for ticket in [*tickets, left]]
    assert order == ["quick", "shown", "left"]
    assert left.poll().result == tickets[1].poll().result
    ended.set()
    served.join(20)


def test_the_last_note_before_a_long_silence_is_shown(folder, monkeypatch):
    """It follows another one at once: what is written at most so often must not be what is no longer true."""
    monkeypatch.setattr(Service, "ensure", lambda self: None)
    monkeypatch.setattr(module, "first_imports", lambda: None)
    process, go_on, ended = Compute(folder, ModelCache(folder), 1), threading.Event(), threading.Event()

    def computed(row):
        on_progress = process.progress_of(row["key"])
        for share, note in ((0.0, "Preparing"), (0.0, "Reading"), (0.25, "Reading the corpus")):
            on_progress(share, note)
        assert go_on.wait(20)
        return {}

    monkeypatch.setattr(process, "computed", computed)
    ticket = ask(folder, "tokens", {}, key="silent", lane="fast")
    idle = SimpleNamespace(beat=int, keep_card=int, served=int, may_end=lambda idle: ended.is_set())
    served = threading.Thread(target=process.serve, args=(idle, 0), daemon=True)
    served.start()
    until(lambda: ticket.poll().note == "Reading the corpus")
    assert ticket.poll().progress == 0.25
    go_on.set()
    assert ticket.wait(20) == {}
    until(lambda: not process.notes and not process.note_times)
    ended.set()
    served.join(20)
