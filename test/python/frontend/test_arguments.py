"""Arguments of a call against the signature and against each other."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import tegula as tg
from tegula.kernels import gemm, rms_norm, softmax


def array(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def norm(**changes: Any) -> tg.ArgumentError:
    """The error of rms_norm with some arguments changed."""
    good: dict[str, Any] = dict(
        x=array(4, 64), w=array(64), out=array(4, 64), rstd=array(4, 1), eps=1e-5
    )
    with pytest.raises(tg.ArgumentError) as caught:
        rms_norm.trace(**{**good, **changes}, target="gfx950")
    return caught.value


def test_is_a_type_error() -> None:
    assert isinstance(norm(x=3), TypeError)


def test_two_arrays_that_disagree_are_both_named() -> None:
    error = norm(w=array(32))
    assert error.argument == "w"
    assert "'w' has N = 32" in str(error) and "'x' has N = 64" in str(error)


@pytest.mark.parametrize(
    ("changes", "argument", "words"),
    [
        (dict(x=array(64)), "x", "rank 2"),
        (dict(x=array(2, 4, 64)), "x", "rank 3"),
        (dict(w=array(64, 1)), "w", "rank 1"),
        (dict(rstd=array(4, 2)), "rstd", "extent 2 of axis 1"),
        (dict(rstd=array(5, 1)), "rstd", "R = 5"),
        (dict(x="text"), "x", "a NumPy array or a torch tensor"),
        (dict(x=[[1.0]]), "x", "list"),
        (dict(x=None), "x", "NoneType"),
        (dict(w=array(64, dtype=np.complex64)), "w", "complex64"),
        (dict(eps="small"), "eps", "tg.f32"),
        (dict(eps=None), "eps", "tg.f32"),
        (dict(eps=1e39), "eps", "range"),
        (dict(eps=True), "eps", "bool"),
        (dict(N=32), "N", "the extent N of the arrays"),
        (dict(M=1), "M", "no parameter 'M'"),
    ],
)
def test_refused(changes: dict[str, Any], argument: str, words: str) -> None:
    error = norm(**changes)
    assert error.argument == argument and words in str(error)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: np.ma.masked_array(array(4, 64)), "masked array.*filled"),
        (lambda: torch.zeros(4, 64, dtype=torch.complex64).conj().imag, "negated.*resolve_neg"),
        (lambda: torch.zeros(4, 64).to_sparse(), "layout torch.sparse_coo"),
        (lambda: torch.zeros(4, 64, device="meta"), "a tensor on 'meta'"),
        (lambda: torch.nested.nested_tensor([torch.zeros(4, 64)]), "a nested tensor"),
    ],
)
def test_arrays_whose_memory_is_not_their_value(make: Callable[[], Any], words: str) -> None:
    plain, out = array(4, 64), array(4, 64)
    with tg.device("sim:gfx950"):
        softmax(plain, out)  # warm, so that the quick way in meets them too
        softmax(torch.zeros(4, 64), torch.zeros(4, 64))
        with pytest.raises(tg.ArgumentError, match=words):
            softmax(make(), make())


def test_missing_and_surplus_arguments_show_the_signature() -> None:
    for args in ((array(4, 64),), (array(4, 64),) * 6):
        with pytest.raises(tg.ArgumentError, match=r'softmax\(x: "R N", out'):
            softmax.trace(*args, target="gfx950")


def test_target_is_never_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEGULA_DEVICE", raising=False)
    with pytest.raises(tg.ArgumentError, match="sim:gfx942, sim:gfx950"):
        softmax.trace(array(4, 64), array(4, 64))


def test_a_target_is_a_name() -> None:
    with pytest.raises(tg.UnsupportedOnTarget, match="no target '3'"):
        softmax.compile(array(4, 64), array(4, 64), target=3)


def test_unknown_target_lists_the_targets() -> None:
    with pytest.raises(tg.UnsupportedOnTarget, match=r"front.target.name[\s\S]*'gfx950'"):
        softmax.trace(array(4, 64), array(4, 64), target="gfx951")


def test_signature_says_what_is_known() -> None:
    matrix = tg.array(tg.bf16, 2)
    signature = tg.Signature(
        x=matrix, w=tg.array(tg.bf16, 1), out=matrix, rstd=tg.array(tg.f32, 2), eps=tg.f32, N=4096
    )
    text = rms_norm.trace(signature, target="gfx950").text
    assert '!tile.view<?x4096xbf16, names = ["R", "N"], strides = [?, 1], align = 16>' in text


@tg.function
def halved(x: Any) -> Any:
    return x / 2


@tg.kernel(grid=lambda x: (1,))
def with_constants(x: "N", on: tg.bool_, *, C: tg.const = None) -> None:
    pass


@pytest.mark.parametrize(
    "constant",
    [
        tg.bool_,
        tg.f16,
        tg.relu,
        tg.exp,
        halved,
        tg.inf,
        -tg.inf,
        "a\n'",
        (1, 2.5, tg.gelu, -tg.inf),
        (),
        0.5,
    ],
)
def test_a_signature_prints_as_it_is_written(constant: Any) -> None:
    signature = with_constants.signature(np.zeros(4, np.bool_), True, C=constant)
    assert eval(repr(signature)) == signature


def test_tensors_and_arrays_specialise_alike() -> None:
    for x in (array(4, 64), torch.zeros(4, 64)):
        view = softmax.trace(x, x, target="gfx950").text
        assert "!tile.view<?x64xf32" in view and "align = 16" in view


def test_unit_stride_is_found() -> None:
    x = torch.zeros(64, 4).bfloat16().t()
    text = gemm.trace(
        x, torch.zeros(64, 8).bfloat16(), torch.zeros(4, 8).bfloat16(), target="gfx950"
    )
    assert 'names = ["M", "K"], strides = [1, ?]' in text.text


SPECIAL = """
import tegula as tg

