"""Faults at every system call that writes: the n-th call fails, or the process dies before or in the middle of it."""

import errno
import os
from contextlib import contextmanager

from dpaudit.files import folders, writing

STEPS = ("open", "write", "fsync", "fchmod", "replace", "rename", "makedirs", "unlink", "rmdir")


class Faulty:
    """The module os, but the call number ``at`` of STEPS does ``fault(function, arguments)``; calls are counted."""

    def __init__(self, at=None, fault=None):
        self.at, self.fault, self.calls = at, fault, []

    def __getattr__(self, name):
        found = getattr(os, name)
        return self.counted(name, found) if name in STEPS else found

    def counted(self, name, function):
        def call(*arguments, **named):
            self.calls.append(name)
            if len(self.calls) - 1 == self.at:
                return self.fault(name, lambda: function(*arguments, **named), arguments)
            return function(*arguments, **named)

        return call


def full_disk(name, call, arguments):
    raise OSError(errno.ENOSPC, "No space left on device")


def die_before(name, call, arguments):
    os._exit(9)


def die_within(name, call, arguments):
    os.write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
    os._exit(9)


def deaths(calls):
    """Every place to die at: before each call, and in the middle of each write."""
    yield from ((at, die_before) for at in range(len(calls)))
    yield from ((at, die_within) for at, name in enumerate(calls) if name == "write")


@contextmanager
def faulty(at=None, fault=None):
    """The fault is in force."""
    writing.os = folders.os = system = Faulty(at, fault)
    try:
        yield system
    finally:
        writing.os = folders.os = os


def in_a_child(action):
    """Runs the action in a forked process and returns its exit code; what it prints is dropped."""
    child = os.fork()
    if not child:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
