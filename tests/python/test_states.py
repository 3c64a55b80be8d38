"""Tensors that a model keeps from run to run."""
import cppgen
import numpy as np
import pytest
from models import INT64, attention, model, node, tensor
from onnx import numpy_helper


def total():
    """y = the sum of all vectors of x so far, kept in a tensor [B, P, 3] that grows; seen = their number."""
    return model([node("Concat", ["past", "x"], ["present"], axis=1), node("ReduceSum", ["present", "axes"], ["y"], keepdims=0),
                  node("Shape", ["present"], ["seen"], start=1, end=2)],
                 [tensor("x", ["B", "n", 3]), tensor("past", ["B", "P", 3])],
                 [tensor("y", ["B", 3]), tensor("present", ["B", "P+n", 3]), tensor("seen", [1], INT64)],
                 [numpy_helper.from_array(np.array([1]), "axes")])


STATES = {"v": ("past_v", 16), "k": ("past_k", 16)}


@pytest.fixture(scope="module", name="session")
def session_fixture():
    return cppgen.Session(attention(), states=STATES)


def random(*dims):
    return np.random.RandomState(sum(dims)).rand(*dims).astype(np.float32)


def test_runs_continue_where_the_last_one_ended(session):
    plain = cppgen.Session(attention())
    state, k, v = session.new_state(), random(2, 0, 4), random(2, 0, 4)
    for rows in (3, 1, 0, 2):
        x = random(2, rows, 4)
        expected = plain.run({"past_k": k, "past_v": v, "x": x})
        k, v = expected["k"], expected["v"]
        np.testing.assert_array_equal(state(x), expected["y"])
        assert state.length == k.shape[1]
    contents = state.read()
    assert list(contents) == ["past_v", "past_k"]
    np.testing.assert_array_equal(contents["past_k"], k)
    np.testing.assert_array_equal(contents["past_v"], v)


def test_what_sessions_and_states_tell(session):
    assert [(it.input, it.output, it.axis, it.capacity) for it in session.states] == [("past_v", "v", 1, 16), ("past_k", "k", 1, 16)]
    state = session.new_state()
    assert [it.name for it in state.inputs] == ["x"] and [it.name for it in state.outputs] == ["y"]
    assert repr(state) == "<cppgen.State of length 0>" and state.session is session
    assert not cppgen.Session(attention()).states


def test_inputs_by_name_and_of_other_kinds(session):
    x = random(1, 2, 4)
    expected = session.new_state()(x)
    np.testing.assert_array_equal(session.new_state()(x=x), expected)
    np.testing.assert_array_equal(session.new_state()(x.tolist()), expected)
    np.testing.assert_array_equal(session.new_state().run({"x": x})["y"], expected)
    np.testing.assert_array_equal(session.new_state().run([x])["y"], expected)


def test_states_are_independent_and_roll_back(session):
    one, other = session.new_state(), session.new_state()
    first, second = random(1, 2, 4), random(1, 3, 4)
    one(first)
    other(second)
    expected = one(second)
    one.length = 2
    np.testing.assert_array_equal(one(second), expected)
    one.length = 0
    np.testing.assert_array_equal(one(second), session.new_state()(second))
    assert one.length == other.length == 3


def test_contents_can_be_replaced(session):
    state, other = session.new_state(), session.new_state()
    x, y = random(1, 2, 4), random(1, 1, 4)
    state(x)
    other.write(state.read())
    np.testing.assert_array_equal(other(y), state(y))
    with pytest.raises(cppgen.UserError, match="'past_k' missing: all states are written at once"):
        other.write({"past_v": x})
    with pytest.raises(cppgen.UserError, match="'x' is no input of a state; these are 'past_v', 'past_k'"):
        other.write({"x": x})
    with pytest.raises(cppgen.UserError, match="different lengths"):
        other.write({"past_v": x, "past_k": y})


def test_errors_leave_the_state_as_it_was(session):
    state = session.new_state()
    x = random(1, 10, 4)
    state(x)
    with pytest.raises(cppgen.UserError, match="would have 20 positions along axis 1; the state was compiled for up to 16"):
        state(x)
    with pytest.raises(cppgen.UserError, match="continues one of shape"):
        state(random(2, 1, 4))
    with pytest.raises(cppgen.UserError, match="the model has no input 'past_k'"):
        state(x, past_k=x)
    with pytest.raises(cppgen.UserError, match="'x' is missing"):
        state()
    with pytest.raises(cppgen.UserError, match="can be set to 0 up to its present length 10, not to 11"):
        state.length = 11
    with pytest.raises(TypeError):
        state.length = "1"
    with pytest.raises(AttributeError):
        del state.length
    assert state.length == 10
    cancel = cppgen.Cancel()
    cancel.request()
    with pytest.raises(cppgen.Cancelled):
        state.run({"x": random(1, 1, 4)}, cancel=cancel)
    assert state.length == 10


def test_packages_with_states_need_a_state_and_others_have_none(session):
    x = random(1, 1, 4)
    with pytest.raises(cppgen.UserError, match="needs a state object"):
        session(x, x, x)
    with pytest.raises(cppgen.UserError, match="compiled without states"):
        cppgen.Session(attention()).new_state()
    package = cppgen.compile(attention(), states=["k=past_k", "v=past_v"])
    assert [it.capacity for it in cppgen.Session(package).states] == [2048, 2048]
    with pytest.raises(cppgen.UserError, match="is compiled already: it takes no dims, sizes or states"):
        cppgen.Session(package.path, states=STATES)
    assert cppgen.check(attention(), states=STATES)
    with pytest.raises(cppgen.UserError, match="the model has no output 'kk'"):
        cppgen.compile(attention(), states={"kk": "past_k"})


def test_states_outlive_the_names_of_their_sessions():
    state = cppgen.Session(attention(), states=STATES).new_state()
    assert state(random(1, 1, 4)).shape == (1, 1, 4)


def test_results_whose_number_is_not_one():
    state = cppgen.Session(total(), states={"present": ("past", 8)}).new_state()
    x = np.ones((1, 3, 3), np.float32)
    state(x)
    y, seen = state(x)
    np.testing.assert_array_equal(y, [[6, 6, 6]])
    np.testing.assert_array_equal(seen, [6])


def test_results_of_windows_are_stored_behind_what_is_there():
    weights = numpy_helper.from_array(np.random.RandomState(0).rand(16, 1, 3, 3).astype(np.float32), "w")
    made = model([node("Conv", ["x", "w"], ["c"], group=16, pads=[1, 1, 1, 1]), node("Concat", ["past", "c"], ["present"], axis=2),
                  node("Relu", ["x"], ["y"])],
                 [tensor("x", [1, 16, "n", 4]), tensor("past", [1, 16, "P", 4])],
                 [tensor("y", [1, 16, "n", 4]), tensor("present", [1, 16, "P+n", 4])], [weights])
    plain, state, past = cppgen.Session(made), cppgen.Session(made, states={"present": ("past", 8)}).new_state(), random(1, 16, 0, 4)
    for rows in (2, 1, 3):
        x = random(1, 16, rows, 4)
        expected = plain.run({"x": x, "past": past})
        past = expected["present"]
        np.testing.assert_array_equal(state(x), expected["y"])
        np.testing.assert_array_equal(state.read()["past"], past)
