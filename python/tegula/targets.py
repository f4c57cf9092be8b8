"""The architectures that Tegula compiles for. Their facts are in ``lib/Target``."""

TARGETS = ("gfx942", "gfx950")
