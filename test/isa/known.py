"""Forms that don't yet do what their oracle says, with the reason; they count as untested.

Listed by a pattern of their name, mnemonic.ENCODING. A fixed one is taken off this list.
"""

from __future__ import annotations

import re

DIFFERENT = {
    r"v_(add|sub|subrev|mul|mad|mac|fma|fract|ldexp|rndne|trunc|ceil|floor)_f16\.": (
        "f16 results are rounded to nearest whatever MODE says; omod looks at f32's denormals"
    ),
    r"v_cvt_f16_[ui]16\.": "rounds to nearest whatever MODE says",
    r"v_\w+_f64\.|v_cvt_f64_\w+\.|v_cvt_pk_f16_f32\.": "omod looks at f32's denormal mode",
    r"v_frexp_mant_\w+\.": "a flushed denormal comes back whole; omod looks at f32's denormals",
    r"v_cmpx?_\w+_(f16|f64)\.": "denormals are not flushed where MODE says so",
    r"v_cvt_(f16_f32|f64_f32|pkrtz_f16_f32)\.": "denormals are not flushed where MODE says so",
    r"v_cvt_f32_f16\.": "a signalling NaN stays one with IEEE",
    r"v_(min|max|min3|max3|med3|minimum3|maximum3)_f\d+\.": "signalling NaNs with IEEE",
    r"v_dot2c_f32_\w+\.": "denormal inputs are not flushed",
    r"v_(mul|ceil|trunc|rndne|fma|fmac|add|sub|subrev)_f32\.": "omod leaves -0",
    r"v_(add|sub|subrev|addc|subb|subbrev)_co_u32\.": "integer clamp is refused",
    r"v_(sin|cos)_f\d+\.": "reduces through a rounded 2 pi: wrong near multiples of a quarter turn",
    r"v_(exp|log)_f32\.": "a signalling NaN stays one with IEEE",
    r"v_pk_(add|mul|fma)_f32\.": "clamp flushes a denormal result where MODE flushes inputs",
    r"v_pk_\w+_f16\.|v_fma_mix\w+\.": "f16 rounding, flushing, signalling NaNs",
    r"v_pk_\w+_[iu]16\.|v_dot\w+_[iu]\d+\.": "integer clamp is refused",
    r"v_dot2_f32_\w+\.": "denormal inputs are not flushed",
    r"v_cvt_sr_bf16_f32\.": "a signalling NaN stays one with IEEE",
    r"v_div_fmas_f32\.": "flushes denormal inputs where VCC is not set",
    r"v_dot\dc_i32_\w+\.": "integer clamp is refused",
    r"v_(frexp_exp|mad|sad|min3|max3|med3)_\w+\.VOP": "integer clamp is refused",
}


def reason(name: str) -> str | None:
    return next((why for pattern, why in DIFFERENT.items() if re.match(pattern, name)), None)
