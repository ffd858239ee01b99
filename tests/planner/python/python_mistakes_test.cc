// Broken Python texts, and those that depend on something unknown: place, message, hint.
#include <doctest/doctest.h>

#include "tests/planner/python/python_sample.h"

namespace {

constexpr PythonSample kPythonUnclosed[] = {
    {"a = 'x", "1:5 this string is not closed"},
    {"a = \"\"\"x\ny", "1:5 this string is not closed"},
    {"a = 1\nb = r'\\'", "2:5 this string is not closed"},
    {"a = 'x\\", "1:5 this string is not closed"},
    {"a = (1\nb = 2", "1:5 this bracket is not closed"},
    {"a = [1, {2: (3}]", "1:15 this bracket closes none"},
    {"a = 1)", "1:6 this bracket closes none"},
    {"a = [1)", "1:7 this bracket closes none"},
    {"a = {", "1:5 this bracket is not closed"},
};

constexpr PythonSample kPythonUnread[] = {
    {"a = $", "1:5 this is no Python: a character that begins no word"},
    {"a = 1 ? 2", "1:7 this is no Python: a character that begins no word"},
    {"a = b`c", "1:6 this is no Python: a character that begins no word"},
    {"a = 1 \\ 2", "1:7 a line goes on only after a '\\' at its end"},
    {"a = !b", "1:5 this is no Python: expected a value"},
};

constexpr PythonSample kPythonIndented[] = {
    {"if True:\na = 1", "2:1 this is no Python: expected an indented block"},
    {"if True:\n  a = 1\n    b = 2", "3:5 this is no Python: the line is indented without a cause"},
    {"  a = 1", "1:3 this is no Python: the line is indented without a cause"},
    {"if True:\n    a = 1\n  b = 2", "3:3 this line's indentation is that of no block"},
    {"def f():\na", "2:1 this is no Python: expected an indented block"},
    {"if True\n  a = 1", "1:8 this is no Python: expected ':', got the line's end"},
};

constexpr PythonSample kPythonSyntax[] = {
    {"a = 1 2", "1:7 this is no Python: expected 'the line's end', got '2'"},
    {"a =", "1:4 this is no Python: expected a value"},
    {"a = 1 +", "1:8 this is no Python: expected a value"},
    {"= 1", "1:1 this is no Python: expected a value"},
    {"a = [1 2]", "1:8 this is no Python: expected ',', got '2'"},
    {"a = {1: 2 3}", "1:11 this is no Python: expected ',', got '3'"},
    {"a = f(x y)", "1:9 this is no Python: expected ',', got 'y'"},
    {"a = f(1", "1:6 this bracket is not closed"},
    {"a = b.", "1:7 this is no Python: expected a name"},
    {"a = b.1", "1:6 this is no Python: expected 'the line's end', got '.1'"},
    {"a = 1 if b", "1:11 this is no Python: expected 'else', got the line's end"},
    {"a = not", "1:8 this is no Python: expected a value"},
    {"a = x not y", "1:11 this is no Python: expected 'in', got 'y'"},
    {"a = lambda x", "1:13 this is no Python: expected ':', got the line's end"},
    {"import", "1:7 this is no Python: expected a name"},
    {"import a.", "1:10 this is no Python: expected a name"},
    {"from a", "1:7 this is no Python: expected 'import', got the line's end"},
    {"from a import", "1:14 this is no Python: expected a name"},
    {"from a import (b", "1:15 this bracket is not closed"},
    {"def (): pass", "1:5 this is no Python: expected a name"},
    {"def f: pass", "1:6 this is no Python: expected '(', got ':'"},
    {"def f(a: pass", "1:6 this bracket is not closed"},
    {"def f(1): pass", "1:7 this is no Python: expected a name"},
    {"for i [1]: pass", "1:10 this is no Python: expected 'in', got ':'"},
    {"for in x: pass", "1:8 this is no Python: expected 'in', got 'x'"},
    {"while True", "1:11 this is no Python: expected ':', got the line's end"},
    {"global 1", "1:8 this is no Python: expected a name"},
};

constexpr PythonSample kPythonNoTarget[] = {
    {"1 = a", "1:1 this is no Python: nothing can be put here"},
    {"f() = 1", "1:1 this is no Python: nothing can be put here"},
    {"a + b = 1", "1:1 this is no Python: nothing can be put here"},
    {"a, b = 1, 2, 3", "1:1 expected 2 values, got 3"},
    {"a, *b, c = [1]", "1:1 expected 2 values or more, got 1"},
    {"a = 1\na.b = 2", "2:1 'a' holds a value, not names"},
    {"a = [1]\na.b = 2", "2:1 'a' holds a value, not names"},
    {"a = [1]\na[-1] = 2", "{a=[2]}"},
};

constexpr PythonSample kPythonEndless[] = {
    {"raise V('x')", "1:1 the file gives up here"},
    {"def f(): return f()\nf()", "1:17 calls nest more than 32 deep"},
    {"def f(): return g()\ndef g(): return f()\na = f()", "2:17 calls nest more than 32 deep"},
    {"while True: pass", "1:1 this file takes more than 2000000 steps"},
    {"while True: a = 1", "1:1 this file takes more than 2000000 steps"},
    {"a = []\na.append(a)", "1:5 what this file makes is too large, or holds itself"},
    {"a = {}\na['x'] = a", "1:5 what this file makes is too large, or holds itself"},
};

constexpr PythonSample kPythonArguments[] = {
    {"def f(a): pass\nf(1, 2)", "2:6 'f' takes fewer arguments"},
    {"def f(a, *, b): pass\nf(1, 2)", "2:6 'f' takes fewer arguments"},
    {"def f(a): pass\nf(b=1)", "2:3 'f' takes no argument 'b'"},
    {"def f(a): pass\nf(*q)", "2:3 this file does not say what is passed to 'f' here"},
};

constexpr PythonSample kPythonUnknown[] = {
    {"if q: a = 1", "1:4 this file does not say what 'q' is, and a setting depends on it | put a value in its place"},
    {"if q > 1 and r:\n  a = 1",
     "1:4 this file does not say what 'q > 1 and r' is, and a setting depends on it | put a value in its place"},
    {"for i in q: a = i",
     "1:10 this file does not say what 'q' is, and a setting depends on it | put a value in its place"},
    {"for i in [*q]: a = i",
     "1:10 this file does not say what '[*q]' is, and a setting depends on it | put a value in its place"},
    {"while q: a = 1",
     "1:7 this file does not say what 'q' is, and a setting depends on it | put a value in its place"},
    {"if q: f(1)", "1:4 this file does not say what 'q' is, and a setting depends on it | put a value in its place"},
    {"if q: del a", "1:4 this file does not say what 'q' is, and a setting depends on it | put a value in its place"},
    {"a.append(1) if q else None",
     "1:16 this file does not say what 'q' is, and a setting depends on it | put a value in its place"},
};

constexpr PythonSample kPythonNotWorkedOut[] = {
    {"a = [1, 2]\na.sort()", "2:1 what 'sort' makes of a list is not worked out | put the finished list in its place"},
    {"a = [1]\na.pop(q)", "2:1 this file does not say which place of the list this is"},
    {"a = [1]\na.pop(5)", "2:1 this file does not say which place of the list this is"},
    {"a = [1]\ndel a[3]", "2:5 this file does not say what is deleted here"},
    {"a = {'x': 1}\ndel a[q]", "2:5 this file does not say what is deleted here"},
    {"def f():\n  yield 1\na = f()", "2:3 what 'yield' gives is not worked out | return a list"},
    {"a = 'x'\nwhile True: a += a", "2:18 this text grows too long"},
    {"match x:\n  case 1: a = 2", "1:7 this is no Python: expected 'the line's end', got 'x'"},
    {"nonlocal x", "1:10 this is no Python: 'nonlocal' outside of a function"},
};

}  // namespace

