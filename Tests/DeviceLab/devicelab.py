#!/usr/bin/env python3
"""A real Debian device in a virtual machine, on which waypost is tried end to end.

    devicelab.py build [--deb FILE ...] [--include PACKAGE ...]   make the disk image (as root)
    devicelab.py up [--fresh] [--log-writes]    power on; --fresh begins with the image as it was built
    devicelab.py install FILE.deb ...           apt-get install on the running device
    devicelab.py ssh [--timeout S] COMMAND      a command on the device, as root
    devicelab.py push SRC ... DEST | pull SRC ... DEST
    devicelab.py plug FILE.nmea|circling [--slot N] [--hz N] [--chip acm|ftdi|cp210x|pl2303]
                                [--vid HEX] [--pid HEX] [--serial TEXT] [--product TEXT]
    devicelab.py unplug [--slot N] [--torn]     --torn: half-way through a sentence
    devicelab.py power_cut [--lose-cache]       as if the cable were pulled; then `up` again
                                                --lose-cache (after up --log-writes): the disk's cache goes, too
    devicelab.py reset | console [--lines N] | status | down

Its files are in $DEVICELAB_DIR (~/.cache/waypost/devicelab; 1.4 GB). KVM is used where the processor offers it, else emulation, which is five
to ten times slower; $DEVICELAB_ACCEL=kvm|tcg decides. $DEVICELAB_MEM (MiB, 512) and $DEVICELAB_CPUS (1) size the device.
$DEVICELAB_ARCH=arm64 makes it a 64-bit ARM with UEFI, in a folder of its own: devicelab-arm64.
Standard library only. `suite.sh` beside this is what the project shows with it.
"""

import argparse
import fcntl
import os
import signal
import sys
import time
from pathlib import Path

import image
import link
import power
from lab import FOLDER, HERE, SLOTS, LabError, end, running, spawn, tail


def plug(args):
    """A dongle that says the recording on and on; it stays plugged in over power cuts."""
    link.need_power()
    name = f"dongle{args.slot}"
    if running(name):
        raise LabError(f"slot {args.slot} is taken; run `devicelab.py unplug --slot {args.slot}`")
    nmea = args.nmea if args.nmea == "circling" else Path(args.cwd, args.nmea).resolve(strict=True)
    command = [sys.executable, str(HERE / "usb_dongle.py"), f"usb{args.slot}.sock", str(nmea),
               "--hz", str(args.hz), "--chip", args.chip, "--sink", name + ".out"]
    for option in ("vid", "pid", "serial", "product"):
        if getattr(args, option):
            command += ["--" + option, getattr(args, option)]
    (FOLDER / f"{name}.log").unlink(missing_ok=True)
    spawn(name, command)
    time.sleep(0.5)
    if not running(name):
        raise LabError("the dongle did not start:\n" + tail(f"{name}.log", 5))


def unplug(args):
    if not end(f"dongle{args.slot}", signal.SIGUSR1 if args.torn else signal.SIGTERM):
        raise LabError(f"nothing is plugged into slot {args.slot}")


def parse():
    parser = argparse.ArgumentParser(prog="devicelab.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(function, *arguments):
        sub = verbs.add_parser(function.__name__, help=(function.__doc__ or "").strip())
        sub.set_defaults(function=function)
        for names, options in arguments:
            sub.add_argument(*names.split(), **options)

    slot = ("--slot", {"type": int, "choices": SLOTS, "default": 1})
    verb(image.build, ("--deb", {"nargs": "+", "default": [], "metavar": "FILE"}), ("--size", {"default": "3G"}),
         ("--include", {"nargs": "+", "default": [], "metavar": "PACKAGE"}),
         ("--clean", {"action": "store_true", "help": "fetch Debian again"}))
    verb(power.up, ("--fresh", {"action": "store_true"}), ("--log-writes", {"action": "store_true"}), ("--timeout", {"type": float}))
    verb(link.install, ("deb", {"nargs": "+"}))
    verb(link.ssh, ("--timeout", {"type": float, "default": 120}), ("command", {"nargs": argparse.REMAINDER}))
    for function in (link.push, link.pull):
        verb(function, ("source", {"nargs": "+"}), ("destination", {}))
    verb(plug, ("nmea", {}), slot, ("--hz", {"type": float, "default": 1}), ("--chip", {"default": "acm"}),
         ("--vid", {}), ("--pid", {}), ("--serial", {}), ("--product", {}))
    verb(unplug, slot, ("--torn", {"action": "store_true"}))
    verb(power.power_cut, ("--lose-cache", {"action": "store_true"}))
    verb(power.reset)
    verb(power.console, ("--lines", {"type": int, "default": 40}))
    verb(power.status)
    verb(power.down, ("--timeout", {"type": float, "default": 60}))
    return parser.parse_args()


def main():
    args = parse()
    args.cwd = os.getcwd()
    if getattr(args, "deb", None):
        args.deb = [os.path.join(args.cwd, deb) for deb in args.deb]
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        if len(str(FOLDER / "ssh.sock.0123456789abcdef")) > 107:
            raise LabError(f"DEVICELAB_DIR is too long for a Unix socket: {FOLDER}")
        os.chdir(FOLDER)  # so that QEMU's sockets can have short names
        with open(FOLDER / "lock", "w") as lock:
            if args.verb not in ("ssh", "console", "status"):
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as problem:
                    raise LabError(f"another devicelab command is at work in {FOLDER}") from problem
            return args.function(args)
    except (LabError, OSError) as problem:
        print(f"devicelab: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
