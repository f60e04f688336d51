"""Take one guard or gate out of a module: by its syntax tree, and never more than the one named.

What is to be replaced must be there exactly once; a gate that was renamed or removed is an error.
"""

import ast
from collections.abc import Sequence
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef


class GateGoneError(Exception):
    """The list names something that the module does not hold, or holds more than once."""


class Change(NamedTuple):
    """In *function*, *find* becomes *becomes*; without *find* the whole body does.

    *function* is a qualified name, "" for the module itself. *find* and *becomes* are statements
    or expressions; a *find* such as `if late` is the condition of that `if`.
    """

    function: str
    becomes: str
    find: str = ""


def rewritten(source: str, change: Change) -> str:
    """Return *source* with *change* made.

    Raises:
        GateGoneError: there is no such place, or more than one.
    """
    tree = ast.parse(source)
    owner = _named(tree, change.function)
    if change.find:
        _replace(owner, change)
    elif isinstance(owner, Function):
        owner.body = ast.parse(change.becomes).body
    else:
        raise GateGoneError(f"{change.function} is no function")
    return ast.unparse(ast.fix_missing_locations(tree))


def _named(tree: ast.Module, qualified: str) -> ast.AST:
    found: ast.AST = tree
    for name in qualified.split(".") if qualified else ():
        inside = [
            node
            for node in ast.walk(found)
            if isinstance(node, ast.ClassDef | Function) and node.name == name and node is not found
        ]
        if len(inside) != 1:
            raise GateGoneError(f"{qualified} is there {len(inside)} times")
        found = inside[0]
    return found


def _replace(owner: ast.AST, change: Change) -> None:
    if change.find.startswith("if ") and ":" not in change.find:
        condition = ast.parse(change.find.removeprefix("if "), mode="eval").body
        _once([_Conditions(condition, change.becomes)], owner, change)
        return
    wanted = ast.parse(change.find).body
    if len(wanted) != 1:
        raise GateGoneError(f"one statement or expression, not: {change.find}")
    visitors: list[_Replacer] = [_Statements(wanted[0], change.becomes)]
    if isinstance(wanted[0], ast.Expr):
        visitors.append(_Expressions(wanted[0].value, change.becomes))
    _once(visitors, owner, change)


def _once(visitors: Sequence["_Replacer"], owner: ast.AST, change: Change) -> None:
    for visitor in visitors:
        visitor.visit(owner)
        if visitor.count == 1:
            return
        if visitor.count > 1:
            raise GateGoneError(f"{change.function}: there {visitor.count} times: {change.find}")
    raise GateGoneError(f"{change.function}: not there any more: {change.find}")


class _Replacer(ast.NodeTransformer):
    def __init__(self, wanted: ast.AST, becomes: str) -> None:
        self.count = 0
        self._wanted = ast.dump(wanted)
        self._becomes = becomes

    def _fits(self, node: ast.AST) -> bool:
        if ast.dump(node) != self._wanted:
            return False
        self.count += 1
        return True


class _Statements(_Replacer):
    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        """Replace a statement by any number of them."""
        if isinstance(node, ast.stmt) and self._fits(node):
            return ast.parse(self._becomes).body
        return self.generic_visit(node)


class _Expressions(_Replacer):
    def visit(self, node: ast.AST) -> ast.AST:
        """Replace an expression by another."""
        if isinstance(node, ast.expr) and self._fits(node):
            return ast.parse(self._becomes, mode="eval").body
        return self.generic_visit(node)


class _Conditions(_Replacer):
    def visit(self, node: ast.AST) -> ast.AST:
        """Replace the condition of an `if`."""
        if isinstance(node, ast.If) and self._fits(node.test):
            node.test = ast.parse(self._becomes, mode="eval").body
        return self.generic_visit(node)
