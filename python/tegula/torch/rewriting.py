"""Which nodes of an ATen graph become Tegula ops.

``aten.mm`` and ``aten.addmm`` map one to one. RMSNorm has no ATen op in most models: they write it
out as pow, mean, add, rsqrt, mul, with casts round it, so that chain is matched from its rsqrt.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg

from . import norms, reporting, routing
from .eligibility import rms_norm_reason, silu_reason

aten = torch.ops.aten
OURS = torch.ops.tegula.rms_norm.default
RMS_NORMS = (torch.rms_norm, torch.nn.functional.rms_norm)
CASTS = (aten._to_copy.default, torch.ops.prims.convert_element_type.default)


def rewrite(module: GraphModule) -> None:
    """Replace every eligible node in place and count what is left, with the reason."""
    graph = module.graph
    for node in list(graph.nodes):
        if node.target == aten.rsqrt.default:
            _rewrite_norm(graph, node)
        elif node.target == aten.silu.default and (product := _gate(node)) is not None:
            _rewrite_gated(graph, node, product)
        elif node.target in routing.ROUTES:
            _rewrite_routed(graph, node)
    graph.eliminate_dead_code()


def _rewrite_routed(graph: Graph, node: Node) -> None:
    """An operation that has one of Tegula's, with the same arguments."""
    route = routing.ROUTES[node.target]
    values = map_arg((node.args, node.kwargs), _value)
    reason = route.reason(*values[0], **values[1]) or _strides_reason(node)
    if reason is None:
        _replace(graph, node, routing.call, (node.target, *node.args), node.kwargs)
    else:
        reporting.count(route.name, reporting.FALLBACK, reason)


def _gate(silu: Node) -> Node | None:
    """The product that is the only user of silu(a), with something of its shape and type."""
    product = _sole_user(silu, aten.mul.Tensor)
    factor = None if product is None else _other(product, silu)
    if not isinstance(factor, Node) or factor is silu or silu_reason(_value(silu), _value(factor)):
        return None
    return product


def _rewrite_gated(graph: Graph, silu: Node, product: Node) -> None:
    """silu(a) · b becomes one op, which rounds silu(a) as the graph does."""
    args = (silu.args[0], _other(product, silu))
    reason = silu_reason(*map(_value, args)) or _strides_reason(product)
    if reason is None:
        _replace(graph, product, routing.call, (torch.ops.tegula.silu_mul.default, *args, True))
    else:
        reporting.count("silu_mul", reporting.FALLBACK, reason)


def _strides_reason(node: Node) -> str | None:
    """The graph relies on the strides that ATen would have given; Tegula's are contiguous."""
    results = node.meta["val"]
    several = results if isinstance(results, (tuple, list)) else (results,)
    if all(value is None or value.is_contiguous() for value in several):
        return None
    return "the result is not contiguous"


def rewrite_modules(module: GraphModule) -> None:
    """Replace calls of ``rms_norm`` before autograd takes them apart, which then no one can match.

    So the backward pass belongs to ``tegula::rms_norm``; what is left here is matched later.
    """
    for node in list(module.graph.nodes):
        if node.op == "call_function" and node.target in RMS_NORMS:
            _rewrite_call(module.graph, node)
    module.graph.lint()
    module.recompile()


def _rewrite_call(graph: Graph, node: Node) -> None:
    names = ("input", "normalized_shape", "weight", "eps")
    given: dict[str, Any] = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    x, weight, eps = given["input"], given.get("weight"), given.get("eps")
    value = x.meta["example_value"]
    reason = rms_norm_reason(value, None if weight is None else weight.meta["example_value"])
    if reason is None and tuple(given["normalized_shape"]) != tuple(value.shape[-1:]):
        reason = "several axes are normalised"
    if reason is None and not node.meta["example_value"].is_contiguous():
        reason = "the result is not contiguous"
    if reason is not None:
        reporting.count("rms_norm", reporting.FALLBACK, reason)
        return
    eps = torch.finfo(torch.float32).eps if eps is None else eps
    _replace(graph, node, norms.rms_norm, (x, weight, eps))


def _is_cast(node: Node) -> bool:
    """A conversion of the element type, and of nothing else."""
    return node.target in CASTS and not set(node.kwargs) - {"dtype"}


def _value(node: Any) -> torch.Tensor:
    value: torch.Tensor = node.meta["val"]
    return value


def _replace(
    graph: Graph, node: Node, target: Any, args: tuple[Any, ...], kwargs: Any = None
) -> None:
    with graph.inserting_before(node):
        new = graph.call_function(target, args, kwargs)
    new.meta = dict(node.meta)
    node.replace_all_uses_with(new)


@dataclass
class Norm:
    """An RMSNorm written out: ``result`` = weight · cast(x · rsqrt(mean(x²) + eps))."""

    x: Node
    weight: Node
    eps: float | Node  # a node where dynamo made the module's number an input of the graph
    result: Node
    round_first: bool  # whether x · rsqrt is cast to the narrow type before the weight


