"""Makes a wheel that carries the planner. The same binary gives the same bytes.

usage: wheel.py BINARY FOLDER [TWIN]   (prints the name of the wheel)

TWIN: the same program for this machine, if BINARY is for another one: it is asked what the wheel says of the program.
"""

import base64
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

from schema_types import types_text

PACKAGE = Path(__file__).resolve().parent.parent / "trainplan"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip archive has
SUMMARY = "Plans the training of large models: step time, memory, cost"
LICENSES = [PACKAGE.parent.parent / "LICENSE", PACKAGE.parent.parent / "packaging" / "copyright"]
# What an ELF header calls a machine (e_machine), and what uname does.
MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64"}


def machine_of(binary):
    header = Path(binary).read_bytes()[:20]
    machine = MACHINES.get(int.from_bytes(header[18:20], "little")) if header[:4] == b"\x7fELF" else None
    return machine or sys.exit(f"{binary} is no program for a machine of this list: {', '.join(MACHINES.values())}")


def tags(machine):
    """The binary is static: it runs with either C library."""
    return [f"py3-none-manylinux_2_17_{machine}", f"py3-none-musllinux_1_1_{machine}"]


def metadata(version):
    return (f"Metadata-Version: 2.1\nName: trainplan\nVersion: {version}\nSummary: {SUMMARY}\n"
            "Requires-Python: >=3.9\n")


def wheel_file(machine):
    lines = ["Wheel-Version: 1.0", "Generator: trainplan", "Root-Is-Purelib: false", *(f"Tag: {t}" for t in tags(machine))]
    return "\n".join(lines) + "\n"


def contents(binary, twin, version):
    """Name, bytes, and whether it runs, of each file but RECORD."""
    info = f"trainplan-{version}.dist-info"
    for source in sorted(PACKAGE.glob("*.py")):
        yield f"trainplan/{source.name}", source.read_bytes(), False
    yield "trainplan/py.typed", b"", False
    yield "trainplan/types.py", types_text(twin).encode(), False
    yield "trainplan/bin/trainplan", Path(binary).read_bytes(), True
    yield f"{info}/METADATA", metadata(version).encode(), False
    yield f"{info}/WHEEL", wheel_file(machine_of(binary)).encode(), False
    for source in LICENSES:
        yield f"{info}/licenses/{source.name}", source.read_bytes(), False
    yield f"{info}/entry_points.txt", b"[console_scripts]\ntrainplan = trainplan._commands:main\n", False


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def add(archive, name, data, runs):
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if runs else 0o100644) << 16
    archive.writestr(entry, data)


def make(binary, folder, twin):
    said = subprocess.run([twin, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    version = said.split()[1]
    platforms = ".".join(tag.removeprefix("py3-none-") for tag in tags(machine_of(binary)))
    path = Path(folder) / f"trainplan-{version}-py3-none-{platforms}.whl"
    record = ""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, runs in contents(binary, twin, version):
            add(archive, name, data, runs)
            record += record_line(name, data)
        name = f"trainplan-{version}.dist-info/RECORD"
        add(archive, name, (record + f"{name},,\n").encode(), False)
    return path


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    print(make(sys.argv[1], sys.argv[2], (sys.argv[3:] or sys.argv[1:])[0]))
