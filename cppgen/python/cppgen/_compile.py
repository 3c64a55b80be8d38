"""Compiles models to packages."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _compilers, _cppgen, _interruptible
from ._errors import Cancelled, UserError
from ._options import CustomOps, Dims, Model, Progress, Settings, Sizes, States, request_for
from ._session import Session
from ._tuning import tuned_settings


class Package:
    """A compiled model: a directory that runs without a compiler."""

    def __init__(self, package: _cppgen.Package):
        self._package = package
        self._report: dict[str, Any] | None = None

    @property
    def path(self) -> str:
        """The directory. A package that was compiled without `output` is in the user's cache, which may be trimmed, or,
        where the cache cannot be used, lives as long as this object."""
        return self._package.path

    @property
    def report(self) -> dict[str, Any]:
        """What `cppgen compile --json` prints: seconds of each stage, numbers of kernels, and so on."""
        if self._report is None:
            self._report = json.loads(self._package.report)
        return self._report

    def load(self, *, threads: int | None = None, settings: Settings = None, profile: bool = False) -> Session:
        """Loads the package; see `Session`. The session needs neither this object nor the directory."""
        return Session(self, threads=threads, settings=settings, profile=profile)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<cppgen.Package {self.path!r}>"


def _show(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    print(f"\rcppgen: compiled {done} of {total} units", end=end, file=sys.stderr, flush=True)


def _bar() -> tuple[Callable[[int, int], Any], Callable[[], Any]]:
    """A function that shows progress, with tqdm if it is installed, and one that ends it."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _show, lambda: None
    bar = tqdm(desc="cppgen", unit="unit")

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return show, bar.close


class _Watched:
    """Calls a function of the user with the progress; an exception of it cancels the compilation and is kept."""

    def __init__(self, progress: Callable[[int, int], Any], cancel: _cppgen.Cancel):
        self.error: BaseException | None = None
        self._progress, self._cancel = progress, cancel

    def __call__(self, done: int, total: int) -> None:
        try:
            if self.error is None:
                self._progress(done, total)
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
            self._cancel.request()


def compile_request(request: _cppgen.Request, output: str | os.PathLike[str] | None, progress: Progress,
                    cancel: _cppgen.Cancel | None) -> Package:
    cancel = cancel or _cppgen.Cancel()
    request.set_cancel(cancel)
    show, close = _bar() if progress is True else (progress or None, lambda: None)
    watched = _Watched(show, cancel) if show else None
    if watched:
        request.set_progress(watched)
    try:
        return Package(_interruptible.run(lambda: request.compile(output), cancel))
    except UserError as error:
        if not str(error).startswith("no C++ compiler"):
            raise
        raise UserError(f"{error}{_compilers.ADVICE}") from None
    except Cancelled:
        if watched and watched.error is not None:
            raise watched.error from None
        raise
    finally:
        close()


def compile(model: Model, *, dims: Dims = None, sizes: Sizes = None, isa: str | Sequence[str] | None = None,
            settings: Settings = None, output: str | os.PathLike[str] | None = None, custom_ops: CustomOps = None,
            progress: Progress = None, cancel: _cppgen.Cancel | None = None, states: States = None) -> Package:
    """Compiles an ONNX model to a package.

    model: the path of an .onnx file, its bytes, or an onnx.ModelProto.
    dims: sizes of named dimensions, {"batch": 8}, or names of dimensions, {"x.0": "batch"}.
    sizes: sizes for which the package gets a version of its own: {"batch": 1}, or a list of such.
    isa: an instruction set ("avx2"), or a list: the package then has a version for each. Default: this machine's best.
    settings: further settings by their names, {"FPMATH_MODE": "bf16"}: docs/settings.md. They precede the environment.
        With {"MAX_AUTOTUNE": 1} the model is tuned first: see `tune`.
    output: the directory of the package. Default: in the user's cache, where the same model is found again.
    custom_ops: paths of descriptions of custom operators.
    progress: called with the number of translation units that are compiled and of all; True shows a bar.
    cancel: ends the compilation, from another thread, within a second. So does Ctrl-C.
    states: outputs that are an input with more positions, such as the caches of a decoder, which the package keeps from
        run to run: {"present": "past"} or, with the greatest number of positions (default: 2048), {"present": ("past",
        4096)}. Runs then take place through `Session.new_state`.

    UserError says what is wrong with the model or an option; Cancelled is raised after `cancel`."""
    settings = tuned_settings(model, dims=dims, sizes=sizes, isa=isa, settings=settings, custom_ops=custom_ops)
    request = request_for(model, dims=dims, sizes=sizes, isa=isa, settings=settings, custom_ops=custom_ops, states=states)
    return compile_request(request, output, progress, cancel)
