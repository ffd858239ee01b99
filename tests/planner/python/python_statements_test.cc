// Statements of Python files: branches, loops, blocks, imports, what is put in names and taken from them.
#include <doctest/doctest.h>

#include "tests/planner/python/python_sample.h"

namespace {

constexpr PythonSample kPythonBranches[] = {
    {"if True: a = 1\nelse: a = 2", "{a=1}"},
    {"a = 3\nif a == 1: b = 1\nelif a == 2: b = 2\nelif a == 3: b = 3\nelse: b = 4", "{a=3 b=3}"},
    {"if 1 < 2 and not None:\n  a = 1; b = 2", "{a=1 b=2}"},
    {"if q:\n  print('x')\nelse:\n  log('y')\na = 1", "{a=1}"},
    {"if q: pass\nif q:\n  import x", "{}"},
    {"if q:\n  raise V('x')\na = 1", "{a=1}"},
    {"if TYPE_CHECKING:\n  a = 1\nb = 2", "{b=2}"},
};

constexpr PythonSample kPythonLoops[] = {
    {"for i in range(3): a = i", "{i=2 a=2}"},
    {"t = 0\nfor i in [1, 2, 3, 4]:\n  if i == 2: continue\n  if i == 4: break\n  t += i\nelse:\n  b = 1", "{t=4 i=4}"},
    {"for i in []: a = 1\nelse: a = 2", "{a=2}"},
    {"for k, v in {'x': 1}.items(): a = [k, v]", "{k='x' v=1 a=['x' 1]}"},
    {"for k in {'x': 1, 'y': 2}: a = k", "{k='y' a='y'}"},
    {"for a, (b, c) in [[1, [2, 3]]]: d = [a, b, c]", "{a=1 b=2 c=3 d=[1 2 3]}"},
    {"for i in q:\n  print(i)\nelse:\n  a = 1", "{a=1}"},
    {"i = 0\nwhile i < 3: i += 1\nelse: a = 1", "{i=3 a=1}"},
    {"while True:\n  a = 1\n  break\nelse: a = 2", "{a=1}"},
    {"while q: print(1)\nelse: a = 1", "{a=1}"},
};

constexpr PythonSample kPythonBlocks[] = {
    {"with a.b('x') as f, c: d = f", "{d=f}"},
    {"f = 1\nwith open('x') as f:\n  b = f", "{b=f}"},
    {"with (open('x') as f, open('y') as g):\n  b = 1", "{b=1}"},
    {"c = C(n=1)\nwith q as c.x: c.y = 2", "{c={()=C n=1 y=2}}"},
    {"try:\n  a = 1\nexcept (E, F) as e:\n  a = 2\nexcept:\n  a = 3\nelse:\n  b = 4\nfinally:\n  c = 5",
     "{a=1 b=4 c=5}"},
    {"x = None\ntry:\n  import x\nexcept ImportError:\n  pass\na = 1 if x else 2\nb = x is None",
     "{a=1 if x else 2 b=x is None}"},
    {"class C(B, metaclass=M):\n  \"\"\"d\"\"\"\n  x: int = 1\n  def f(self): return 1\na = C(x=2)", "{a={()=C x=2}}"},
    {"@dataclass\nclass C: x = 1\nb = C.x", "{b=C.x}"},
    {"@d(1, 2)\n@e\ndef f(a): return a\nb = f(3)", "{b=3}"},
};

constexpr PythonSample kPythonImports[] = {
    {"import os\nimport a.b.c\nimport a.b as x\nfrom y import z, w as v\nfrom . import q\nfrom ..r import (s, t,)\nb = "
     "[os.sep, a.b.c.d, x, z, v, q, s]",
     "{b=[os.sep a.b.c.d x z w q s]}"},
    {"from x import *\na = y", "{a=y}"},
    {"\"\"\"doc\"\"\"\n'other'\na = 1", "{a=1}"},
    {"# c\na = 1  # d\n\n  # e\nb = 2", "{a=1 b=2}"},
    {"if __name__ == \"__main__\":\n  a = 1\nelse:\n  a = 2", "{a=1}"},
    {"def main(): run(1)\nif __name__ == '__main__': main()", "{=[{()=run [0]=1}]}"},
};

constexpr PythonSample kPythonAugmented[] = {
    {"a = 1; a += 2; a -= 1; a *= 5; a //= 3; a %= 2; a **= 3; b = 1; b /= 2", "{a=1 b=0.5}"},
    {"a = 'x'; a += 'y'; b = q; b += 1; c = 1; c <<= 2", "{a='xy' b=q + 1 c=1 << 2}"},
    {"a = [1]; b = a; a += [2]; c = [1]; c = c + [2]; d = [1]; d *= 2", "{a=[1 2] b=[1 2] c=[1 2] d=d * 2}"},
    {"a = (1,); b = a; a += (2,); c = 1, 2; d = c; c += (3,); e = list((1,)); f = e; e += [2]",
     "{a=[1 2] b=[1] c=[1 2 3] d=[1 2] e=[1 2] f=[1 2]}"},
    {"def f(*a):\n  b = a\n  a += (2,)\n  return b\nx = f(1)", "{x=[1]}"},
    {"a = {'x': 1}; a |= {'y': 2}; b = {}; b |= q", "{a={x=1 y=2} b={**=q}}"},
    {"c = C(n=1); c.n += 1; d = {'k': 2}; d['k'] *= 3; e = [1]; e[0] += 4", "{c={()=C n=2} d={k=6} e=[5]}"},
};

constexpr PythonSample kPythonRemoved[] = {
    {"a = 1; b = 2; c = 3\ndel a\ndel b, c", "{}"},
    {"a = {'x': 1, 'y': 2}; b = [1, 2, 3]; c = C(n=1, m=2)\ndel a['x'], b[0], b[-1], c.n",
     "{a={y=2} b=[2] c={()=C m=2}}"},
    {"del q, q.r, q[0]\na = 1", "{a=1}"},
    {"a = 1\ndef f():\n  global a, b\n  a = 2\n  b = 3\n  del a\nf()", "{b=3}"},
};

constexpr PythonSample kPythonTargets[] = {
    {"a = b = [1]\na.append(2)", "{a=[1 2] b=[1 2]}"},
    {"a, b = 1, 2\na, b = b, a", "{a=2 b=1}"},
    {"a, *b = [1, 2, 3]; *c, d = (1,); [e, f] = 5, 6; (g), h = 7, 8", "{a=1 b=[2 3] c=[] d=1 e=5 f=6 g=7 h=8}"},
    {"a, b = q; c, *d = q.r(); e = f(1)", "{a=q[0] b=q[1] c=q.r()[0] d=q.r()[1:] e={()=f [0]=1}}"},
    {"a = [1, 2]; a[0] = 3; b = {}; b['x'] = 1; b[1] = 2; c = C(); c['k'] = 1", "{a=[3 2] b={x=1 1=2} c={()=C k=1}}"},
    {"a: int; b: int = 2; c: Dict[str, int] = {}; d.e: int = 3", "{b=2 c={} d={==d e=3}}"},
    {"a = [1]\na.append(2) if True else None\nb = [1]\n0 and b.append(2)\n1 and b.append(3)", "{a=[1 2] b=[1 3]}"},
};

constexpr PythonSample kPythonLines[] = {
    {"assert False\na = 1", "{a=1}"},
    {"pass\n...\na = 1;", "{a=1}"},
    {"if True:\n\ta = 1\n\tif True:\n\t\tb = 2", "{a=1 b=2}"},
    {"a = (1 +\n2); b = [\n1,\n\n  # c\n2]\nc = 1 + \\\n  2", "{a=3 b=[1 2] c=3}"},
};

}  // namespace

TEST_CASE("python: branches") {
  for (const PythonSample& s : kPythonBranches) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: loops") {
  for (const PythonSample& s : kPythonLoops) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: with, try, classes, decorators") {
  for (const PythonSample& s : kPythonBlocks) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: imports, docstrings, comments, the main part") {
  for (const PythonSample& s : kPythonImports) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: augmented assignment") {
  for (const PythonSample& s : kPythonAugmented) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: deletion") {
  for (const PythonSample& s : kPythonRemoved) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: targets") {
  for (const PythonSample& s : kPythonTargets) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: lines") {
  for (const PythonSample& s : kPythonLines) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}
