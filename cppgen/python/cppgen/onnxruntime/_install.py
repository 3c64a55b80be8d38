"""Programs that say `import onnxruntime`, without a change of theirs."""
from __future__ import annotations

import importlib
import sys

_OURS = __name__.rpartition(".")[0]
_MODULES = ("", ".capi", ".capi._pybind_state", ".capi.onnxruntime_inference_collection",
            ".capi.onnxruntime_pybind11_state")


def install() -> None:
    """From now on, `import onnxruntime` gives this module in this process, whether ONNX Runtime is installed or not.

    Call it before anything imports onnxruntime: modules that have the other one keep it, so this is an ImportError.
    Processes that are spawned, not forked, have to call it themselves."""
    modules = {f"onnxruntime{name}": importlib.import_module(_OURS + name) for name in _MODULES}
    imported = [name for name in sys.modules if name.partition(".")[0] == "onnxruntime" and name not in modules]
    imported += [name for name, module in modules.items() if sys.modules.get(name, module) is not module]
    if imported:
        raise ImportError(f"{min(imported)} is imported already: call cppgen.onnxruntime.install() before")
    sys.modules.update(modules)
