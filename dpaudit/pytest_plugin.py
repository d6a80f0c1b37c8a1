"""A pytest fixture that turns "this mechanism is private with true epsilon <= 0.5" into a test.

    def test_private(dp_audit):
        dp_audit("mine.py:Mine", eps="1/2").epsilon_at_most("1/2")
        dp_audit("mine.py:Mine", eps="1/2").delta_at_most("1e-6", at="1/4")
        dp_audit("mine.py:Mine", eps="1/2").zcdp_at_most("1/8")
        dp_audit("mine.py:Mine", eps="1/2").renyi_at_most("1/4", alpha=2)
        dp_audit("mine.py:Mine", eps="1/2").gdp_at_most("2/3")
        dp_audit("mine.py:Mine", eps="1/2").trade_off_at_least("0:1;1/2:1/4;1:0")
        dp_audit("mine.py:Mine", eps="1/2").as_claimed()

    def test_pipeline(dp_account):
        dp_account("gaussian:sigma=4/5,rate=1/100 x 1000", "laplace:eps=1/10").at_most(eps=4, delta="1e-5")

A bound is met only if it is proved; an undecided one fails too, and says so, as does a test that asserts nothing. The
numbers go into the JUnit report as properties. Nothing of dpaudit is imported before the fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest


class Asserted:
    """Something under test; ``tested`` says whether an assertion about it was made, ``example`` shows one."""

    __tracebackhide__ = True
    example = ""

    def __init__(self, node: pytest.Item, named: str) -> None:
        self.named, self.tested = named, False
        self._properties = node.user_properties
        node.stash.setdefault(MADE, []).append(self)

    def _record(self, name: str, value: object) -> None:
        self._properties.append((name, value))


MADE = pytest.StashKey[list[Asserted]]()
"""What a test has asked for."""


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """A test that asks for an audit and asserts nothing about it would pass whatever the mechanism does; it fails."""
    result = yield
    for made in pyfuncitem.stash.get(MADE, []):
        if not made.tested:
            pytest.fail(f"{made.named} asserts nothing: add {made.example}", pytrace=False)
    return result


class PrivacyAssertions(Asserted):
    """A mechanism under test; each assertion is certified, or fails with the worst pair and output."""

    example = ".as_claimed(), or .epsilon_at_most(1)"

    def __init__(self, mechanism: Any, node: pytest.Item) -> None:
        super().__init__(node, f"dp_audit of {mechanism.name}")
        self.mechanism = mechanism

    def epsilon_at_most(self, bound: Any) -> Any:
        """Fails unless the true epsilon is proved to be at most the bound; returns the audit's result."""
        from dpaudit.audit.questions import epsilon
        from dpaudit.numbers.rationals import nonnegative
        from dpaudit.privacy.guarantee import EpsilonDelta

        __tracebackhide__ = True
        self.tested = True
        limit = nonnegative("bound", bound)
        result = epsilon(self.mechanism, claim=EpsilonDelta(limit))
        self._record("dpaudit_epsilon", str(result.epsilon))
        self._expect(result)
        return result

    def delta_at_most(self, bound: Any, at: Any) -> Any:
        """Fails unless delta(at) is proved to be at most the bound; returns the audit's result."""
        from dpaudit.audit.questions import delta
        from dpaudit.numbers.rationals import nonnegative
        from dpaudit.privacy.guarantee import EpsilonDelta

        __tracebackhide__ = True
        self.tested = True
        limit, point = nonnegative("bound", bound), nonnegative("at", at)
        result = delta(self.mechanism, point, claim=EpsilonDelta(point, limit))
        self._record(f"dpaudit_delta({point})", str(result.delta))
        self._expect(result)
        return result

    def zcdp_at_most(self, rho: Any) -> Any:
        """Fails unless rho-zCDP is proved: D_alpha <= rho alpha for all alpha > 1; returns the audit's result."""
        from dpaudit.numbers.rationals import nonnegative
        from dpaudit.privacy.guarantee import Zcdp

        __tracebackhide__ = True
        return self._has(Zcdp(nonnegative("rho", rho)))

    def renyi_at_most(self, bound: Any, alpha: Any) -> Any:
        """Fails unless the Renyi divergence of order alpha is proved to be at most the bound; returns the result."""
        from dpaudit.numbers.rationals import nonnegative, rational
        from dpaudit.privacy.guarantee import RenyiDP

        __tracebackhide__ = True
        return self._has(RenyiDP(rational("alpha", alpha), nonnegative("bound", bound)))

    def gdp_at_most(self, mu: Any) -> Any:
        """Fails unless mu-Gaussian privacy is proved; returns the audit's result."""
        from dpaudit.numbers.rationals import nonnegative
        from dpaudit.privacy.guarantee import GaussianDP

        __tracebackhide__ = True
        return self._has(GaussianDP(nonnegative("mu", mu)))

    def trade_off_at_least(self, points: Any) -> Any:
        """Fails unless every test has errors on or above the function through the points; returns the result."""
        from dpaudit.privacy.guarantee import trade_off

        __tracebackhide__ = True
        return self._has(trade_off("points", points))

    def _has(self, guarantee: Any) -> Any:
        from dpaudit.audit.guarantees import judge

        __tracebackhide__ = True
        self.tested = True
        result = judge(self.mechanism, guarantee)
        shown = "not known" if result.evidence is None else str(result.evidence.value)
        self._record(f"dpaudit_{guarantee.kind}", shown)
        self._expect(result)
        return result

    def as_claimed(self) -> Any:
        """Fails unless the guarantee that the mechanism itself claims is proved; returns the audit's result."""
        from dpaudit.audit.questions import epsilon

        __tracebackhide__ = True
        self.tested = True
        result = epsilon(self.mechanism)
        self._record("dpaudit_epsilon", str(result.epsilon))
        if result.claim.guarantee is None:
            pytest.fail(f"{self.mechanism.name} claims nothing", pytrace=False)
        if result.claim.epsilon is None:
            return self._has(result.claim.guarantee)
        decided = result.claim.evidence
        if decided is not None and decided.quantity == "delta":
            self._record(f"dpaudit_delta({result.claim.epsilon})", str(decided.value))
        self._expect(result)
        return result

    def _expect(self, result: Any) -> None:
        """Fails, in the words of the verdict and with the worst pair and output, unless the claim is proved."""
        from dpaudit.numbers.verdict import Verdict
        from dpaudit.privacy.protocols import text

        __tracebackhide__ = True
        if result.claim.verdict is Verdict.PROVED:
            return
        evidence = result.claim.evidence
        worst = result.witness if evidence is None else evidence.witness
        where = "" if worst is None else f", at x = {text(worst.x)}, x' = {text(worst.x_prime)}"
        where += "" if worst is None or worst.output is None else f", output {text(worst.output)}"
        pytest.fail(f"{self.mechanism.name}: {result.judgement.text()}{where}", pytrace=False)


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Callable[..., PrivacyAssertions]:
    """dp_audit(mech, **parameters): a mechanism, with assertions about its privacy.

    ``mech`` and the parameters are those of ``dpaudit.mechanism``: a name, "file.py:Class", an object, pmf.csv. A file
    is searched for next to the test first, then in the working directory.
    """

    def audit(mech: Any, **parameters: Any) -> PrivacyAssertions:
        from dpaudit.audit.questions import mechanism
        from dpaudit.numbers.errors import InputError

        wrong = ""
        try:
            return PrivacyAssertions(mechanism(_beside(mech, request.path.parent), **parameters), request.node)
        except InputError as problem:
            wrong = str(problem)
        pytest.fail(wrong, pytrace=False)

    return audit