def _rewrite_norm(graph: Graph, rsqrt: Node) -> None:
    norm = match_norm(rsqrt)
    if norm is None:
        if _root_mean_square(rsqrt) is not None:
            why = "not of the known form, or its parts are kept for the backward pass"
            reporting.count("rms_norm", reporting.FALLBACK, why)
        return
    reason = rms_norm_reason(_value(norm.x), _value(norm.weight))
    if reason is None and _value(norm.result).dtype != _value(norm.x).dtype:
        reason = "the result has another dtype than the input"
    if reason is None and not _value(norm.result).is_contiguous():
        reason = "the result is not contiguous"
    if reason is None:
        args = (norm.x, norm.weight, _number(graph, norm), norm.round_first)
        with graph.inserting_before(norm.result):
            both = graph.call_function(routing.call, (OURS, *args))
        _replace(graph, norm.result, operator.getitem, (both, 0))
    else:
        reporting.count("rms_norm", reporting.FALLBACK, reason)


def _number(graph: Graph, norm: Norm) -> Any:
    """eps as a Python number when the graph runs."""
    if not isinstance(norm.eps, Node):
        return norm.eps
    with graph.inserting_before(norm.result):
        return graph.call_function(aten._local_scalar_dense.default, (norm.eps,))


def _root_mean_square(rsqrt: Node) -> tuple[Node, float | Node] | None:
    """(v, eps) of rsqrt(mean(v², last axis) + eps), or None."""
    mean, eps = _operand_and_second(rsqrt.args[0], aten.add.Tensor, aten.add.Scalar)
    eps = _scalar(eps)
    if mean is None or eps is None or mean.target != aten.mean.dim or not _keeps_last_axis(mean):
        return None
    square, exponent = _operand_and_second(mean.args[0], aten.pow.Tensor_Scalar)
    if square is None:
        square = _squared(mean.args[0])
    elif exponent != 2:
        return None
    return None if square is None else (square, eps)


def match_norm(rsqrt: Node) -> Norm | None:
    """The RMSNorm that ``rsqrt`` is the heart of, or None."""
    found = _root_mean_square(rsqrt)
    scaled = _sole_user(rsqrt, aten.mul.Tensor)
    if found is None or scaled is None or _other(scaled, rsqrt) is not found[0]:
        return None
    square, eps = found
    cast = _through_cast(scaled)
    weighted = _sole_user(cast, aten.mul.Tensor)
    if weighted is None:
        return None
    weight = _other(weighted, cast)
    if not isinstance(weight, Node) or _value(weight).ndim != 1:
        return None
    x = square.args[0] if _is_cast(square) else square
    weight = weight.args[0] if _is_cast(weight) else weight
    kind = _value(x).dtype
    result = weighted if _value(weighted).dtype == kind else _through_cast(weighted)
    round_first = _value(cast).dtype == kind != torch.float32
    return Norm(x, weight, eps, result, round_first)  # type: ignore[arg-type]


def _operand_and_second(node: Any, *targets: Any) -> tuple[Node | None, Any]:
    """(operand, second argument) of a binary node with one of ``targets``, else (None, None)."""
    if (
        isinstance(node, Node)
        and node.target in targets
        and len(node.args) == 2
        and not node.kwargs
    ):
        operand, number = node.args
        if isinstance(operand, Node):
            return operand, number
    return None, None


def _scalar(value: Any) -> float | Node | None:
    """A number, or the node of a tensor without axes behind casts; None for anything else."""
    if isinstance(value, (int, float)):
        return float(value)
    while isinstance(value, Node) and _is_cast(value):
        value = value.args[0]
    if isinstance(value, Node) and _value(value).ndim == 0:
        return value
    return None


def _squared(node: Any) -> Node | None:
    """x of x · x."""
    if isinstance(node, Node) and node.target == aten.mul.Tensor and node.args[0] is node.args[1]:
        return node.args[0] if isinstance(node.args[0], Node) else None
    return None


def _keeps_last_axis(mean: Node) -> bool:
    if mean.kwargs.get("dtype") is not None:
        return False
    axes = mean.args[1]
    keep = mean.args[2] if len(mean.args) > 2 else mean.kwargs.get("keepdim", False)
    rank = _value(mean).ndim
    return bool(keep) and list(axes) in ([-1], [rank - 1])  # type: ignore[arg-type]


def _sole_user(node: Node, target: Any) -> Node | None:
    users = list(node.users)
    return users[0] if len(users) == 1 and users[0].target == target else None


def _through_cast(node: Node) -> Node:
    """The cast that is the only user of ``node``, else ``node``."""
    users = list(node.users)
    return users[0] if len(users) == 1 and _is_cast(users[0]) else node


def _other(node: Node, operand: Node) -> Any:
    return node.args[1] if node.args[0] is operand else node.args[0]
