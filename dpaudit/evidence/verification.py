"""dpaudit.verify: hands a certificate to the independent verifier, which runs in a separate process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.page import Note, Page, Words
from dpaudit.audit.setting import command_line
from dpaudit.evidence.coq.prove import check_possible, prove
from dpaudit.evidence.verifier.main import ACCEPTED, MEMORY, SECONDS, heading, run
from dpaudit.files.strict_json import Unreadable
from dpaudit.numbers.rationals import whole


@dataclass(frozen=True)
class VerifyResult(Shown):
    """What the verifier established, and the statement; or the reason why it rejects the certificate."""

    file: str
    established: tuple[str, ...]
    statement: dict[str, Any] | None
    reason: str | None
    full: bool
    coq: bool = False

    @property
    def word(self) -> str:
        """ACCEPTED; WITNESS CHECKED after a full check of a certificate that covers its witness only; or REJECTED."""
        return "REJECTED" if self.statement is None else heading(self.statement)[0]

    @property
    def accepted(self) -> bool:
        """Whether everything requested was checked and holds."""
        return self.word == ACCEPTED

    @property
    def code(self) -> int:
        """The exit code: 0 ACCEPTED, 1 REJECTED, 3 WITNESS CHECKED."""
        return 0 if self.accepted else 1 if self.reason is not None else 3

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``dpaudit verify --json``."""
        return {
            "file": self.file,
            "result": self.word,
            "statement": self.statement,
            "established": list(self.established),
            "reason": self.reason,
            "full": self.full,
            "coq": self.coq,
            "command": command_line("verify", self.file, full=self.full, coq=self.coq),
        }

    def page(self) -> Page:
        """What was established, then the statement."""
        lines = [Note(f"  {line}") for line in self.established]
        if self.reason is not None:
            return [*lines, Note(Words(Words("REJECTED", style="bold red"), f": {self.reason}"))]
        said = self.statement or {}
        words = heading(said)[1].removeprefix(self.word) + (", both bounds by Coq" if self.coq else "")
        style = "bold green" if self.accepted else "bold yellow"
        return [*lines, Note(Words(Words(self.word, style=style), f"{words}: {said['text']}"))]


def verify(
    file: str,
    *,
    full: bool = False,
    coq: bool = False,
    seconds: int | str = SECONDS,
    memory: int | str = MEMORY,
) -> VerifyResult:
    """The result of an independent recomputation; with ``full`` of the upper bound too.

    With ``coq`` everything is recomputed, and both bounds are proved by Coq's kernel as well; an InputError where coqc
    is not installed, or where the certificate cannot be exported. It ends within the seconds and the MiB of memory,
    whatever the file holds. A file that cannot be read is an InputError; one that is not a certificate, or needs more
    than the limits allow, is rejected.
    """
    limits = {"seconds": whole("seconds", seconds, 1, 10**6), "memory": whole("memory", memory, 64, 10**6)}
    full = full or coq
    if coq:
        check_possible(file)
    found = run(file, full, **limits)
    if found["unreadable"] is not None:
        raise Unreadable("CERTIFICATE", file, f"cannot be read: {found['unreadable']}")
    result = VerifyResult(file, tuple(found["established"]), found["statement"], found["reason"], full, coq)
    return with_kernel(result, limits["seconds"]) if coq and result.accepted else result


def with_kernel(result: VerifyResult, seconds: int) -> VerifyResult:
    """The result with the answer of Coq's kernel on both bounds; REJECTED if it does not accept them."""
    proved = prove(result.file, seconds)
    if proved.problem:
        return replace(result, reason=f"Coq: {proved.problem}", statement=None)
    return replace(result, established=(*result.established, proved.line))
