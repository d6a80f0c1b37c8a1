"""A setting: the mechanism and everything that determines its distributions. One value, carried everywhere.

It is read once, from the words of a command, of a plan or of a Python call; it prints the command that makes it again.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpaudit.mechanisms import REGISTRY, Mechanism, in_family, lookup, make_mechanism, posterior
from dpaudit.mechanisms.load import load_mechanism, takes
from dpaudit.mechanisms.named import canonical, is_named
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.rationals import positive, split
from dpaudit.posterior.model import Model, make_model, show
from dpaudit.privacy.adjacency import REPLACE_ONE, Adjacency

DEFAULTS = {
    "": {"digits": "15", "tier": "auto", "target": "1", "metric": "hellinger", "score": "hellinger", "step": "1"},
    "compare": {"digits": "12", "sort": "calibrated"},
    "accuracy": {"quantiles": "1/4,3/4,9/10,99/100"},
    "explain": {
        "digits": "6",
        "rates": "1/100,1/20",
        "beliefs": "1/100,1/10,1/2",
        "people": "2,5,10",
        "releases": "2,10,100",
    },
    "account": {"gap": "1/1000"},
}
"""Options that a printed command leaves out where they have this value, in any command or in that one."""


@dataclass(frozen=True)
class Setting:
    """A mechanism and everything that determines its distributions.

    ``mech`` is a built-in name, a reference (file.py:Class, pmf.csv) or a Python object. For a built-in mechanism
    ``parameters`` has the checked parameters that differ from their defaults; for your own, all arguments of its
    constructor, including n, k and prior.
    """

    mech: Any
    model: Model | None = None
    epsilon: Fraction = Fraction(1)
    parameters: tuple[tuple[str, Any], ...] = ()
    adjacency: str | Adjacency | None = None
    """Which data sets are adjacent, where it is not the mechanism's own relation: a name, a file of pairs, a value."""
    made: Mechanism | None = field(default=None, compare=False, repr=False)
    """The mechanism of just this setting, where it is made already."""

    @staticmethod
    def read(
        mech: Any,
        *,
        n: Any = None,
        k: Any = None,
        prior: Any = None,
        eps: Any = None,
        epsilon: Any = None,
        adjacency: str | Adjacency | None = None,
        settings: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> Setting:
        """The checked setting; ``epsilon`` is another name of eps, ``settings`` another way to give parameters.

        ``mech`` may be a setting: then it is that one, with whatever else is given in place of its own.

        >>> Setting.read("ehd/exact", n=10, prior="1/2,1/2").command_line("epsilon", digits=30)
        'dpaudit epsilon --mech EHD --n 10 --prior 1/2,1/2 --gs exact --digits 30'
        """
        if eps is not None and epsilon is not None:
            raise InputError("epsilon", epsilon, f"means the same as eps, which is {eps}")
        eps = epsilon if eps is None else eps
        refuse_ranges(eps=eps, **({"n": n, "prior": prior} if in_family(mech) else {}))
        shape = {"n": n, "k": k, "prior": prior}
        given = {name: value for name, value in {**(settings or {}), **parameters}.items() if value is not None}
        changed = {name: value for name, value in {**shape, "eps": eps}.items() if value is not None}
        if isinstance(mech, Setting) and not isinstance(mech.mech, Mechanism) and (changed or given):
            relation = mech.adjacency if adjacency is None else adjacency
            return Setting.read(**mech.keywords(**changed, settings=given) | {"adjacency": relation})
        if isinstance(mech, Setting | Mechanism):
            for name, value in {**changed, **given}.items():
                raise InputError(name, value, "the mechanism already has its setting: leave this out")
            whole = mech if isinstance(mech, Setting) else Setting._of(mech)
            return whole if adjacency is None else whole._with(adjacency=adjacency)
        nominal = positive("eps", 1 if eps is None else eps)
        if not in_family(mech):
            own = {name: value for name, value in shape.items() if value is not None}
            if is_named(mech):
                mech, variants = canonical(mech)
                given = {**variants, **given}
            return Setting(mech, None, nominal, tuple({**own, **given}.items()), adjacency)
        name, variants = _variants(mech)
        if n is None:
            raise InputError("n", "(missing)", "must be a whole number >= 1, the number of records: --n 100")
        for key, value in variants.items():
            if given.setdefault(key, value) != value:
                raise InputError(key, given[key], f"contradicts {mech}")
        mechanism = make_mechanism(name, make_model(n, k, prior), nominal, given)
        return Setting(
            name, mechanism.model, nominal, mechanism.chosen(), adjacency, mechanism if adjacency is None else None
        )

    @staticmethod
    def _of(mechanism: Mechanism) -> Setting:
        """The setting of a mechanism that is made already."""
        family = posterior(mechanism)
        relation = None if family is None or family.adjacency == REPLACE_ONE else family.adjacency
        model = None if family is None else family.model
        return Setting(mechanism, model, mechanism.epsilon or Fraction(1), mechanism.chosen(), relation)

    @staticmethod
    def read_each(names: str | Sequence[Any] | None, *, shared: Mapping[str, Any], **shape: Any) -> list[Setting]:
        """A setting for each name, "all" being the registry; what is given goes to those that take it.

        A single mechanism of the user's own is given all of it, and says what it does not take.
        """
        chosen = list(REGISTRY) if names is None else split("mech", names) if isinstance(names, str) else list(names)
        if [str(name).lower() for name in chosen] == ["all"]:
            chosen = list(REGISTRY)
        if len(chosen) == 1 and not in_family(chosen[0]):
            return [Setting.read(chosen[0], **shape, settings=shared)]
        for name, value in {**shape, **shared}.items():
            if value is not None and not any(name in _takes(mech) for mech in chosen):
                rule = f"none of {', '.join(map(str, chosen))} has such a parameter"
                raise InputError(name, value, rule)
        settings = [Setting.read(mech, **_taken(mech, shape, shared)) for mech in chosen]
        return [setting for i, setting in enumerate(settings) if setting not in settings[:i]]

    # -------------------------------------------------------------- the mechanism

    def build(self) -> Mechanism:
        """A new mechanism with this setting, under its adjacency."""
        if isinstance(self.mech, Mechanism):
            mechanism: Mechanism = self.mech
        elif self.model is None:
            mechanism = load_mechanism(self.mech, self.epsilon, dict(self.parameters))
        else:
            mechanism = make_mechanism(self.mech, self.model, self.epsilon, dict(self.parameters))
        return mechanism if self.adjacency is None else mechanism.with_adjacency(self.adjacency)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism with this setting, built once."""
        return self.made or self.build()

    def _with(self, **changed: Any) -> Setting:
        """Another setting, whose mechanism is yet to be made."""
        return replace(self, made=None, **changed)

    def alone(self, x: Any) -> Setting:
        """The same setting for questions about one data set, x: only its law is computed."""
        return replace(self, made=self.mechanism.alone(x))

    def at(self, eps: Any = None, n: Any = None, prior: Any = None) -> Setting:
        """The same setting at another nominal epsilon, n or prior."""
        moved = self if eps is None else self._with(epsilon=positive("eps", eps))
        if n is None and prior is None:
            return moved
        if self.model is None:
            changed = {name: value for name, value in (("n", n), ("prior", prior)) if value is not None}
            return moved._with(parameters=tuple({**dict(self.parameters), **changed}.items()))
        model = make_model(self.model.n if n is None else n, None, self.model.prior if prior is None else prior)
        return moved._with(model=model)

    def keywords(self, settings: Mapping[str, Any] | None = None, **changed: Any) -> dict[str, Any]:
        """The arguments with which ``read`` gives this setting, with some replaced; mech must not be an object."""
        found: dict[str, Any] = {"mech": self.mech, "eps": self.epsilon, "adjacency": self.adjacency}
        own = dict(self.parameters)
        if self.model is not None:
            found |= {"n": self.model.n, "prior": self.model.prior}
        else:
            found |= {name: own.pop(name) for name in ("n", "k", "prior") if name in own}
        if "k" in changed and "prior" not in changed and found.get("prior") is not None:
            found.pop("prior")
        return {**found, **changed, "settings": {**own, **(settings or {})}}

    @property
    def has_n(self) -> bool:
        """Whether the setting has an n that ``at`` can change."""
        made_already = isinstance(self.mech, Mechanism)
        return not made_already and (self.model is not None or "n" in dict(self.parameters))

    def having(self, **parameters: Any) -> Setting:
        """The same setting with other parameters."""
        changed = {**dict(self.parameters), **parameters}
        if self.model is None:
            return self._with(parameters=tuple(changed.items()))
        return self._with(parameters=make_mechanism(self.mech, self.model, self.epsilon, changed).chosen())

    # -------------------------------------------------------------- words

    @property
    def label(self) -> str:
        """The name with the choices that are not the default: EHD/exact, EHDL/kl; the name of a user's own."""
        if self.model is None or isinstance(self.mech, Mechanism):
            return self.mechanism.name
        choices = {p.name for p in lookup(self.mech).parameters if p.choices}
        return "/".join([self.mech, *(str(value) for name, value in self.parameters if name in choices)])

    def describe(self) -> dict[str, Any]:
        """The mechanism's own description, for JSON."""
        return self.mechanism.describe()

    def to_dict(self) -> dict[str, Any]:
        """The setting as exact text, which ``from_dict`` reads."""
        relation = {} if self.adjacency is None else {"adjacency": self._relation()}
        if self.model is not None:
            place = {"n": self.model.n, "prior": show(self.model.prior), "eps": str(self.epsilon)}
            return {"mech": self.mechanism.name, **place, "parameters": self.mechanism.settings(), **relation}
        own = {name: show(value) for name, value in self.parameters}
        place = {"n": int(own["n"]) if "n" in own else None, "prior": "", "eps": str(self.epsilon)}
        return {"mech": self.mech, **place, "parameters": {}, "own": own, **relation}

    @staticmethod
    def from_dict(entry: Mapping[str, Any]) -> Setting:
        """The setting that ``to_dict`` wrote."""
        relation = entry.get("adjacency")
        if "own" in entry:
            return Setting.read(entry["mech"], eps=entry["eps"], adjacency=relation, settings=entry["own"])
        place = {name: entry[name] for name in ("n", "prior", "eps")}
        return Setting.read(entry["mech"], **place, adjacency=relation, settings=entry["parameters"])

    def _relation(self) -> str | None:
        """What --adjacency takes, None where nothing or no text gives the relation."""
        return self.adjacency.option() if isinstance(self.adjacency, Adjacency) else self.adjacency

    def options(self, without: Sequence[str] = ()) -> list[str]:
        """The command-line options that give this setting, without defaults and ``without`` some."""
        found: dict[str, Any] = {"mech": self.reference()}
        if self.model is not None:
            uniform = all(alpha == 1 for alpha in self.model.prior)
            found |= {"n": self.model.n, "k": self.model.k if uniform and self.model.k > 2 else None}
            found["prior"] = None if uniform else self.model.prior
        found |= {"eps": None if self.epsilon == 1 else self.epsilon, "adjacency": self._relation()}
        own = [] if self.model is not None else [(k, v) for k, v in self.parameters if k not in ("n", "k", "prior")]
        found |= {name: value for name, value in self.parameters if (name, value) not in own}
        words = [(name, value) for name, value in found.items() if value is not None and name not in without]
        parts = [part for name, value in words for part in (f"--{name}", show(value))]
        return parts + [part for name, value in own for part in ("--set", f"{name}={show(value)}")]

    def reference(self) -> str | None:
        """The value of --mech for this mechanism; None for an object that exists in Python only."""
        if isinstance(self.mech, str):
            return self.mech
        if isinstance(self.mech, Mechanism):
            return self.mech.name if REGISTRY.get(self.mech.name) is type(self.mech) else None
        importable = isinstance(self.mech, type) and self.mech.__module__ != "__main__"
        importable = importable and "<locals>" not in self.mech.__qualname__
        return f"{self.mech.__module__}:{self.mech.__qualname__}" if importable else None

    def command_line(self, command: str, without: Sequence[str] = (), **options: Any) -> str | None:
        """The command that asks this question of this setting again; options at their defaults are left out.

        None where the mechanism is an object that only Python has.
        """
        if self.reference() is None or (self.adjacency is not None and self._relation() is None):
            return None
        return command_line(command, *self.options(without), **options)


def settled(mech: Any, **given: Any) -> Setting:
    """The setting: ``mech`` itself where it is one and nothing else is given; else read, here and nowhere below."""
    return mech if isinstance(mech, Setting) and not given else Setting.read(mech, **given)


RANGING = {"eps": "epsilon and sweep", "n": "epsilon, calibrate and sweep", "prior": "epsilon"}
"""The commands that take all values or a range of this."""
ALL = "all"


def is_all(value: Any) -> bool:
    """Whether every value is meant."""
    return isinstance(value, str) and value.strip().lower() == ALL


def is_ranged(value: Any) -> bool:
    """Whether this is no single value: "all", "1/100..16", or a list with such an entry."""
    if isinstance(value, list | tuple):
        return any(map(is_ranged, value))
    if not isinstance(value, str):
        return False
    return any(is_all(word) or ".." in word for word in value.split(","))


def refuse_ranges(**place: Any) -> None:
    """Refuses all values or a range where one value is needed."""
    for name, value in place.items():
        if is_ranged(value):
            raise InputError(name, show(value), f"must be one value here; all or a range is for {RANGING[name]}")


def refuse_all(**place: Any) -> None:
    """Refuses all values where a list or a range is possible, but no theorem."""
    for name, value in place.items():
        if is_all(value):
            raise InputError(name, value, f"must be numbers or a range here; all is for {RANGING[name]}")


def command_line(command: str, *words: str, **options: Any) -> str:
    """The text "dpaudit command" with these words and options; options at their defaults are left out."""
    parts = ["dpaudit", command, *words]
    defaults = DEFAULTS[""] | DEFAULTS.get(command, {})
    for name, value in options.items():
        if value is not None and value is not False and value != () and show(value) != defaults.get(name):
            parts += [f"--{name.replace('_', '-')}", *([] if value is True else [show(value)])]
    return shlex.join(map(visible, parts))


def _variants(mech: str) -> tuple[str, dict[str, str]]:
    """The registry's name and the choices behind its slashes: EHD/exact is EHD with gs = exact."""
    base, *words = (part.strip() for part in str(mech).split("/"))
    kind = lookup(base)
    found: dict[str, str] = {}
    for word in words:
        names = [p.name for p in kind.parameters if word in p.choices]
        if not names:
            known = ", ".join(f"{kind.name}/{choice}" for p in kind.parameters for choice in p.choices) or "none"
            raise InputError("mech", mech, f"{kind.name} has no such variant; it has: {known}")
        found[names[0]] = word
    return kind.name, found


PLACE = {"n", "k", "prior", "eps", "epsilon", "adjacency"}
"""What every mechanism of the registry takes."""


def _takes(mech: Any) -> set[str]:
    """The names of the options that the mechanism takes."""
    if not in_family(mech):
        return takes(mech) | {"adjacency"}
    return PLACE | {p.name for p in lookup(_variants(mech)[0]).parameters}


def _taken(mech: Any, shape: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """What of this the mechanism takes; a parameter that has no default gets its first example."""
    known = _takes(mech)
    place = {name: value for name, value in shape.items() if name in known}
    settings = {name: value for name, value in shared.items() if name in known and value is not None}
    if in_family(mech):
        base, variants = _variants(mech)
        needed = {p.name: p.examples[0] for p in lookup(base).parameters if p.default is None}
        settings = {**needed, **settings, **variants}
    return {**place, "settings": settings}
