// Python files as trees: what names hold, calls, functions of other files, and messages.
#include <doctest/doctest.h>

#include "tests/planner/python/python_sample.h"

namespace {

constexpr PythonSample kRead[] = {
    {"", "{}"},
    {"a = 1; b = 'x' \"y\"\nc: int = None", "{a=1 b='xy' c=null}"},
    {"a = 8 * 1024\nb = 2**20\nc = 7 // 2\nd = 3 / 2\ne = -3 % 2\nf = 1_000 + 0x10",
     "{a=8192 b=1048576 c=3 d=1.5 e=1 f=1016}"},
    {"a = 3e-4\nb = 9223372036854775807 + 1\nc = 6 / 2\nd = -a", "{a=3e-4 b=9223372036854775807 + 1 c=3.0 d=-3e-4}"},
    {"a = [1, 'b', (True, False)]\nb = {'x': 1, **{'y': 2}}\nc = dict(b, z=3)",
     "{a=[1 'b' [true false]] b={x=1 y=2} c={x=1 y=2 z=3}}"},
    {"a = run.Config(nl.Strategy, tp=4,\n  pp=2)", "{a={()=run.Config [0]=nl.Strategy tp=4 pp=2}}"},
    {"a = C()\nb = a\nb.x.y = 1\na.x.z = 2", "{a={()=C x={y=1 z=2}} b={()=C x={y=1 z=2}}}"},
    {"a = torch.bfloat16\nb = [0] * 3 + [1]*2\nc = f'{a}x'\nd = lambda x: x\ne = [x for x in y]",
     "{a=torch.bfloat16 b=[0] * 3 + [1]*2 c=f'{a}x' d=lambda x: x e=[x for x in y]}"},
    {"from a import B as C\nimport b.c as d\nx = C(d.e)", "{x={()=B [0]=d.e}}"},
    {"def f(a, b=2, *c, d=4, **e):\n  return [a, b, c, d, e]\nx = f(1)\ny = f(1, 3, 5, d=6, g=7)",
     "{x=[1 2 [] 4 {}] y=[1 3 [5] 6 {g=7}]}"},
    {"def f():\n  c = g()\n  c.t.steps = 5\n  return c\ndef g():\n  return C(t=T(n=1))\nx = f()",
     "{x={()=C t={()=T n=1 steps=5}}}"},
    {"a = 2\nif a > 1 and not a == 3:\n  b = 'yes'\nelif a:\n  b = 'no'\nelse:\n  b = ''", "{a=2 b='yes'}"},
    {"a = 1 if x is None else 2\nb = None\nc = 1 if b is None else 2", "{a=1 if x is None else 2 b=null c=1}"},
    {"if x:\n  print('a')\nif y:\n  raise Z\nassert q", "{}"},
    {"for n in ('a', 'b'):\n  c.list.append(n)", "{n='b' c={==c list=['a' 'b']}}"},
    {"a = [1]\na += [2]\na.extend([3])\nb = 1\nb *= 4\nc = {}\nc['k'] = a[-1]\nc.update(l=b)",
     "{a=[1 2 3] b=4 c={k=3 l=4}}"},
    {"a = C(n=1)\nb = dataclasses.replace(a, n=2)\nc = copy.deepcopy(a)\nc.n = 3",
     "{a={()=C n=1} b={()=C n=2} c={()=C n=3}}"},
    {"def main():\n  llm.pretrain(model=1)\nif __name__ == '__main__':\n  main()", "{=[{()=llm.pretrain model=1}]}"},
    {"a, b = 1, [2]\na = b = 3", "{a=3 b=3}"},
    {"class C:\n  x = 1\n@d(1)\ndef f():\n  pass\ntry:\n  a = 1\nexcept E:\n  a = 2\nwith o as p:\n  b = 2",
     "{a=1 b=2}"},
    {"a = max(2, 3)\nb = int('8')\nc = len([1, 2])\nd = 'AB'.lower()\ne = getattr(C(q=4), 'q', 5)",
     "{a=3 b=8 c=2 d='ab' e=4}"},
    {"a = B.load('x').get(1)", "{a={()=B.load().get .={()=B.load [0]='x'} [0]=1}}"},
    {"a = '''x\ny'''\nb = r'\\d' # c\nc = (\n  1 +\n  2)\nd = 1 \\\n + 1", "{a='x y' b='\\d' c=3 d=2}"},
    {"a = None\na.b = 1\nc = X.y\nc.d = 2", "{a={b=1} c={==X.y d=2}}"},
    {"a = 'x' in ['x', y]\nb = 'z' in ['x']\nc = isinstance('a', str)\nd = C() is not None",
     "{a=true b=false c=true d=true}"},
    {"i = 0\nwhile i < 3:\n  i += 1\n  if i == 2: break", "{i=2}"},
};

constexpr PythonSample kRefused[] = {
    {"a = (1", "1:5 this bracket is not closed"},
    {"a = 'x", "1:5 this string is not closed"},
    {"a = 1 2", "1:7 this is no Python: expected 'the line's end', got '2'"},
    {"if a:\nb = 1", "2:1 this is no Python: expected an indented block"},
    {"if x > 1:\n  a = 1",
     "1:4 this file does not say what 'x > 1' is, and a setting depends on it | "
     "put a value in its place"},
    {"def f():\n  return f()\nf()", "2:10 calls nest more than 32 deep"},
    {"while True:\n  a = 1", "1:1 this file takes more than 2000000 steps"},
    {"a = []\na.append(a)", "1:5 what this file makes is too large, or holds itself"},
    {"raise X", "1:1 the file gives up here"},
    {"def f(a): pass\nf(1, 2)", "2:6 'f' takes fewer arguments"},
    {"def f(a): pass\nf(b=2)", "2:3 'f' takes no argument 'b'"},
    {"a = 1\na.b = 2", "2:1 'a' holds a value, not names"},
    {"a = 1\n  b = 2", "2:3 this is no Python: the line is indented without a cause"},
    {"a = $", "1:5 this is no Python: a character that begins no word"},
};

}  // namespace

TEST_CASE("python: what names hold") {
  for (const PythonSample& c : kRead) {
    CAPTURE(c.text);
    CHECK(python_result(c.text) == c.result);
  }
}

TEST_CASE("python: what is refused") {
  for (const PythonSample& c : kRefused) {
    CAPTURE(c.text);
    CHECK(python_result(c.text) == c.result);
  }
}

TEST_CASE("python: functions of other files are called") {
  const dsl::Source base{"models/base.py", "SIZE = 4\ndef make(n=SIZE):\n  return C(n=n)\n", ""};
  const dsl::Source other{"other/base.py", "def make():\n  return D()\n", ""};
  const dsl::Source main{
      "main.py",
      "from x.models.base import make as build\nimport other.base as base\n"
      "def one():\n  c = build()\n  c.k = 2\n  go(c)\n  return c\ndef _two(): pass\ndef three(a): pass\n",
      ""};
  const dsl::Source* more[] = {&other, &base};
  dsl::Diagnostics diagnostics;
  CHECK(python_line_of(planner::call_python(main, "one", more, diagnostics)) ==
        "{()=C n=4 k=2 =[{()=go [0]={()=C n=4 k=2}}]}");
  CHECK(planner::python_functions(main, diagnostics) == std::vector<std::string>{"one"});
  CHECK(!diagnostics.has_errors());
  CHECK(planner::call_python(main, "four", more, diagnostics).broken);
  CHECK(diagnostics.first_error() == "the file has no function 'four'");
}
