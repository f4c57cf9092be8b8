"""One assembled kernel a matrix instruction: loads A and B, C = 0, multiplies, stores D.

Workgroup g reads its operands at g · 64 · registers dwords, lane after lane, and stores D likewise,
so that one launch tries as many inputs as there are workgroups. Writes mfma.s and mfma.inc (the
list for the test).
"""

from __future__ import annotations

import sys
from pathlib import Path

# name, M, K, blocks, type, operand registers, result registers, only gfx950, only gfx942
Shape = tuple[str, int, int, int, str, int, int, str]
SHAPES: list[Shape] = [
    ("f32_32x32x1_2b_f32", 32, 1, 2, "f32", 1, 32, "all"),
    ("f32_16x16x1_4b_f32", 16, 1, 4, "f32", 1, 16, "all"),
    ("f32_4x4x1_16b_f32", 4, 1, 16, "f32", 1, 4, "all"),
    ("f32_32x32x2_f32", 32, 2, 1, "f32", 1, 16, "all"),
    ("f32_16x16x4_f32", 16, 4, 1, "f32", 1, 4, "all"),
    ("f32_16x16x8_xf32", 16, 8, 1, "f32", 2, 4, "gfx942"),
    ("f32_32x32x4_xf32", 32, 4, 1, "f32", 2, 16, "gfx942"),
    ("f64_16x16x4_f64", 16, 4, 1, "f64", 2, 8, "all"),
    ("f64_4x4x4_4b_f64", 4, 4, 4, "f64", 2, 2, "all"),
    ("i32_32x32x4_2b_i8", 32, 4, 2, "i8", 1, 32, "all"),
    ("i32_16x16x4_4b_i8", 16, 4, 4, "i8", 1, 16, "all"),
    ("i32_4x4x4_16b_i8", 4, 4, 16, "i8", 1, 4, "all"),
    ("i32_32x32x16_i8", 32, 16, 1, "i8", 2, 16, "all"),
    ("i32_16x16x32_i8", 16, 32, 1, "i8", 2, 4, "all"),
    ("i32_32x32x32_i8", 32, 32, 1, "i8", 4, 16, "gfx950"),
    ("i32_16x16x64_i8", 16, 64, 1, "i8", 4, 4, "gfx950"),
    ("f32_16x16x128_f8f6f4", 16, 128, 1, "f8f6f4", 8, 4, "gfx950"),
    ("f32_32x32x64_f8f6f4", 32, 64, 1, "f8f6f4", 8, 16, "gfx950"),
]
for kind in ("f16", "bf16"):
    SHAPES += [
        (f"f32_32x32x4_2b_{kind}", 32, 4, 2, kind, 2, 32, "all"),
        (f"f32_16x16x4_4b_{kind}", 16, 4, 4, kind, 2, 16, "all"),
        (f"f32_4x4x4_16b_{kind}", 4, 4, 16, kind, 2, 4, "all"),
        (f"f32_32x32x8_{kind}", 32, 8, 1, kind, 2, 16, "all"),
        (f"f32_16x16x16_{kind}", 16, 16, 1, kind, 2, 4, "all"),
        (f"f32_32x32x16_{kind}", 32, 16, 1, kind, 4, 16, "gfx950"),
        (f"f32_16x16x32_{kind}", 16, 32, 1, kind, 4, 4, "gfx950"),
    ]
for a in ("fp8", "bf8"):
    for b in ("fp8", "bf8"):
        SHAPES += [
            (f"f32_32x32x16_{a}_{b}", 32, 16, 1, f"{a}_{b}", 2, 16, "all"),
            (f"f32_16x16x32_{a}_{b}", 16, 32, 1, f"{a}_{b}", 2, 4, "all"),
        ]


def address(register: int, dwords: int, pointer: int) -> list[str]:
    """v[register : register+1] = pointer + (workgroup · 64 + lane) · dwords · 4."""
    return [
        f"  s_mul_i32 s10, s2, {64 * dwords * 4}",
        f"  v_mul_u32_u24 v{register}, {dwords * 4}, v2",
        f"  v_add_u32 v{register}, s10, v{register}",
        f"  v_mov_b32 v{register + 1}, s{pointer + 1}",
        f"  v_add_co_u32 v{register}, vcc, s{pointer}, v{register}",
        f"  v_addc_co_u32 v{register + 1}, vcc, 0, v{register + 1}, vcc",
    ]


def kernel(shape: Shape) -> list[str]:
    name, _, _, _, _, operand, result, _ = shape
    lines = [f".globl {name}", ".p2align 8", f".type {name},@function", f"{name}:"]
    lines += ["  s_load_dwordx4 s[4:7], s[0:1], 0x0", "  s_load_dwordx2 s[8:9], s[0:1], 0x10"]
    lines += ["  v_and_b32 v2, 0x3ff, v0", "  s_waitcnt lgkmcnt(0)"]
    lines += address(4, operand, 4) + address(6, operand, 6) + address(8, result, 8)
    for r in range(operand):
        lines.append(f"  global_load_dword v{16 + r}, v[4:5], off offset:{4 * r}")
        lines.append(f"  global_load_dword v{24 + r}, v[6:7], off offset:{4 * r}")
    lines += ["  s_waitcnt vmcnt(0)", "  s_nop 1"]
    a = f"v[16:{15 + operand}]" if operand > 1 else "v16"
    b = f"v[24:{23 + operand}]" if operand > 1 else "v24"
    lines.append(f"  v_mfma_{name} v[32:{31 + result}], {a}, {b}, 0")
    lines += ["  s_nop 15", "  s_nop 15"]
    lines += [f"  global_store_dword v[8:9], v{32 + r}, off offset:{4 * r}" for r in range(result)]
    lines += ["  s_endpgm", ".rodata", ".p2align 6", f".amdhsa_kernel {name}"]
    lines += [
        "  .amdhsa_next_free_vgpr 64",
        "  .amdhsa_next_free_sgpr 16",
        "  .amdhsa_accum_offset 64",
        "  .amdhsa_user_sgpr_kernarg_segment_ptr 1",
        "  .amdhsa_kernarg_size 24",
        ".end_amdhsa_kernel",
        ".text",
    ]
    return lines


def main() -> None:
    folder, targets = Path(sys.argv[1]), ("gfx942", "gfx950")
    for target in targets:
        lines = [".text"]
        for shape in SHAPES:
            if shape[7] in ("all", target):
                lines += kernel(shape)
        (folder / f"mfma-{target}.s").write_text("\n".join(lines) + "\n")
    rows = (
        f'{{"{n}", {m}, {k}, {b}, "{t}", {o}, {r}, "{arch}"}},'
        for n, m, k, b, t, o, r, arch in SHAPES
    )
    (folder / "mfma.inc").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
