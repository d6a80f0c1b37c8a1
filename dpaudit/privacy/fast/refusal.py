"""When the floats must not even try."""


class TooCoarse(ArithmeticError):
    """The float tables cannot hold this model accurately enough: the exact tier must do it."""
