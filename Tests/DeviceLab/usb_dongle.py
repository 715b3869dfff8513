#!/usr/bin/env python3
"""A USB GNSS dongle in software, spoken over the usbredir protocol.

QEMU's `usb-redir` device turns the far end of a socket into a USB device: while
this program is connected the dongle is plugged in, and when it goes away the
dongle is unplugged.  Everything the guest sees (ids, strings, descriptors) comes
from here, so the guest loads its ordinary driver (cdc_acm, ftdi_sio, cp210x,
pl2303) and udev sees what it would see with the real thing.

    python3 Tests/DeviceLab/usb_dongle.py SOCKET FILE.nmea|circling [--chip acm] [--hz 1] [--vid 1546 --pid 01a8]

Wire format: usbredirproto.h, protocol version 0.7 (all fields little endian).
SIGTERM unplugs.  SIGUSR1 unplugs half-way through a sentence.
"""
import argparse
import collections
import select
import signal
import socket
import struct
import sys
import time

from circling import Circling

# usbredir packet types and status values
HELLO, CONNECT, DISCONNECT, RESET, INTERFACES, ENDPOINTS = range(6)
SET_CONFIG, GET_CONFIG, CONFIG_STATUS, SET_ALT, GET_ALT, ALT_STATUS = range(6, 12)
START_INT, STOP_INT, INT_STATUS, CANCEL = 15, 16, 17, 21
CONTROL, BULK = 100, 101
OK, CANCELLED, STALL = 0, 1, 4
# connect carries bcdDevice, endpoints carry packet sizes, 64-bit ids, 32-bit bulk lengths:
# QEMU's xHCI refuses a peer that lacks one of the last three
CAPABILITIES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 6

BULK_HEADER = struct.Struct("<BBHIH")   # endpoint, status, length (low), stream, length (high)

EP_BULK, EP_INTERRUPT = 2, 3

# What makes one chip differ from another.  A class triple per interface; endpoints as
# (address, kind, interface); `prefix` heads every 64-byte IN packet (FTDI modem status).
Chip = collections.namedtuple("Chip", "vid pid bcd vendor product device_class interfaces endpoints prefix")
SERIAL_IF = [(0xFF, 0, 0)]
CHIPS = {
    "acm": Chip(0x1546, 0x01A8, 0x0301, "u-blox AG - www.u-blox.com", "u-blox GNSS receiver", 2,
                [(2, 2, 1), (10, 0, 255)],
                [(0x83, EP_INTERRUPT, 0), (0x01, EP_BULK, 1), (0x82, EP_BULK, 1)], b""),
    "ftdi": Chip(0x0403, 0x6001, 0x0600, "FTDI", "FT232R USB UART", 0,
                 [(0xFF, 0xFF, 0xFF)], [(0x81, EP_BULK, 0), (0x02, EP_BULK, 0)], b"\x01\x60"),
    "cp210x": Chip(0x10C4, 0xEA60, 0x0100, "Silicon Labs", "CP2102 USB to UART Bridge Controller", 0,
                   SERIAL_IF, [(0x81, EP_BULK, 0), (0x01, EP_BULK, 0)], b""),
    "pl2303": Chip(0x067B, 0x2303, 0x0300, "Prolific Technology Inc.", "USB-Serial Controller", 0,
                   SERIAL_IF, [(0x81, EP_INTERRUPT, 0), (0x02, EP_BULK, 0), (0x83, EP_BULK, 0)], b""),
}
# Vendor reads that must not answer zeros: (chip, bRequest) -> bytes
VENDOR_READS = {("ftdi", 0x05): b"\x01\x60", ("ftdi", 0x0A): b"\x10", ("cp210x", 0xFF): b"\x02"}
CDC_FUNCTIONAL = bytes.fromhex("0524000110 04240202 0524060001 0524010301")


