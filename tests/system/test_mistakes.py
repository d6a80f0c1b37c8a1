"""Plausible mistakes, each with the exact line that it gets: the cause, and the next step."""

import shlex
import sys
from textwrap import dedent

import pytest

from dpaudit.cli import main

OWN = """
import math
from fractions import Fraction

import dpaudit


class Base:
    def datasets(self):
        return [0, 1]

    def outputs(self):
        return [0, 1]


class Float(Base):
    def __init__(self, epsilon):
        self.epsilon = float(epsilon)

    def probability(self, x, r):
        return Fraction(1, 2)


class Rounded(Base):
    def probability(self, x, r):
        return 0.75 if x == r else 0.25


class Off(Base):
    def probability(self, x, r):
        return Fraction(1, 3)


class Crash(Base):
    def probability(self, x, r):
        return Fraction(1, x)


class Needs(Base):
    def __init__(self, sigma):
        self.sigma = sigma

    def probability(self, x, r):
        return Fraction(1, 2)


class Root:
    def datasets(self):
        return [0, 1]

    def sample(self, x, noise: dpaudit.Noise):
        return math.sqrt(noise.laplace(1))


class Nothing:
    pass


class Cut:
    def datasets(self):
        return [0, 1]

    def outputs(self):
        return range(-9, 11)

    def probability(self, x, r):
        q = dpaudit.exp(-1)
        return (1 - q) / (1 + q) * dpaudit.exp(-abs(x - r))


class Steps:
    def datasets(self):
        return [0, 1]

    def sample(self, x, noise: dpaudit.Noise):
        weight = 0
        for _ in range(3):
            weight += (x if noise.bernoulli("1/10") else 0) + noise.gaussian(2)
        return weight


class Normal(Base):
    outputs = None

    def sample(self, x, noise: dpaudit.Noise):
        return x + noise.normal(0, 1)


class Bare(Base):
    outputs = None

    def sample(self, x, noise):
        return x + noise.bernoulli("1/4")


class Library:
    def __init__(self, epsilon):
        self.epsilon = float(epsilon)

    def randomise(self, x):
        return x


class Array(Base):
    def probabilities(self, x):
        import numpy

        return numpy.array([0.75, 0.25])


def alone(x):
    return x


def sampler(x, rng):
    return x
"""
FILES = {
    "own.py": OWN,
    "median.py": "class Median:\n    pass\n",
    "bad.csv": ",no,yes\nno,3/4,1/4\nyes,0.25,0.70\n",
    "pmf.csv": ",no,yes\nno,3/4,1/4\nyes,1/4,3/4\n",
    "comma.csv": ',no,yes\nno,"0,75","0,25"\nyes,"0,25","0,75"\n',
    "semicolon.csv": ";no;yes\nno;3/4;1/4\nyes;1/4;3/4\n",
    "percent.csv": ",no,yes\nno,75%,25%\nyes,25%,75%\n",
    "broken.json": "{\n",
    "lacking.py": "import no_such_library\n",
}
HAS = "own.py has Base, Float, Rounded, Off, Crash, Needs, Root, Nothing, Cut, Steps, Normal, Bare, Library, Array"
EXACT = "must be an exact number such as 2, 4/5, 0.8 or 1e-8"
LOGARITHM = "a logarithm is not rational: take a number just above it, such as 1.0987 for ln 3"
CALIBRATED = (
    "for noise and (ε, δ) there is --event gaussian:sigma=?,sensitivity=1 --target eps=1,delta=1e-5; "
    "`dpaudit judge --claim eps=1,delta=1e-5` decides one setting"
)
FORMS = "must be a guarantee such as 1, eps=1, eps=1,delta=1e-5, rho=1/2, alpha=2,eps=1/2, mu=1 or f=0:1;1/4:1/2;1:0"
MISTAKES = {
    "epsilon": "Missing option '--mech'. `dpaudit mechanisms` lists them; your own: --mech file.py:Class",
    "epsilon EHDS": "--n = (missing): must be a whole number >= 1, the number of records: --n 100",
    "epsilonn --mech EHDS": "No such command 'epsilonn'. Did you mean 'epsilon'?",
    "epsilon --mch EHDS": "No such option: --mch (Possible options: --mech)",
    "epsilon --mech EHDX --n 5": "--mech = EHDX: unknown mechanism; did you mean EHD or EHDS? "
    "`dpaudit mechanisms` lists all; your own: file.py:Class",
    "epsilon --mech laplase": "--mech = laplase: unknown mechanism; did you mean laplace or discrete-laplace? "
    "`dpaudit mechanisms` lists all; your own: file.py:Class",
    "epsilon --mech EHDS --n ten": "--n = ten: must be a whole number >= 1 and <= 1000000000",
    "epsilon --mech EHDS --n 5 --eps 0": "--eps = 0: must be > 0",
    "epsilon --mech EHDS --n 5 --eps one": f"--eps = one: {EXACT}",
    "epsilon --mech EHDS --n 5 --prior 1,1,1 --k 2": "--k = 2: contradicts the prior, which has 3 entries",
    "epsilon --mech EHDS --n 5 --prior 1,0": "--prior = 0: must be > 0",
    "epsilon --mech EHDS --n 5 --digits many": "--digits = many: must be a whole number >= 1 and <= 2000",
    "epsilon --mech EHDS --n 5 --tier quick": "--tier = quick: must be one of auto, exact, fast",
    "epsilon --mech EHDS --n 5 --claim maybe": f"--claim = maybe: {FORMS}",
    "epsilon --mech EHDS --n 5 --claim 1,1e-5": "--claim = 1,1e-5: an ε with a δ is written eps=1,delta=1e-5",
    "epsilon --mech EHDS --n 5 --claim (1,2,3)": f"--claim = (1,2,3): {FORMS}",
    "epsilon --mech EHDS --n 5 --claim eps=1,delta=2": "--claim = eps=1,delta=2: delta must be <= 1: "
    "it is a probability",
    "epsilon --mech EHDS --n 5 --delta 1e-6": "--delta = 1e-6: EHDS has no such parameter (it has: gamma, score); "
    "to claim (ε, δ): --claim eps=1,delta=1e-6; for the ε at this δ: "
    "dpaudit account --event mech:EHDS,n=5 --delta 1e-6",
    "epsilon gaussian --delta 1e-6": "--delta = 1e-6: gaussian has no such parameter (it has: sensitivity, sigma); "
    "to claim (ε, δ): --claim eps=1,delta=1e-6; for the ε at a δ: dpaudit account --event mech:NAME --delta 1e-6",
    "epsilon laplace --eps 'ln 3'": f"--eps = ln 3: {EXACT}; {LOGARITHM}",
    "table pmf.csv --claim ln(3)": f"--claim = ln(3): {EXACT}; {LOGARITHM}",
    "epsilon EHDS -n 5": "No such option: -n. Did you mean --n?",
    "epsilon EHDS MH --n 5": "Got unexpected extra argument(s) (MH); see dpaudit epsilon --help",
    "EHDS --n 5": "No such command 'EHDS'. `dpaudit help` lists them; to audit a mechanism: dpaudit epsilon NAME",
    "pmf EHDS": "Missing option '--x'. Say for which data set: --x 3,7 (counts), or its name",
    "account gaussian": "Missing option '--event'. Say which releases: --event \"gaussian:sigma=4 x 1000\"",
    "epsilon median:Median": "--mech = median:Median: cannot be imported: ModuleNotFoundError: No module named "
    "'median'; for the file median.py: --mech median.py:Median",
    "epsilon --mech own.py:Off,median.py:Median": "--mech = own.py:Off,median.py:Median: there is no file "
    "own.py:Off,median.py; one mechanism here, dpaudit report --mech takes several",
    "epsilon --mech MHdelta --n 5": "--delta = (missing): MHdelta needs it: the δ that is claimed, a rational > 0 "
    "and < 1, such as 1e-8",
    "epsilon --mech EHDS/foo --n 5": "--mech = EHDS/foo: EHDS has no such variant; it has: EHDS/hellinger, EHDS/tv, "
    "EHDS/kl, EHDS/chi2, EHDS/l1",
    "epsilon --mech EHDS --n 5 --adjacency one": "--adjacency = one: must be replace-one, add-remove-one, all, or a "
    "file of pairs (csv, json, parquet)",
    "epsilon --mech EHDS --n 5 --plot x.gif": "--plot = x.gif: must end in .svg, .pdf, .png",
    "epsilon --mech median.py": "--mech = median.py: must be file.py:Class or package.module:Class; "
    "median.py has Median: --mech median.py:Median",
    "epsilon --mech own.py:Flaot": f"--mech = own.py:Flaot: there is no class Flaot in own.py; it{HAS[6:]}",
    "epsilon --mech nofile.py:A": "--mech = nofile.py:A: there is no file nofile.py",
    "epsilon --mech own.py:Nothing": "--mech = own.py:Nothing: Nothing needs a method datasets(); one that "
    "works: dpaudit epsilon --mech dpaudit.examples.randomized_response:RandomizedResponse",
    "epsilon --mech own.py:Float": "--mech = own.py:Float: own.py line 18: self.epsilon is a float, 1.0; "
    "keep the exact number that it receives: self.epsilon = epsilon",
    "epsilon --mech own.py:Rounded": "--mech = own.py:Rounded: Rounded probability(0, 0) is 0.75: a float is not "
    'exact; write it exactly, as text or Fraction: "3/4" or "0.75"',
    "epsilon --mech own.py:Array": "--mech = own.py:Array: Array probabilities(0) at 0 is np.float64(0.75): "
    'a float64 is not exact; write it exactly, as text or Fraction: "3/4" or "0.75"',
    "epsilon --mech own.py:Off": "--mech = own.py:Off: Off probability(0) sums to 2/3, not to 1",
    "epsilon --mech own.py:Crash": "--mech = own.py:Crash: own.py line 36: ZeroDivisionError: Fraction(1, 0)",
    "epsilon --mech lacking.py:Lacking": "--mech = lacking.py:Lacking: lacking.py line 1: "
    "ModuleNotFoundError: No module named 'no_such_library'; "
    f"install it for the Python that runs dpaudit, {sys.executable}",
    "epsilon --mech truncated-geometric --n all": "--n = all: every n at once works for EHD, EHDL, EHDS and MH; here, "
    "`dpaudit search --mech truncated-geometric --n 1..20` certifies each n of a range",
    "epsilon --mech LSDim --n all": "--n = all: the true ε over every n is known for EHD, EHDL, EHDS and MH, not for "
    "LSDim; `dpaudit check dp.lsdim` decides its claim for every n",
    "epsilon --mech pmf.csv --eps all": "--eps = all: every ε at once works for the documents' mechanisms "
    "(LSDim, EHDS, …); here, `dpaudit search --eps 1/10,1,4` certifies each ε of a list, and `dpaudit mechanisms "
    "NAME` gives the closed form of a named one",
    "calibrate --mech gaussian": f"--mech = gaussian: takes no nominal ε to calibrate; {CALIBRATED}",
    "calibrate --mech oue --target eps=1,delta=1e-5": f"--target = eps=1,delta=1e-5: {EXACT}: a pure ε; {CALIBRATED}",
    "calibrate --target 1": "--mech = (missing): name a mechanism, or a pipeline with ? for one parameter: "
    "--event gaussian:sigma=?",
    "calibrate --event gaussian:sigma=2": "--event = gaussian:sigma=2: write ? for one parameter, as in "
    "gaussian:sigma=?,rate=1/100 x 1000",
    "calibrate --event gaussian:sigma=?": "--target = eps=1: gaussian is (ε, 0)-private for no ε: give a δ too, as in "
    "eps=1,delta=1e-5",
    "calibrate --event gaussian:sigma=? --target eps=1,delta=1e-5 --n 5": "--n = 5: cannot be used with --event",
    "epsilon --mech own.py:Needs": "--set = (missing): Needs of own.py:Needs needs a value for sigma: --set sigma=…",
    "epsilon --mech fractions:Fraction": "--mech = fractions:Fraction: Fraction needs a method datasets(); a library's "
    "class is made and called in sample(x, rng) of a class of yours; one that works: dpaudit epsilon --mech "
    "dpaudit.examples.randomized_response:RandomizedResponse",
    "epsilon --mech own.py:Library": "--mech = own.py:Library: Library needs a method datasets(); one that works: "
    "dpaudit epsilon --mech dpaudit.examples.randomized_response:RandomizedResponse",
    "epsilon --mech own.py:Cut": "--mech = own.py:Cut: Cut probability(0) sums to 1 - 4.54e-5, not to 1; if outputs() "
    "leaves some out, let its last one stand for all of them",
    "delta --mech own.py:Steps --at 1": "--mech = own.py:Steps: Steps sample(0, noise): own.py line 75: several paths "
    "lead to one Gaussian real part: return which path was taken; for the total cost of noisy steps: dpaudit account "
    '--event "gaussian:sigma=2,rate=1/100 x 1000"; or give its table, dpaudit table pmf.csv, or counts, dpaudit '
    "samples counts.csv",
    "epsilon --mech own.py:Normal": "--mech = own.py:Normal: Normal sample(0, noise): own.py line 86: noise has no "
    "normal: it has laplace, exponential, gaussian, uniform, discrete_laplace, discrete_gaussian, bernoulli, argmax, "
    "argmin; or give its table, dpaudit table pmf.csv, or counts, dpaudit samples counts.csv",
    "epsilon --mech own.py:Bare": "--mech = own.py:Bare: Bare sample(0, rng): own.py line 93: bernoulli is ideal "
    "noise: annotate the parameter, sample(self, x, noise: dpaudit.Noise); counts of its outputs can refute a claim: "
    "dpaudit samples --draw 20000 --mech own.py:Bare --claim 1",
    "epsilon --mech own.py:alone --set data=0,1": "--mech = own.py:alone: takes only the data; a sampler also "
    "takes its random source: def alone(x, rng)",
    "epsilon --mech own.py:sampler": "--set = (missing): own.py:sampler is a function: say for which data sets, "
    "--set data=0,1,2",
    "epsilon --mech bad.csv": "TABLE = bad.csv: row 3 (yes): sums to 19/20, not to 1",
    "epsilon --mech pmf.csv --eps 2": "--eps = 2: a table of probabilities takes no epsilon",
    "epsilon --mech comma.csv": "TABLE = comma.csv: row 2 (no), column no: 0,75 must be an exact number such as 2, "
    "4/5, 0.8 or 1e-8",
    "epsilon --mech semicolon.csv": "TABLE = semicolon.csv: is separated by semicolons; use commas, and a point in "
    "decimals",
    "epsilon --mech percent.csv": "TABLE = percent.csv: row 2 (no), column no: 75% must be an exact number such as 2, "
    "4/5, 0.8 or 1e-8",
    "epsilon --mech laplace --scale 2": "No such option: --scale (Possible options: --score, --set); Laplace noise of "
    "scale b at sensitivity Δ is --eps Δ/b, Gaussian noise takes --sigma",
    "epsilon --mech laplace --gs 2": "--gs = 2: laplace has no such parameter (it has: sensitivity)",
    "epsilon --mech EHDS --n 1..5": "--n = 1..5: must be a whole number >= 1 or all; compare, search, report and sweep "
    "take ranges of n",
    "pmf --mech laplace --x 0": "--mech = laplace: laplace releases real numbers, so it has no table; ask for epsilon, "
    "delta, profile or judge",
    "pmf --mech randomized-response --x yes": "--x = yes: is not a data set of randomized-response; it has a; b",
    "sweep pmf.csv --out a.db": "plan = pmf.csv: is not TOML: Invalid statement (at line 1, column 1)",
    "table pmf.cvs": "TABLE = pmf.cvs: must be a .csv, .json or .parquet file",
    "table broken.json": "TABLE = broken.json: is not JSON: Expecting property name enclosed in double quotes "
    "(line 2, column 1)",
    "delta --mech EHDS --n 5": "Missing option '--at'. Say at which ε: --at 1",
    "delta --mech EHDS --n 5 --at -1": "--at = -1: must be >= 0",
    "pmf --mech EHDS --n 5 --x 1,2": "--x = 1,2: must sum to n = 5, sums to 3",
    "account --event gaussian:sigma=1,rate=1/2 --at 1 --adjacency replace-one": "--adjacency = replace-one: no "
    "dominating pair of subsampling under replace-one is proved: take add-remove-one, or leave out rate",
    "account --event gaussian --at 1": "--event = gaussian: sigma: must be given",
    "account --event gaussian:sigma=1,rate=2 --at 1": "--event = gaussian:sigma=1,rate=2: rate: must be > 0 and <= 1",
    "account --event gaussian:sigma=1,steps=1000 --delta 1e-5": "--event = gaussian:sigma=1,steps=1000: gaussian takes "
    'no steps: write "gaussian:sigma=1 x 1000"',
    "account --event gaussian:noise_multiplier=1.1 --delta 1e-5": "--event = gaussian:noise_multiplier=1.1: gaussian "
    "takes no noise_multiplier: write sigma=1.1",
    "account --event mech:EHDS,n=4,steps=3 --delta 1e-5": "--event = mech:EHDS,n=4,steps=3: steps: EHDS has no such "
    'parameter (it has: gamma, score); for 3 releases write "mech:EHDS,n=4 x 3"',
    "account --event gaussian:sigma=? --delta 1e-5": "--event = gaussian:sigma=?: ? asks for the parameter itself: "
    "`dpaudit calibrate --event … --target …`",
    "account --event gaussian:sigma=1": "--at = (nothing): nothing to compute: give --at EPSILON, --delta DELTA or "
    "--claim eps=1,delta=1e-6",
    "account --event gaussian:sigma=1 --eps 1": "No such option: --eps (Possible options: --cells, --gap, --help); "
    "δ at an ε: --at 1",
    "compose --event gaussian:sigma=1": "No such command 'compose'. Did you mean 'compare'? Releases are added up by "
    "`dpaudit account --event …`",
    "shuffle --mech krr --delta 1e-6": "No such option: --mech; it is about randomized response: --eps 1 --k 2 --n "
    "1000 --delta 1e-6",
    "search --mech EHDS --n 1..5 --latex": "No such option: --latex; `dpaudit epsilon --latex` is for one n",
    "samples": "COUNTS = (missing): name a file of counts, or give --draw N and --mech NAME",
    "samples nofile.csv": "COUNTS = nofile.csv: cannot be read: No such file or directory",
    "check dp.ehdsx": "IDS = dp.ehdsx: no claim has this id; did you mean dp.ehds?",
    "compare": "--x = (missing): give exactly one of --x, --dataset and --n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        (tmp_path / name).write_text(dedent(content))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("words", MISTAKES)
@pytest.mark.usefixtures("folder")
def test_a_mistake_is_one_line_with_its_cause(capsys, words):
    assert main(shlex.split(words)) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"dpaudit: {MISTAKES[words]}\n")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("epsilon EHDS --n 5", "epsilon --mech EHDS --n 5"),
        ("epsilon --mech EHDS --n 5 --claim 1/2-DP", "epsilon --mech EHDS --n 5 --claim eps=1/2"),
        ("epsilon --mech EHDS --n 5 --claim (1,1e-5)", "epsilon --mech EHDS --n 5 --claim eps=1,delta=1e-5"),
        ("epsilon --mech EHDS --n 5 --claim '(1, 1e-5)-DP'", "epsilon --mech EHDS --n 5 --claim eps=1,delta=1e-5"),
        ("epsilon --mech EHDS --n 5 --claim 1/2-zCDP", "epsilon --mech EHDS --n 5 --claim rho=1/2"),
        ("epsilon --mech EHDS --n 5 --claim '(2, 1/2)-Rényi DP'", "epsilon --mech EHDS --n 5 --claim alpha=2,eps=1/2"),
        ("epsilon --mech EHDS --n 5 --claim 1-GDP", "epsilon --mech EHDS --n 5 --claim mu=1"),
        ("-V", "--version"),
        ("epsilon EHDS --n 5 --prior '(1, 2)'", "epsilon --mech EHDS --n 5 --prior 1,2"),
        ("pmf EHDS --x '(2, 3)'", "pmf --mech EHDS --x 2,3"),
        ("help epsilon", "epsilon --help"),
        ("help", "--help"),
    ],
)
def test_what_is_meant_is_done(capsys, words, meant):
    def answer(line):
        assert main(shlex.split(line)) == 0
        return [row for row in capsys.readouterr().out.splitlines() if not row.startswith("effort")]

    assert answer(words) == answer(meant)
