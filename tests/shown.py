"""Writes anew what ```console blocks of pages show, where figures changed and lines did not: ./dev shown.

A line that is shown stands for the next printed line that is the same but for its figures; `...` stays. A page of which a
command fails, or prints no such line, is left as it is, and named. usage: python3 tests/shown.py PAGE...
"""
import os
import re
import subprocess
import sys
import tempfile


def alike(line):
    return re.sub(r"[ #*-]+", " ", re.sub(r"[-+]?\d[\d.,]*(e[-+]?\d+)?|\b[kMGTPunm]?(s|B|iB|USD|Wh|d|h|min)\b", "0", line)).strip()


def renewed(shown, printed):
    """The lines to show, or None."""
    result, at = [], 0
    for line in shown:
        if line == "...":
            result.append(line)
            continue
        same = [i for i in range(at, len(printed)) if printed[i] == line] or [i for i in range(at, len(printed)) if alike(printed[i]) == alike(line)]
        if not same:
            return None
        result.append(printed[same[0]].rstrip())
        at = same[0] + 1
    return result


def run(command, root):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode().split("\n")


def renew(text, root):
    """The page's text; None for the second where a command has other lines: then its command."""
    lines, result, i, file = text.split("\n"), [], 0, None
    while i < len(lines):
        line = lines[i]
        named = re.fullmatch(r"`([^` ]+)`:", line)
        file = named.group(1) if named else file if not line else None if not line.startswith("```") else file
        result.append(line)
        i += 1
        if not line.startswith("```"):
            continue
        end = next(j for j in range(i, len(lines)) if lines[j].startswith("```"))
        block = lines[i:end]
        if line == "```console":
            block, failed = renew_block(block, root)
            if failed:
                return text, failed
        elif file and not os.path.exists(os.path.join(root, file)):
            os.makedirs(os.path.dirname(os.path.join(root, file)), exist_ok=True)
            with open(os.path.join(root, file), "w", encoding="utf-8") as out:
                out.write("\n".join(block) + "\n")
        result += block + [lines[end]]
        i, file = end + 1, None
    return "\n".join(result), None


def renew_block(block, root):
    result, i = [], 0
    while i < len(block):
        end = next((j for j in range(i + 1, len(block)) if block[j].startswith("$ ")), len(block))
        if not block[i].startswith("$ "):
            return block, None
        shown = renewed(block[i + 1:end], run(block[i][2:], root))
        if shown is None:
            return block, block[i]
        result += [block[i]] + shown
        i = end
    return result, None


status = 0
for page in sys.argv[1:]:
    with open(page, encoding="utf-8") as source, tempfile.TemporaryDirectory() as scratch:
        for name in os.listdir("."):
            os.symlink(os.path.abspath(name), os.path.join(scratch, name))
        before = source.read()
        after, other = renew(before, scratch)
    if other:
        print(f"{page}: other lines, write them by hand: {other}")
        status = 1
    elif after != before:
        print(f"{page}: written")
        with open(page, "w", encoding="utf-8") as target:
            target.write(after)
sys.exit(status)