class Dongle:
    def __init__(self, chip_name, chip, serial=None):
        self.chip_name, self.chip = chip_name, chip
        self.strings = [chip.vendor, chip.product] + ([serial] if serial else [])
        self.bulk_in = next(a for a, kind, _ in chip.endpoints if a & 0x80 and kind == EP_BULK)

    def device_descriptor(self):
        c = self.chip
        return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0110, c.device_class, 0, 0, 64,
                           c.vid, c.pid, c.bcd, 1, 2, 3 if len(self.strings) > 2 else 0, 1)

    def config_descriptor(self):
        body = b""
        for number, triple in enumerate(self.chip.interfaces):
            eps = [(a, kind) for a, kind, interface in self.chip.endpoints if interface == number]
            body += struct.pack("<9B", 9, 4, number, 0, len(eps), *triple, 0)
            if triple[:2] == (2, 2):
                body += CDC_FUNCTIONAL
            for address, kind in eps:
                body += struct.pack("<BBBBHB", 7, 5, address, kind, 64, 255 if kind == EP_INTERRUPT else 0)
        return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), len(self.chip.interfaces), 1, 0, 0xC0, 50) + body

    def string_descriptor(self, index):
        text = b"\x09\x04" if index == 0 else self.strings[index - 1].encode("utf-16-le")
        return struct.pack("<BB", 2 + len(text), 3) + text

    def control(self, request_type, request, value, length):
        """Answer one control request: the bytes to return, or None to stall it."""
        if (request_type, request) == (0x80, 6):                    # GET_DESCRIPTOR
            kind, index = value >> 8, value & 0xFF
            if kind == 1:
                return self.device_descriptor()
            if kind == 2:
                return self.config_descriptor()
            if kind == 3 and index <= len(self.strings):
                return self.string_descriptor(index)
            return None
        if request_type & 0x80:
            return VENDOR_READS.get((self.chip_name, request), b"").ljust(length, b"\0")
        return b""                                                  # every write is accepted


class Link:
    """One connection to QEMU: from plugging in to unplugging."""

    def __init__(self, path, dongle, sink):
        self.dongle, self.sink = dongle, sink
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(5)
        self.sock.connect(path)
        self.received, self.outgoing, self.pending = b"", b"", collections.deque()
        self.header = struct.Struct("<III")                 # until QEMU's hello is in, ids have 32 bits
        self.configuration, self.plugged = 0, False
        self.send(HELLO, 0, struct.pack("<64sI", b"waypost usb_dongle", CAPABILITIES))

    def send(self, kind, ident, payload):
        self.sock.sendall(self.header.pack(kind, len(payload), ident) + payload)

    def plug(self):
        c = self.dongle.chip
        # Tables have room for 32 interfaces: their numbers, then class, subclass and protocol.
        tables = [range(len(c.interfaces)), *([triple[place] for triple in c.interfaces] for place in range(3))]
        self.send(INTERFACES, 0, struct.pack("<I", len(c.interfaces)) + b"".join(bytes(table).ljust(32, b"\0") for table in tables))
        kinds, interfaces, sizes = bytearray(b"\xff" * 32), bytearray(32), [0] * 32
        intervals = bytearray(32)
        kinds[0] = kinds[16] = 0
        for address, kind, interface in c.endpoints:
            slot = (address & 0x80) >> 3 | address & 0x0F
            kinds[slot], interfaces[slot], sizes[slot] = kind, interface, 64
            intervals[slot] = 255 if kind == EP_INTERRUPT else 0
        self.send(ENDPOINTS, 0, bytes(kinds + intervals + interfaces) + struct.pack("<32H", *sizes))
        full_speed = 1
        self.send(CONNECT, 0, struct.pack("<BBBBHHH", full_speed, c.device_class, 0, 0, c.vid, c.pid, c.bcd))
        self.plugged = True

    def unplug(self):
        if self.plugged:
            self.send(DISCONNECT, 0, b"")
        self.sock.close()

    def service(self, timeout):
        """Handle whatever QEMU sends for up to `timeout` seconds."""
        if not select.select([self.sock], [], [], max(0, timeout))[0]:
            return
        data = self.sock.recv(65536)
        if not data:
            raise ConnectionError("QEMU closed the USB port")
        self.received += data
        while len(self.received) >= self.header.size:
            kind, length, ident = self.header.unpack_from(self.received)
            end = self.header.size + length
            if len(self.received) < end:
                break
            payload, self.received = self.received[self.header.size:end], self.received[end:]
            self.handle(kind, ident, payload)
        self.flush()

    def handle(self, kind, ident, p):
        if kind == HELLO:
            self.header = struct.Struct("<IIQ")
            self.plug()
        elif kind == SET_CONFIG or kind == GET_CONFIG:
            self.configuration = p[0] if kind == SET_CONFIG else self.configuration
            self.send(CONFIG_STATUS, ident, bytes([OK, self.configuration]))
        elif kind == SET_ALT or kind == GET_ALT:
            self.send(ALT_STATUS, ident, bytes([OK, p[0], 0]))
        elif kind == START_INT or kind == STOP_INT:
            self.send(INT_STATUS, ident, bytes([OK, p[0]]))
        elif kind == CANCEL:
            for entry in [e for e in self.pending if e[0] == ident]:
                self.pending.remove(entry)
                self.bulk_reply(ident, CANCELLED, b"")
        elif kind == RESET:
            self.pending.clear()
        elif kind == CONTROL:
            endpoint, request, request_type, _, value, index, length = struct.unpack_from("<BBBBHHH", p)
            answer = self.dongle.control(request_type, request, value, length)
            if (request_type, request) == (0x21, 0x22):     # CDC SET_CONTROL_LINE_STATE: (re)opened
                self.outgoing = b""
            status, answer = (STALL, b"") if answer is None else (OK, answer[:length])
            done = len(answer) if request_type & 0x80 else length
            self.send(CONTROL, ident, struct.pack("<BBBBHHH", endpoint, request, request_type,
                                                  status, value, index, done) + answer)
        elif kind == BULK:
            endpoint, _, low, _, high = BULK_HEADER.unpack_from(p)
            if endpoint & 0x80:
                self.pending.append((ident, high << 16 | low))
            else:
                self.sink.write(p[BULK_HEADER.size:])
                self.sink.flush()
                self.send(BULK, ident, BULK_HEADER.pack(endpoint, OK, low, 0, high))

    def bulk_reply(self, ident, status, data):
        self.send(BULK, ident, BULK_HEADER.pack(self.dongle.bulk_in, status, len(data) & 0xFFFF, 0,
                                                len(data) >> 16) + data)

    def write(self, data):
        """Data from the receiver.  If nobody has read for a while it is lost, as on a real dongle."""
        if len(self.outgoing) < 8192:
            self.outgoing += data
        self.flush()

    def flush(self):
        prefix = self.dongle.chip.prefix
        while self.pending and self.outgoing:
            ident, length = self.pending.popleft()
            if prefix:                                      # every 64-byte packet has its own prefix
                room, packet = 64 - len(prefix), b""
                while self.outgoing and len(packet) + 64 <= length:
                    packet += prefix + self.outgoing[:room]
                    self.outgoing = self.outgoing[room:]
            else:
                packet, self.outgoing = self.outgoing[:length], self.outgoing[length:]
            self.bulk_reply(ident, OK, packet)


