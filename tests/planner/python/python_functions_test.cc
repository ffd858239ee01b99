// Functions of Python files: parameters, names of other scopes, copies, methods, calls that are recorded.
#include <doctest/doctest.h>

#include "tests/planner/python/python_sample.h"

namespace {

constexpr PythonSample kPythonParameters[] = {
    {"def f(): return 1\na = f(); b = f", "{a=1}"},
    {"def f(a, b=2, *, c=3): return [a, b, c]\nx = f(1); y = f(1, 4); z = f(1, c=5); w = f(b=7, a=6)",
     "{x=[1 2 3] y=[1 4 3] z=[1 2 5] w=[6 7 3]}"},
    {"def f(*a, **k): return [a, k]\nx = f(); y = f(1, 2, z=3); z = f(*[1, 2], **{'q': 4})",
     "{x=[[] {}] y=[[1 2] {z=3}] z=[[1 2] {q=4}]}"},
    {"def f(a, *rest, c=0): return [a, rest, c]\nx = f(1); y = f(1, 2, 3, c=4)", "{x=[1 [] 0] y=[1 [2 3] 4]}"},
    {"def f(a, /, b): return [a, b]\nx = f(1, 2); y = f(1, b=2)", "{x=[1 2] y=[1 2]}"},
    {"def f(a: int = 1, b: 'list[int]' = None) -> C: return [a, b]\nx = f(b=2)", "{x=[1 2]}"},
    {"def f(a): return a\nx = f(q)\ny = f(q.r)", "{x=q y=q.r}"},
    {"N = 1\ndef f(a=N): return a\nN = 2\nx = f()", "{N=2 x=1}"},
    {"def f(a=[]):\n  a.append(1)\n  return a\nx = f()\nf()", "{x=[1 1]}"},
};

constexpr PythonSample kPythonScopes[] = {
    {"def f(a):\n  a = 2\n  return a\na = 1\nb = f(a)", "{a=1 b=2}"},
    {"def f(l):\n  l.append(2)\nl = [1]\nf(l)", "{l=[1 2]}"},
    {"def f(c):\n  c.x = 2\nc = C(x=1)\nd = f(c)", "{c={()=C x=2} d=null}"},
    {"def f(n): return 1 if n == 0 else n * f(n - 1)\nx = f(5); y = f(20)", "{x=120 y=2432902008176640000}"},
    {"def f():\n  def g(n): return n + k\n  k = 2\n  return g(1)\nx = f()", "{x=3}"},
    {"def f(): return g()\ndef g(): return h(1)\ndef h(n): return C(n=n)\nx = f()", "{x={()=C n=1}}"},
    {"def f():\n  n = 0\n  def g():\n    nonlocal n\n    n += 1\n  g()\n  g()\n  return n\nx = f()", "{x=2}"},
    {"n = 0\ndef f():\n  global n\n  n = n + 1\nf()\nf()", "{n=2}"},
    {"def f(): n = 5\nn = 1\nf()", "{n=1}"},
    {"def f(): pass\nx = f()\ndef g(a):\n  if a: return\n  return 2\ny = g(1); z = g(0)", "{x=null y=null z=2}"},
    {"def f(): return 1, 2\na, b = f()\nc = f()[1]", "{a=1 b=2 c=2}"},
    {"def f():\n  for i in [1, 2, 3]:\n    if i == 2: return i\nx = f()", "{x=2}"},
    {"async def f(): return 1\n@d\n@e.f(1)\ndef g(): return 2\nx = g()", "{x=2}"},
    {"def f(c=None):\n  c = c or C()\n  c.n = 1\n  return c\nx = f(); y = f(D())", "{x={()=C n=1} y={()=D n=1}}"},
};

constexpr PythonSample kPythonCopies[] = {
    {"a = C(n=1, m=2)\nb = dataclasses.replace(a, n=3)\nb.m = 4", "{a={()=C n=1 m=2} b={()=C n=3 m=4}}"},
    {"a = C(t=T(n=1))\nb = copy.copy(a)\nc = copy.deepcopy(a)\nb.t.n = 2",
     "{a={()=C t={()=T n=2}} b={()=C t={()=T n=2}} c={()=C t={()=T n=1}}}"},
    {"a = dataclasses.replace(x.y, n=1)", "{a={==x.y n=1}}"},
    {"a = cast(int, 5); b = typing.cast('C', q)", "{a=5 b=q}"},
};

constexpr PythonSample kPythonMethods[] = {
    {"a = [1, 2, 3]\nb = a.pop(); c = a.pop(0)\na.insert(0, 9)\na.insert(1, 8)\na.insert(-1, 7)\na.insert(99, 6)",
     "{a=[9 8 7 2 6] b=3 c=1}"},
    {"a = [1]\nb = a\na.extend([2]); a.extend({'k': 3}); a += (4,); a.extend(q)\nc = a.copy()\nc.append(5)",
     "{a=[1 2 'k' 4 *q] b=[1 2 'k' 4 *q] c=[1 2 'k' 4 *q 5]}"},
    {"a = {'x': 1}\nb = a.get('x'); c = a.get('y'); d = a.get('y', 2); e = a.get(q, 3); f = {}.get(q, 3)",
     "{a={x=1} b=1 c=null d=2 e=a.get(q, 3) f=3}"},
    {"a = {'x': 1}\na.update({'y': 2}); a.update(z=3); a.update(q); a.update(C(n=1))", "{a={x=1 y=2 z=3 **=C()}}"},
    {"a = {'x': 1}\na.update({'y': 2}, x=4)\nb = a.pop('x'); c = a.pop('z', 0); d = a.setdefault('w', 5); e = "
     "a.setdefault('w', 6)",
     "{a={y=2 w=5} b=4 c=0 d=5 e=5}"},
    {"a = {'x': 1, 'y': 2}\nb = a.items(); c = a.keys(); d = list(a.values()); e = a.copy()\ne['x'] = 3",
     "{a={x=1 y=2} b=[['x' 1] ['y' 2]] c=['x' 'y'] d=[1 2] e={x=3 y=2}}"},
    {"d = {'a': 1, **q}\nb = d.get('z', 5); e = 'z' in d; f = 'a' in d; g = len(d)",
     "{d={a=1 **=q} b=d.get('z', 5) e='z' in d f=true g={()=len [0]={a=1 **=q}}}"},
    {"c = C()\nc.tags.append('a')\nc.tags.extend(['b'])\nc.opt.lr = 1", "{c={()=C tags=['a' 'b'] opt={lr=1}}}"},
    {"c = C()\nsetattr(c, 'x', 1)\na = getattr(c, 'x'); b = getattr(c, 'y', 2); d = hasattr(c, 'x')",
     "{c={()=C x=1} a=1 b={()=getattr [0]={()=C x=1} [1]='y' [2]=2} d=true}"},
};

constexpr PythonSample kPythonCalls[] = {
    {"a = f(1, 2, x=3)\nb = p.q.f(*z, **w)\nc = f(*[1], **{'k': 2})",
     "{a={()=f [0]=1 [1]=2 x=3} b={()=p.q.f *=z **=w} c={()=f [0]=1 k=2}}"},
    {"a = A(1).b(2).c\nd = A().b()", "{a=A(1).b(2).c d={()=A().b .={()=A}}}"},
    {"llm.pretrain(1, x=2)\nf(g(3))\nprint(h(4))", "{=[{()=llm.pretrain [0]=1 x=2} {()=f [0]={()=g [0]=3}}]}"},
    {"a = C\nb = a(1)\nc = [C, D][0](x=1)", "{a=C b={()=C [0]=1} c={()=C x=1}}"},
    {"def f(): g(1)\nf()\nx = f()", "{x=null =[{()=g [0]=1} {()=g [0]=1}]}"},
    {"def f():\n  cfg.x = 1\nf()", "{cfg={==cfg x=1}}"},
    {"def f(a): return [a, a]\nx = f(C())\nx[0].n = 1", "{x=[{()=C n=1} {()=C n=1}]}"},
    {"def f(t): return t.n\nx = f(C(n=1)); y = f(q)", "{x=1 y=q.n}"},
    {"a = [1, 2]; b = {'x': 1}; c = [3, 4]; d = []\na.clear(); b.clear(); c.reverse(); d.insert(0, 1)",
     "{a=[] b={} c=[4 3] d=[1]}"},
};

}  // namespace

