"""Arguments of torch.compile."""
import pytest
import torch

import modules
from cppgen import UserError
from cppgen import _tuning
from cppgen.torch import _runner, backend
from cppgen.torch._settings import options_of, setting_of


@pytest.fixture
def sessions(monkeypatch):
    made = []

    class Recorded(_runner.Session):
        def __init__(self, model, *, settings):
            made.append(settings)
            super().__init__(model, settings=settings)

    monkeypatch.setattr(_runner, "Session", Recorded)
    return made


def test_names():
    assert setting_of("cpp.simdlen") == setting_of("SIMDLEN") == setting_of("simdlen") == setting_of("CPPGEN_SIMDLEN") == "SIMDLEN"
    assert setting_of("max_autotune") == "MAX_AUTOTUNE" and setting_of("cpp.threads") == "THREADS"
    assert setting_of("freezing") == "FREEZING" and setting_of("isa") == "ISA"


def test_unknown_names():
    with pytest.raises(UserError, match="cppgen has no option 'cpp.simdlan'; similar are SIMDLEN.*the settings ADDRESS|AFFINITY"):
        options_of(None, {"cpp.simdlan": 1})
    with pytest.raises(UserError, match="cppgen has no mode 'fast'; it has 'default', 'reduce-overhead', 'max-autotune'"):
        options_of("fast", None)
    with pytest.raises(UserError, match="the option 'strict' is 1; allowed are True and False"):
        options_of(None, {"strict": 1})


def test_modes():
    assert options_of("max-autotune", {"isa": "avx2"}).settings == {"MAX_AUTOTUNE": 1, "ISA": "avx2"}
    assert options_of(None, None).settings == {} and options_of("default", {"freezing": False}).is_freezing is False


def test_settings_reach_the_compiler(sessions):
    model, x = modules.mlp().eval(), torch.randn(3, 8)
    with torch.no_grad():
        f = torch.compile(model, backend=backend, options={"cpp.simdlen": 256, "threads": 1, "strict": True})
        torch.testing.assert_close(f(x), model(x))
        assert sessions[-1] == {"THREADS": 1, "SIMDLEN": 256}
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(model, backend=backend)(x), model(x))
        assert sessions[-1] == {"THREADS": torch.get_num_threads()}


def test_tuning(sessions, monkeypatch):
    tuned = []
    original = _tuning.subprocess.run
    monkeypatch.setattr(_tuning.subprocess, "run", lambda command, **named: tuned.append(command) or original(command, **named))
    model, x = modules.mlp().eval(), torch.randn(3, 8)
    with torch.no_grad():
        f = torch.compile(model, backend=backend, options={"max_autotune": True, "threads": 1, "strict": True})
        torch.testing.assert_close(f(x), model(x))
    assert len(tuned) == 1 and "--set=THREADS=1" in tuned[0] and sessions == [{"THREADS": 1, "MAX_AUTOTUNE": 1}]


def test_without_freezing(sessions):
    model, x = modules.mlp().eval(), torch.randn(3, 8)
    f = torch.compile(model, backend=backend, options={"freezing": False, "strict": True})
    with torch.no_grad():
        torch.testing.assert_close(f(x), model(x))
        model[0].weight.mul_(2)
        torch.testing.assert_close(f(x), model(x))
    assert len(sessions) == 1


def test_by_name():
    torch._dynamo.register_backend(backend, name="cppgen_of_tests")
    model, x = modules.mlp().eval(), torch.randn(3, 8)
    with torch.no_grad():
        f = torch.compile(model, backend="cppgen_of_tests", options={"strict": True})
        torch.testing.assert_close(f(x), model(x))