TEST_CASE("python: strings and brackets that do not close") {
  for (const PythonSample& s : kPythonUnclosed) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: characters that begin no word") {
  for (const PythonSample& s : kPythonUnread) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: indentation") {
  for (const PythonSample& s : kPythonIndented) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: words out of place") {
  for (const PythonSample& s : kPythonSyntax) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: nothing can be put there") {
  for (const PythonSample& s : kPythonNoTarget) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: what does not end") {
  for (const PythonSample& s : kPythonEndless) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: arguments") {
  for (const PythonSample& s : kPythonArguments) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: settings that depend on something unknown") {
  for (const PythonSample& s : kPythonUnknown) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: changes that are not worked out") {
  for (const PythonSample& s : kPythonNotWorkedOut) {
    CAPTURE(s.text);
    CHECK(python_result(s.text) == s.result);
  }
}

TEST_CASE("python: texts that are too deep or too long") {
  const auto times = [](int count, const std::string& text) {
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
  };
  std::string blocks, elifs = "if 0: a = 1\n";
  for (int i = 0; i < 70; ++i) blocks += std::string(size_t(i), ' ') + "if 1:\n";
  elifs += times(70, "elif 0: a = 1\n");
  const std::pair<std::string, std::string> texts[] = {
      {"a = " + times(60, "(") + "1" + times(60, ")"), "{a=1}"},
      {"a = " + times(70, "[") + "1" + times(70, "]"), "1:69 this expression nests more than 64 deep"},
      {"a = " + times(201, "(") + "1" + times(201, ")"), "1:205 brackets nest too deep"},
      {"a = " + times(70, "-") + "1", "1:68 this expression nests more than 64 deep"},
      {"a = b" + times(70, ".c"), "1:134 this expression nests more than 64 deep"},
      {"a = 1" + times(70, " + 1"), "1:263 this expression nests more than 64 deep"},
      {blocks + std::string(70, ' ') + "a = 1", "66:66 blocks nest more than 64 deep"},
      {elifs, "66:1 more than 64 branches"},
      {"a = [" + times(20000, "1, ") + "]\nb = len(a); a = 0", "{a=0 b=20000}"},
      {"a = '" + std::string(size_t{1} << 20, 'x') + "'",
       "1:1 the text is longer than 1048576 bytes | leave out what is not needed, or split it"},
  };
  for (const auto& [text, result] : texts) CHECK(python_result(text) == result);
}
