// Expressions of Python files: literals, signs, what is compared, lists and maps, functions of Python itself.
#include <doctest/doctest.h>

#include "tests/planner/python/python_sample.h"

namespace {

constexpr PythonSample kPythonNumbers[] = {
    {"a = 1; b = -1; c = +1; d = 1_000_000; e = 0xff; f = 0o17; g = 0b101", "{a=1 b=-1 c=1 d=1000000 e=255 f=15 g=5}"},
    {"a = 1.5; b = .5; c = 5.; d = 1E5; e = 1e-5; f = 1_0.0_1; g = 1j", "{a=1.5 b=.5 c=5. d=1e5 e=1e-5 f=10.01 g=1j}"},
    {"a = 0XFF; b = 0x_ff; c = 99999999999999999999; d = 0xFFFFFFFFFFFFFFFFFF",
     "{a=255 b=255 c=99999999999999999999 d=0xFFFFFFFFFFFFFFFFFF}"},
};

constexpr PythonSample kPythonStrings[] = {
    {"a = 'x'; b = \"y\"; c = '''z'''; d = \"\"\"w\"\"\"; e = ''; f = \"\"\"\"\"\"",
     "{a='x' b='y' c='z' d='w' e='' f=''}"},
    {"a = r'\\n'; b = R\"\\'\"; c = b'x'; d = u'x'; e = rb'\\x'; f = Rb\"y\"; g = 'it\\'s'; h = \"\\\\\"",
     "{a='\\n' b='\\'' c='x' d='x' e='\\x' f='y' g='it's' h='\\'}"},
    {"a = f'x'; b = f'{x}'; c = f'{{x}}'; d = 'p' f'{x}' \"q\"; e = rf'{x}\\d'",
     "{a='x' b=f'{x}' c=f'{{x}}' d='p' f'{x}' \"q\" e=rf'{x}\\d'}"},
    {"a = 'a' 'b'\nb = ('a'\n  \"b\"\n  'c')\nc = \"a\\\nb\"", "{a='ab' b='abc' c='ab'}"},
    {"a = 'a\\tb\\nc'; b = '\\q'; c = '\\x41\\101\\0'; d = 'é'; e = '\\u00e9\\U0001F600'; f = b'\\x41\\u0041'; g = "
     "'\\N{DASH}'; h = '\\1018'",
     "{a='a b c' b='\\q' c='AA ' d='é' e='é😀' f='A\\u0041' g='\\N{DASH}' h='A8'}"},
};

constexpr PythonSample kPythonArithmetic[] = {
    {"a = True; b = False; c = None; d = ...; e = NotImplemented", "{a=true b=false c=null d=... e=NotImplemented}"},
    {"a = 7 + 3; b = 7 - 3; c = 7 * 3; d = 7 / 2; e = 8 / 2; f = 7 // 2; g = 7 % 3; h = 2 ** 10",
     "{a=10 b=4 c=21 d=3.5 e=4.0 f=3 g=1 h=1024}"},
    {"a = -7 // 2; b = -7 % 3; c = 7 // -2; d = 7 % -3; e = -2 ** 2; f = (-2) ** 2; g = 2 ** 3 ** 2; h = 2 ** -1",
     "{a=-4 b=2 c=-4 d=-2 e=-4 f=4 g=512 h=0.5}"},
    {"a = 7.5 // 2; b = 1.5 + 1; c = 2 * 0.5; d = 0.1 + 0.2; e = 1e308 * 10; f = 7.5 % 2",
     "{a=3.0 b=2.5 c=1.0 d=0.30000000000000004 e=1e308 * 10 f=7.5 % 2}"},
    {"a = 9223372036854775807; b = 9223372036854775807 + 1; c = -9223372036854775808 - 1; d = 2 ** 63; e = 2 ** 62; f "
     "= 99999999999 * 99999999999",
     "{a=9223372036854775807 b=9223372036854775807 + 1 c=-9223372036854775808 - 1 d=2 ** 63 e=4611686018427387904 "
     "f=99999999999 * 99999999999}"},
    {"a = 1 / 0; b = 1 // 0; c = 1 % 0; d = 0 ** 0; e = 0 ** -1; f = (-8) ** 0.5; g = 1 ** 99999999999",
     "{a=1 / 0 b=1 // 0 c=1 % 0 d=1 e=0 ** -1 f=(-8) ** 0.5 g=1}"},
    {"a = True + 1; b = True * 3; c = 1 << 4; d = 6 & 3; e = 6 | 1; f = 6 ^ 2; g = ~6; h = a @ b",
     "{a=2 b=3 c=1 << 4 d=6 & 3 e=6 | 1 f=6 ^ 2 g=~6 h=a @ b}"},
    {"a = 2 + 3 * 4; b = (2 + 3) * 4; c = 10 - 3 - 2; d = 100 // 10 // 2; e = - - 3; f = -(2 + 1)",
     "{a=14 b=20 c=5 d=5 e=3 f=-3}"},
    {"a = [1] + [2, 3]; b = (1,) + (2,); c = [1] + x; d = {'x': 1} | {'x': 2, 'y': 3}; e = [1] + [*x]",
     "{a=[1 2 3] b=[1 2] c=[1] + x d={x=2 y=3} e=[1 *x]}"},
    {"x = [1, 2, 3]; a = x[:2]; b = x[1:]; c = x[-1:]; d = x[:]; e = x[2:1]; f = x[9:]; g = q[:1]; h = x[:q]",
     "{x=[1 2 3] a=[1 2] b=[2 3] c=[3] d=[1 2 3] e=[] f=[] g=q[:1] h=x[:q]}"},
    {"a = (n := 4) + 1; b = x[::2]; c = 'abc'[1:]", "{n=4 a=5 b=x[::2] c='abc'[1:]}"},
    {"a = 'x' + 'y'; b = 'x' * 3; c = 'x' + 1; d = '%s' % 1", "{a='xy' b='x' * 3 c='x' + 1 d='%s' % 1}"},
};

constexpr PythonSample kPythonComparisons[] = {
    {"a = 1 < 2; b = 2 <= 2; c = 3 > 4; d = 3 >= 4; e = 1 == 1.0; f = 1 != 1; g = True == 1",
     "{a=true b=true c=false d=false e=true f=false g=true}"},
    {"a = 'a' == 'a'; b = 'a' != 'b'; c = 'a' < 'b'; d = 'a' == 1; e = None == None; f = None == 0",
     "{a=true b=true c='a' < 'b' d=false e=true f=false}"},
    {"a = None is None; b = 1 is not None; c = x is None; d = x is x; e = x.y == x.y; f = x + 1 == x + 1",
     "{a=true b=true c=x is None d=true e=true f=x + 1 == x + 1}"},
    {"a = 9007199254740993 > 9007199254740992; b = 9007199254740993 == 9007199254740992", "{a=true b=false}"},
    {"a = 1 < 2 < 3; b = (3) > 2 > 1; c = (1 < 2) == True", "{a=1 < 2 < 3 b=(3) > 2 > 1 c=true}"},
    {"a = 1 in [1, 2]; b = 3 not in (1, 2); c = 'a' in {'a': 1}; d = 'l' in 'hello'; e = '' in 'x'; f = 1 in [x]; g = "
     "1 in [*x]",
     "{a=true b=true c=true d=true e=true f=1 in [x] g=1 in [*x]}"},
    {"a = [1, 2] == [1, 2]; b = [1] == [1, 2]; c = [x] == [1]; d = [[1]] == [[1]]; e = [] is []",
     "{a=true b=false c=[x] == [1] d=[[1]] == [[1]] e=false}"},
};

constexpr PythonSample kPythonTruth[] = {
    {"a = 1 and 2; b = 0 and 2; c = 0 or 'x'; d = '' or None; e = [] or [1]; f = not 0; g = not 'x'; h = not x",
     "{a=2 b=0 c='x' d=null e=[1] f=true g=false h=not x}"},
    {"a = x and 1; b = 0 and x; c = 1 or x; d = x or 1; e = None or {} or 3; f = True and x",
     "{a=x and 1 b=0 c=1 d=x or 1 e=3 f=x}"},
    {"a = not 1 == 2; b = not 1 and 0; c = 1 or 0 and 0; d = 1 + 1 == 2 and 'y'", "{a=true b=false c=1 d='y'}"},
    {"a = 1 if True else 2; b = 1 if [] else 2; c = 1 if x else 2; d = 1 if 0 else 2 if 0 else 3; e = (1 if 'a' else "
     "2) + 1",
     "{a=1 b=2 c=1 if x else 2 d=3 e=2}"},
};

constexpr PythonSample kPythonGroups[] = {
    {"a = []; b = [1]; c = [1,]; d = (); e = (1,); f = 1, 2; g = (1); h = [[1, 2], []]; i = {1, 2}; j = 1,",
     "{a=[] b=[1] c=[1] d=[] e=[1] f=[1 2] g=1 h=[[1 2] []] i=[1 2] j=[1]}"},
    {"a = {1, 1, 'x', 'x', 2}; b = len({1, 1}); c = {*q, 1}; d = 2 in {1, 2}", "{a=[1 'x' 2] b=1 c=[*q 1] d=true}"},
    {"a = [*[1, 2], 3]; b = [*x, 1]; c = (*(1, 2),); d = len([*x])",
     "{a=[1 2 3] b=[*x 1] c=[1 2] d={()=len [0]=[*x]}}"},
    {"a = {}; b = {'x': 1}; c = {'x': {'y': [1]}}; d = {1: 2, None: 3, True: 4}; e = {(1, 2): 3}; f = {'x': 1, 'x': "
     "2}; g = {x.y: 1}",
     "{a={} b={x=1} c={x={y=[1]}} d={1=2 None=3 true=4} e={(1, 2)=3} f={x=2} g={x.y=1}}"},
    {"a = {**{'x': 1}, 'y': 2}; b = {'x': 1, **{'x': 2}}; c = {**x, 'y': 1}", "{a={x=1 y=2} b={x=2} c={**=x y=1}}"},
    {"a = [1, 2, 3]; b = a[0]; c = a[-1]; d = a[3]; e = a[0:2]; f = a[x]; g = [[1, 2]][0][1]; h = 'abc'[0]",
     "{a=[1 2 3] b=1 c=3 d=a[3] e=[1 2] f=a[x] g=2 h='abc'[0]}"},
    {"a = {'x': {'y': 1}}; b = a['x']['y']; c = a['z']; d = a[q]; e = x['y']; f = x[1, 2]; g = {1: 2}[1]",
     "{a={x={y=1}} b=1 c=a['z'] d=a[q] e=x['y'] f=x[1, 2] g=2}"},
    {"a = C(x=1); b = a.x; c = a.y; d = a['x']; e = q.r.s; f = q.r().s",
     "{a={()=C x=1} b=1 c=a.y d=1 e=q.r.s f=q.r().s}"},
};

constexpr PythonSample kPythonOpen[] = {
    {"a = [i for i in y]; b = {k: 1 for k in y}; c = (i for i in y); d = {i for i in y}; e = sum(i for i in y); f = [i "
     "async for i in y]",
     "{a=[i for i in y] b={k: 1 for k in y} c=(i for i in y) d={i for i in y} e={()=sum [0]=i for i in y} f=[i async "
     "for i in y]}"},
    {"a = lambda: 1; b = lambda x, y=2: x + y; c = f(lambda: 1, 2); d = [lambda: 1, 2]; e = (n := 5)",
     "{a=lambda: 1 b=lambda x, y=2: x + y c={()=f [0]=lambda: 1 [1]=2} d=[lambda: 1 2] n=5 e=5}"},
};

constexpr PythonSample kPythonBuiltins[] = {
    {"a = max(1, 2.5); b = min([3, 2]); c = max([]); d = abs(-3); e = int(3.9); f = int('12'); g = float(3); h = "
     "bool([]); i = len('abc')",
     "{a=2.5 b=2 c={()=max [0]=[]} d=3 e=3 f=12 g=3.0 h=false i=3}"},
    {"a = str(5); b = str(1.5); c = str(1e3); d = str('x'); e = int('x'); f = int(x); g = len({'a': 1}); h = "
     "round(1.5)",
     "{a='5' b='1.5' c={()=str [0]=1e3} d='x' e={()=int [0]='x'} f={()=int [0]=x} g=1 h={()=round [0]=1.5}}"},
    {"a = range(3); b = range(1, 3); c = list(range(2)); d = range(0, 9, 3); e = range(-1); f = list(); g = "
     "tuple([1]); h = dict(a=1)",
     "{a=[0 1 2] b=[1 2] c=[0 1] d={()=range [0]=0 [1]=9 [2]=3} e=[] f=[] g=[1] h={a=1}}"},
    {"a = isinstance(1, int); b = isinstance(True, int); c = isinstance(1.0, float); d = isinstance('x', int); e = "
     "isinstance({}, dict); f = isinstance([], list); g = isinstance(C(), C)",
     "{a=true b=true c=true d=false e=true f={()=isinstance [0]=[] [1]=list} g=true}"},
    {"a = 'Ab'.lower(); b = 'Ab'.upper(); c = ' x '.strip(); d = 'ab'.startswith('a'); e = 'ab'.endswith('a'); f = "
     "'a-b'.split('-'); g = 'a'.replace('a', 'b')",
     "{a='ab' b='AB' c='x' d=true e=false f='a-b'.split('-') g='a'.replace('a', 'b')}"},
};

}  // namespace

TEST_CASE("python: numbers") {
  for (const PythonSample& s : kPythonNumbers) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: strings") {
  for (const PythonSample& s : kPythonStrings) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: arithmetic and its limits") {
  for (const PythonSample& s : kPythonArithmetic) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: comparisons") {
  for (const PythonSample& s : kPythonComparisons) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: and, or, not, conditional expressions") {
  for (const PythonSample& s : kPythonTruth) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: lists, maps, subscripts, attributes") {
  for (const PythonSample& s : kPythonGroups) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: comprehensions and lambdas are not worked out") {
  for (const PythonSample& s : kPythonOpen) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: functions of Python itself") {
  for (const PythonSample& s : kPythonBuiltins) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}
