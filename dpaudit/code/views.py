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
    """What a ``for`` goes over by the numbers of its entries; it is never changed itself."""

    def __init__(self, kind: str, parts: tuple[Any, ...], start: int = 0) -> None:
        self.kind, self.parts, self.start = kind, parts, start
        self.names = tuple(parts[0]) if kind in ("keys", "values", "items") else None
        self.last = len(parts[0]) - 1 if kind == "reversed" else 0

    def has(self, place: int) -> bool:
        """Whether there is an entry with this number."""
        if self.names is not None:
            if len(self.parts[0]) != len(self.names):
                raise RuntimeError("dictionary changed size during iteration")
            return place < len(self.names)
        if self.kind == "reversed":
            return 0 <= self.last - place < len(self.parts[0])
        return all(place < len(part) for part in self.parts)

    def entry(self, place: int) -> Any:
        """The entry with this number."""
        if self.names is not None:
            name = self.names[place]
            return {"keys": name, "values": self.parts[0][name], "items": (name, self.parts[0][name])}[self.kind]
        if self.kind == "reversed":
            return self.parts[0][self.last - place]
        found = tuple(part[place] for part in self.parts)
        return found[0] if self.kind == "plain" else (self.start + place, *found) if self.kind == "enumerate" else found


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
