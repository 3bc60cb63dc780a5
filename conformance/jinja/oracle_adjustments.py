"""The switches of oracle.py: each makes real Jinja2 deviate as the TypeScript engine is documented to."""

import functools
import types

from jinja2 import ChainableUndefined, StrictUndefined, Undefined
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS
from markupsafe import Markup


class UncalledMethod(ChainableUndefined):
    """The name of a method read as a value: falsy and without parts, but never quietly printed, walked or measured."""

    __str__ = __repr__ = __iter__ = __len__ = __contains__ = Undefined._fail_with_undefined_error

    def __eq__(self, other):
        return isinstance(other, Undefined)

    def __hash__(self):
        return hash(Undefined())


class ScopeList(list):
    """A list of the caller's data."""


class ScopeDict(dict):
    """A dict of the caller's data."""


PLAIN = (str, int, float, bool, type(None), list, tuple, dict, range, ScopeList, ScopeDict, Markup)
LAZY_TYPES = (
    types.GeneratorType,
    type({}.items()),
    type({}.keys()),
    type({}.values()),
    type(reversed([])),
    type(reversed(())),
    type(reversed(range(1))),
    type(reversed({})),
    type(reversed({}.items())),
    type(reversed({}.values())),
    type(reversed({}.keys())),
    range,
)
LAZY_FILTERS = (
    "batch",
    "items",
    "map",
    "reject",
    "rejectattr",
    "reverse",
    "select",
    "selectattr",
    "slice",
    "unique",
)
MUTATORS = {
    ScopeList: {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
    ScopeDict: {"clear", "pop", "popitem", "setdefault", "update"},
}


def is_plain(value):
    return type(value) in PLAIN


def item_only(environment, obj, argument):
    """An item, never a method; what has a method of that name instead is undefined and says so when it is used."""
    try:
        return obj[argument]
    except (TypeError, LookupError):
        is_method = isinstance(argument, str) and not argument.startswith("_") and callable(getattr(obj, argument, None))
        if is_method and environment.undefined is not StrictUndefined:
            return UncalledMethod(obj=obj, name=argument)
        return environment.undefined(obj=obj, name=argument)


def real_power(left, right):
    result = left**right
    if isinstance(result, complex):
        raise ValueError("no complex numbers")
    return result


def lazy_to_list(value):
    """The items of an iterator, view or range; None for anything else."""
    return list(value) if isinstance(value, LAZY_TYPES) else None


def adjust_filters(environment, adjustments):
    if "lazy-lists" in adjustments:
        wrap_filters(environment, LAZY_FILTERS, lambda result: result if isinstance(result, str) else list(result))


def wrap_filters(environment, names, convert):
    for name in names:
        environment.filters[name] = wrapped(environment.filters.get(name, FILTERS[name]), convert)


def wrapped(function, convert):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return convert(function(*args, **kwargs))

    return call


def adjusted_attribute(environment, obj, attribute):
    """What an adjustment puts in the place of a called attribute, or None."""
    if "scope-read-only" in environment.adjustments and attribute in MUTATORS.get(type(obj), ()):
        raise SecurityError(f"{attribute} would change the caller's data")
    if "lazy-lists" in environment.adjustments and isinstance(obj, dict) and attribute in ("items", "keys", "values"):
        return lambda: list(getattr(obj, attribute)())
    if (
        "escaped-text-arguments" in environment.adjustments
        and isinstance(obj, Markup)
        and attribute in ("partition", "rpartition")
    ):
        return text_only(getattr(obj, attribute))
    return None


def text_only(method):
    def call(separator):
        if not isinstance(separator, str):
            raise TypeError("must be str")
        return method(separator)

    return call
