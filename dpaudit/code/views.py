"""What a ``for`` of rewritten code goes over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ABSENT = object()


class View:
    """What a ``for`` goes over by the numbers of its entries; it is never changed itself."""

    def __init__(self, kind: str, parts: tuple[Any, ...], start: int = 0) -> None:
        self.kind, self.parts, self.start = kind, parts, start
        self.names = tuple(parts[0]) if kind in ("keys", "values", "items") else ()
        self.last = len(parts[0]) - 1 if kind == "reversed" else 0

    def has(self, place: int) -> bool:
        """Whether there is an entry with this number."""
        if self.names or self.kind in ("keys", "values", "items"):
            if len(self.parts[0]) != len(self.names):
                raise RuntimeError("dictionary changed size during iteration")
            return place < len(self.names)
        if self.kind == "reversed":
            return 0 <= self.last - place < len(self.parts[0])
        return all(place < len(part) for part in self.parts) and bool(self.parts)

    def entry(self, place: int) -> Any:
        """The entry with this number."""
        if self.kind == "plain":
            return self.parts[0][place]
        if self.kind == "enumerate":
            return self.start + place, self.parts[0][place]
        if self.kind == "reversed":
            return self.parts[0][self.last - place]
        if self.kind == "zip":
            return tuple(part[place] for part in self.parts)
        name = self.names[place]
        return (
            name
            if self.kind == "keys"
            else self.parts[0][name]
            if self.kind == "values"
            else (name, self.parts[0][name])
        )


class Strange:
    """Any other thing that a ``for`` goes over, with its own iterator."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator, self.next = iterator, ABSENT

    def __next__(self) -> Any:
        return next(self.iterator)
