#!/usr/bin/env python3
"""Opens a page in headless Chromium and does things with it, in order.

Usage: chromium-page.py FILE [ACTION]...
       chromium-page.py --serve PORT_FILE    one Chromium for all who ask (serve.py): FILE [ACTION]..., each in a tab of its own

Actions:
  --width PIXELS      a window of this width (default 1400), 900 high
  --scheme NAME       light or dark
  --no-script         the page's own scripts do not run (before --open)
  --open              loads FILE; done by itself before the first action that needs it
  --eval EXPRESSION   runs JavaScript, prints its value as one line of JSON
  --key NAME          presses Enter, Tab or Space
  --type TEXT         types into what has the focus
  --clip TOP,HEIGHT   pictures from now on are of this part, in pixels
  --screenshot PNG    the page as a picture, the whole of it unless --clip was given
  --pdf FILE          the page as it is printed
  --report            prints {"console": [...], "requests": [...]}: every error, warning and
                      exception so far, and the address of everything that was asked for

Chromium is spoken to over a pipe (--remote-debugging-pipe: JSON between NUL bytes
on file descriptors 3 and 4), so nothing but Python and Chromium is needed.
Exit: 0 done, 1 an action failed, 2 wrong use, 3 no Chromium.
"""
import base64
import contextlib
import io
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

from serve import serve

TIME_LIMIT_S = 240
KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "Space": (32, " ")}


class Failure(Exception):
    """An action could not be done; its text says why."""


class Chromium:
    """A browser with one tab; use it in a `with` statement."""

    def __init__(self, program, profile):
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()

        def give_pipes():
            # Over duplicates, as 3 or 4 may be among the ends themselves.
            source, sink = os.dup(to_browser), os.dup(from_browser)
            os.dup2(source, 3)
            os.dup2(sink, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}",
             "--remote-debugging-pipe", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=give_pipes)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.context = None
        self.new_tab()

    def new_tab(self):
        """A tab that shares nothing with the one before, which is closed."""
        self.session = None
        self.console, self.requests = [], []
        self.loaded = set()  # the numbers of the pages that have been loaded
        self.clip = {}
        self.pixels = 0
        self.deadline = time.monotonic() + TIME_LIMIT_S
        if self.context:
            self.call("Target.disposeBrowserContext", browserContextId=self.context)
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.width(1400)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (Failure, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def receive(self):
        """The next message; events are noted."""
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.reader], [], [], left)[0]:
                raise Failure(f"Chromium did not answer within {TIME_LIMIT_S} s")
            part = os.read(self.reader, 1 << 20)
            if not part:
                raise Failure("Chromium ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, event):
        """Keeps what --report tells."""
        if method == "Page.lifecycleEvent" and event["name"] == "load":
            self.loaded.add(event["loaderId"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.console.append(event["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in event["args"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            self.console.append(event["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.console.append("dialog: " + event["message"])
            self.send("Page.handleJavaScriptDialog", accept=True)

    def send(self, method, **params):
        """Sends a command; its answer comes later."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data):]
        return self.number

    def call(self, method, **params):
        """Sends a command, and waits for its answer."""
        number = self.send(method, **params)
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise Failure(f"{method}: {message['error']['message']}")
                return message["result"]

    def open(self, file):
        # The load event of the empty page, which was there first, may still be to come.
        page = self.call("Page.navigate", url=pathlib.Path(file).resolve().as_uri())["loaderId"]
        while page not in self.loaded:
            self.receive()

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(f"--eval: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def width(self, pixels):
        self.pixels = pixels
        self.call("Emulation.setDeviceMetricsOverride", width=pixels, height=900, deviceScaleFactor=1, mobile=pixels < 600)

    def part(self, top, height):
        self.clip = {"clip": {"x": 0, "y": top, "width": self.pixels, "height": height, "scale": 1}}

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def key(self, name):
        code, text = KEYS[name]
        key = " " if name == "Space" else name
        common = {"key": key, "code": name, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, file):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, **self.clip)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))

    def pdf(self, file):
        data = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))


def act(browser, file, actions):
    """Does the actions, words as on the command line."""
    opened = False
    words = iter(actions)
    for word in words:
        if word in ("--eval", "--key", "--type", "--screenshot", "--pdf", "--report", "--open") and not opened:
            browser.open(file)
            opened = True
        if word == "--eval":
            print(json.dumps(browser.evaluate(next(words))))
        elif word == "--key":
            browser.key(next(words))
        elif word == "--type":
            browser.call("Input.insertText", text=next(words))
        elif word == "--width":
            browser.width(int(next(words)))
        elif word == "--scheme":
            browser.scheme(next(words))
        elif word == "--no-script":
            browser.call("Emulation.setScriptExecutionDisabled", value=True)
        elif word == "--screenshot":
            browser.screenshot(next(words))
        elif word == "--clip":
            browser.part(*map(int, next(words).split(",")))
        elif word == "--pdf":
            browser.pdf(next(words))
        elif word == "--report":
            print(json.dumps({"console": browser.console, "requests": browser.requests}))
        elif word != "--open":
            raise Failure(f"unknown action {word}: see --help")


class Shared:
    """A browser that is started when somebody asks first."""

    def __init__(self, program, profile):
        self.program, self.profile, self.browser = program, profile, None

    def answer(self, words):
        said = io.StringIO()
        try:
            if self.browser:
                self.browser.new_tab()
            else:
                self.browser = Chromium(self.program, self.profile)
            with contextlib.redirect_stdout(said):
                act(self.browser, words[0], words[1:])
        except (Failure, StopIteration, KeyError, OSError) as failure:
            self.end()
            return 1, f"{said.getvalue()}chromium-page.py: {failure}\n"
        return 0, said.getvalue()

    def end(self):
        if self.browser:
            self.browser.__exit__()
        self.browser = None


def main(arguments):
    if not arguments or "--help" in arguments:
        print(__doc__)
        return 0 if arguments else 2
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("chromium-page.py: no Chromium: install chromium", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        if arguments[0] == "--serve":
            shared = Shared(program, profile)
            try:
                serve(arguments[1], shared.answer)
            finally:
                shared.end()
            return 0
        try:
            with Chromium(program, profile) as browser:
                act(browser, arguments[0], arguments[1:])
        except (Failure, StopIteration, KeyError) as failure:
            print(f"chromium-page.py: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
