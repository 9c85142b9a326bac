"""A headless Chromium to test pages."""

import fcntl
import json
import os
import shutil
import subprocess
import sys

SKIPPED = 77  # the exit status of a test that cannot run here


def find_chromium():
    """The path of the program; exits with a message if it is not found."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("skipped: there is no chromium on the PATH (Debian: apt-get install chromium)")
        sys.exit(SKIPPED)
    return chromium


class Browser:
    """Chromium, driven through two pipes: JSON messages that end in a zero byte (its DevTools protocol)."""

    def __init__(self, program, profile):
        ours, theirs = os.pipe(), os.pipe()  # from Chromium, to Chromium
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (theirs[0], ours[1])]

        def connect():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--hide-scrollbars",
             "--remote-debugging-pipe", "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={profile}"],
            preexec_fn=connect, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (*high, theirs[0], ours[1]):
            os.close(fd)
        self.reader, self.writer = os.fdopen(ours[0], "rb"), os.fdopen(theirs[1], "wb")
        self.pending, self.events, self.last, self.session = b"", [], 0, None

    def receive(self):
        while b"\0" not in self.pending:
            part = os.read(self.reader.fileno(), 1 << 16)
            if not part:
                sys.exit("browser: Chromium ended early")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        self.writer.flush()
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    sys.exit(f"browser: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open_tab(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def load(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def of(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"browser: {expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=60)
