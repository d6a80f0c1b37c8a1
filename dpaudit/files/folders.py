"""A folder of files written as a whole: a crash at any moment leaves all of the old one or all of the new one.

The new folder is made beside the old one, under an unpredictable name; whatever else lies in the old one is taken
along, as hard links; then the two trade places in one step, and the old one goes. Where there is no old one, the new
one gets its name in one step, and after an error there is no folder. Where they cannot trade (another
system than Linux, the folder that one stands in, a mounted one, thousands of other files in it), every file
is on the disk before the first one is replaced, and each is replaced in one step.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dpaudit.files.writing import fill, fresh, sync_folder, told

MOST_KEPT = 2000
"""More files of other people than this are not taken along: the folder is left in its place."""
HERE, EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of renameat2."""
Ours = Callable[[str], bool]
"""Whether a path, relative to the folder, is a file that an earlier run has written."""


def check_folder(option: str, folder: str) -> Path:
    """Returns the folder, seen to be writable before any work is done; one that is missing is not made yet."""
    with told(option, folder):
        target = Path(os.path.realpath(folder))
        if os.path.islink(folder) and not target.exists():
            raise FileNotFoundError(0, "it is a link to nothing")
        there = next(path for path in (target, *target.parents) if path.exists())
        probe = fresh(there / "probe")
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.unlink(probe)
    return Path(folder)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
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


def write_folder(option: str, folder: str, files: Mapping[str, bytes], ours: Ours) -> None:
    """Puts the files into the folder in place of those that are ``ours``; everything else in it stays."""
    target = Path(os.path.realpath(folder))

    def kept(name: str) -> bool:
        return name not in files and not ours(name)

    with told(option, folder):
        check_folder(option, folder)
        is_new, beside = not target.exists(), _can_trade(target)
        with _made(target.parent):
            new = fresh(target if is_new or beside else target / "report")
            os.mkdir(new)
            try:
                _fill_folder(new, files)
                if is_new:
                    os.rename(new, target)
                    sync_folder(target.parent)
                elif beside and _take_along(target, new, kept) and _trade(new, target):
                    sync_folder(target.parent)
                else:
                    _one_by_one(new, target, files, ours)
            finally:
                _remove(new, target, kept)


def _can_trade(target: Path) -> bool:
    """Returns whether the folder can be put elsewhere: nobody stands in it, and it is not the root of a disk."""
    inside = Path(os.path.realpath(os.getcwd())).is_relative_to(target)
    return not inside and not os.path.ismount(target) and os.access(target.parent, os.W_OK)


def _fill_folder(new: Path, files: Mapping[str, bytes]) -> None:
    """Writes the files to the disk, with the folders that they lie in."""
    for name, content in files.items():
        path = new / name
        for folder in reversed(path.relative_to(new).parents):
            if not (new / folder).exists():
                os.mkdir(new / folder)
        fill(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), content)
    for folder in {(new / name).parent for name in files}:
        sync_folder(folder)


def _entries(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yields everything below the folder by its relative path, a folder before what lies in it; no link is followed."""
    for entry in os.scandir(folder):
        yield entry.name, entry
        if entry.is_dir(follow_symlinks=False):
            yield from ((f"{entry.name}/{name}", below) for name, below in _entries(Path(entry.path)))


def _take_along(target: Path, new: Path, kept: Ours) -> bool:
    """Gives the new folder what else lies in the old one, as links to it; returns whether all of it came along."""
    count = 0
    try:
        os.chmod(new, stat.S_IMODE(target.stat().st_mode))
        for name, entry in _entries(target):
            count += kept(name)
            if count > MOST_KEPT:
                return False
            if not kept(name) or (entry.is_dir(follow_symlinks=False) and (new / name).exists()):
                continue
            if entry.is_dir(follow_symlinks=False):
                os.mkdir(new / name)
            else:
                os.link(entry.path, new / name, follow_symlinks=False)
    except OSError:
        return False
    return True


def _trade(new: Path, target: Path) -> bool:
    """Lets the two folders trade places in one step; returns False where the system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    return bool(renameat2(HERE, os.fsencode(new), HERE, os.fsencode(target), EXCHANGE) == 0)


def _one_by_one(new: Path, target: Path, files: Mapping[str, bytes], ours: Ours) -> None:
    """Moves the files into the folder, each in one step, and then removes those of an earlier run that are no more."""
    for name in files:
        os.makedirs((target / name).parent, exist_ok=True)
    for name in files:
        os.replace(new / name, target / name)
    for name, entry in list(_entries(target)):
        if name not in files and ours(name) and not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.path)
    for folder in {(target / name).parent for name in files}:
        sync_folder(folder)


def _remove(old: Path, target: Path, kept: Ours) -> None:
    """Removes a folder that is no longer needed; what somebody has put into it meanwhile moves to the target."""
    with suppress(OSError):
        for name, entry in reversed(list(_entries(old))):
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    os.rmdir(entry.path)
                elif kept(name) and not os.path.lexists(target / name):
                    os.rename(entry.path, target / name)
                else:
                    os.unlink(entry.path)
        os.rmdir(old)
