import os
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.dirname(__file__))
os.environ["RAY_AUTH_MODE"] = "disabled"  # with tokens, Ray writes one to the user's folder
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import processes as of_tests  # noqa: E402


@pytest.fixture
def processes(tmp_path):
    """Starts processes in the test's folder; they end with the test."""
    made = of_tests.Processes(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def ray_folder():
    """A folder for the files of a Ray, whose sockets allow no long names."""
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        yield folder