@tg.kernel(grid=lambda q: (q.shape[0],))
def scaled(q: "M K", s: "M K/32", *, mode: tg.const = "rceil"):
    pass

@tg.kernel(grid=lambda q: (q.shape[0],))
def heads(q: "B HK*G D", k: "B HK D", *, G: tg.const):
    pass

@tg.kernel(grid=lambda x: (x.shape[0],))
def leading(x: "... N", *, N: tg.const):
    tg.store(x, (tg.program_id(0), 0), tg.zeros((1, N), x.dtype))

@tg.kernel(grid=lambda n: (n,))
def counted(n: tg.i32, m: tg.i64 = 5, flag: tg.bool_ = False):
    pass
"""


@pytest.fixture
def special(module: Callable[[str], ModuleType]) -> ModuleType:
    return module(SPECIAL)


def test_exact_division(special: ModuleType) -> None:
    special.scaled.trace(array(8, 64), array(8, 2), target="gfx950")
    with pytest.raises(tg.ArgumentError, match="multiple of 32"):
        special.scaled.trace(array(8, 65), array(8, 2), target="gfx950")
    with pytest.raises(tg.ArgumentError, match="K/32 = 3"):
        special.scaled.trace(array(8, 64), array(8, 3), target="gfx950")


def test_products(special: ModuleType) -> None:
    special.heads.trace(array(1, 8, 4), array(1, 2, 4), G=4, target="gfx950")
    with pytest.raises(tg.ArgumentError) as caught:
        special.heads.trace(array(1, 8, 4), array(1, 2, 4), G=3, target="gfx950")
    assert caught.value.argument in ("G", "q")


def test_leading_axes_are_one(special: ModuleType) -> None:
    x = torch.ones(2, 3, 5)
    special.leading.interpret(x)
    assert not x.any()
    with pytest.raises(tg.ArgumentError, match="collapse without a copy"):
        special.leading.trace(torch.ones(4, 3, 5)[:, :2], target="gfx950")


@pytest.mark.parametrize(
    "args", [(2.5,), (3_000_000_000,), (None,), ("1",), (1, 2**63), (1, 2, 3), (True,)]
)
def test_scalars_in_range(special: ModuleType, args: tuple[Any, ...]) -> None:
    with pytest.raises(tg.ArgumentError):
        special.counted.trace(*args, target="gfx950")


def test_constants_are_not_positional(special: ModuleType) -> None:
    with pytest.raises(tg.ArgumentError, match="takes 2 positional"):
        special.scaled.trace(array(8, 64), array(8, 2), "floor", target="gfx950")


def test_constants_are_hashable_values(special: ModuleType) -> None:
    with pytest.raises(tg.ArgumentError, match="'mode'"):
        special.scaled.trace(array(8, 64), array(8, 2), mode=[1], target="gfx950")


@pytest.mark.parametrize(
    "schedule",
    [dict(wave=(1, 2)), dict(waves=3), dict(stages="2"), dict(lds="fast"), dict(raster=dict(g=1))],
)
def test_schedule_fields(schedule: dict[str, Any]) -> None:
    with pytest.raises(tg.ScheduleError, match=f"'{next(iter(schedule))}'") as caught:
        gemm.with_schedule(gfx950=schedule)
    known = "wave" not in schedule
    assert caught.value.label == ("front.schedule.value" if known else "front.schedule.field")


def test_schedule_of_an_unknown_target() -> None:
    with pytest.raises(tg.ScheduleError, match=r"front.schedule.target[\s\S]*'gfx942'"):
        gemm.with_schedule(gfx943=dict(stages=2))


BAD_SIGNATURES = {
    "front.syntax.parameter": [
        'x, y: "N"',
        'x: "N", B: tg.const',
        'x: "N M+1"',
        'x: "N" = 3',
        'x: "A B C D E F"',
        'x: "N ..."',
        'x: "N/0"',
        'x: "0"',
        "x: tg.bf16",
        'x: "N", *, y: "M"',
        'x: "N", *, B: tg.const = tg.auto',
        'x: "N", ä: tg.f32',
        'x: "2147483648"',
        'x: "N/99999999999"',
        'x: "N*99999999999"',
        'x: "N", target: tg.f32',
    ],
    "front.syntax.star": ['x: "N", *args', 'x: "N", **kwargs'],
    "front.name.undefined": ["x: missing", 'x: "N", *, B: tg.const = missing'],
}


@pytest.mark.parametrize(
    ("label", "parameters"), [(label, p) for label, rows in BAD_SIGNATURES.items() for p in rows]
)
def test_bad_signature(module: Callable[[str], ModuleType], label: str, parameters: str) -> None:
    # Annotations are not evaluated by Python, so that the front end has to find what is wrong.
    text = "from __future__ import annotations\nimport tegula as tg\n"
    definition = f"@tg.kernel(grid=lambda x: (1,))\ndef k({parameters}):\n    pass\n"
    try:
        kernel = module(text + definition).k
    except NameError:
        return  # Python found the default itself
    with pytest.raises(tg.Error) as caught:
        kernel.trace(array(4), target="gfx950")
    assert caught.value.label == label
    assert caught.value.span is not None and caught.value.span.line == 4


GRIDS = {
    "front.syntax.grid": "grid=some_function",
    "front.name.grid": "grid=lambda z: (1,)",
    "front.shape.grid": "grid=lambda x: (1, 1, 1, 1)",
    "front.type.grid": "grid=lambda x: (x.shape[0] / 2,)",
    "front.type.operand": "grid=lambda x: (tg.cdiv(x.shape[0] * 0.5, 2),)",
    "front.name.attribute": "grid=lambda x: (x.size,)",
}


@pytest.mark.parametrize("label", GRIDS)
def test_bad_grid(module: Callable[[str], ModuleType], label: str) -> None:
    text = "import tegula as tg\ndef some_function(x):\n    return (1,)\n"
    strided = np.zeros((4, 4), np.float32)[:, ::2]
    kernel = module(text + f'@tg.kernel({GRIDS[label]})\ndef k(x: "M N"):\n    pass\n').k
    with pytest.raises(tg.Error) as caught:
        kernel.trace(strided, target="gfx950")
    assert caught.value.label == label
    assert caught.value.span is not None and caught.value.span.line == 4


def test_kernel_without_source() -> None:
    names: dict[str, Any] = {"tg": tg}
    exec('@tg.kernel(grid=lambda x: (1,))\ndef k(x: "N"):\n    pass\n', names)
    with pytest.raises(tg.SyntaxNotSupported, match="define the kernel in a file") as caught:
        names["k"].trace(array(4), target="gfx950")
    assert caught.value.label == "front.syntax.source"


def test_lambda_is_no_kernel() -> None:
    kernel = tg.kernel(grid=lambda: (1,))(lambda x: None)
    with pytest.raises(tg.SyntaxNotSupported, match="a lambda cannot be compiled"):
        kernel.trace(target="gfx950")


def test_a_coroutine_is_no_kernel(module: Callable[[str], ModuleType]) -> None:
    text = "import tegula as tg\n@tg.kernel(grid=lambda x: (1,))\nasync def k(x: 'N'): pass\n"
    with pytest.raises(tg.SyntaxNotSupported, match="'k' is an 'async def'") as caught:
        module(text).k.trace(array(4), target="gfx950")
    assert caught.value.label == "front.syntax.async"


def test_decorators_refuse_what_is_no_function() -> None:
    with pytest.raises(TypeError):
        tg.function(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        tg.kernel(grid=lambda: (1,))(print)


@pytest.mark.parametrize(
    ("declare", "label", "match"),
    [
        (lambda: tg.kernel(print), "front.syntax.grid", "needs a grid"),
        (lambda: tg.kernel(), "front.syntax.grid", "needs a grid"),
        (
            lambda: tg.kernel(grid=lambda: (1,), fastmath={"fast"}),
            "front.syntax.option",
            "no fast-math flag fast",
        ),
        (
            lambda: tg.kernel(grid=lambda: (1,), fastmath="fast"),
            "front.syntax.option",
            "no fast-math flag fast",
        ),
        (
            lambda: tg.kernel(grid=lambda: (1,), denormals="keep"),
            "front.syntax.option",
            "denormals",
        ),
    ],
)
def test_options_of_kernels(declare: Any, label: str, match: str) -> None:
    with pytest.raises(tg.SyntaxNotSupported, match=match) as caught:
        declare()
    assert caught.value.label == label


@pytest.mark.parametrize("extent", [-1, 2**31, 1.5, "64", True])
def test_extents_of_a_signature(extent: Any) -> None:
    entries = dict(x=tg.array(tg.f16, 2), out=tg.array(tg.f16, 2))
    for name in ("N", "R"):
        with pytest.raises(tg.ArgumentError, match="an integer from 0 to 2\\^31 - 1") as caught:
            softmax.ir("tile", tg.Signature(**{"N": 64, **entries, name: extent}), target="gfx950")
        assert caught.value.argument == name


@pytest.mark.parametrize(
    ("argument", "entries"),
    [
        ("rank", dict(strides=(1,))),
        ("rank", dict(shape=(1, 2, 3))),
        ("shape", dict(shape=(-1, 4))),
        ("shape", dict(shape=(2**31, 4))),
        ("strides", dict(strides=(2**70, 1))),
        ("packed", dict(packed=True)),
        ("layout", dict(layout="blocked_1x1")),
    ],
)
def test_arrays_that_do_not_exist(argument: str, entries: dict[str, Any]) -> None:
    with pytest.raises(tg.ArgumentError) as caught:
        tg.array(tg.f16, 2, **entries)
    assert caught.value.argument == argument


def test_arrays_are_no_views_outside_a_kernel() -> None:
    from tegula import interpreter  # noqa: F401  gives primitives their eager meaning

    x, ids = np.zeros((4, 4), np.float32), np.zeros(4, np.int32)
    for call in (
        lambda: tg.load(x, (0, 0), (4, 4)),
        lambda: tg.store(x, (0, 0), x),
        lambda: tg.gather(x, (ids, ids)),
        lambda: tg.atomic_add(x, (0, 0), x),
    ):
        with pytest.raises(tg.TypeMismatch, match=r"takes a view, not ndarray") as caught:
            call()
        assert caught.value.label == "front.type.view"


def test_primitives_outside_a_kernel() -> None:
    with pytest.raises(tg.SyntaxNotSupported) as caught:
        tg.program_id(0)
    assert caught.value.label == "front.syntax.outside"


def test_auto_of_a_tile_without_an_extent(module: Callable[[str], ModuleType]) -> None:
    text = """
