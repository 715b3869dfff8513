#!/usr/bin/env python3
"""Makes two builds of the same sources the same: removes from a program what differs from build to build.

Usage: python3 Config/debian/reproducible.py PROGRAM...

Swift's compiler leaves a hash of each module in the section .swift_modhash, for its own next build; it differs between builds whose code is
the same, and nothing reads it when the program runs. It becomes zeros, and the build id, which the linker made of all of it, is made anew:
the SHA-1 of the program with an id of zeros. PROGRAM is an ELF file of 64 bits, little-endian, after strip.
"""

import hashlib
import struct
import sys


def sections(program):
    """The place in the file and the length of each section, by name."""
    if program[:6] != b"\x7fELF\x02\x01":
        raise ValueError("is not an ELF file of 64 bits, little-endian")
    (offset,) = struct.unpack_from("<Q", program, 40)
    size, count, names = struct.unpack_from("<HHH", program, 58)
    heads = [struct.unpack_from("<IIQQQQ", program, offset + index * size) for index in range(count)]
    start, length = heads[names][4:6]
    table = bytes(program[start : start + length])
    return {table[head[0] : table.index(b"\0", head[0])].decode(): (head[4], head[5]) for head in heads if head[1] != 8}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            program = bytearray(file.read())
        try:
            places = sections(program)
            start, length = places.get(".swift_modhash", (0, 0))
            program[start : start + length] = bytes(length)
            # The head of a note has 12 bytes, and its name, GNU, has 4.
            start, length = places[".note.gnu.build-id"]
        except (KeyError, ValueError, struct.error) as error:
            sys.exit(f"reproducible: {path}: {error}")
        program[start + 16 : start + length] = bytes(length - 16)
        program[start + 16 : start + length] = hashlib.sha1(program).digest()[: length - 16]
        with open(path, "r+b") as file:
            file.write(program)


main()
