"""Blocks of mechanisms: what is asked about one n is asked of one mechanism, and kept."""

from collections import Counter
from fractions import Fraction

from dpaudit.audit.setting import Setting
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reports.block import Case


def test_questions_about_one_n_share_its_mechanism(monkeypatch):
    built = Counter()
    build = Setting.build

    def counted(setting):
        built[setting.model.n] += 1
        return build(setting)

    monkeypatch.setattr(Setting, "build", counted)
    case = Case("EHDS", Setting.read("EHDS", n=9), ns=(8, 9))
    for n in case.places():
        assert case.answer(n) is case.answer(n)
        assert case.at(n) is case.at(n)
        assert (case.asked_at(n), bool(case.command(n))) == (EpsilonDelta(Fraction(1)), True)
    assert set(built.values()) == {1}
