"""What a ``for`` of rewritten code goes over, and look-ups in classes; neither runs code of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ABSENT = object()
MRO, SPACE = vars(type)["__mro__"].__get__, vars(type)["__dict__"].__get__


def in_class(kind: Any, name: str) -> Any:
    """What lies under the name in the class or its bases."""
    return next((space[name] for space in map(SPACE, MRO(kind)) if name in space), ABSENT)


class View:
    """What a ``for`` goes over by number: the entries of sequences side by side, or of one alone."""

    def __init__(self, parts: tuple[Any, ...], is_alone: bool = False) -> None:
        self.parts, self.is_alone = parts, is_alone

    def has(self, place: int) -> bool:
        """Whether there is an entry with this number."""
        return all(place < len(part) for part in self.parts)

    def entry(self, place: int) -> Any:
        """The entry with this number."""
        found = tuple(part[place] for part in self.parts)
        return found[0] if self.is_alone else found


class Once:
    """Any other thing that a ``for`` goes over, with its own iterator."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator, self.next = iterator, ABSENT

    def has(self, place: int) -> bool:
        """Whether there is another entry."""
        self.next = next(self.iterator, ABSENT)
        return self.next is not ABSENT

    def entry(self, place: int) -> Any:
        """The entry."""
        return self.next
