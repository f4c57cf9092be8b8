"""``torch.compile(model, backend="tegula")``: eligible ATen nodes become Tegula ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo import register_backend
from torch._dynamo.backends.common import aot_autograd

from ..errors import ArgumentError
from .rewriting import rewrite, rewrite_modules


def _compile(graph: torch.fx.GraphModule, examples: Sequence[Any]) -> Callable[..., Any]:
    from functorch.compile import make_boxed_func

    rewrite(graph)
    graph.graph.lint()
    graph.recompile()
    return make_boxed_func(graph.forward)  # type: ignore[no-any-return]


_aot = aot_autograd(fw_compiler=_compile, bw_compiler=_compile, inference_compiler=_compile)


@register_backend(name="tegula")
def backend(
    graph: torch.fx.GraphModule, examples: Sequence[Any], **options: Any
) -> Callable[..., Any]:
    """The dynamo backend. What isn't rewritten runs as in ATen; ``report()`` says what and why.

    Raises ``tegula.ArgumentError`` for ``mode`` and ``options``: there are none.
    """
    if options:
        name = next(iter(options))
        raise ArgumentError(name, options[name], "none: the backend takes no mode or options")
    rewrite_modules(graph)
    return _aot(graph, examples)  # type: ignore[no-any-return]
