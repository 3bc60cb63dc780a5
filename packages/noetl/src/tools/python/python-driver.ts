import { PYTHON_LOG } from './python-log.ts';

/**
 * The program of a warm Python process: reads calls from descriptor 3, line by line, and answers on descriptor 4. Each
 * call runs in a module of its own; environment, folder and search path are put back after it. Imported modules stay.
 */
export const PYTHON_DRIVER = String.raw`
import json, os, re, signal, sys, threading, types

REQUESTS = os.fdopen(3, "rb")
for number in (3, 4):
    os.set_inheritable(number, False)
PID = os.getpid()
LIMITS = json.loads(sys.argv[1])
del sys.argv[1:]
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (LIMITS["memory"], LIMITS["memory"]))
except Exception:
    pass
import faulthandler
faulthandler.enable()


def send(frame):
    data = memoryview((frame + "\n").encode("ascii"))
    while data:
        data = data[os.write(4, data):]


${PYTHON_LOG}

class Problem(Exception):
    def __init__(self, kind, message):
        self.kind, self.message = kind, message


SAFE = 2 ** 53
LONG = re.compile(r"\d{16}")


def encoded(value):
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        try:
            found = unfit(value, "the result", [])
        except RecursionError:
            found = None
        raise Problem("result.json", found or "the result has no form in JSON: %s." % error)
    if LONG.search(text):
        text = json.dumps(exact(value), allow_nan=False)
    if len(text) > LIMITS["result"]:
        raise Problem("result.size", "the result is %d bytes of JSON, the limit is %d; write that much to a file."
                      % (len(text), LIMITS["result"]))
    return text


def exact(value):
    """Integers that a number cannot hold become their decimal text."""
    if isinstance(value, int) and not isinstance(value, bool) and not -SAFE < value < SAFE:
        return str(int(value))
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [exact(item) for item in value]
    return value


def unfit(value, where, around):
    """The first place that JSON has no form for."""
    if value is None or isinstance(value, (str, bool)):
        return None
    if isinstance(value, int):
        try:
            str(value)
            return None
        except ValueError:
            return "%s is an integer with too many digits." % where
    if isinstance(value, float):
        return None if value - value == 0 else "%s is %r, which has no form in JSON." % (where, value)
    if not isinstance(value, (dict, list, tuple)):
        hint = "; use its isoformat()" if hasattr(value, "isoformat") else ""
        hint = "; make it a list" if isinstance(value, (set, frozenset)) else hint
        hint = "; decode it, or encode it as base64" if isinstance(value, (bytes, bytearray)) else hint
        return "%s is of type %s, which has no form in JSON%s." % (where, type(value).__name__, hint)
    if any(value is outer for outer in around):
        return "%s contains itself." % where
    around = around + [value]
    if isinstance(value, dict):
        for key, item in value.items():
            if not (key is None or isinstance(key, (str, int, float))):
                return "%s has a key of type %s; keys are text." % (where, type(key).__name__)
            found = unfit(item, "%s.%s" % (where, key), around)
            if found:
                return found
        return None
    for index, item in enumerate(value):
        found = unfit(item, "%s[%d]" % (where, index), around)
        if found:
            return found
    return None


def chosen(function, entry, args):
    """The args that the function declares, by name."""
    code = getattr(function, "__code__", None)
    if type(function) is types.FunctionType and not hasattr(function, "__wrapped__"):
        positional = code.co_varnames[:code.co_argcount]
        only = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
        every = bool(code.co_flags & 8)
        optional = set(positional[len(positional) - len(function.__defaults__ or ()):])
        optional |= set(function.__kwdefaults__ or ())
        first = code.co_posonlyargcount
    else:
        import inspect
        parameters = inspect.signature(function).parameters.values()
        by = lambda *kinds: tuple(p.name for p in parameters if p.kind in kinds)
        positional = by(inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        only = by(inspect.Parameter.KEYWORD_ONLY)
        every = bool(by(inspect.Parameter.VAR_KEYWORD))
        optional = {p.name for p in parameters if p.default is not p.empty}
        first = len(by(inspect.Parameter.POSITIONAL_ONLY))
    missing = [name for name in positional + only if name not in args and name not in optional]
    if missing:
        raise Problem("task.field", "%s declares %s, which args do not have; they have %s."
                      % (entry, " and ".join("'%s'" % name for name in missing), ", ".join(args) or "nothing"))
    given = []
    for name in positional[:first]:
        if name not in args:
            break
        given.append(args[name])
    names = args if every else [name for name in positional + only if name in args]
    return given, {name: args[name] for name in names if name not in positional[:first]}


compiled = {}


def compile_code(source, name):
    code = compiled.get((source, name))
    if code is None:
        if len(compiled) >= 256:
            compiled.clear()
        code = compiled[(source, name)] = compile(source, name, "exec", dont_inherit=True)
    return code


class Loader:
    """Shows the lines of the code to whoever prints a traceback."""

    def __init__(self, source):
        self.source = source

    def get_source(self, name):
        return self.source


def run(call, module):
    names = module.__dict__
    args = call["args"]
    names.update(args)
    names.setdefault("args", args)
    names["__file__"] = call["name"]
    source = call.get("code")
    if source is None:
        with open(call["name"], "rb") as file:
            source = file.read()
    else:
        source = padded(source, call)
        names["__loader__"] = Loader(source)
        if "linecache" in sys.modules:
            sys.modules["linecache"].cache.pop(call["name"], None)
    exec(compile_code(source, call["name"]), names)
    entry = call["entry"]
    function = names.get(entry)
    if callable(function):
        given, named = chosen(function, entry, args)
        value = function(*given, **named)
        if isinstance(value, types.CoroutineType):
            import asyncio
            value = asyncio.run(value)
        return value
    if call["entry_given"]:
        raise Problem("task.field", "the code defines no function '%s'." % entry)
    return names.get("result")


def padded(source, call):
    """The code with its lines numbered as in the file that it stands in."""
    return "\n" * (call["line"] - 1) + source


def places(error, call):
    """The lines of the traceback from the code of the task on."""
    import linecache
    name, source = call["name"], call.get("code")
    if source is not None:
        source = padded(source, call)
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    found, trace, seen = [], error.__traceback__, False
    while trace is not None:
        code, line = trace.tb_frame.f_code, trace.tb_lineno
        seen = seen or code.co_filename == name
        if seen:
            found.append({"file": code.co_filename, "line": line, "function": code.co_name,
                          "text": linecache.getline(code.co_filename, line).strip()})
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == name:
        found.append({"file": name, "line": error.lineno, "function": "<module>", "text": (error.text or "").strip()})
    linecache.checkcache()
    return found[-50:]


def described(error):
    try:
        text = str(error)
    except Exception:
        text = "<its text cannot be shown>"
    if isinstance(error, SyntaxError):
        text = error.msg or text
    return text if len(text) <= 10000 else text[:10000] + "\u2026"


def answer_to(call, module):
    try:
        return '{"result":%s' % encoded(run(call, module))
    except Problem as problem:
        return json.dumps({"kind": problem.kind, "message": problem.message})[:-1]
    except SystemExit as error:
        code = error.code if error.code is None or isinstance(error.code, (int, str)) else str(error.code)
        return json.dumps({"kind": "python.exit", "code": code})[:-1]
    except BaseException as error:
        return json.dumps({
            "kind": "python.exception",
            "type": type(error).__name__,
            "message": described(error),
            "retryable": isinstance(error, (ConnectionError, TimeoutError)),
            "places": places(error, call),
            "memory": isinstance(error, MemoryError),
        })[:-1]


def children_left():
    try:
        return os.waitpid(-1, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


ENVIRONMENT = dict(os.environ)
RAW = dict(getattr(os.environ, "_data", {}))
try:
    FOLDER = os.getcwd()
except OSError:
    FOLDER = "/"
PATH = list(sys.path)


def restore():
    if getattr(os.environ, "_data", None) != RAW:
        for name in set(os.environ) - set(ENVIRONMENT):
            del os.environ[name]
        for name, value in ENVIRONMENT.items():
            if os.environ.get(name) != value:
                os.environ[name] = value
    try:
        moved = os.getcwd() != FOLDER
    except OSError:
        moved = True
    if moved:
        os.chdir(FOLDER)
    if sys.path != PATH:
        sys.path[:] = PATH


def forget_modules(folder, known):
    """Modules beside the file may change before the next call; libraries do not."""
    for name in set(sys.modules) - known:
        place = getattr(sys.modules[name], "__file__", None) or ""
        if place.startswith(folder + os.sep):
            del sys.modules[name]


def serve(line):
    call = json.loads(line)
    out, err = Log("stdout", 1), Log("stderr", 2)
    sys.stdout, sys.stderr = out, err
    os.environ["NOETL_IDEMPOTENCY_KEY"] = call["key"]
    if "traceparent" in call:
        os.environ["TRACEPARENT"] = call["traceparent"]
    module = types.ModuleType("noetl_task")
    sys.modules["noetl_task"] = module
    folder = None
    if call.get("code") is None:
        folder, known = os.path.dirname(call["name"]), set(sys.modules)
        sys.path.insert(0, folder)
    if call["cpu"]:
        # The system ends the process then, whatever the code is doing.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, call["cpu"])
    try:
        answer = answer_to(call, module)
    except BaseException as error:
        answer = json.dumps({"kind": "python.exception", "type": type(error).__name__, "message": "no memory is left to tell more",
                             "retryable": False, "places": [], "memory": True})[:-1]
    if os.getpid() != PID:
        os._exit(0)
    if call["cpu"]:
        signal.setitimer(signal.ITIMER_PROF, 0)
    sys.stdout, sys.stderr = out, err
    try:
        out.flush()
        err.flush()
    finally:
        fit = threading.active_count() == 1 and not children_left() and '"memory": true' not in answer[-20:]
    try:
        restore()
        if folder is not None:
            forget_modules(folder, known)
    except Exception:
        fit = False
    sys.modules.pop("noetl_task", None)
    send(answer + (',"fit":true}' if fit else ',"fit":false}'))


for line in REQUESTS:
    serve(line)
    del line
os._exit(0)
`;
