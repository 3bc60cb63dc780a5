/** The part of the driver that makes frames of what the code prints. */
export const PYTHON_LOG = String.raw`
class Log:
    """A text stream whose lines are frames. The first lines go out one by one, so that a crash cannot swallow them."""

    encoding = "utf-8"
    errors = "replace"
    closed = False
    line_buffering = True

    def __init__(self, name, number):
        self.name, self.number = "<%s>" % name, number
        self.stream = name
        self.parts, self.size, self.total = [], 0, 0

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not " + type(text).__name__)
        room = LIMITS["log"] - self.total
        if room <= 0:
            return len(text)
        kept = text if len(text) < room else text[:room]
        self.parts.append(kept)
        self.size += len(kept)
        self.total += len(kept)
        if self.total >= LIMITS["log"]:
            self.parts.append("\u2026\n[what follows is not kept: the limit is %d characters]\n" % LIMITS["log"])
            self.flush()
        elif self.size > 32768 or (self.total < 65536 and "\n" in text):
            self.flush()
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        if self.parts:
            text = "".join(self.parts)
            self.parts, self.size = [], 0
            if os.getpid() == PID:
                send(json.dumps(["e" if self.stream == "stderr" else "o", text]))
            else:
                os.write(self.number, text.encode("utf-8", "replace"))

    def fileno(self):
        return self.number

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False

    def reconfigure(self, **options):
        pass

    @property
    def buffer(self):
        return Bytes(self)


class Bytes:
    def __init__(self, log):
        self.log = log

    def write(self, data):
        self.log.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self):
        self.log.flush()
`;
