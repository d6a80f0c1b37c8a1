"""The command line: JSON that a program can trust, text for people, exit codes, nothing heavy imported."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import COMMANDS, main
from dpaudit.commands.options import FAMILY, OUTPUT, PRECISION, SETTING

ROOT = Path(__file__).parents[2]


def run(capsys, *arguments, code=0):
    assert main(list(arguments)) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def run_json(capsys, *arguments, code=0):
    return json.loads(run(capsys, *arguments, "--json", code=code))


def width(enclosure):
    return Fraction(enclosure["upper"]) - Fraction(enclosure["lower"])


def test_epsilon_json(capsys):
    found = run_json(capsys, "epsilon", "--mech", "EHDS", "--n", "100")
    assert found["mechanism"] == "EHDS"
    assert (found["n"], found["k"], found["prior"], found["nominal_epsilon"]) == (100, 2, ["1", "1"], "1")
    assert found["parameters"] == {"gamma": "1"}
    assert found["closed_form"] is None
    assert (found["claimed"], found["verdict"]["word"]) == ("1", "PROVED")
    assert found["counts"] == {"datasets": 101, "pairs": 200, "outputs": 101}
    assert set(found["witness"]) == {"x", "x_prime", "output"}
    assert isinstance(found["precision_bits"], int)
    assert isinstance(found["seconds"], float)
    assert width(found["epsilon"]) <= Fraction(1, 10**15)
    assert Fraction(found["epsilon"]["lower"]) < Fraction("0.39993343218100302") <= Fraction(found["epsilon"]["upper"])


def test_the_loss_at_the_witness_is_the_epsilon(capsys):
    found = run_json(capsys, "epsilon", "--mech", "MH", "--n", "9", "--prior", "1/2,2", "--digits", "30")
    rows = []
    for x in (found["witness"]["x"], found["witness"]["x_prime"]):
        text = ",".join(map(str, x))
        pmf = run_json(capsys, "pmf", "--mech", "MH", "--x", text, "--prior", "1/2,2", "--digits", "40")
        rows.append({tuple(row["output"]): row["probability"] for row in pmf["outputs"]})
    p, p_prime = (row[tuple(found["witness"]["output"])] for row in rows)
    from mpmath import log, mp, mpf

    with mp.workdps(40):
        loss = log(mpf(p["lower"]) / mpf(p_prime["upper"]))
        assert abs(loss - mpf(found["epsilon"]["lower"])) < mpf(10) ** -28


@pytest.mark.parametrize("digits", [1, 15, 50, 120])
def test_digits_bound_every_printed_enclosure(capsys, digits):
    options = ["--n", "5", "--prior", "1/3,2", "--digits", str(digits)]
    limit = Fraction(1, 10**digits)
    epsilon = run_json(capsys, "epsilon", "--mech", "EHDS", *options)
    delta = run_json(capsys, "delta", "--mech", "EHDL", "--at", "0.1", *options)
    pmf = run_json(capsys, "pmf", "--mech", "LSZhang", "--x", "2,3", *options)
    sensitivity = run_json(capsys, "sensitivity", *options)
    enclosures = [epsilon["epsilon"], delta["delta"], sensitivity["gs"]]
    enclosures += [row["probability"] for row in pmf["outputs"]]
    enclosures += [row[name] for row in sensitivity["datasets"] for name in ("ls", "s")]
    assert len(enclosures) == 3 + 36 + 12
    assert all(0 <= width(e) <= limit for e in enclosures)


def test_delta_json(capsys):
    found = run_json(capsys, "delta", "--mech", "LSHist", "--n", "6", "--at", "1")
    assert found["at"] == "1"
    assert found["delta"] == {"lower": "0", "upper": "0"}
    assert found["verdict"]["word"] == "PROVED"
    below = run_json(capsys, "delta", "--mech", "LSHist", "--n", "6", "--at", "1/2")
    assert Fraction(below["delta"]["lower"]) > 0
    assert below["verdict"] is None


def test_delta_speaks_of_the_claim_only_where_it_can(capsys):
    """delta = 0 above the claimed epsilon proves nothing; delta = 0 below it proves the claim."""
    refuted = ["delta", "--mech", "EHD", "--n", "4", "--prior", "1/3,7/2,0.01", "--eps", "0.7"]
    assert main([*refuted, "--at", "0.9", "--require", "--json"]) == 3
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    above = json.loads(captured.out)
    assert above["delta"] == {"lower": "0", "upper": "0"}
    assert above["verdict"] is None
    assert run_json(capsys, *refuted, "--at", "0.7")["verdict"]["word"] == "REFUTED"
    assert run_json(capsys, "delta", "--mech", "LSDim", "--n", "5", "--at", "0.5")["verdict"]["word"] == "PROVED"


@pytest.mark.parametrize(
    "arguments",
    [
        ["pmf", "--mech", "LSHist", "--x", "0,1000", "--eps", "4"],
        ["pmf", "--mech", "EHDS", "--x", "2,3", "--eps", "20000"],
        ["delta", "--mech", "EHDS", "--n", "5", "--eps", "100000", "--at", "25843"],
        ["epsilon", "--mech", "LSDim", "--n", "100000", "--k", "1000"],
        ["epsilon", "--mech", "EHDS", "--n", "2", "--prior", "1e-30,1e30", "--eps", "1e-50"],
    ],
)
@pytest.mark.thin(2)
def test_extreme_settings_have_an_answer(capsys, arguments):
    run(capsys, *arguments, "--json")
    run(capsys, *arguments)


def test_tables_never_cut_a_number(capsys):
    text = run(capsys, "sensitivity", "--n", "2", "--digits", "80")
    assert "…" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())
    digits = dpaudit.sensitivity(2, digits=80).gs.to_dict()["lower"]
    assert digits[:60] in text


def test_a_closed_pipe_and_a_full_disk_have_codes_of_their_own():
    command = f"{sys.executable} -m dpaudit epsilon --mech EHDS --n 5"
    for tail, code in (("| true; exit ${PIPESTATUS[0]}", (0, 141)), ("> /dev/full", (74,)), (">&-", (74,)),
                       ("--out /dev/null >&-", (0,)), (">&- 2>&-", (74,)), (">&- <&-", (74,))):  # fmt: skip
        done = subprocess.run(["bash", "-c", f"{command} {tail}"], capture_output=True, text=True, check=False)
        assert done.returncode in code
        assert "Traceback" not in done.stderr


def test_a_terminal_without_our_signs_gets_question_marks():
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", "epsilon", "--mech", "EHDS", "--n", "5"],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin"},
        check=False,
    )
    assert done.returncode == 0
    assert b"PROVED" in done.stdout


def test_the_exit_codes_are_in_the_help(capsys):
    text = run(capsys, "--help")
    assert "Exit codes" in text


def panels(text):
    """The frames of a help page: title -> what it holds."""
    found, title = {}, None
    for line in text.splitlines():
        if line.startswith("╭─"):
            title = line.strip("╭╮─ ")
            found[title] = ""
        elif line.startswith("│") and title is not None:
            found[title] += line.strip("│") + "\n"
    return found


def test_the_commands_are_grouped_in_the_help(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    found = panels(run(capsys, "--help"))
    assert list(found) == ["Options", *COMMANDS]
    for kind, commands in COMMANDS.items():
        assert re.findall(r"^ (\w+)", found[kind], re.MULTILINE) == list(commands)


@pytest.mark.parametrize("name", sorted(name for group in COMMANDS.values() for name in group))
def test_every_help_has_examples_and_groups_its_options(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(capsys, name, "--help")
    assert re.search(r"Examples?:", text)
    assert f"dpaudit {name}" in text
    assert "<bool>" not in text
    assert max(map(len, text.splitlines())) <= 80
    found = panels(text)
    assert set(found) <= {"Arguments", "Options", SETTING, FAMILY, PRECISION, OUTPUT}
    for kind, options in {
        SETTING: ("--eps",),
        FAMILY: ("--gamma", "--gs"),
        PRECISION: ("--digits", "--memory"),
    }.items():
        for option in options:
            if re.search(rf"^│[ *]+{option}\b", text, re.MULTILINE) and name not in (
                "search",
                "sensitivity",
                "shuffle",
                "verify",
            ):
                assert option in found[kind]


def test_refuted_and_require(capsys):
    arguments = ["epsilon", "--mech", "EHD", "--n", "1", "--prior", "0.01,0.01", "--eps", "1"]
    assert run_json(capsys, *arguments)["verdict"]["word"] == "REFUTED"
    assert run_json(capsys, *arguments, "--require", code=1)["verdict"]["word"] == "REFUTED"
    assert run_json(capsys, *arguments, "--require", "--gs", "exact")["verdict"]["word"] == "PROVED"
    assert "REFUTED" in run(capsys, "delta", *arguments[1:], "--at", "1", "--require", code=1)


def test_mhdelta_is_judged_by_epsilon_and_delta(capsys):
    found = run_json(capsys, "epsilon", "--mech", "MHdelta", "--n", "8", "--eps", "0.8", "--delta", "1e-8")
    assert found["claimed"] == "4/5"
    assert found["claimed_delta"] == "1/100000000"
    assert found["verdict"]["word"] == "PROVED"


def test_nothing_is_claimed_for_ehdl(capsys):
    found = run_json(capsys, "epsilon", "--mech", "ehdl", "--n", "8")
    assert found["claimed"] is None
    judged = found["verdict"]
    assert (judged["word"], judged["statement"], judged["whose"]) == ("PROVED", "EHDL is 1-DP", "nominal")


def test_pmf_and_sensitivity_json(capsys):
    pmf = run_json(capsys, "pmf", "--mech", "LSHist", "--n", "8", "--x", "4,4")
    assert pmf["x"] == [4, 4]
    assert [row["output"] for row in pmf["outputs"]] == [[o] for o in range(9)]
    assert pmf["outputs"][3]["released"] == [3, 5]
    found = run_json(capsys, "sensitivity", "--n", "20", "--gamma", "1")
    assert [row["x"] for row in found["datasets"]] == [[i, 20 - i] for i in range(21)]


def test_text_for_people(capsys):
    text = run(capsys, "epsilon", "--mech", "LSDim", "--n", "4", "--k", "3")
    for part in ("LSDim", "0.666666[6, 7]", "2/3   (2/3 eps, for every ε > 0)", "PROVED", "worst pair"):
        assert part in text
    for name in dpaudit.MECHANISMS:
        assert name in run(capsys, "mechanisms")
    assert "0.316060[2, 3]" in run(capsys, "pmf", "--mech", "LSHist", "--x", "4,4")
    assert "0.3160602794142788[3, 4]" in run(capsys, "pmf", "--mech", "LSHist", "--x", "4,4", "--digits", "15")
    assert "GS(n, prior)" in run(capsys, "sensitivity", "--n", "3")
    assert "δ(2/5)" in run(capsys, "delta", "--mech", "EHDL", "--n", "5", "--at", "0.4")
    assert run(capsys, "--version").strip() == f"dpaudit {dpaudit.__version__}"


def test_a_result_can_go_to_a_file(tmp_path, capsys):
    target = tmp_path / "result.json"
    assert main(["epsilon", "--mech", "EHDS", "--n", "4", "--json", "--out", str(target)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(target.read_text())["mechanism"] == "EHDS"


def test_the_api_gives_what_the_command_prints(capsys):
    found = run_json(capsys, "epsilon", "--mech", "MH", "--n", "6", "--gamma", "1/2")
    result = dpaudit.epsilon("MH", n=6, gamma="1/2").to_dict()
    assert {**result, "seconds": 0} == {**found, "seconds": 0}


def test_interruption_ends_cleanly(monkeypatch, capsys):
    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpaudit.audit.questions.epsilon", interrupted)
    assert main(["epsilon", "--mech", "EHDS", "--n", "5"]) == 130
    assert capsys.readouterr().err == "dpaudit: interrupted\n"


def test_ci_runs_the_readme_test_command():
    readme = (ROOT / "README.md").read_text()
    commands = [line.strip() for line in readme.splitlines() if line.startswith("    python3 -m venv")]
    assert len(commands) == 2
    assert "dpaudit epsilon --mech EHDS --n 100" in commands[0]
    assert commands[1] in (ROOT / ".ci" / "run").read_text()


def test_a_question_enters_by_one_door(monkeypatch):
    """The setting is read once, and only the command that is called is built."""
    from dpaudit import cli
    from dpaudit.audit.setting import Setting

    entered, made = [], []
    read, build = Setting.read, cli.built
    monkeypatch.setattr(Setting, "read", staticmethod(lambda *a, **o: entered.append(a) or read(*a, **o)))
    monkeypatch.setattr(cli, "built", lambda name, words: made.append(name) or build(name, words))
    for words, codes in (("epsilon --mech EHDS --n 5", 0), ("profile --mech EHDS --n 5", 0), ("delta --n 0", 2)):
        entered.clear(), made.clear()
        assert main(words.split()) == codes
        assert made == [words.split()[0]]
        assert len(entered) <= 1