import tegula as tg

@tg.kernel(grid=lambda x: (1,))
def k(x: "M N", *, TILE: tg.tile = tg.auto):
    pass
"""
    with pytest.raises(tg.ConstantRequired) as caught:
        module(text).k.trace(array(4, 4), target="gfx950")
    assert caught.value.label == "front.const.auto"


def test_tile_id_walks_the_tiles_of_the_grid(module: Callable[[str], ModuleType]) -> None:
    text = """
import tegula as tg

@tg.kernel(grid=lambda x: tg.num_tiles(x, (4, 4)))
def k(x: "M N"):
    m, n = tg.tile_id(x, (4, 8))
"""
    with pytest.raises(tg.ShapeMismatch) as caught:
        module(text).k.trace(array(4, 4), target="gfx950")
    assert caught.value.label == "front.shape.tile_id"
    assert caught.value.span is not None and caught.value.span.line == 6


def test_small_mistakes_name_the_argument() -> None:
    x = np.zeros((4, 8), np.float32)
    with tg.device("sim:gfx950"):
        for stream in ("x", 1.5, True):
            with pytest.raises(tg.ArgumentError, match="argument 'stream'"):
                softmax(x, x.copy(), stream=stream)
    with pytest.raises(tg.ScheduleError, match="a schedule is a dict of fields, not None"):
        softmax.with_schedule(gfx950=None)
    with pytest.raises(tg.ArgumentError, match="argument 'name': found 5"):
        with tg.device(5):
            pass


@tg.kernel(grid=lambda x: (1,))
def padded(x: "M K", out: "M2 K2") -> None:
    tg.store(out, (0, 0), tg.bitcast(tg.load(x, (0, 0), (4, 8)), tg.u8))


def test_scales_are_padded_with_one() -> None:
    """e8m0 has no zero: 127 is 2^0."""
    x = np.full((2, 3), 2.0).astype(ml_dtypes.float8_e8m0fnu)
    out, expected = np.zeros((4, 8), np.uint8), np.full((4, 8), 127, np.uint8)
    expected[:2, :3] = 128
    padded.interpret(x, out)
    np.testing.assert_array_equal(out, expected)
    assert "pad(1.0)" in padded.trace(x, out, target="gfx950").text
    with tg.device("sim:gfx950"):
        out[...] = 0
        padded(x, out)
    np.testing.assert_array_equal(out, expected)


@tg.kernel(grid=lambda x: (1,))
def own_f8(x: "N", q: "N", *, N: tg.const, dtype: tg.const = tg.f8) -> None:
    tile = tg.load(x, (0,), (N,))
    tg.store(q, (0,), tg.minimum(tile, dtype.max).to(dtype))


@pytest.mark.parametrize(
    ("target", "own", "other"),
    [("gfx942", tg.f8e4m3fnuz, tg.f8e4m3fn), ("gfx950", tg.f8e4m3fn, tg.f8e4m3fnuz)],
)
def test_f8_of_the_target(target: str, own: tg.DType, other: tg.DType) -> None:
    x = np.zeros(64, np.float32)
    text = own_f8.trace(x, np.zeros(64, own.numpy), target=target).text
    assert f"tensor<64x{own.mlir}>" in text and f"dense<{own.max}>" in text
    assert tg.f8.on(target) == own
    signature = tg.Signature(x=tg.array(tg.f32, 1), q=tg.array(tg.f8, 1), N=64)
    assert f"?x{own.mlir}" in own_f8.trace(signature, target=target).text.replace("64x", "?x")
    with tg.device(f"sim:{target}"):
        assert tg.f8 == own and tg.f8 != other and tg.f8.max == own.max
        q = np.ones(64, tg.f8.numpy)
        own_f8(x + 500, q)
        assert (q.astype(np.float32) == own.max).all()
        own_f8.interpret(x - 1, q)
        assert (q.astype(np.float32) == -1).all()


def test_f8_needs_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEGULA_DEVICE", raising=False)
    with pytest.raises(tg.ArgumentError, match="no device is selected"):
        tg.f8.numpy  # noqa: B018
    assert repr(tg.f8) == "tg.f8" and not hasattr(tg.f8, "function")


@pytest.mark.parametrize(
    ("keyword", "instead"),
    [
        ("device", "with tg.device"),
        ("target", "with tg.device"),
        ("schedule", "with_schedule"),
        ("debug", "with_debug"),
        ("grid", "@tg.kernel"),
        ("foo", "has no parameter 'foo'; it is declared as softmax"),
    ],
)
def test_what_a_call_does_not_take_is_told_first(keyword: str, instead: str) -> None:
    """Not that no device is selected, which is what was said."""
    with pytest.raises(tg.ArgumentError, match=f"no parameter '{keyword}'") as caught:
        softmax(array(4, 64), array(4, 64), **{keyword: "sim:gfx950"})
    assert instead in str(caught.value)
