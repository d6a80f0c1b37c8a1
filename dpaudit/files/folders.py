"""A folder of files: every file is on the disk before the first one gets its name, and each gets it in one step.

The files are written into a new folder of an unpredictable name. Where there is no folder yet, the new one gets its
name in one step, and after an error there is none. Where there is one, the new folder is made inside it, the files
move into their places one by one in the given order, and files of an earlier run that are no more go last. So a crash
leaves of every file the old one or the new one, whole.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from dpaudit.files.writing import fill, fresh, sync_folder, write_errors

Ours = Callable[[str], bool]
"""Whether a path, relative to the folder, is a file of an earlier run."""


def check_folder(option: str, folder: str) -> Path:
    """The folder, checked to be writable before any work is done; a missing one is not created yet."""
    with write_errors(option, folder):
        target = Path(os.path.realpath(folder))
        if os.path.islink(folder) and not target.exists():
            raise FileNotFoundError(0, "it is a dangling link")
        there = next(path for path in (target, *target.parents) if path.exists())
        probe = fresh(there / "probe")
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.unlink(probe)
    return Path(folder)


def write_folder(option: str, folder: str, files: Mapping[str, bytes], ours: Ours) -> None:
    """Puts the files into the folder, replacing those that are ``ours``; everything else in it stays."""
    target = Path(os.path.realpath(folder))
    with write_errors(option, folder):
        check_folder(option, folder)
        is_new = not target.exists()
        new = fresh(target if is_new else target / "report")
        with ExitStack() as made:
            places = {target.parent} if is_new else {(target / name).parent for name in files}
            for place in sorted(places):
                made.enter_context(_new_folder(place))
            made.callback(shutil.rmtree, new, ignore_errors=True)
            _fill_folder(new, target, files)
            if is_new:
                os.rename(new, target)
            else:
                for name in files:
                    os.replace(new / name, target / name)
                for name in _files_below(target):
                    if name not in files and ours(name):
                        os.unlink(target / name)
            for place in places:
                sync_folder(place)


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Makes the folder and those that it lies in; after an error those that were missing go again, if empty."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        os.makedirs(folder, exist_ok=True)
        yield
    except BaseException:
        for path in missing:
            with suppress(OSError):
                os.rmdir(path)
        raise


def _fill_folder(new: Path, target: Path, files: Mapping[str, bytes]) -> None:
    """Writes the files to the disk, with the folders that they lie in and the permissions of those in the target."""
    for name, content in files.items():
        os.makedirs((new / name).parent, exist_ok=True)
        descriptor = os.open(new / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        fill(descriptor, content, like=target / name)
    for folder in {(new / name).parent for name in files}:
        sync_folder(folder)


def _files_below(target: Path) -> list[str]:
    """The paths of all files below the folder, relative to it; no link is followed."""
    return [
        os.path.relpath(os.path.join(folder, name), target) for folder, _, names in os.walk(target) for name in names
    ]
