"""dpaudit.verify: reads a certificate with care and hands it to the independent verifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.evidence.verifier import check
from dpaudit.files.strict_json import Unreadable, read_json
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole

MAX_BYTES = 32 << 20
WORK = 500_000


@dataclass(frozen=True)
class VerifyResult(Shown):
    """What the verifier established, line by line; or the reason why it rejects the certificate."""

    file: str
    established: tuple[str, ...]
    reason: str | None
    full: bool

    @property
    def accepted(self) -> bool:
        """Returns whether everything that the certificate states and the verifier looked at holds."""
        return self.reason is None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit verify --json``."""
        result = "ACCEPTED" if self.accepted else "REJECTED"
        return {
            "file": self.file,
            "result": result,
            "established": list(self.established),
            "reason": self.reason,
            "full": self.full,
        }


def verify(file: str, *, full: bool = False, work: int | str = WORK) -> VerifyResult:
    """Returns what an independent recomputation says of the certificate; with ``full`` of its upper bound too.

    A file that cannot be read is an InputError; one that is no certificate is rejected.
    """
    limit = whole("work", work, 1, 10**12)
    try:
        lines, reason = check.verify(read_json("CERTIFICATE", file, MAX_BYTES), full, limit), None
    except check.Rejected as rejected:
        lines, reason = [], str(rejected)
    except Unreadable:
        raise
    except InputError as error:
        lines, reason = [], error.rule
    return VerifyResult(file, tuple(lines), reason, full)
