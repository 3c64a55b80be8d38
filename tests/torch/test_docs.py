"""The code of docs/torch.md runs."""
import os
import re

import pytest
import torch

from cppgen.torch import backend

PAGE = os.path.join(os.path.dirname(__file__), "../../docs/torch.md")
with open(PAGE, encoding="utf-8") as file:
    BLOCKS = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)


@pytest.mark.parametrize("code", BLOCKS, ids=[f"block {number + 1}" for number in range(len(BLOCKS))])
def test_block(code):
    if "cppgen" not in torch._dynamo.list_backends(exclude_tags=()):
        torch._dynamo.register_backend(backend, name="cppgen")
    exec(compile(code, PAGE, "exec"), {})
