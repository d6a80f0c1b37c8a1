"""dpaudit.verify: hands a certificate to the independent verifier, which works in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.page import Note, Page, Words
from dpaudit.audit.setting import command_line
from dpaudit.evidence.verify import MEMORY, SECONDS, WORK, run
from dpaudit.files.strict_json import Unreadable
from dpaudit.numbers.rationals import whole


@dataclass(frozen=True)
class VerifyResult(Shown):
    """What the verifier established, and what that says; or the reason why it rejects the certificate."""

    file: str
    established: tuple[str, ...]
    statement: dict[str, Any] | None
    reason: str | None
    full: bool

    @property
    def accepted(self) -> bool:
        """Returns whether everything that the certificate states and the verifier looked at holds."""
        return self.reason is None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit verify --json``."""
        return {
            "file": self.file,
            "result": "ACCEPTED" if self.accepted else "REJECTED",
            "statement": self.statement,
            "established": list(self.established),
            "reason": self.reason,
            "full": self.full,
            "command": command_line("verify", self.file, full=self.full),
        }

    def page(self) -> Page:
        """Returns what was established, then what that says."""
        lines = [Note(f"  {line}") for line in self.established]
        if self.reason is not None:
            return [*lines, Note(Words(Words("REJECTED", style="bold red"), f": {self.reason}"))]
        kind = "full" if self.full else "witness only"
        said = (self.statement or {})["text"]
        return [*lines, Note(Words(Words("ACCEPTED", style="bold green"), f" ({kind}): {said}"))]


def verify(
    file: str,
    *,
    full: bool = False,
    work: int | str = WORK,
    seconds: int | str = SECONDS,
    memory: int | str = MEMORY,
) -> VerifyResult:
    """Returns what an independent recomputation says of the certificate; with ``full`` of its upper bound too.

    It ends within the seconds and the MiB of memory, whatever the file holds. A file that cannot be read is an
    InputError; one that is no certificate, or needs more than the limits allow, is rejected.
    """
    most = {"work": 10**15, "seconds": 10**6, "memory": 10**6}
    given = {"work": work, "seconds": seconds, "memory": memory}
    limits = {name: whole(name, value, 1 if name != "memory" else 64, most[name]) for name, value in given.items()}
    found = run(file, full, **limits)
    if found["unreadable"] is not None:
        raise Unreadable("CERTIFICATE", file, f"cannot be read: {found['unreadable']}")
    return VerifyResult(file, tuple(found["established"]), found["statement"], found["reason"], full)
