"""Keeps compiled templates beside Python's own bytecode: compiling them takes longer than a run."""

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache


class CompiledTemplates(BytecodeCache):
    """Reads and writes ``folder``, by the rules for ``.pyc`` files.

    Nothing is written with ``PYTHONDONTWRITEBYTECODE``, and a folder that cannot be written to is
    no error. What was compiled from another source, or for another Python or jinja2, is not used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError, TypeError):
            bucket.load_bytecode(io.BytesIO(self._path(bucket).read_bytes()))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    bucket.write_bytecode(file)
                Path(name).chmod(0o644)
                Path(name).replace(self._path(bucket))
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise

    def _path(self, bucket: Bucket) -> Path:
        version = f"{sys.implementation.cache_tag}.jinja-{jinja2.__version__}"
        return self._folder / f"{bucket.key}.{version}.bin"
