"""Several threads, and runs that do not block Python."""
import asyncio
import threading
import time

import numpy as np
import pytest

import cppgen
import models


def large(loaded, **options):
    """A run of it takes a while."""
    size = 1500
    model = models.model([models.node("MatMul", ["x", "x"], ["a"]), models.node("MatMul", ["a", "x"], ["y"])],
                         [models.tensor("x", ["N", "N"])], [models.tensor("y", ["N", "N"])])
    return loaded(model, **options), np.eye(size, dtype=np.float32)


def test_results_of_concurrent_calls(loaded):
    session = loaded(models.difference(), threads=1)
    wrong = []

    def work(seed):
        a = np.full((7, seed + 1), seed, np.float32)
        for i in range(200):
            d, s = session(a, a * i)
            if not ((d == seed - seed * i).all() and (s == seed + seed * i).all()):
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_run_during_a_run(loaded):
    session, x = large(loaded, threads=1)
    session(x)
    ended, during = threading.Event(), []

    def work():
        for _ in range(5):
            session(x)
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not ended.is_set():
        during.append(time.monotonic())
        time.sleep(0.001)
    thread.join()
    assert len(during) > 5


def test_async_runs(loaded):
    session = loaded(models.difference())
    a = np.float32([[1, 2]])

    async def both():
        return await asyncio.gather(session.run_async({"a": a, "b": a}), session.run_async([a, -a], outputs=["s"]))

    first, second = asyncio.run(both())
    assert first["s"].tolist() == [[2, 4]] and second["s"].tolist() == [[0, 0]] and list(second) == ["s"]


def test_cancelled_runs(loaded):
    session, x = large(loaded, threads=1)
    cancel = cppgen.Cancel()
    cancel.request()
    with pytest.raises(cppgen.Cancelled):
        session.run([x], cancel=cancel)
    cancel.reset()
    np.testing.assert_array_equal(session.run([x], cancel=cancel)["y"], x)
    with pytest.raises(TypeError, match="cancel must be a cppgen.Cancel"):
        session.run([x], cancel=5)

    async def give_up():
        task = asyncio.ensure_future(session.run_async([x]))
        await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
