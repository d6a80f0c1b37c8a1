"""Hypothesis settings for all tests: deterministic, no deadline (machines are shared)."""

from hypothesis import Phase, settings

settings.register_profile("dpaudit", deadline=None, derandomize=True, max_examples=60)
settings.register_profile(
    "mutation", settings.get_profile("dpaudit"), max_examples=20, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("dpaudit")
