"""One measurement in a process of its own: python -m benchmarks.task NAME ARGUMENT... prints JSON.

The times are those of the computation, without the start of the interpreter: processor time, that of its workers
included, which other work on the machine hardly disturbs, and time by the clock. The memory is the peak of the process,
or of its largest worker.
"""

import json
import resource
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks import own, rivals, tables


def certified(mech, n, k="2", tier="auto", digits="15", prior=None):
    import dpaudit

    delta = "1e-8" if mech == "MHdelta" else None
    result = dpaudit.epsilon(mech, n=n, k=k, prior=prior or None, delta=delta, tier=tier, digits=digits)
    return {"value": str(result.epsilon), "tier": result.tier, "filter_left": result.filter_left}


def usual(mech, n):
    """The same without the ends: every pair is bounded."""
    from dpaudit.audit.setting import Setting
    from dpaudit.privacy.effort import Effort

    return {"value": str(Setting.read(mech, n=n).mechanism.screen().usual.worst_loss(Effort()).value)}


def certified_delta(n, at, tier="auto"):
    import dpaudit

    return {"value": str(dpaudit.delta("EHDS", at, n=n, tier=tier).delta)}


def certified_own(kind, size):
    import dpaudit

    return {"value": str(dpaudit.epsilon(own.KINDS[kind](int(size), dpaudit.exp)).epsilon)}


def float_own(kind, size):
    return {"value": own.float_epsilon(kind, int(size))}


def table(rows, outputs):
    import dpaudit

    with rationals(rows, outputs) as path:
        return {"value": str(dpaudit.table(str(path)).epsilon)}


def table_fractions(rows, outputs):
    with rationals(rows, outputs) as path:
        return {"value": tables.fractions_epsilon(path)}