class PipelineAssertions(Asserted):
    """A composition under test."""

    example = '.at_most(eps=1, delta="1e-6")'

    def __init__(self, events: tuple[Any, ...], node: pytest.Item) -> None:
        super().__init__(node, "dp_account")
        self.events = events

    def at_most(self, eps: Any, delta: Any) -> Any:
        """Fails unless the whole composition is proved to be (eps, delta)-private; returns the account."""
        from dpaudit.audit.account import account
        from dpaudit.numbers.rationals import nonnegative
        from dpaudit.numbers.verdict import Verdict
        from dpaudit.privacy.guarantee import EpsilonDelta

        __tracebackhide__ = True
        self.tested = True
        limit = EpsilonDelta(nonnegative("eps", eps), nonnegative("delta", delta))
        result = account(list(self.events), claim=limit)
        self._record(f"dpaudit_account_delta({limit.epsilon})", str(result.claimed))
        if result.claim.verdict is not Verdict.PROVED:
            line = result.headline()
            pytest.fail(f"{line.sentence}; {line.more}", pytrace=False)
        return result


@pytest.fixture
def dp_account(request: pytest.FixtureRequest) -> Callable[..., PipelineAssertions]:
    """dp_account(*events): a composition, with assertions about its privacy.

    An event is a text as ``dpaudit account --event`` takes it, an object such as ``dpaudit.Gaussian(sigma=4) * 100``,
    a mechanism, or an event of dp-accounting.
    """
    return lambda *events: PipelineAssertions(events, request.node)


def _beside(mech: Any, folder: Path) -> Any:
    """The reference to a file next to the test with its full path; anything else as it is."""
    if not isinstance(mech, str):
        return mech
    name, colon, attribute = mech.rpartition(":") if ".py:" in mech else (mech, "", "")
    path = folder / name
    return f"{path}{colon}{attribute}" if path.is_file() else mech
