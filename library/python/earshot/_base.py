"""What the other modules share: the library, errors, progress."""
from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from ._libearshot import ffi as ffi

#: Called about every 50 ms during long work with what is done, the total (0: unknown) and a few
#: words. Something true as a result ends the work with :class:`Cancelled`.
Progress = Callable[[int, int, str], object]

NAME = "libearshot.so.0"


def _load() -> Any:
    """The library that EARSHOT_LIBRARY names, the one in this package (a wheel has it), the one that
    was installed with this package, or the one that the system finds."""
    chosen = os.environ.get("EARSHOT_LIBRARY")
    if chosen:
        return ffi.dlopen(chosen)
    own = Path(__file__).resolve().parent / "lib" / NAME
    if own.is_file():
        return ffi.dlopen(str(own))
    for folder in Path(__file__).resolve().parents[2:6]:
        for beside in (folder, *folder.glob("lib*"), *folder.glob("lib/*-linux-*")):
            if (beside / NAME).is_file():
                return ffi.dlopen(str(beside / NAME))
    return ffi.dlopen(NAME)


lib = _load()


class Error(Exception):
    """Something could not be done: a sentence, and in ``code`` the library's number of it."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    def __str__(self) -> str:
        return self.message


class ArgumentError(Error, ValueError):
    """What was asked for cannot be."""


class FileError(Error):
    """The contents of a file do not follow its format."""


class SystemRefusal(Error, OSError):
    """The operating system refused to read or write."""

    def __init__(self, message: str, code: int) -> None:
        Error.__init__(self, message, code)
        self.errno = int(ffi.errno)


class Unsupported(Error):
    """It is a good question, but this trace or this build cannot answer it."""


class Cancelled(Error):
    """The progress function asked for the end."""


class InUse(Error, RuntimeError):
    """Another call uses the object: of another thread, or the one that called this function."""


_CLASSES: dict[int, type[Error]] = {
    lib.EAR_E_BAD_ARGUMENT: ArgumentError,
    lib.EAR_E_BAD_FILE: FileError,
    lib.EAR_E_IO: SystemRefusal,
    lib.EAR_E_UNSUPPORTED: Unsupported,
    lib.EAR_E_CANCELLED: Cancelled,
}


def text_of(pointer: Any) -> str:
    """A C string; "" for NULL."""
    if pointer == ffi.NULL:
        return ""
    found: bytes = ffi.string(pointer)
    return found.decode("utf-8", "replace")


def sized_text(text: Any) -> str | None:
    """A struct ear_text; None if it is absent."""
    if text.text == ffi.NULL:
        return None
    found: bytes = ffi.buffer(text.text, text.size)[:]
    return found.decode("utf-8", "replace")


def error_of(code: int, message: str) -> Exception:
    if code == lib.EAR_E_NO_MEMORY:
        return MemoryError(message or "out of memory")
    return _CLASSES.get(code, Error)(message or text_of(lib.ear_error_text(code)), code)


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    data = os.fsencode(os.fspath(path))
    if b"\0" in data:
        raise ValueError("embedded null byte")
    return data


def new_sized(name: str) -> Any:
    """A struct that begins with its size."""
    made = ffi.new(f"{name} *")
    made.size = ffi.sizeof(name)
    return made


# One call at a time --------------------------------------------------------------------------

class Guard:
    """What one call at a time may use: a trace with its moments, names, a set of instructions."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._users: dict[None, object] = {}

    def take(self, user: object) -> None:
        # One step, so that no thread and no signal comes between.
        if self._users.setdefault(None, user) is not user:
            raise InUse(f"{self._what} in use by another call", lib.EAR_E_BAD_ARGUMENT)

    def release(self, user: object) -> None:
        if self._users.get(None) is user:
            del self._users[None]


_Method = TypeVar("_Method", bound=Callable[..., Any])


def held(method: _Method) -> _Method:
    """A method that has the guard of its object while it runs. Every method that gives a pointer
    to the library, or reads what the library points to, is one. None of them calls another of the
    same object."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        guard, user = self._guard, object()
        try:
            guard.take(user)
            return method(self, *arguments, **options)
        finally:
            guard.release(user)

    return cast(_Method, call)


# Progress ------------------------------------------------------------------------------------

_running = threading.local()


class Watch:
    """A struct ear_progress for one call. Python handles signals whenever its function is called,
    so Ctrl-C ends the call with KeyboardInterrupt."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.error: BaseException | None = None
        self._handle = ffi.new_handle(self)
        self.struct = new_sized("struct ear_progress")
        self.struct.call = _call
        self.struct.context = self._handle

    def __enter__(self) -> Any:
        self._outer = getattr(_running, "watch", None)
        _running.watch = self
        return self.struct

    def __exit__(self, *_: object) -> None:
        _running.watch = self._outer

    def raise_error(self) -> None:
        if self.error is not None:
            raise self.error


def _keep_error(_kind: object, error: BaseException, _trace: object) -> int:
    watch = getattr(_running, "watch", None)
    if watch is not None and watch.error is None:
        watch.error = error
    return 1


@ffi.callback("int(void *, uint64_t, uint64_t, const char *)", error=1, onerror=_keep_error)  # type: ignore[misc]
def _call(context: Any, done: int, total: int, what: Any) -> int:
    watch: Watch = ffi.from_handle(context)
    if watch.progress is None:
        return 0
    return 1 if watch.progress(done, total, text_of(what)) else 0
