# Every kind of statement and value.
set -euo pipefail
printf 'from a.b import (c as d, e)\ndef f(a: int = 1, *b, c=2, **d) -> X:\n  """g"""\n  x = C.Config(a, *b, k=c, **d)\n  x.y.z = [1, {"h": 2**3}]\n  return x\n' >"$1/function"
printf 'a = f(1)\nif a is not None and 2 in (1, 2):\n  b = a or 3\nelif x:\n  pass\nelse:\n  raise E\nfor i, j in {"k": 1}.items():\n  c.l.append(i)\n' >"$1/branch"
printf 'class A(B):\n  x = 1\n@d\nasync def g(): yield\ntry:\n  h = lambda q: q\nexcept E as e: pass\nfinally:\n  del h\nwhile i < 3: i += 1\n' >"$1/skipped"
printf '%s\n' '"def "' '"return "' '"lambda "' '"import "' '"**"' '"\\x0a  "' '"\"\"\""' '"if __name__ == \"__main__\":"' '".append("' '".update("' \
  '"isinstance("' '"getattr("' '"dataclasses.replace("' '"copy.deepcopy("' '"range("' >"$2"
