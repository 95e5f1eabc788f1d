"""Properties are about outcomes: how long the first import takes is measured elsewhere."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("policy", deadline=None)
settings.load_profile("policy")
