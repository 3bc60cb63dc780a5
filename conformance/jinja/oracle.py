"""Real Jinja2 behind JSON lines: one request per line in, one answer per line out, in order.

`run` answers with the typed value of a single `{{ ... }}` and the rendered text, `record` in the form of the case
files, `time` measures itself. A request may name adjustments: switches that turn one documented deviation of the
TypeScript engine on here as well, so that a difference is explained only if the switch alone removes it.
"""

import json
import math
import resource
import signal
import sys
import time

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator
from jinja2.sandbox import SandboxedEnvironment

from oracle_adjustments import (
    ScopeDict,
    ScopeList,
    UncalledMethod,
    adjust_filters,
    adjusted_attribute,
    is_plain,
    item_only,
    lazy_to_list,
    real_power,
)
from oracle_features import features

CASE_SECONDS = 2.0
MEMORY_BYTES = 1_500_000_000
UNDEFINED = {
    "default": jinja2.Undefined,
    "strict": jinja2.StrictUndefined,
    "chainable": jinja2.ChainableUndefined,
}


class OracleTimeout(BaseException):
    """Not an Exception, so that no template code can swallow it."""


class CallAwareGenerator(CodeGenerator):
    """Tells attribute access in call position from access in value position."""

    def visit_Call(self, node, frame, **options):
        if isinstance(node.node, nodes.Getattr):
            node.node.called = True
        super().visit_Call(node, frame, **options)

    def visit_Getattr(self, node, frame):
        if not getattr(node, "called", False):
            super().visit_Getattr(node, frame)
            return
        self.write("environment.called_attribute(")
        self.visit(node.node, frame)
        self.write(f", {node.attr!r})")


class OracleEnvironment(SandboxedEnvironment):
    """Stock Jinja2 without its constant folder, which writes infinity into the generated code as an unknown name."""

    code_generator_class = CallAwareGenerator

    def __init__(self, adjustments, **options):
        self.adjustments = adjustments
        self.captured = []
        if "no-complex-numbers" in adjustments:
            self.intercepted_binops = frozenset(["**"])
        super().__init__(finalize=self.make_finalize(), optimized=False, **options)
        adjust_filters(self, adjustments)

    def make_finalize(self):
        @jinja2.pass_context
        def finalize(_context, value):
            self.captured.append(value)
            return value

        return finalize

    def getattr(self, obj, attribute):
        if "item-first" in self.adjustments and is_plain(obj):
            return item_only(self, obj, attribute)
        return super().getattr(obj, attribute)

    def getitem(self, obj, argument):
        if "item-first" in self.adjustments and is_plain(obj):
            return item_only(self, obj, argument)
        return super().getitem(obj, argument)

    def call_binop(self, _context, operator, left, right):
        return real_power(left, right)

    def called_attribute(self, obj, attribute):
        adjusted = adjusted_attribute(self, obj, attribute)
        if adjusted is not None:
            return adjusted
        return super().getattr(obj, attribute)


ENVIRONMENTS = {}


def environment_for(request):
    options = request.get("options") or {}
    adjustments = frozenset(request.get("adjust", ()))
    if options.get("item_first"):
        adjustments |= {"item-first"}
    key = (request.get("undefined", "default"), json.dumps(options, sort_keys=True), adjustments)
    if key not in ENVIRONMENTS:
        ENVIRONMENTS[key] = OracleEnvironment(
            adjustments,
            undefined=UNDEFINED[key[0]],
            trim_blocks=options.get("trim_blocks", False),
            lstrip_blocks=options.get("lstrip_blocks", False),
            keep_trailing_newline=options.get("keep_trailing_newline", False),
        )
    return ENVIRONMENTS[key]


def protect(value):
    """The same data in list and dict subclasses by which adjustments know it as the caller's."""
    if isinstance(value, list):
        return ScopeList(protect(item) for item in value)
    if isinstance(value, dict):
        return ScopeDict((key, protect(item)) for key, item in value.items())
    return value


def evaluate(request):
    """(value, text, error, captured): the native value of the first output, the text, the exception if any."""
    environment = environment_for(request)
    environment.captured.clear()
    value, text, error = None, None, None
    try:
        template = environment.from_string(request["template"])
        text = template.render(protect(request["context"]))
    except OracleTimeout:
        raise
    except BaseException as caught:
        error = caught
    captured = list(environment.captured)
    environment.captured.clear()
    if captured:
        value = captured[0]
    return value, text, error, bool(captured)


