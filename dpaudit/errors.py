"""The one exception for bad input: it names the option, the value and the rule."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input. ``str(error)`` is one line: option, value, rule.

    >>> str(InputError("n", 0, "must be a whole number >= 1"))
    'n = 0: must be a whole number >= 1'
    """

    def __init__(self, option: str, value: object, rule: str) -> None:
        self.option = option
        self.value = value
        self.rule = rule
        super().__init__(option, value, rule)

    def __str__(self) -> str:
        try:
            shown = self.value if isinstance(self.value, str) else repr(self.value)
        except Exception:  # a number of thousands of digits, or an object that cannot be shown
            shown = f"({type(self.value).__name__})"
        shown = " ".join(shown.split()) or "(empty)"
        if len(shown) > 60:
            shown = shown[:57] + "..."
        return f"{self.option} = {shown}: {self.rule}"


class TooLargeError(InputError):
    """The job does not fit into the stated memory bound; the rule carries the numbers."""
