"""Power: switching the device on, off, and off without asking, in QEMU."""

import json
import os
import re
import shutil
import signal
import socket
import struct
import time
from pathlib import Path

import link
from lab import ARCH, FOLDER, SLOTS, LabError, call, end, running, spawn, step, tail, wait


def acceleration():
    """kvm or tcg (emulation); $DEVICELAB_ACCEL decides."""
    asked = os.environ.get("DEVICELAB_ACCEL")
    if asked in ("kvm", "tcg"):
        return asked
    if asked:
        raise LabError(f"DEVICELAB_ACCEL is kvm or tcg, not {asked!r}")
    # A /dev/kvm without vmx or svm (a sandbox's, say) opens well enough, then hangs in the firmware.
    flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    capable = flags and {"vmx", "svm"} & set(flags[1].split()) if ARCH == "amd64" else os.uname().machine == "aarch64"
    return "kvm" if capable and os.access("/dev/kvm", os.R_OK | os.W_OK) else "tcg"


def up(args):
    if running("qemu"):
        raise LabError("the device is on already")
    if not (FOLDER / "image.ext4").exists():
        raise LabError("no image yet; run `devicelab.py build` first")
    disk = FOLDER / "disk.qcow2"
    if args.fresh or not disk.exists():
        disk.unlink(missing_ok=True)
        call("qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", "image.ext4", disk, cwd=FOLDER)
    for old in [*FOLDER.glob("*.sock"), FOLDER / "console.log", FOLDER / "writes.log"]:
        old.unlink(missing_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (FOLDER / "port").write_text(str(port))
    accel = acceleration()
    command = qemu_command(accel, port, "logged" if args.log_writes else "disk")
    if args.log_writes:
        # Every write in dm-log-writes form, and the disk as it was at power-on.
        shutil.copy(disk, FOLDER / "before.qcow2")
        (FOLDER / "writes.log").touch()
        command += ["-blockdev", "driver=blklogwrites,node-name=logged,file=disk,log.driver=file,log.filename=writes.log"]
    began = time.monotonic()
    spawn("qemu", command)
    # Emulated and beside a compiler it takes a minute; a time-out below four is a false alarm now and then.
    seconds = args.timeout or (60 if accel == "kvm" else 300 if ARCH == "amd64" else 600)
    if not wait(lambda: not running("qemu") or link.answers(), seconds, 0.5) or not running("qemu"):
        why = f"is not reachable over ssh after {seconds} s" if running("qemu") else "stopped"
        raise LabError(f"the device {why} ({accel})\n{tail('qemu.log', 5)}\n{tail('console.log', 15)}")
    step(f"up in {time.monotonic() - began:.0f} s ({accel}); ssh port {port}")


def qemu_command(accel, port, disk):
    command = machine(accel) + [
        "-accel", accel if accel == "kvm" else "tcg,tb-size=256",  # MiB of translated code; 1024 by default
        "-nodefaults", "-display", "none",
        "-m", os.environ.get("DEVICELAB_MEM", "512"), "-smp", os.environ.get("DEVICELAB_CPUS", "1"),
        "-kernel", "vmlinuz", "-initrd", "initrd.img",
        "-append", f"root=LABEL=device rw console={'ttyS0' if ARCH == 'amd64' else 'ttyAMA0'} net.ifnames=0 quiet systemd.show_status=1",
        "-serial", "file:console.log", "-qmp", "unix:qmp.sock,server=on,wait=off",
        "-blockdev", "driver=qcow2,node-name=disk,file.driver=file,file.filename=disk.qcow2",
        "-device", f"virtio-blk-pci,drive={disk}",
        "-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{port}-:22", "-device", "virtio-net-pci,netdev=net,romfile=",
        "-object", "rng-random,id=rng,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=rng",
        "-device", "qemu-xhci,id=xhci",
    ]
    for slot in SLOTS:
        command += ["-chardev", f"socket,id=usb{slot},path=usb{slot}.sock,server=on,wait=off",
                    "-device", f"usb-redir,chardev=usb{slot},bus=xhci.0,port={slot}"]
    return command


def machine(accel):
    """The board and its processor; arm64 begins with UEFI, whose settings outlast a power cut."""
    if ARCH == "amd64":
        return ["qemu-system-x86_64", "-machine", "q35", "-cpu", "host" if accel == "kvm" else "max"]
    firmware = Path("/usr/share/AAVMF")
    if not (firmware / "AAVMF_CODE.fd").exists():
        raise LabError("no UEFI for arm64; run: apt-get install --no-install-recommends qemu-efi-aarch64")
    if not (FOLDER / "uefi.fd").exists():
        shutil.copy(firmware / "AAVMF_VARS.fd", FOLDER / "uefi.fd")
    return ["qemu-system-aarch64", "-machine", "virt", "-cpu", "host" if accel == "kvm" else "cortex-a72",
            "-drive", f"if=pflash,format=raw,readonly=on,file={firmware / 'AAVMF_CODE.fd'}",
            "-drive", "if=pflash,format=raw,file=uefi.fd"]


def power_cut(args):
    """As if the cable were pulled: what the guest has not sent to its disk is lost; with --lose-cache the disk's cache, too."""
    link.need_power()
    end("qemu", signal.SIGKILL)
    link.forget()
    if args.lose_cache:
        lose_cache()


def reset(_):
    """The reset button."""
    link.need_power()
    qmp("system_reset")
    link.forget()


def down(args):
    """Unplugs everything and shuts down in good order."""
    for slot in SLOTS:
        end(f"dongle{slot}")
    if running("qemu"):
        link.run_quietly("systemctl poweroff", timeout=20)
        if not wait(lambda: not running("qemu"), args.timeout):
            step(f"no clean shutdown in {args.timeout} s; power cut")
    link.forget()
    end("qemu", signal.SIGKILL)


def qmp(command, **arguments):
    """One command to QEMU's own monitor."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(10)
        sock.connect("qmp.sock")
        stream = sock.makefile("rw")
        stream.readline()
        for request in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
            stream.write(json.dumps(request) + "\n")
            stream.flush()
            answer = {}
            while "return" not in answer:
                answer = json.loads(stream.readline() or '{"error": {"desc": "QEMU hung up"}}')
                if "error" in answer:
                    raise LabError(f"QEMU refused {command}: {answer['error'].get('desc')}")
        return answer["return"]


def lose_cache():
    """Plays the logged writes up to the last flush onto the disk as it was at power-on."""
    log = FOLDER / "writes.log"
    if not log.exists():
        raise LabError("power_cut --lose-cache needs `devicelab.py up --log-writes`")
    flush, forced, discard = 1, 2, 4
    with open(log, "rb") as entries_file:
        magic, _, _, sector = struct.unpack("<QQQI", entries_file.read(28))
        if magic != 0x6A736677736872:
            raise LabError("the log of writes has no valid header")
        entries, position, size = [], sector, log.stat().st_size
        while position + 32 <= size:  # not the header's count: that is only brought up to date at a flush
            entries_file.seek(position)
            where, length, flags, _ = struct.unpack("<QQQQ", entries_file.read(32))
            entries.append((where, length, flags, position + sector))
            position += sector + (0 if flags & discard else length * sector)
        last = max((index for index, entry in enumerate(entries) if entry[2] & flush), default=-1)
        kept = [entry for index, entry in enumerate(entries) if index <= last or entry[2] & forced]
        call("qemu-img", "convert", "-O", "raw", "before.qcow2", "replay.raw", cwd=FOLDER, timeout=300)
        with open(FOLDER / "replay.raw", "r+b") as disk:
            for where, length, flags, data in kept:
                if length and not flags & discard:
                    entries_file.seek(data)
                    disk.seek(where * sector)
                    disk.write(entries_file.read(length * sector))
    call("qemu-img", "convert", "-O", "qcow2", "-B", "image.ext4", "-F", "raw", "replay.raw", "disk.qcow2", cwd=FOLDER, timeout=300)
    (FOLDER / "replay.raw").unlink()
    step(f"{len(entries) - len(kept)} of {len(entries)} disk requests were lost with the cache")


def console(args):
    """What the device printed on its own serial line."""
    print(tail("console.log", args.lines))


def status(_):
    pid = running("qemu")
    print(f"device: on, pid {pid}, ssh port {(FOLDER / 'port').read_text()}" if pid else "device: off")
    for slot in SLOTS:
        print(f"slot {slot}: {'plugged' if running(f'dongle{slot}') else 'empty'}")
    print(f"folder: {FOLDER}, acceleration: {acceleration()}")
    return 0 if pid else 3