def epochs(data):
    """Split an NMEA recording where the UTC time changes; other bytes stay with their epoch."""
    time_field = {b"GGA": 1, b"RMC": 1, b"GNS": 1, b"ZDA": 1, b"GST": 1, b"GBS": 1, b"GLL": 5}
    current, now = b"", None
    for line in data.splitlines(keepends=True):
        fields = line.split(b",")
        position = time_field.get(fields[0][-3:])
        stamp = fields[position] if position and len(fields) > position else b""
        if stamp and now and stamp != now:
            yield current
            current = b""
        now = stamp or now
        current += line
    if current:
        yield current


class Recording:
    """The epochs of a recording, on and on."""

    def __init__(self, path):
        with open(path, "rb") as recording:
            self.script = list(epochs(recording.read()))
        if not self.script:
            sys.exit(f"usb_dongle: {path} is empty")
        self.turn = -1

    def next(self):
        self.turn += 1
        return self.script[self.turn % len(self.script)]


def hexadecimal(text):
    return int(text, 16)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("socket")
    parser.add_argument("nmea", help="a recording, or `circling`: a receiver on a drive that takes place now")
    parser.add_argument("--chip", choices=CHIPS, default="acm")
    parser.add_argument("--vid", type=hexadecimal)
    parser.add_argument("--pid", type=hexadecimal)
    parser.add_argument("--serial", help="serial number string (u-blox receivers have none)")
    parser.add_argument("--product")
    parser.add_argument("--hz", type=float, default=1)
    parser.add_argument("--sink", default="/dev/null", help="append what the guest writes to the dongle")
    args = parser.parse_args()

    chip = CHIPS[args.chip]
    chip = chip._replace(vid=args.vid or chip.vid, pid=args.pid or chip.pid, product=args.product or chip.product)
    receiver = Circling(args.hz) if args.nmea == "circling" else Recording(args.nmea)

    asked = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, lambda n, _: asked.append(n))
    sink = open(args.sink, "ab")
    dongle, link, due = Dongle(args.chip, chip, args.serial), None, time.monotonic()
    while not asked:
        try:
            link = link or Link(args.socket, dongle, sink)
            link.service(min(0.2, due - time.monotonic()))
            if time.monotonic() >= due:
                link.write(receiver.next())
                due = max(due + 1 / args.hz, time.monotonic() - 1)
        except OSError as problem:                          # the device lost power; stay in its socket
            print(f"usb_dongle: {problem}", file=sys.stderr, flush=True)
            link = None
            time.sleep(0.5)
            due = time.monotonic()
    if link:
        if signal.SIGUSR1 in asked:
            link.write(receiver.next()[:20])
            link.service(0.2)
        link.unplug()


if __name__ == "__main__":
    main()
