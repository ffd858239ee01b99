// Every function against every kind of argument, and at the ends of what it takes.
#include "dsl/functions.h"

#include <doctest/doctest.h>

#include <array>
#include <set>

#include "tests/dsl/evaluated.h"

namespace {

struct Row {
  const char *text, *result;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(std::string(row.text));
    CHECK(evaluated(row.text) == std::string(row.result));
  }
}

constexpr std::array kArguments{"4",        "2.5",          "4 GB",    "true",     "\"a\"",
                                "[4, 9.5]", "[1 s, 2 min]", "[\"a\"]", "[1, 1 s]", "[]"};

// '@' is the function's name; "at 0: ..." is reported at the argument, "at call: ..." at the whole call.
constexpr const char *kNoBool = "at 0: @ takes numbers, got true or false",
                     *kNoText = "at 0: @ takes numbers, got a string", *kNoList = "at 0: @ takes numbers, got a list",
                     *kPlain = "at 0: @ takes a plain number, got bytes",
                     *kMixed = "at 0: @ takes numbers of one kind, got a plain number and time",
                     *kEmpty = "at call: the list is empty",
                     *kWhole = "at call: divisors takes a whole number from 1 to 1e12";

struct FunctionRow {
  const char* name;
  std::array<const char*, kArguments.size()> results;
};
constexpr FunctionRow kOfOne[] = {
    {"min", {"4", "2.5", "4 GB", kNoBool, kNoText, "4", "1 s", kNoText, kMixed, kEmpty}},
    {"max", {"4", "2.5", "4 GB", kNoBool, kNoText, "9.5", "2 min", kNoText, kMixed, kEmpty}},
    {"sum", {"4", "2.5", "4 GB", kNoBool, kNoText, "13.5", "121 s", kNoText, kMixed, "0"}},
    {"abs", {"4", "2.5", "4 GB", kNoBool, kNoText, kNoList, kNoList, kNoList, kNoList, kNoList}},
    {"ceil", {"4", "3", kPlain, kNoBool, kNoText, kNoList, kNoList, kNoList, kNoList, kNoList}},
    {"floor", {"4", "2", kPlain, kNoBool, kNoText, kNoList, kNoList, kNoList, kNoList, kNoList}},
    {"round", {"4", "3", kPlain, kNoBool, kNoText, kNoList, kNoList, kNoList, kNoList, kNoList}},
    {"sqrt",
     {"2", "1.5811388300841898", "at 0: there is no square root of bytes", kNoBool, kNoText, kNoList, kNoList, kNoList,
      kNoList, kNoList}},
    {"log2", {"2", "1.3219280948873624", kPlain, kNoBool, kNoText, kNoList, kNoList, kNoList, kNoList, kNoList}},
    {"exp",
     {"54.598150033144236", "12.182493960703473", kPlain, kNoBool, kNoText, kNoList, kNoList, kNoList, kNoList,
      kNoList}},
    {"len",
     {"at 0: len takes a list, got a plain number", "at 0: len takes a list, got a plain number",
      "at 0: len takes a list, got bytes", "at 0: len takes a list, got true or false",
      "at 0: len takes a list, got a string", "2", "2", "1", "2", "0"}},
    {"divisors", {"[1, 2, 4]", kWhole, kPlain, kNoBool, kNoText, kNoList, kNoList, kNoList, kNoList, kNoList}},
};

