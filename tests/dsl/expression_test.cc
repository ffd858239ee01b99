// Expressions: text -> value, text -> message.
#include <doctest/doctest.h>

#include "dsl/expression_tree.h"
#include "dsl/functions.h"

using dsl::Value;

namespace {

std::optional<Value> resolve(const std::string& name, dsl::Span) {
  if (name == "tp") return Value{dsl::Number{8, {}}};
  if (name == "model.layers") return Value{dsl::Number{96, {}}};
  if (name == "cluster.network[1].bandwidth") return Value{dsl::Number{25e9, dsl::kBandwidth}};
  if (name == "memory") return Value{dsl::Number{80e9, dsl::kData}};
  if (name == "precision") return Value{std::string("bf16")};
  if (name == "told") return Value{};  // the resolver reported it itself
  return std::nullopt;
}

// The value as text, or "error COLUMN: message".
std::string result(const std::string& text, bool dry = false) {
  const dsl::Source source{"a", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::ExprPtr tree = dsl::parse_expression(text, {&source, 1, 1, static_cast<int>(text.size())}, diagnostics);
  dsl::Budget budget;
  std::optional<Value> value;
  if (tree) value = dsl::walk(*tree, resolve, diagnostics, {"tp", "model.layers", "memory"}, dry, budget);
  CHECK(budget.depth == 0);
  if (value) return dsl::to_text(*value);
  if (diagnostics.list.empty()) return "nothing";
  const dsl::Diagnostic& d = diagnostics.list[0];
  return "error " + std::to_string(d.span.column) + ": " + d.message;
}

struct Row {
  const char *text, *result;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(std::string(row.text));
    CHECK(result(row.text) == std::string(row.result));
  }
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("operators bind as in arithmetic") {
  check({{"1 + 2 * 3", "7"},
         {"(1 + 2) * 3", "9"},
         {"2 - 3 - 4", "-5"},
         {"8 / 4 / 2", "1"},
         {"7 % 4 * 2", "6"},
         {"-7 % 4", "-3"},
         {"2 ^ 3 ^ 2", "512"},
         {"(2 ^ 3) ^ 2", "64"},
         {"-2 ^ 2", "-4"},
         {"2 ^ -1", "0.5"},
         {"2 ^ - - 3", "8"},
         {"- - 3", "3"},
         {"3 - - 3", "6"},
         {"1+1", "2"},
         {"  1  ", "1"},
         {"1 < 2", "true"},
         {"1 + 1 == 2", "true"},
         {"not 1 > 2 and 3 != 4", "true"},
         {"true or 1 / 0 > 1", "true"},
         {"false and 1 / 0 > 1", "false"},
         {"not not true", "true"},
         {"not not not true", "false"},
         {"(1 < 2) == true", "true"},
         {"2 in [1, 2]", "true"},
         {"2 not in [1, 2]", "false"},
         {"not 2 in []", "true"},
         {"true and false or true", "true"},
         {"true or false and false", "true"}});
}

TEST_CASE("names, strings and lists are values") {
  check({{"tp", "8"},
         {"tp * model.layers", "768"},
         {"cluster.network[1].bandwidth", "25 GB/s"},
         {"precision == \"bf16\"", "true"},
         {"\"bf16\" == precision", "true"},
         {"\"a \\\"b\\\" \\\\\"", "a \"b\" \\"},
         {"precision in [\"fp8\", \"bf16\"]", "true"},
         {"\"caf\xC3\xA9\" == \"caf\xC3\xA9\"", "true"},
         {"[1, tp, 2 + 2]", "[1, 8, 4]"},
         {"[]", "[]"},
         {"[ [1] ]", "error 3: a list does not hold lists"},
         {"told + 1", "nothing"},
         {"android", "error 1: unknown name 'android'"},
         {"nothing", "error 1: unknown name 'nothing'"},
         {"true", "true"},
         {"trueish", "error 1: unknown name 'trueish'"}});
}

TEST_CASE("every function does what its row says") {
  check({{"min(3, 1, 2)", "1"},
         {"max([3, 1, 2])", "3"},
         {"min(3 s, 1 min)", "3 s"},
         {"abs(-3 GB)", "3 GB"},
         {"ceil(1.2)", "2"},
         {"floor(-1.2)", "-2"},
         {"round(2.5)", "3"},
         {"sqrt(16)", "4"},
         {"sqrt(9 s * 1 s)", "3 s"},
         {"log2(1024)", "10"},
         {"exp(0)", "1"},
         {"if(tp > 4, 1, 1 / 0)", "1"},
         {"if(tp > 4, unknown_name, 2)", "error 12: unknown name 'unknown_name'"},
         {"if(tp < 4, unknown_name, 2)", "2"},
         {"sum(1, 2, 3)", "6"},
         {"sum([1 s, 2 s])", "3 s"},
         {"sum([])", "0"},
         {"len([1, 2, 3])", "3"},
         {"len([\"a\"])", "1"},
         {"divisors(12)", "[1, 2, 3, 4, 6, 12]"},
         {"divisors(1)", "[1]"},
         {"divisors(36)", "[1, 2, 3, 4, 6, 9, 12, 18, 36]"},
         {"pow2(1, 8)", "[1, 2, 4, 8]"},
         {"pow2(3, 20)", "[4, 8, 16]"},
         {"range(1, 4)", "[1, 2, 3, 4]"},
         {"range(0, 1, 0.25)", "[0, 0.25, 0.5, 0.75, 1]"},
         {"range(4, 1, -1)", "[4, 3, 2, 1]"},
         {"range(4, 1)", "[]"},
         {"range(1 GB, 2 GB, 500 MB)", "[1 GB, 1.5 GB, 2 GB]"},
         {"6 in divisors(12)", "true"}});
}

TEST_CASE("every function has a row in the table above and a line of documentation") {
  for (const dsl::Function& f : dsl::functions()) {
    INFO(f.name);
    CHECK(!f.doc.empty());
    CHECK(f.least <= f.most);
    CHECK((f.apply || f.rule == dsl::ArgumentRule::lazy));
    CHECK(result(std::string(f.name)) ==
          "error 1: '" + std::string(f.name) + "' is a function; it takes its arguments in brackets");
  }
}

TEST_CASE("dimensions follow the arithmetic and are checked") {
  check({{"80 GB / 2 s", "40 GB/s"},
         {"900 GB/s * 2 s", "1.8 TB"},
         {"(4 s) ^ 2 / 1 s", "16 s"},
         {"312 TFLOP/s / 2 TB/s", "156 / 1 B * 1 FLOP"},
         {"1 / 2 s", "0.5 Hz"},
         {"memory / 1 GB", "80"},
         {"memory + 3 s", "error 1: cannot add bytes and time"},
         {"memory + 3", "error 1: cannot add bytes and a plain number"},
         {"1 + memory - 2", "error 1: cannot add a plain number and bytes"},
         {"memory > 3 s", "error 1: cannot compare bytes and time"},
         {"memory == \"a\"", "error 1: cannot compare bytes and a string"},
         {"memory % 3 s", "error 1: cannot take the remainder of bytes and time"},
         {"[1] * 2", "error 1: cannot multiply a list and a plain number"},
         {"true + 1", "error 1: cannot add true or false and a plain number"},
         {"true < false", "error 1: cannot compare true or false and true or false"},
         {"1 and true", "error 1: expected true or false beside 'and', got a plain number"},
         {"not 3", "error 5: expected true or false after 'not', got a plain number"},
         {"-\"a\"", "error 2: expected a number after '-', got a string"},
         {"2 in 3", "error 6: expected a list after 'in', got a plain number"},
         {"2 in [1 s]", "error 1: cannot compare a plain number and time"},
         {"memory ^ 0.5", "error 10: the power of a quantity is a whole number up to 20"},
         {"2 ^ memory", "error 5: expected a plain number after '^', got bytes"},
         {"memory ^ 20 ^ 2", "error 10: the power of a quantity is a whole number up to 20"},
         {"memory ^ 20 * memory", "error 1: the dimension of the result is out of hand"},
         {"sqrt(memory)", "error 6: there is no square root of bytes"},
         {"ceil(memory)", "error 6: ceil takes a plain number, got bytes"},
         {"max(1, memory)", "error 8: max takes numbers of one kind, got a plain number and bytes"},
         {"max(1, \"a\")", "error 8: max takes numbers, got a string"},
         {"range(1 s, 3 s)", "error 1: a range of quantities needs a step"},
         {"len(3)", "error 5: len takes a list, got a plain number"}});
}

TEST_CASE("numbers that are not finite never come out") {
  check({{"1 / 0", "error 5: division by zero"},
         {"1 / (tp - 8)", "error 6: division by zero"},
         {"5 % 0", "error 5: division by zero"},
         {"0 ^ -1", "error 1: division by zero"},
         {"1e308 * 10", "error 1: the result is too large"},
         {"1e308 + 1e308", "error 1: the result is too large"},
         {"exp(1000)", "error 1: the result is too large"},
         {"(-1) ^ 0.5", "error 1: the result is not a number"},
         {"sqrt(-1)", "error 1: the square root of a negative number"},
         {"log2(0)", "error 1: the logarithm of a number that is not positive"},
         {"min([])", "error 1: the list is empty"},
         {"divisors(0)", "error 1: divisors takes a whole number from 1 to 1e12"},
         {"divisors(1e13)", "error 1: divisors takes a whole number from 1 to 1e12"},
         {"range(1, 1e9)", "error 1: a choice has at most 10000 values"},
         {"range(1, 2, 0)", "error 1: the step of a range is zero"},
         {"pow2(1, 1e300)", "error 1: pow2 ends at 2^53"}});
}

TEST_CASE("a mistake in the text is told at its place with what was expected") {
  check({{"", "error 1: expected a value, got the end of the expression"},
         {"1 +", "error 4: expected a value, got the end of the expression"},
         {"1 + * 2", "error 5: expected a value, got '*'"},
         {"(1 + 2", "error 7: expected ')', got the end of the expression"},
         {"max(1, 2", "error 9: expected ',' or ')', got the end of the expression"},
         {"max(1, )", "error 8: expected a value, got ')'"},
         {"[1, 2", "error 6: expected ',' or ']', got the end of the expression"},
         {"1 2", "error 3: expected an operator, got '2'"},
         {"tp tp", "error 4: expected an operator, got 'tp'"},
         {"tp not 3", "error 8: expected 'in', got '3'"},
         {"1 < 2 < 3", "error 6: comparisons do not chain"},
         {"1 == 2 != 3", "error 7: comparisons do not chain"},
         {"not", "error 4: expected a value, got the end of the expression"},
         {"-", "error 2: expected a value, got the end of the expression"},
         {"2 ^", "error 4: expected a value, got the end of the expression"},
         {"and", "error 1: expected a value, got 'and'"},
         {"a ? 1 : 2", "error 3: expected an operator, got '?'"},
         {"!tp", "error 1: expected a value, got '!'"},
         {"'a'", "error 1: expected a value, got '''"},
         {"\"a", "error 1: the string is never closed"},
         {"f(1)", "error 1: unknown function 'f'"},
         {"true(1)", "error 1: unknown function 'true'"},
         {"ceil(1, 2)", "error 1: ceil takes 1 argument, got 2"},
         {"range(1)", "error 1: range takes 2 to 3 arguments, got 1"},
         {"max()", "error 1: max takes 1 or more arguments, got 0"},
         {"s", "error 1: expected a value, got the unit 's'"},
         {"caf\xC3\xA9", "error 4: letters outside ASCII stand in strings only"},
         {"1\n+ 1", "error 2: an expression stands on one line"}});
}

TEST_CASE("limits are told before anything recurses") {
  CHECK(result(repeated("(", 100) + "1" + repeated(")", 100)) == "1");
  CHECK(result(repeated("(", 101) + "1" + repeated(")", 101)) == "error 101: brackets nest more than 100 deep");
  CHECK(result(repeated("[", 5000)) == "error 1: the expression has more than 4096 characters");
  CHECK(result(repeated("1+", 2000) + "1") == "2001");
  CHECK(result(repeated("-", 4000) + "1") == "1");
  CHECK(result(repeated("not ", 1000) + "true") == "true");
  CHECK(result(repeated("1^", 2000) + "1") == "1");
  CHECK(result(repeated("true and ", 400) + "false") == "false");
  CHECK(result(repeated("(1+1*1^", 100) + "1" + repeated(")", 100)) == "2");
  CHECK(result("\"" + repeated("(", 200) + "\" == \"\"") == "false");  // brackets in strings do not count
}

TEST_CASE("work is limited: long lists over and over are refused, not computed") {
  const std::string big = "len(range(1, 10000)) + ";
  std::string text;
  for (int i = 0; i < 170; ++i) text += big;
  CHECK(result(text + "0") == "1700000");
  text.clear();
  for (int i = 0; i < 100; ++i) text += "len(divisors(1e12)) + ";
  CHECK(result(text + "0").find("the expressions take too many steps") != std::string::npos);
}

TEST_CASE("a dry evaluation checks types and forgives numbers") {
  CHECK(result("1 / 0", true) == "1");
  CHECK(result("80 GB / (tp - 8) / 1 s", true) == "1 B/s");
  CHECK(result("log2(-1)", true) == "1");
  CHECK(result("tp in divisors(2.5)", true) == "false");
  CHECK(result("if(tp > 4, 1, 1 s)", true) == "error 1: if yields a plain number or time");
  CHECK(result("if(tp > 4, 1, wrong)", true) == "error 15: unknown name 'wrong'");
  CHECK(result("true or wrong", true) == "error 9: unknown name 'wrong'");
  CHECK(result("memory + 1 / 0", true) == "error 1: cannot add bytes and a plain number");
}

TEST_CASE("unknown names are answered with what was meant") {
  const dsl::Source source{"a", "layers + modl.layers + memori", ""};
  dsl::Diagnostics d;
  const dsl::ExprPtr tree =
      dsl::parse_expression(source.text, {&source, 1, 1, static_cast<int>(source.text.size())}, d);
  REQUIRE(tree);
  CHECK(!dsl::evaluate(*tree, resolve, d, {"model.layers", "memory"}));
  REQUIRE(d.list.size() == 3);  // all of them in one run
  CHECK(d.list[0].hint == "did you mean 'model.layers'?");
  CHECK(d.list[1].hint == "did you mean 'model.layers'?");
  CHECK(d.list[2].hint == "did you mean 'memory'?");
  CHECK(d.list[2].span.column == 24);
  CHECK(d.list[2].span.length == 6);
}
