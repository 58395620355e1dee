"""at-terminal.py COMMAND: runs a command of bash at a terminal of its own, and prints all that comes there.

Unlike script(1), which waits 10 ms for the rest once the command has ended: less than the kernel may need
to hand it on where it is busy.
"""

import os
import pty
import sys

status = pty.spawn(["bash", "-c", sys.argv[1]])
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
