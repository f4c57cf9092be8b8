"""The architectures that Tegula compiles for. What they are like is known to ``lib/Target`` only."""

TARGETS = ("gfx942", "gfx950")
