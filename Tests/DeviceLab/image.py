"""The device's disk: a Debian 12 with a kernel, ssh and what an image maker adds before the first boot."""

import hashlib
import os
import shutil
from pathlib import Path

from lab import ARCH, FOLDER, LabError, call, running, step

SUITE = "bookworm"
PACKAGES = (f"systemd systemd-sysv udev dbus linux-image-{ARCH} initramfs-tools zstd openssh-server kmod "
            "iproute2 rsync usbutils libgps28").split()
TOOLS = {"mmdebstrap": "mmdebstrap", "mke2fs": "e2fsprogs", "qemu-img": "qemu-utils", "rsync": "rsync",
         "ssh": "openssh-client", "ssh-keygen": "openssh-client",
         **({"qemu-system-x86_64": "qemu-system-x86"} if ARCH == "amd64" else
            {"qemu-system-aarch64": "qemu-system-arm", "qemu-aarch64-static": "qemu-user-static"})}
# An initial RAM disk with the drivers of the virtual disk alone: it is built where the kernel does not run.
HOOKS = ('mkdir -p "$1/usr/share/initramfs-tools/modules.d" "$1/etc/initramfs-tools/conf.d"',
         'printf "%s\\n" virtio_pci virtio_blk ext4 > "$1/usr/share/initramfs-tools/modules.d/devicelab"',
         'echo MODULES=list > "$1/etc/initramfs-tools/conf.d/devicelab"')
UNWANTED = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*")


def mirror():
    """The Debian mirror that this machine's own apt uses, or $DEVICELAB_MIRROR."""
    if asked := os.environ.get("DEVICELAB_MIRROR"):
        return asked
    for path in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for line in path.read_text().splitlines():
            if line.startswith("URIs:"):
                return line.split()[1]
    old = Path("/etc/apt/sources.list")
    for line in old.read_text().splitlines() if old.exists() else []:
        if line.startswith("deb "):
            return next(word for word in line.split()[1:] if "://" in word)
    raise LabError("no Debian mirror in /etc/apt; set DEVICELAB_MIRROR")


def build(args):
    """Makes the image; the bare system below it is kept by its recipe."""
    if missing := sorted({package for tool, package in TOOLS.items() if not shutil.which(tool)}):
        raise LabError("tools are missing; run: apt-get install --no-install-recommends " + " ".join(missing))
    if os.geteuid():
        raise LabError("build makes a Debian root folder: run it as root")
    if running("qemu"):
        raise LabError("the device is on; run `devicelab.py down` first")
    run_foreign_programs()
    packages = PACKAGES + list(args.include)
    debs = [Path(deb).resolve(strict=True) for deb in args.deb]
    key = FOLDER / "id_ed25519"
    if not key.exists():
        call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    base = bare_system(packages, args.clean)
    root = FOLDER / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    try:
        step("preparing the device")
        call("tar", "-C", root, "--numeric-owner", "--xattrs", "--xattrs-include=*", "-xf", base, timeout=300)
        dress(root, (FOLDER / "id_ed25519.pub").read_text())
        if debs:
            step("installing " + " ".join(deb.name for deb in debs))
            install_in_root(root, debs)
        for name in ("vmlinuz", "initrd.img"):
            newest = max((root / "boot").glob(name + "-*"), key=lambda path: path.stat().st_mtime)
            shutil.copy(newest, FOLDER / name)
        step("writing the disk image")
        image = FOLDER / "image.part"
        image.unlink(missing_ok=True)
        call("mke2fs", "-q", "-F", "-t", "ext4", "-L", "device", "-d", root, image, args.size, timeout=600)
        image.rename(FOLDER / "image.ext4")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    (FOLDER / "disk.qcow2").unlink(missing_ok=True)
    step("done; next: devicelab.py up")


def run_foreign_programs():
    """Has the kernel start this device's programs in an emulator, where they are not of this machine's kind."""
    binfmt = Path("/proc/sys/fs/binfmt_misc")
    if call("dpkg", "--print-architecture").strip() == ARCH or (binfmt / "qemu-aarch64").exists():
        return
    if not (binfmt / "register").exists():
        call("mount", "-t", "binfmt_misc", "binfmt_misc", binfmt)
    (binfmt / "register").write_text(Path("/usr/lib/binfmt.d/qemu-aarch64.conf").read_text())


def bare_system(packages, is_fetched_again):
    recipe = hashlib.sha256(repr((SUITE, mirror(), packages, HOOKS)).encode()).hexdigest()[:12]
    base = FOLDER / f"base-{recipe}.tar"
    if is_fetched_again or not base.exists():
        step("fetching and unpacking Debian " + SUITE)
        part = base.with_suffix(".part")
        # Its own look at the emulator asks for a package that a container does without.
        call("mmdebstrap", "--mode=root", "--variant=minbase", "--format=tar", f"--architectures={ARCH}", "--skip=check/qemu",
             "--include=" + ",".join(packages),
             *(f"--dpkgopt=path-exclude={path}" for path in UNWANTED), *(f"--essential-hook={hook}" for hook in HOOKS),
             SUITE, part, mirror(), timeout=3600)
        part.rename(base)
    return base


def dress(root, public_key):
    """Network, ssh key, file systems: what an image maker does before the first boot."""
    files = {
        "etc/hostname": "device\n",
        "etc/hosts": "127.0.0.1 localhost device\n",
        "etc/resolv.conf": "nameserver 10.0.2.3\n",
        "etc/fstab": "LABEL=device / ext4 defaults 0 1\n",
        "etc/systemd/network/10-eth0.network": "[Match]\nName=eth0\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\n",
        "etc/modprobe.d/devicelab.conf": "blacklist kvm_amd\nblacklist kvm_intel\nblacklist pcspkr\n",
        "root/.ssh/authorized_keys": public_key,
        # apt-get must not fetch its lists at every boot.
        "etc/systemd/system-preset/10-devicelab.preset": "disable apt-daily*.timer\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_text(text)
    (root / "root/.ssh").chmod(0o700)
    (root / "etc/machine-id").write_text("")  # a new one at the first boot, which is kept
    call("chroot", root, "systemctl", "enable", "systemd-networkd")
    call("chroot", root, "systemctl", "disable", "apt-daily.timer", "apt-daily-upgrade.timer")


def install_in_root(root, debs):
    """Installs packages whose services start at the first boot, not on the machine that makes the image."""
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    resolv = root / "etc/resolv.conf"
    ours = resolv.read_text()
    shutil.copy("/etc/resolv.conf", resolv)
    names = [f"/var/tmp/{deb.name}" for deb in debs]
    for deb in debs:
        shutil.copy(deb, root / "var/tmp")
    try:
        call("chroot", root, "apt-get", "install", "-y", "--no-install-recommends", *names,
             timeout=600, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive", LC_ALL="C.UTF-8"))
    finally:
        resolv.write_text(ours)
        policy.unlink()
        for name in names:
            (root / name[1:]).unlink()
