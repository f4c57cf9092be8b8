"""Forms that don't yet do what their oracle says, with the reason; they count as untested.

Listed by a pattern of their name, mnemonic.ENCODING. A fixed one is taken off this list.
"""

from __future__ import annotations

import re

DIFFERENT = {
    r"v_pk_fmac_f16\.": "an exact zero of opposite signs is +0 when rounding down",
}


def reason(name: str) -> str | None:
    return next((why for pattern, why in DIFFERENT.items() if re.match(pattern, name)), None)
