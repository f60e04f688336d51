"""A control that writes down which of its fields a step reads, so that one step stands for many.

Guards and reducers are pure: a step that read the fields K of the control does the same from
every control that agrees on K, and leaves the fields it did not write as they were. Anything
that looks at the control as a whole (iterating, comparing, hashing, printing) counts as a read
of every field, so what is not written down was not looked at. Only C code that takes a tuple
apart by itself (`"%s" % control`) would not be seen; the tests hold the walk of each shipped
chart against a plain one.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

_WHOLE = (
    "__iter__", "__getitem__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "__hash__", "__contains__", "__add__", "__mul__", "__rmul__", "__repr__", "__getnewargs__",
    "count", "index", "_asdict",
)  # fmt: skip
_MINE = frozenset({"_reads", "_writes"})


def is_watchable(control: object) -> bool:
    """Tell whether *control* is a NamedTuple, whose fields can be told apart."""
    return isinstance(control, tuple) and hasattr(type(control), "_fields")


def watched(control: Any) -> Any:
    """Return *control* as one that notes what is read of it."""
    plain: Any = type(control)
    return _made(_watched_type(plain), tuple.__iter__(control), {}, frozenset())


def reads_of(control: Any) -> tuple[int, ...]:
    """Return the fields read of a watched *control* and of its copies, first read first."""
    return tuple(vars(control)["_reads"])


def writes_of(control: Any, start: Any) -> tuple[tuple[int, Any], ...]:
    """Return the fields that *control*, which a step made of the watched *start*, has anew."""
    own = getattr(control, "_reads", None) is vars(start)["_reads"]
    fields = vars(control)["_writes"] if own else range(tuple.__len__(control))
    return tuple((at, tuple.__getitem__(control, at)) for at in sorted(fields))


def _made(kind: type, values: Iterable[Any], reads: dict[int, None], writes: frozenset[int]) -> Any:
    made: Any = tuple.__new__(kind, values)
    vars(made).update(_reads=reads, _writes=writes)
    return made


@cache
def _watched_type(plain: Any) -> type:
    fields: tuple[str, ...] = plain._fields
    places = {name: at for at, name in enumerate(fields)}

    def replaced(self: Any, /, **changes: Any) -> Any:
        unknown = changes.keys() - places.keys()
        if unknown:
            raise ValueError(f"Got unexpected field names: {sorted(unknown)!r}")
        old = tuple.__iter__(self)
        values = [changes.get(name, value) for name, value in zip(fields, old, strict=True)]
        writes = vars(self)["_writes"] | {places[name] for name in changes}
        return _made(type(self), values, vars(self)["_reads"], writes)

    members: dict[str, Any] = {name: _field(at) for name, at in places.items()}
    members |= {name: _whole(getattr(plain, name), len(fields)) for name in _WHOLE}
    members["_replace"] = replaced
    return type(f"Watched{plain.__name__}", (plain,), members)


def _field(at: int) -> property:
    def read(self: Any) -> Any:
        own = vars(self)
        # A field that the step wrote itself says nothing about the control it began with.
        if at not in own["_writes"]:
            own["_reads"][at] = None
        return tuple.__getitem__(self, at)

    return property(read)


def _whole(method: Callable[..., Any], count: int) -> Callable[..., Any]:
    def read(self: Any, *given: Any) -> Any:
        own = vars(self)
        for at in range(count):
            if at not in own["_writes"]:
                own["_reads"][at] = None
        return method(self, *given)

    return read
