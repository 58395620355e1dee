#!/usr/bin/env python3
"""left-running COMMAND...: runs COMMAND, and names what it has left running, a line each: a test leaves nothing.

What loses its parent becomes a child of this process (a subreaper), whatever session, group or namespace of time it
has moved to. What is still there 10 s after COMMAND has ended is named, and killed. Exit status: that of COMMAND, or 1
where it is 0 and something was left."""
import ctypes
import os
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 10


def children(pid):
    """The children of a process, of all its threads."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        pass
    return found


def descendants():
    found, left = [], children(os.getpid())
    while left:
        pid = left.pop()
        found.append(pid)
        left += children(pid)
    return found


def reap():
    """Takes the exit status of what has ended; False where there are no children."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        return False
    return True


def reap_for(seconds):
    """Until no child is left, but not for longer."""
    deadline = time.monotonic() + seconds
    while reap() and time.monotonic() < deadline:
        time.sleep(0.05)


def send(pid, number):
    """A signal to a process that may have ended."""
    try:
        os.kill(pid, number)
    except OSError:
        pass


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def main():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit(f"left-running: cannot become a subreaper: {os.strerror(ctypes.get_errno())}")
    command = subprocess.Popen(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Not its send_signal(), which takes the exit status that is waited for here.
        signal.signal(number, lambda number, _: send(command.pid, number))
    while True:
        pid, status = os.wait()
        if pid == command.pid:
            break
    code = os.waitstatus_to_exitcode(status)
    reap_for(GRACE_S)
    left = [(pid, command_line(pid)) for pid in descendants()]
    for pid, text in left:
        print(f"# left running by a test: {pid} {text}", flush=True)
        send(pid, signal.SIGKILL)
    reap_for(GRACE_S)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code or (1 if left else 0))


main()
