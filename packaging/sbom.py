"""Prints the bill of materials of a release as SPDX 2.3 JSON: which libraries each binary is made of. The same binaries
and packages give the same bytes.

usage: sbom.py VERSION EPOCH PACKAGES BINARY COMPILER FOLDER [BINARY COMPILER FOLDER...]

PACKAGES: what a build installs, names with blanks between them. A library is one that ends in -dev. COMPILER gives the C
and C++ libraries, FOLDER the .deb files that stand in for installed packages ('': none). Licenses: packaging/copyright.
"""

import fnmatch
import hashlib
import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

COPYRIGHT = Path(__file__).resolve().with_name("copyright")
RUNTIME = ["libc.a", "libstdc++.a", "libgcc.a"]  # what the compiler links by itself


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def fields(text):
    """The fields of a paragraph as Debian writes them, each with its further lines."""
    found = re.findall(r"^([A-Za-z-]+):((?:.*)(?:\n[ \t].*)*)", text, re.MULTILINE)
    return {name: value.strip() for name, value in found}


def licenses():
    """Patterns of package names, each with its SPDX license and copyright."""
    paragraphs = [fields(text) for text in COPYRIGHT.read_text(encoding="utf-8").split("\n\n")]
    spdx = {p["License"].split("\n")[0]: p["SPDX"] for p in paragraphs if "SPDX" in p}
    return [(pattern, spdx[p["License"]], re.sub(r"\n\s*", "\n", p["Copyright"]))
            for p in paragraphs for pattern in p.get("Debian-Packages", "").split()]


def license_of(package, known):
    for pattern, license_id, holders in known:
        if fnmatch.fnmatchcase(package, pattern):
            return license_id, holders
    sys.exit(f"{COPYRIGHT.parent.name}/{COPYRIGHT.name} has no license of {package}")


def with_code(package):
    """The package; one without headers and archives stands for those that it needs."""
    if re.search(r"^/usr/include/.|\.a$", said("dpkg-query", "-L", package), re.MULTILINE):
        return [package]
    needed = re.findall(r"[^\s,|(]+-dev\b", fields(said("dpkg-query", "-s", package)).get("Depends", ""))
    return [found for name in needed for found in with_code(name)]


def libraries(packages, compiler, folder):
    """Of one binary: what dpkg knows of each package."""
    for package in (found for name in packages if name.endswith("-dev") for found in with_code(name)):
        files = sorted(Path(folder).glob(f"{package}_*.deb")) if folder else []
        yield fields(said("dpkg-deb", "-f", str(files[0])) if files else said("dpkg-query", "-s", package))
    for archive in RUNTIME:
        path = Path(said(compiler, f"-print-file-name={archive}").strip()).resolve()
        owner = said("dpkg-query", "-S", str(path)).split(": ")[0]
        yield fields(said("dpkg-query", "-s", owner))


def package_json(info, known):
    name, version, machine = info["Package"], info["Version"], info["Architecture"]
    license_id, holders = license_of(name, known)
    purl = f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}?arch={machine}"
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{name}-{machine}"),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "homepage": info.get("Homepage", "NOASSERTION"),
        "sourceInfo": f"source package {info.get('Source', name)}",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_id,
        "licenseDeclared": license_id,
        "copyrightText": holders,
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
    }


def program_json(path, version, digest):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", path.name),
        "name": "trainplan",
        "versionInfo": version,
        "packageFileName": path.name,
        "primaryPackagePurpose": "APPLICATION",
        "supplier": "Organization: The maintainers of trainplan",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "2026 The maintainers of trainplan",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:generic/trainplan@{version}?checksum=sha256:{digest}"}],
    }


def make(version, epoch, packages, binaries):
    known = licenses()
    programs, needed, links = [], {}, []
    for binary, compiler, folder in binaries:
        path = Path(binary)
        program = program_json(path, version, hashlib.sha256(path.read_bytes()).hexdigest())
        programs.append(program)
        links.append(("SPDXRef-DOCUMENT", "DESCRIBES", program["SPDXID"]))
        for info in libraries(packages, compiler, folder):
            library = package_json(info, known)
            needed[library["SPDXID"]] = library
            link = (program["SPDXID"], "STATIC_LINK", library["SPDXID"])
            if link not in links:
                links.append(link)
    digest = hashlib.sha256("".join(p["checksums"][0]["checksumValue"] for p in programs).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"trainplan-{version}",
        "documentNamespace": f"https://trainplan.invalid/spdx/trainplan-{version}-{digest}",
        "creationInfo": {
            "created": datetime.fromtimestamp(int(epoch), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: trainplan-sbom", "Organization: The maintainers of trainplan"],
        },
        "packages": programs + [needed[name] for name in sorted(needed)],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in links],
    }


if __name__ == "__main__":
    if len(sys.argv) < 7 or len(sys.argv) % 3 != 1:
        sys.exit(__doc__)
    groups = zip(*[iter(sys.argv[4:])] * 3)
    print(json.dumps(make(sys.argv[1], sys.argv[2], sys.argv[3].split(), groups), indent=1))