// "error 5: ..." -> "at 0: ..." or "at call: ...", whichever begins in that column.
std::string place_named(const std::string& result, const std::string& function) {
  for (const auto& [column, name] : {std::pair<size_t, const char*>{1, "call"}, {function.size() + 2, "0"}}) {
    const std::string front = "error " + std::to_string(column) + ": ";
    if (result.starts_with(front)) return std::string("at ") + name + ": " + result.substr(front.size());
  }
  return result;
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("a function of one argument takes and refuses every kind as its row says") {
  for (const FunctionRow& row : kOfOne)
    for (size_t i = 0; i < kArguments.size(); ++i) {
      const std::string name = row.name, text = name + "(" + kArguments[i] + ")";
      INFO(text);
      std::string expected = row.results[i];
      for (size_t at; (at = expected.find('@')) != std::string::npos;) expected.replace(at, 1, name);
      CHECK(place_named(evaluated(text), name) == expected);
    }
}

TEST_CASE("every function has a row, here or in the tables of several arguments") {
  std::set<std::string> rows{"if", "pow2", "range"};
  for (const FunctionRow& row : kOfOne) rows.insert(row.name);
  for (const dsl::Function& f : dsl::functions()) CHECK_MESSAGE(rows.contains(std::string(f.name)), f.name);
  CHECK(rows.size() == dsl::functions().size());
}

TEST_CASE("too few and too many arguments are counted") {
  for (const dsl::Function& f : dsl::functions()) {
    const std::string name(f.name);
    INFO(name);
    CHECK(evaluated(name + "()").starts_with("error 1: " + name + " takes "));
    if (f.most == dsl::kAnyNumber) continue;
    std::string many = "1";
    for (int i = 0; i < f.most; ++i) many += ", 1";
    const std::string got = ", got " + std::to_string(f.most + 1);
    CHECK(evaluated(name + "(" + many + ")").ends_with(got));
  }
  check({{"if(true, 1)", "error 1: if takes 3 arguments, got 2"},
         {"pow2(1)", "error 1: pow2 takes 2 arguments, got 1"},
         {"range(1, 2, 3, 4)", "error 1: range takes 2 to 3 arguments, got 4"},
         {"len()", "error 1: len takes 1 argument, got 0"},
         {"1 + sum()", "error 5: sum takes 1 or more arguments, got 0"}});
  CHECK(evaluated("sum(" + repeated("1, ", 999) + "1)") == "1000");
}

TEST_CASE("several arguments are of one kind, and the odd one is blamed") {
  check({{"min(3, 2, 1)", "1"},
         {"min(1 TB, 1 TiB)", "1 TB"},
         {"max(1 TB, 1 TiB)", "1 TiB"},
         {"min(1 h, 59 min, 3601 s)", "59 min"},
         {"max(-1, -2)", "-1"},
         {"max(1, 2, 3 s)", "error 11: max takes numbers of one kind, got a plain number and time"},
         {"max(1 s, 2 B, 3)", "error 10: max takes numbers of one kind, got time and bytes"},
         {"sum(1 B, \"a\")", "error 10: sum takes numbers, got a string"},
         {"sum(1, [2])", "error 8: sum takes numbers, got a list"},
         {"sum([1], [2])", "error 5: sum takes numbers, got a list"},
         {"max([1, 2], 3)", "error 5: max takes numbers, got a list"},
         {"sum(0.1, 0.2)", "0.30000000000000004"},
         {"sum(1 kB, 1 kB)", "2 kB"},
         {"min(max(1, 2), max(3, 4))", "2"},
         {"sum(divisors(28)) == 2 * 28", "true"},
         {"max(range(1, 5))", "5"},
         {"len(divisors(97))", "2"}});
}

TEST_CASE("rounding and roots at their edges") {
  check({{"ceil(-0.5)", "0"},
         {"ceil(1e300)", "1e+300"},
         {"floor(0.9999999999999999)", "0"},
         {"floor(-1e-300)", "-1"},
         {"round(0.5)", "1"},
         {"round(-0.5)", "-1"},
         {"round(1.5)", "2"},
         {"round(-2.5)", "-3"},
         {"round(0.49999999999999994)", "0"},
         {"abs(-0)", "0"},
         {"abs(-3 USD/h)", "3 USD/h"},
         {"sqrt(0)", "0"},
         {"sqrt(1e-300)", "1e-150"},
         {"sqrt(2 GB * 8 GB)", "4 GB"},
         {"sqrt(1 GB/s * 4 GB/s)", "2 GB/s"},
         {"sqrt(-1 s * 1 s)", "error 1: the square root of a negative number"},
         {"sqrt(1 s * 1 B)", "error 6: there is no square root of time bytes"},
         {"sqrt(1 s ^ 3)", "error 6: there is no square root of time^3"},
         {"log2(1)", "0"},
         {"log2(0.125)", "-3"},
         {"log2(2 ^ 1000)", "1000"},
         {"log2(-1)", "error 1: the logarithm of a number that is not positive"},
         {"log2(8 GB / 1 GB)", "3"},
         {"exp(1)", "2.718281828459045"},
         {"exp(-1000)", "0"},
         {"exp(709) > 8e307", "true"},
         {"exp(710)", "error 1: the result is too large"}});
}

TEST_CASE("lists of divisors, powers and ranges end where they should") {
  check({{"divisors(2)", "[1, 2]"},
         {"divisors(49)", "[1, 7, 49]"},
         {"divisors(36, 6)", "[1, 2, 3, 4, 6]"},
         {"divisors(36, 5.5)", "[1, 2, 3, 4]"},
         {"len(divisors(36, 1e9))", "9"},
         {"divisors(36, 0)", "[]"},
         {"divisors(36, 1 s)", "error 14: divisors takes a plain number, got time"},
         {"divisors(-4)", "error 1: divisors takes a whole number from 1 to 1e12"},
         {"divisors(999999999989)", "[1, 999999999989]"},
         {"len(divisors(1e12))", "169"},
         {"divisors(1e12 + 1)", "error 1: divisors takes a whole number from 1 to 1e12"},
         {"pow2(1, 1)", "[1]"},
         {"pow2(0, 1)", "[1]"},
         {"pow2(-8, 4)", "[1, 2, 4]"},
         {"pow2(0.5, 3.9)", "[1, 2]"},
         {"pow2(8, 4)", "[]"},
         {"pow2(5, 7)", "[]"},
         {"pow2(2 ^ 53, 2 ^ 53)", "[9007199254740992]"},
         {"len(pow2(1, 2 ^ 53))", "54"},
         {"pow2(1, 2 ^ 53 + 2)", "error 1: pow2 ends at 2^53"},
         {"pow2(1 s, 4 s)", "error 6: pow2 takes a plain number, got time"},
         {"pow2([1], 4)", "error 6: pow2 takes numbers, got a list"},
         {"pow2(1, true)", "error 9: pow2 takes numbers, got true or false"},
         {"range(5, 5)", "[5]"},
         {"range(1, 2, -1)", "[]"},
         {"range(2, -2, -2)", "[2, 0, -2]"},
         {"range(0, 0.3, 0.1)", "[0, 0.1, 0.2, 0.30000000000000004]"},
         {"range(0.5, 2)", "[0.5, 1.5]"},
         {"len(range(0, 9999))", "10000"},
         {"range(0, 10000)", "error 1: a choice has at most 10000 values"},
         {"len(range(0, 10000, 1.0001))", "10000"},
         {"range(-1e308, 1e308)", "error 1: a choice has at most 10000 values"},
         {"range(1e308, -1e308)", "[]"},
         {"range(1, 2, 0)", "error 1: the step of a range is zero"},
         {"range(1 s, 1 min, 20 s)", "[1 s, 21 s, 41 s]"},
         {"range(1 s, 2, 1 s)", "error 12: range takes numbers of one kind, got time and a plain number"},
         {"range(1 s, 2 s)", "error 1: a range of quantities needs a step"},
         {"range(\"a\", 2)", "error 7: range takes numbers, got a string"}});
}

TEST_CASE("if takes any kind on both sides and looks at one of them only") {
  check({{"if(true, 1, 2)", "1"},
         {"if(false, 1 s, 2 s)", "2 s"},
         {"if(1 < 2, \"yes\", \"no\")", "yes"},
         {"if(1 > 2, [1], [2, 3])", "[2, 3]"},
         {"if(true, true, false)", "true"},
         {"if(false, 1 / 0, sqrt(4))", "2"},
         {"if(true, if(false, 1, 2), 3)", "2"},
         {"if(1, 2, 3)", "error 4: expected true or false as the condition of if, got a plain number"},
         {"if(\"true\", 2, 3)", "error 4: expected true or false as the condition of if, got a string"},
         {"if([true], 2, 3)", "error 4: expected true or false as the condition of if, got a list"},
         {"if(1 / 0 > 1, 2, 3)", "error 8: division by zero"},
         {"if(true, 1 / 0, 2)", "error 14: division by zero"},
         {"1 + if(true, 1 s, 2)", "error 1: cannot add a plain number and time"}});
}
