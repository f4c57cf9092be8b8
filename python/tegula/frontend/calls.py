"""Calls: primitives, methods of tiles, helpers, and a few functions of Python."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tegula.frontend import (  # noqa: F401  handlers
    arithmetic,
    collective,
    convert,
    indexed,
    quantize,
    records,
    reductions,
    shapes,
)
from tegula.frontend.context import Context
from tegula.frontend.registry import HANDLERS
from tegula.frontend.scope import equivalent
from tegula.frontend.values import (
    Extents,
    Method,
    Scalar,
    Steps,
    Tile,
    describe,
    is_constant,
    is_number,
)
from tegula.language import dtypes as dt
from tegula.language.function import Function, Launchable

if TYPE_CHECKING:
    from tegula.frontend.tracer import Tracer

#: What grows beyond all bounds: arguments are bounded as constants are.
_GROWING = (math.factorial, math.comb, math.perm)
#: Functions of Python that fold constants.
_FOLDABLE = (*(builtins.min, builtins.max, builtins.abs, builtins.len), int, float, bool)
_INSTEAD: dict[Any, str] = {
    builtins.max: "write tg.maximum for two values, tg.max to reduce a tile",
    builtins.min: "write tg.minimum for two values, tg.min to reduce a tile",
    builtins.abs: "write tg.abs",
    int: "write .to(tg.i32)",
    float: "write .to(tg.f32)",
    bool: "compare it, for example x != 0",
    math.ceil: "of a quotient write tg.cdiv(a, b); of a float tg.ceil(x)",
    len: "write x.shape[0]",
}
_WRITTEN_OUT = "write each argument out"
#: Nesting of helpers; the IR allows 16 levels of control flow.
_MAX_DEPTH = 32


def call(tracer: Tracer, node: ast.Call) -> Any:
    """Value of a call expression."""
    ctx = tracer.ctx
    callee = tracer.expr(node.func)
    for part in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(part, ast.Starred):
            ctx.fail("front.syntax.star", "no star-arguments in a kernel", part, _WRITTEN_OUT)
    if any(keyword.arg is None for keyword in node.keywords):
        ctx.fail("front.syntax.star", "no star-arguments in a kernel", node, _WRITTEN_OUT)
    args = [tracer.expr(arg) for arg in node.args]
    kwargs = {str(keyword.arg): tracer.expr(keyword.value) for keyword in node.keywords}
    if isinstance(callee, Method):
        return _method(ctx, callee, args, kwargs, node)
    if isinstance(callee, Function):
        return inline(ctx, callee, args, kwargs, node)
    try:
        handler = HANDLERS.get(callee)
    except TypeError:
        handler = None
    if handler is not None:
        return handler(ctx, node, **bind(ctx, callee, args, kwargs, node))
    return _python(ctx, callee, args, kwargs, node)


def bind(
    ctx: Context,
    function: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any],
    node: ast.Call,
    passed_to: str = "",
) -> dict[str, Any]:
    """Arguments by the parameter names of a function, defaults included.

    ``passed_to`` is the primitive that calls it, where that is not the user.
    """
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as problem:
        name = function.__name__ if passed_to else ast.unparse(node.func)
        caller = f"{passed_to} calls '{name}' with {len(args)} arguments" if passed_to else name
        ctx.fail(
            "front.type.call",
            f"{caller}: {problem}",
            node,
            help=f"it is declared as {name}{_names_of(signature)}",
        )
    bound.apply_defaults()
    return bound.arguments


def _names_of(signature: inspect.Signature) -> inspect.Signature:
    """Names and defaults, without annotations, which are texts for other readers."""
    empty = inspect.Parameter.empty
    bare = [one.replace(annotation=empty) for one in signature.parameters.values()]
    return signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)


def _method(
    ctx: Context, method: Method, args: list[Any], kwargs: dict[str, Any], node: ast.Call
) -> Any:
    if method.name == "reshape":
        if kwargs:
            ctx.fail("front.type.call", ".reshape takes extents only", node)
        return shapes.method_reshape(ctx, node, method.owner, tuple(args))

    def to(dtype: Any, rounding: str = "rne", seed: Any = None, saturate: Any = None) -> None: ...

    arguments = bind(ctx, to, args, kwargs, node)
    return shapes.method_to(ctx, node, method.owner, **arguments)


def apply(ctx: Context, fn: Any, args: list[Any], node: ast.AST, what: str) -> Any:
    """The value of a function that a primitive was given: a helper, or a primitive itself."""
    assert isinstance(node, ast.Call)
    if isinstance(fn, Function):
        return inline(ctx, fn, args, {}, node, what)
    try:
        handler = HANDLERS.get(fn)
    except TypeError:
        handler = None
    if handler is None:
        ctx.fail(
            "front.type.function",
            f"{what} takes a function, not {describe(fn)}",
            node,
            help="decorate it with @tg.function",
        )
    return handler(ctx, node, **bind(ctx, fn, args, {}, node, what))


def inline(
    ctx: Context,
    helper: Function,
    args: list[Any],
    kwargs: dict[str, Any],
    node: ast.Call,
    passed_to: str = "",
) -> Any:
    """Trace a helper's body here; its ops keep their own lines and that of the call."""
    from tegula.frontend.tracer import Tracer as NewTracer

    name = helper.function.__name__
    if helper in ctx.inlining or len(ctx.inlining) > _MAX_DEPTH:
        ctx.fail(
            "front.syntax.recursion",
            f"'{name}' calls itself",
            node,
            help="helpers are inlined, so they cannot be recursive; write a 'for'",
        )
    declared = inspect.signature(helper.function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in declared):
        ctx.fail("front.syntax.star", f"'{name}' takes arguments by '**'", node, _WRITTEN_OUT)
    arguments = bind(ctx, helper.function, args, kwargs, node, passed_to)
    ctx.calls.append(ctx.span(node))
    ctx.inlining.append(helper)
    inner = NewTracer(ctx, helper.function)
    result = inner.function_body(arguments)
    ctx.inlining.pop()
    ctx.calls.pop()
    return result


