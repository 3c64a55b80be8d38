"""The exceptions of cppgen, one for each status of its C API."""


class Error(Exception):
    """What cppgen reports."""

    __module__ = "cppgen"


class UserError(Error, ValueError):
    """A bad model, package, option or input: the message says what, where, and what is allowed."""

    __module__ = "cppgen"


class InternalError(Error):
    """A bug in cppgen."""

    __module__ = "cppgen"


class Cancelled(Error):
    """A run or compilation that its `Cancel` ended."""

    __module__ = "cppgen"