def typed(value):
    if isinstance(value, UncalledMethod):
        value._fail_with_undefined_error()
    if isinstance(value, jinja2.Undefined):
        return {"t": "undefined"}
    if value is None:
        return {"t": "none"}
    if isinstance(value, bool):
        return {"t": "bool", "v": value}
    if isinstance(value, int):
        return {"t": "int", "v": str(value)}
    if isinstance(value, float):
        return {"t": "float", "v": repr(value)}
    if isinstance(value, str):
        return {"t": "str", "v": str(value)}
    if isinstance(value, list):
        return {"t": "list", "v": [typed(item) for item in value]}
    if isinstance(value, tuple):
        return {"t": "tuple", "v": [typed(item) for item in value]}
    if isinstance(value, dict):
        return {"t": "dict", "v": [[typed(key), typed(item)] for key, item in value.items()]}
    listed = lazy_to_list(value)
    if listed is not None:
        return {"t": "lazy", "v": [typed(item) for item in listed]}
    return {"t": "other", "v": type(value).__name__}


def run(request):
    value, text, error, captured = evaluate(request)
    answer = {}
    if request["mode"] == "expr":
        strict_undefined = request.get("undefined") == "strict" and isinstance(value, jinja2.Undefined)
        if captured and not strict_undefined:
            try:
                answer["value"] = typed(value)
            except OracleTimeout:
                raise
            except BaseException as caught:
                answer["valueError"] = type(caught).__name__
        else:
            answer["valueError"] = type(error).__name__
    if error is None:
        answer["text"] = text
    else:
        answer["textError"] = type(error).__name__
        answer["message"] = str(error)[:300]
    return answer


def plain_json(value, tags):
    """The recorded form, and the tags that say what JSON or JavaScript cannot carry of it."""
    if isinstance(value, jinja2.Undefined):
        tags.add("undefined")
        return {"$undefined": True}
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) <= 2**53 - 1:
            return value
        tags.add("bigint")
        return {"$bigint": str(value)}
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return {"$float": repr(value)}
        if value.is_integer():
            tags.add("float-integral")
        return value
    if isinstance(value, (list, tuple)):
        if isinstance(value, tuple):
            tags.add("py:tuple")
        return [plain_json(item, tags) for item in value]
    if isinstance(value, dict):
        if any(not isinstance(key, str) for key in value):
            tags.add("py:int-keys")
        return {str(key): plain_json(item, tags) for key, item in value.items()}
    listed = lazy_to_list(value)
    if listed is None:
        raise TypeError(f"a {type(value).__name__} cannot be recorded")
    tags.add("py:lazy")
    return [plain_json(item, tags) for item in listed]


def type_name(value):
    if isinstance(value, jinja2.Undefined):
        return "undefined"
    for kind, name in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (list, "list"), (tuple, "tuple")):
        if isinstance(value, kind):
            return name
    return "none" if value is None else "dict" if isinstance(value, dict) else "iterable"


def record(request):
    value, text, error, captured = evaluate(request)
    tags = set()
    used = features(environment_for(request), request["template"])
    if (request.get("options") or {}).get("item_first"):
        tags.add("deviation:item-first")
    undefined_is_value = request.get("undefined") != "strict" and not isinstance(value, UncalledMethod)
    if error is not None and not (captured and request["mode"] == "expr" and undefined_is_value):
        return {"error": type(error).__name__, "tags": sorted(tags), "features": used}
    result = value if request["mode"] == "expr" else text
    expected = plain_json(result, tags)
    return {"expected": expected, "expected_type": type_name(result), "tags": sorted(tags), "features": used}


def measure(request):
    """Mean microseconds per render of the templates in turn, compiled once; and per compilation."""
    environment = jinja2.Environment()
    compiled = [environment.from_string(source) for source in request["templates"]]
    context, rounds = request["context"], request["rounds"]
    best = math.inf
    for _ in range(5):
        started = time.perf_counter()
        for _ in range(rounds):
            for template in compiled:
                template.render(context)
        best = min(best, (time.perf_counter() - started) / rounds)
    started = time.perf_counter()
    compilations = max(1, rounds // 20)
    for number in range(compilations):
        for source in request["templates"]:
            environment.from_string(f"{source}{{# {number} #}}")
    compile_time = (time.perf_counter() - started) / compilations
    return {"renderMicros": best * 1e6, "compileMicros": compile_time * 1e6}


def on_alarm(_signal, _frame):
    raise OracleTimeout()


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGALRM, on_alarm)
    operations = {"run": run, "record": record}
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "time":
            answer = measure(request)
        elif request["op"] == "version":
            answer = {"jinja": jinja2.__version__, "python": sys.version.split()[0]}
        else:
            try:
                signal.setitimer(signal.ITIMER_REAL, CASE_SECONDS)
                answer = operations[request["op"]](request)
            except OracleTimeout:
                answer = {"timeout": True, "tags": [], "error": "OracleTimeout"}
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
