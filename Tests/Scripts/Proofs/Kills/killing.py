"""What the scripts that kill a tracker share: what a receiver says, what waits in its FIFO, and a death at a chosen system call."""

import array
import fcntl
import termios
from functools import reduce
from operator import xor


def sentence(body):
    return f"${body}*{reduce(xor, body.encode()):02X}\r\n"


def unread(fifo):
    """How many bytes nobody has read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(fifo, termios.FIONREAD, count)
    return count[0]


def killed_at(calls, number):
    """What goes before a command that is to be killed (SIGKILL) at the call of that number of any of its threads."""
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:signal=KILL:when={number}"]
