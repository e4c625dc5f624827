"""Settings of all tests: short hypothesis runs, no clock, a terminal of one width, absent packages are skipped."""

import os

from hypothesis import HealthCheck, settings

from tests import extras

settings.register_profile(
    "infoscope", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", parent=settings.get_profile("infoscope"), max_examples=5)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "infoscope"))

# Text is laid out for the width of the terminal; a parallel run has none, a terminal has any.
os.environ["COLUMNS"] = "100"

extras.install()