def _python(
    ctx: Context, callee: Any, args: list[Any], kwargs: dict[str, Any], node: ast.Call
) -> Any:
    """What is neither a primitive nor a helper: ranges, and functions of constants."""
    if callee is range:
        return _range(ctx, args, kwargs, node)
    if callee is len and len(args) == 1 and isinstance(args[0], Extents):
        return args[0].view.view_type.rank
    foldable = callee in _FOLDABLE or getattr(math, getattr(callee, "__name__", ""), None) is callee
    if foldable and is_constant(tuple(args)) and is_constant(tuple(kwargs.values())):
        if callee in _GROWING and any(is_number(n) and n > arithmetic.LARGEST for n in args):
            arithmetic.too_large(ctx, node)
        return arithmetic.fold(ctx, lambda: callee(*args, **kwargs), node)
    if foldable:
        found = next(value for value in (*args, *kwargs.values()) if not is_constant(value))
        ctx.fail(
            "front.const.call",
            f"'{ast.unparse(node.func)}' takes constants here, not {describe(found)}",
            node,
            help=_INSTEAD.get(callee, "use the function of the same name in tg"),
        )
    _refuse(ctx, callee, node)


def _refuse(ctx: Context, callee: Any, node: ast.Call) -> Any:
    name = ast.unparse(node.func)
    if isinstance(callee, Launchable):
        ctx.fail(
            "front.syntax.kernel_call",
            f"kernel '{name}' is called from a kernel",
            node,
            help="launch kernels one after the other, or make it a @tg.function",
        )
    if isinstance(callee, dt.DType):
        ctx.fail("front.type.call", f"'{name}' is an element type", node, help=f"x.to({name})")
    instead = equivalent(getattr(callee, "__name__", "").rpartition(".")[2])
    module = getattr(callee, "__module__", None) or ""
    foreign = not inspect.isfunction(callee) or module.partition(".")[0] in ("torch", "numpy")
    if instead is not None and foreign:
        ctx.fail("front.syntax.call", f"'{name}' cannot be called in a kernel", node, help=instead)
    if inspect.isfunction(callee):
        ctx.fail(
            "front.syntax.call",
            f"'{name}' is a plain Python function",
            node,
            help="decorate it with @tg.function, so that it is inlined",
        )
    what = describe(callee) if not callable(callee) else f"'{name}'"
    ctx.fail("front.syntax.call", f"{what} cannot be called in a kernel", node)


def _range(ctx: Context, args: list[Any], kwargs: dict[str, Any], node: ast.Call) -> Steps:
    if kwargs or not 1 <= len(args) <= 3:
        ctx.fail("front.type.call", "range takes 1 to 3 bounds", node)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if is_constant(step) and step == 0:
        ctx.fail("front.const.step", "the step of a range is 0: the loop would not end", node)
    start, stop, step = (convert.as_scalar(ctx, bound, node) for bound in (start, stop, step))
    for bound in (start, stop, step):
        _check_bound(ctx, bound, node)
    return Steps(start, stop, step)


def _check_bound(ctx: Context, bound: Any, node: ast.Call) -> None:
    if isinstance(bound, int) and not isinstance(bound, bool):
        convert.check_literal(ctx, bound, dt.i32, node)
        return
    if not isinstance(bound, Scalar) or bound.dtype != dt.i32:
        hint = "reduce a tile to a scalar first" if isinstance(bound, Tile) else "cast it to i32"
        ctx.fail(
            "front.type.bound",
            f"a bound of range is an i32, not {describe(bound)}",
            node,
            help=hint,
        )
