#!/usr/bin/env python3
"""A receiver on a terminal line: makes a pseudo terminal and says a recording on it, one epoch after the other.

    python3 Tests/Scripts/Tools/feed.py [--rate EPOCHS_A_SECOND] [--skip EPOCHS] RECORDING LINK

LINK becomes a symbolic link to the terminal. Like a serial line, it does not wait: what nobody reads in time is lost. Stop it
(SIGSTOP) and the receiver is silent but plugged in; end it and it is unplugged. Standard library only.
"""

import argparse
import os
import pty
import signal
import sys
import time
import tty


def epochs(recording):
    """The bytes from one RMC up to the next."""
    epoch = b""
    for line in recording:
        if line[3:6] == b"RMC" and epoch:
            yield epoch
            epoch = b""
        epoch += line
    yield epoch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("recording")
    parser.add_argument("link")
    options = parser.parse_args()

    controller, terminal = pty.openpty()
    tty.setraw(terminal)
    os.set_blocking(controller, False)
    # Held open here: the line exists whether or not somebody reads it.
    os.symlink(os.ttyname(terminal), options.link)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    with open(options.recording, "rb") as recording:
        said = list(epochs(recording))[options.skip:]
    due = time.monotonic()
    for epoch in said:
        try:
            os.write(controller, epoch)
        except BlockingIOError:
            pass
        due = max(due + 1 / options.rate, time.monotonic() - 1 / options.rate)
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    main()
