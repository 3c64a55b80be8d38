"""Ctrl-C during runs."""
import pytest

import cppgen
import models

COMMON = """
import os, signal, threading, time
import numpy as np
import cppgen

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts programs in the background with it ignored
x = np.eye(SIZE, dtype=np.float32)
session = cppgen.Session(PATH, threads=1)

def press():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()

# Of the processor, as somebody may stop this process for a while.
def seconds(call):
    begin = time.process_time()
    try:
        call()
    except KeyboardInterrupt:
        return time.process_time() - begin
    raise AssertionError("nothing was raised")

def whole(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin
"""

SIZE = 1000


def products(count=60):
    """y = x to a power: a run takes long."""
    nodes = [models.node("MatMul", [f"v{i}" if i else "x", "x"], [f"v{i + 1}" if i + 1 < count else "y"]) for i in range(count)]
    return models.model(nodes, [models.tensor("x", ["N", "N"])], [models.tensor("y", ["N", "N"])])


def products_in_a_loop():
    """The same with a number n of products, in a list of matrices: a run on the host."""
    body = models.helper.make_graph(
        [models.node("MatMul", ["v", "x"], ["w"]), models.node("Identity", ["c"], ["d"])], "body",
        [models.tensor("i", [], models.INT64), models.tensor("c", [], models.TensorProto.BOOL), models.tensor("v", ["N", "N"])],
        [models.tensor("d", [], models.TensorProto.BOOL), models.tensor("w", ["N", "N"])])
    nodes = [models.node("Loop", ["n", "", "x"], ["y"], body=body), models.node("SequenceConstruct", ["y"], ["list"])]
    return models.model(nodes, [models.tensor("x", ["N", "N"]), models.tensor("n", [], models.INT64)],
                        [models.helper.make_tensor_sequence_value_info("list", models.FLOAT, None)])


@pytest.fixture
def run_with(run_script, tmp_path):
    def run(model, code):
        path = tmp_path / "model.onnx"
        path.write_bytes(model.SerializeToString())
        cppgen.compile(path)  # so that only the run takes a while
        return run_script(f"PATH = {str(path)!r}\nSIZE = {SIZE}\n{COMMON}\n{code}")

    return run


@pytest.mark.parametrize("model, call, result", [
    (products(), "session(x)", "session(x)"), (products(), "session.run([x])", "session.run([x])['y']"),
    (products_in_a_loop(), "session(x, 60)", "session(x, 2)[0]")])
def test_ends_a_run(run_with, model, call, result):
    run_with(model, f"""
limit = 0.1 + whole(lambda: {call}) / 2  # far from both ends, as other programs may run
press()
assert seconds(lambda: {call}) < limit
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert ({result} == x).all()                # the session is as it was
press()
assert seconds(lambda: {call}) < limit, "the second time"
""")


def test_a_handler_that_raises_nothing_ends_no_run(run_with):
    run_with(products(), """
called = []
signal.signal(signal.SIGINT, lambda *_: called.append(time.process_time()))
press()
y = session(x)
assert len(called) == 1 and time.process_time() - called[0] > 0.05 and (y == x).all()
signal.signal(signal.SIGINT, signal.SIG_IGN)
press()
assert (session(x) == x).all() and len(called) == 1
""")


def test_ends_a_long_run_after_brief_ones(run_with):
    run_with(products(), """
small = np.eye(2, dtype=np.float32)
for _ in range(300):
    session(small)
limit = 0.1 + whole(lambda: cppgen.Session(PATH, threads=1)(x)) / 2
press()
assert seconds(lambda: session(x)) < limit
""")


def test_ends_no_run_of_another_thread(run_with):
    run_with(products(), """
results = []
thread = threading.Thread(target=lambda: results.append(session(x)))
thread.start()
press()
seconds(lambda: [time.sleep(0.05) for _ in range(100)])
thread.join()
assert (results[0] == x).all()
""")
