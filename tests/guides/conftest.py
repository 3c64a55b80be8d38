import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

import processes as of_tests  # noqa: E402


@pytest.fixture
def processes(tmp_path):
    """Starts processes in the test's folder; they end with the test."""
    made = of_tests.Processes(tmp_path)
    yield made
    made.stop()
