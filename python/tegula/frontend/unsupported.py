"""Constructs of Python that a kernel cannot contain, and what to write instead."""

from __future__ import annotations

import ast

#: Node class → (label suffix, what it is, what to do).
STATEMENTS: dict[type[ast.AST], tuple[str, str, str]] = {
    ast.With: ("with", "'with'", "open contexts outside the kernel"),
    ast.AsyncWith: ("with", "'async with'", "open contexts outside the kernel"),
    ast.AsyncFor: ("async", "'async for'", "write 'for'"),
    ast.Try: ("try", "'try'", "a kernel raises nothing; check arguments before the call"),
    ast.Raise: ("raise", "'raise'", "check arguments before the call"),
    ast.Assert: ("assert", "'assert'", 'write tg.assert_(condition, "message")'),
    ast.FunctionDef: ("nested", "nested function", "write it at module level as @tg.function"),
    ast.AsyncFunctionDef: ("async", "'async def'", "write it at module level as @tg.function"),
    ast.ClassDef: ("class", "'class'", "define classes outside the kernel"),
    ast.Import: ("import", "'import'", "import at module level"),
    ast.ImportFrom: ("import", "'import'", "import at module level"),
    ast.Global: ("global", "'global'", "pass the value as a parameter"),
    ast.Nonlocal: ("global", "'nonlocal'", "pass the value as a parameter"),
    ast.Delete: ("delete", "'del'", "leave the name; it costs nothing"),
    ast.Match: ("match", "'match'", "write 'if' and 'elif'"),
}
EXPRESSIONS: dict[type[ast.AST], tuple[str, str, str]] = {
    ast.Lambda: ("lambda", "'lambda'", "write a @tg.function at module level"),
    ast.ListComp: ("comprehension", "a comprehension", "write a 'for'"),
    ast.SetComp: ("comprehension", "a comprehension", "write a 'for'"),
    ast.DictComp: ("comprehension", "a comprehension", "write a 'for'"),
    ast.GeneratorExp: ("generator", "a generator", "write a 'for'"),
    ast.Yield: ("generator", "'yield'", "store results with tg.store"),
    ast.YieldFrom: ("generator", "'yield from'", "store results with tg.store"),
    ast.Await: ("async", "'await'", "a kernel is sequential code"),
    ast.JoinedStr: ("fstring", "an f-string", "format text outside the kernel"),
    ast.Dict: ("dict", "a dict", "pass values as separate constants"),
    ast.Set: ("set", "a set", "pass values as separate constants"),
    ast.List: ("list", "a list", "write a tuple; a kernel has no lists that change"),
    ast.Starred: ("star", "a star-argument", "write the arguments one by one"),
    ast.NamedExpr: ("walrus", "':='", "assign in a statement of its own"),
}
