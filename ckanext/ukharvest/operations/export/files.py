"""Files of the export: gzip, written beside their place, which they take once they are whole."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ckanext.ukharvest.core.errors import UkharvestError


class ExportError(UkharvestError):
    """The catalogue was not exported; the files of the last export are as they were."""

    code = "export"


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn errors of the disk into ExportError.

    Raises:
        ExportError: names the file, and what the system says: "No space left on device".
    """
    try:
        yield
    except OSError as exc:
        message = f"{path}: {exc.strerror or exc}; the last export was left as it is"
        raise ExportError(message) from exc


class ExportFile:
    """A new version of a file; ``publish`` or ``discard`` it.

    Its name while it is written is always the same, so that one that a killed process left is
    written over. Equal contents give equal files: gzip's header has neither a time nor a name.

    Attributes:
        path: its place, in a folder that exists.
        bytes: of what was written so far, compressed.

    Raises:
        ExportError: here and in all methods but ``discard``: the disk is full, or refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self._sum = hashlib.sha256()
        self._gzip = zlib.compressobj(wbits=31)  # 16 for gzip, 15 for a window of 32 kB
        self._part = path.with_name(f".{path.name}.part")
        with disk_errors(path):
            self._file = self._part.open("wb")

    @property
    def sha256(self) -> str:
        """Return the checksum in hex."""
        return self._sum.hexdigest()

    def write(self, text: str) -> None:
        self._put(self._gzip.compress(text.encode("utf-8", "replace")))

    def _put(self, data: bytes) -> None:
        with disk_errors(self.path):
            self._file.write(data)
        self.bytes += len(data)
        self._sum.update(data)

    def finish(self) -> None:
        """Write all that is buffered to the disk; the file still has its temporary name."""
        self._put(self._gzip.flush())
        with disk_errors(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def publish(self) -> None:
        """Put the finished file into its place."""
        with disk_errors(self.path):
            os.replace(self._part, self.path)

    def discard(self) -> None:
        """Remove the file unless it is published. Never raises."""
        with suppress(OSError, ValueError):
            self._file.close()
        with suppress(OSError):
            self._part.unlink()


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a small file.

    Raises:
        ExportError: the disk is full, or refuses.
    """
    part = path.with_name(f".{path.name}.part")
    with disk_errors(path):
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write new names of files to the disk, where the file system can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