@contextmanager
def rationals(rows, outputs):
    """The file of a table; writing it is part of both sides' time, and small."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pmf.csv")
        tables.write_rationals(path, int(rows), int(outputs))
        yield path


def table_weights(rows, outputs):
    import dpaudit

    return {"value": str(dpaudit.epsilon(tables.Weights(int(rows), int(outputs))).epsilon)}


def table_weights_numpy(rows, outputs):
    return {"value": tables.numpy_epsilon(int(rows), int(outputs))}


def table_exp_numpy(rows, outputs):
    return {"value": tables.numpy_response(int(rows), int(outputs))}


def table_exp(rows, outputs):
    import dpaudit

    return {"value": str(dpaudit.epsilon(tables.Response(int(rows), int(outputs), dpaudit.exp)).epsilon)}


def numpy(mech, n):
    return {"value": rivals.numpy_epsilon(mech, int(n))}


def numpy_3(n):
    return {"value": rivals.numpy_epsilon_3(int(n))}


CLAIMS = {"renyi": "alpha=2,eps=1/2", "rho": "rho=1/2", "trade-off": "f=0:1;1/4:1/2;1/2:1/4;1:0", "mu": "mu=1"}
"""What the largest divergence, rho, deficit and mu of all pairs are computed for: a claim."""


def whole_curve(what, n):
    """The profile, or what a claim is judged by."""
    import dpaudit

    if what == "profile":
        found = dpaudit.profile("EHDS", n=n)
        return {"value": str(found.total_variation), "segments": len(found.segments), "slack": str(found.slack)}
    return {"value": str(dpaudit.judge("EHDS", CLAIMS[what], n=n).claim.evidence.value)}


def whole_curve_numpy(what, n):
    points = [(0, 1), (0.25, 0.5), (0.5, 0.25), (1, 0)]
    compute = {
        "profile": lambda: len(rivals.numpy_profile("EHDS", int(n))[0]),
        "renyi": lambda: rivals.numpy_renyi("EHDS", int(n), 2),
        "rho": lambda: rivals.numpy_rho("EHDS", int(n)),
        "trade-off": lambda: rivals.numpy_trade_off("EHDS", int(n), points),
        "mu": lambda: rivals.numpy_mu("EHDS", int(n)),
    }
    return {"value": compute[what]()}


def claims(jobs):
    import dpaudit

    return {"value": len(dpaudit.check(jobs=int(jobs)))}


def mpmath(n, digits):
    return {"value": rivals.mpmath_epsilon(int(n), int(digits))}


def accounting(n, at):
    return {"value": rivals.accounting_delta(int(n), float(at))}


def svt(queries):
    """The true ε of SVT6 on the pair that differs in every query, by classes of queries, in certified balls."""
    from fractions import Fraction

    from dpaudit.noise.suite.inputs import suite_pairs
    from dpaudit.noise.suite.special import svt_6_balls
    from dpaudit.numbers import balls

    x, y = suite_pairs(int(queries), True)[-1]
    with balls.precision(256):
        losses = [abs((p / q).log()) for p, q, _ in svt_6_balls(x, y, Fraction(1, 10))]
        return {"value": str(balls.enclosure(balls.maximum(losses), 15))}


def svt_sampled(queries, samples="1000000"):
    """The same mechanism, sampled in numpy: so many draws for both inputs, and a count of the patterns."""
    return {"value": rivals.sampled_svt(int(queries), int(samples))}


def suite():
    from dpaudit.studies.suite.run import suite as compute

    return {"value": str(len(compute()))}


def account(event, delta, gap="1e-3"):
    import dpaudit

    found = dpaudit.account([event], delta=delta, gap=gap)
    grid = found.to_dict()["grid"]
    return {"value": str(found.epsilons[0][1]), "points": grid["points"], "rounds": grid["rounds"]}


def accounting_epsilon(event, delta, grid):
    return {"value": rivals.accounting_epsilon(event, float(delta), float(grid))}


def prv_epsilon(event, delta):
    return {"value": rivals.prv_epsilon(event, float(delta))}


TASKS = {
    "table": table,
    "table_fractions": table_fractions,
    "table_weights": table_weights,
    "table_weights_numpy": table_weights_numpy,
    "table_exp": table_exp,
    "table_exp_numpy": table_exp_numpy,
    "curve": whole_curve,
    "curve_numpy": whole_curve_numpy,
    "claims": claims,
    "numpy_3": numpy_3,
    "svt": svt,
    "svt_sampled": svt_sampled,
    "suite": suite,
    "account": account,
    "accounting_epsilon": accounting_epsilon,
    "prv_epsilon": prv_epsilon,
    "certified": certified,
    "usual": usual,
    "delta": certified_delta,
    "own": certified_own,
    "own_float": float_own,
    "numpy": numpy,
    "mpmath": mpmath,
    "accounting": accounting,
}


def used():
    """Seconds of processor time, and the peak of memory in MiB, of this process and of the workers that have ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in both), max(u.ru_maxrss for u in both) / 1024


def main():
    name, *arguments = sys.argv[1:]
    if name in ("numpy", "numpy_3", "certified", "usual", "delta", "own", "own_float", "curve", "curve_numpy"):
        import numpy  # noqa: F401  the import is start-up, for both sides alike
    if name in ("curve", "curve_numpy"):
        import scipy.special  # noqa: F401
    if name in ("accounting", "accounting_epsilon"):
        import dp_accounting.pld.privacy_loss_distribution  # noqa: F401
    import dpaudit

    dpaudit.epsilon("EHDS", n=1)  # modules are loaded when they are asked for: that is start-up too
    if name == "curve":
        whole_curve(arguments[0], 300)
    if name in ("own", "own_float"):
        TASKS[name](arguments[0], 3)
    (start, _), clock = used(), perf_counter()
    answer = TASKS[name](*arguments)
    (end, peak), clock = used(), perf_counter() - clock
    seconds = end - start
    print(json.dumps({"seconds": seconds, "clock_seconds": clock, "peak_mib": peak, **answer}))


if __name__ == "__main__":
    main()
