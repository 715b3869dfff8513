"""Reaching the device: ssh over one kept connection, rsync, installing packages."""

import os
import shlex
import subprocess
from pathlib import Path

from lab import FOLDER, LabError, call, running


def need_power():
    if not running("qemu"):
        raise LabError("the device is off; run `devicelab.py up`")


def options():
    if not (FOLDER / "port").exists():
        raise LabError("the device was never on; run `devicelab.py up`")
    (FOLDER / "id_ed25519").chmod(0o600)  # ssh refuses a key that others can read
    return ["-F", "none", "-i", str(FOLDER / "id_ed25519"), "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
            "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
            "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=4",
            "-o", "ControlMaster=auto", "-o", f"ControlPath={FOLDER / 'ssh.sock'}", "-o", "ControlPersist=30"]


def command(*words):
    return ["ssh", "-p", (FOLDER / "port").read_text(), *options(), "root@127.0.0.1", *words]


def run(line, timeout):
    """Runs a line in the device's shell, with our own input and output."""
    try:
        return subprocess.run(command(line), timeout=timeout, check=False).returncode
    except subprocess.TimeoutExpired as problem:
        raise LabError(f"ssh: no end after {timeout} s: {line[:200]}") from problem


def run_quietly(line, timeout):
    """The same, with no word of it; 255 when it does not end."""
    nowhere = subprocess.DEVNULL  # no pipe: the kept connection would hold it open
    try:
        return subprocess.run(command(line), timeout=timeout, stdin=nowhere, stdout=nowhere, stderr=nowhere, check=False).returncode
    except subprocess.TimeoutExpired:
        return 255


def answers():
    return run_quietly("true", timeout=20) == 0


def forget():
    """Ends the kept connection: the other end is gone."""
    if (FOLDER / "ssh.sock").exists():
        subprocess.run(command("-O", "exit"), timeout=10, capture_output=True, check=False)


def ssh(args):
    need_power()
    # As ssh itself: words are joined by blanks and read by the device's shell.
    return run(" ".join(args.command), args.timeout)


def copy(sources, destination, timeout=300):
    need_power()
    shell = shlex.join(["ssh", "-p", (FOLDER / "port").read_text(), *options()])
    call("rsync", "-a", "--no-owner", "--no-group", "--timeout=60", "-e", shell, *sources, destination, timeout=timeout)


def push(args):
    copy([os.path.join(args.cwd, path) for path in args.source], "root@127.0.0.1:" + args.destination)


def pull(args):
    copy([f"root@127.0.0.1:{path}" for path in args.source], os.path.join(args.cwd, args.destination))


def install(args):
    """apt-get install of packages from here."""
    debs = [Path(args.cwd, deb).resolve(strict=True) for deb in args.deb]
    copy([str(deb) for deb in debs], "root@127.0.0.1:/var/tmp/")
    names = " ".join(shlex.quote(f"/var/tmp/{deb.name}") for deb in debs)
    return run("DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --reinstall --allow-downgrades "
               f"{names} </dev/null && rm -f {names}", timeout=600)