TEST_CASE("python: parameters and defaults") {
  for (const PythonSample& s : kPythonParameters) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: what a call changes, and what it returns") {
  for (const PythonSample& s : kPythonScopes) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: copies of configs") {
  for (const PythonSample& s : kPythonCopies) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: methods of lists and maps") {
  for (const PythonSample& s : kPythonMethods) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: calls of what no file has") {
  for (const PythonSample& s : kPythonCalls) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: functions of several files") {
  const dsl::Source base{"m/base.py", "N = 4\ndef make(n=N):\n  return C(n=n)\nNAMES = [N]\n", ""};
  const dsl::Source tool{"m/tool.py", "from m.base import make\ndef two(x=1):\n  return [make(), make(x)]\n", ""};
  const dsl::Source* more[] = {&base, &tool};
  constexpr PythonSample kCalled[] = {
      {"from m.base import make\ndef f(): return make()", "{()=C n=4}"},
      {"from m.base import make as m\ndef f(): return m(n=5)", "{()=C n=5}"},
      {"from m import base\ndef f(): return base.make(6)", "{()=C n=6}"},
      {"import m.base\ndef f(): return m.base.make(7)", "{()=C n=7}"},
      {"from m.tool import two\ndef f(): return two()", "[{()=C n=4} {()=C n=1}]"},
      {"from m.base import N, NAMES\ndef f():\n  NAMES.append(N)\n  return NAMES", "[4 4]"},
      {"from m.base import make\nN = 9\ndef f():\n  c = make()\n  c.k = N\n  return c", "{()=C n=4 k=9}"},
      {"from other import make\ndef f(): return x", "x"},
      {"def f(a): return a", "a"},
      {"def f(): return g()", "{()=g}"},
      {"if __name__ == '__main__': N = 1\ndef f(): return __name__", "'main'"},
      {"f = 1", "1:1 the file has no function 'f'"},
  };
  for (const PythonSample& s : kCalled) {
    CAPTURE(s.text);
    dsl::Diagnostics diagnostics;
    const dsl::Source main{"main.py", s.text, ""};
    const dsl::Node node = planner::call_python(main, "f", more, diagnostics);
    CHECK((node.broken ? python_mistake_of(diagnostics) : python_line_of(node)) == s.result);
  }
}

TEST_CASE("python: functions that need no argument") {
  const dsl::Source source{
      "a.py",
      "def a(): pass\ndef b(x=1, *y, z=2, **w): pass\ndef c(x): pass\ndef _d(): pass\n"
      "def e(*, x): pass\nclass K:\n  def g(): pass\n@d\nasync def h(): pass\nif q:\n  def i(): pass\n",
      ""};
  dsl::Diagnostics diagnostics;
  CHECK(planner::python_functions(source, diagnostics) == std::vector<std::string>{"a", "b", "h"});
  CHECK(!diagnostics.has_errors());
  const dsl::Source broken{"a.py", "def a(: pass", ""};
  CHECK(planner::python_functions(broken, diagnostics).empty());
  CHECK(diagnostics.has_errors());
}
