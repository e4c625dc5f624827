"""Settings of all tests: short hypothesis runs, no clock."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "infoscope", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("infoscope")
