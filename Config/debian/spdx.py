#!/usr/bin/env python3
"""Writes what Debian packages of waypost contain, as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/).

spdx.py --packages FOLDER --versions Package.resolved [--linked FILE]

FILE has a line for each part that is linked in and that Package.resolved does not name: DEBIAN ARCH NAME VERSION LICENCE URL.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re

SWIFT_LICENCE = "Apache-2.0 WITH Swift-exception"


def identifier(*words):
    """Letters, digits, points and hyphens are what the standard allows."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def part(name, version, licence, location):
    """A part, as the standard describes a package."""
    return {
        "SPDXID": identifier("part", name, version), "name": name, "versionInfo": version, "downloadLocation": location,
        "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", "filesAnalyzed": False,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--versions", type=pathlib.Path, required=True)
    parser.add_argument("--linked", type=pathlib.Path)
    arguments = parser.parse_args()

    pins = json.loads(arguments.versions.read_text())["pins"]
    shared = [part(pin["identity"], pin["state"]["version"], SWIFT_LICENCE, pin["location"]) for pin in pins]
    linked = {}
    for line in arguments.linked.read_text().splitlines() if arguments.linked else []:
        debian, arch, name, version, licence, location = line.split(" ", 5)
        linked.setdefault((debian, arch), []).append(part(name, version, licence.replace("+", " "), location))

    packages, relations = {}, []
    for path in sorted(arguments.packages.glob("waypost_*.deb")):
        version, arch = path.stem.split("_")[1:]
        own = part(path.stem, version, "Apache-2.0", "NOASSERTION")
        own["packageFileName"] = path.name
        own["checksums"] = [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}]
        packages[own["SPDXID"]] = own
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"]))
        for each in shared + linked.get((version.rpartition("~")[2], arch), []):
            packages[each["SPDXID"]] = each
            relations.append((own["SPDXID"], "STATIC_LINK", each["SPDXID"]))

    # The document's name space stands for exactly these packages.
    sums = hashlib.sha256("".join(each["checksums"][0]["checksumValue"] for each in packages.values() if "checksums" in each).encode())
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "waypost",
        "documentNamespace": f"https://waypost.invalid/spdx/{sums.hexdigest()}",
        "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Organization: waypost maintainers"]},
        "packages": list(packages.values()),
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations],
    }, indent=2))


main()
