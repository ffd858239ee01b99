// A compiled expression against the walk over its tree: the same bits, and no value where the walk has none.
#include "dsl/compiled.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>

namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kNames{"a", "b", "c"};

dsl::ExprPtr parsed(const std::string& text) {
  dsl::Diagnostics diagnostics;
  dsl::ExprPtr tree = dsl::parse_expression(text, {}, diagnostics);
  REQUIRE_MESSAGE(tree, text);
  return tree;
}

std::optional<dsl::Compiled> compiled(const dsl::Expr& tree) {
  return dsl::Compiled::compile(tree, [](const std::string& name) -> std::optional<dsl::Compiled::Operand> {
    if (name == "eight") return dsl::Compiled::Operand{8.0};
    const auto at = std::find(kNames.begin(), kNames.end(), name);
    if (at == kNames.end()) return std::nullopt;
    return dsl::Compiled::Operand{{}, static_cast<size_t>(at - kNames.begin())};
  });
}

// NaN where the walk has no value.
double walked(const dsl::Expr& tree, const std::vector<double>& slots) {
  dsl::Diagnostics diagnostics;
  const auto resolve = [&](const std::string& name, dsl::Span) -> std::optional<dsl::Value> {
    if (name == "eight") return dsl::Value{dsl::Number{8, {}}};
    const auto at = static_cast<size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
    if (std::isnan(slots[at])) return dsl::Value{};
    return dsl::Value{dsl::Number{slots[at], {}}};
  };
  const std::optional<dsl::Value> value = dsl::evaluate(tree, resolve, diagnostics, kNames);
  if (!value || value->is_null()) return kNull;
  if (const bool* truth = std::get_if<bool>(&value->v)) return *truth ? 1 : 0;
  return std::get<dsl::Number>(value->v).value;
}

double asked(const dsl::Compiled& expression, const std::vector<double>& slots) {
  std::vector<double> numbers;
  for (size_t slot : expression.slots()) numbers.push_back(slots[slot]);
  return expression.value(numbers);
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

}  // namespace

TEST_CASE("a compiled expression is the walk, bit by bit") {
  const char* const texts[] = {"1 + 2 * 3",
                               "a - b - c",
                               "-a * (b + 0.1) / c",
                               "a % b",
                               "a / b / c",
                               "1e308 * a * b",
                               "a <= 0.95 * b",
                               "a < b and b < c",
                               "a < b or b / c > 2",
                               "not (a == b) and a != c",
                               "b / c > 1 and a > 0",
                               "a > 0 or b / c > 1",
                               "a > 1 and b > 1 or c > 1",
                               "eight * a >= b + eight",
                               "a + a * a - a"};
  const double values[] = {-2, 0, 0.1, 1, 3, 1e200, kNull};
  for (const char* text : texts) {
    INFO(std::string(text));
    const dsl::ExprPtr tree = parsed(text);
    const auto expression = compiled(*tree);
    REQUIRE(expression.has_value());
    for (double a : values)
      for (double b : values)
        for (double c : values) {
          const std::vector<double> slots{a, b, c};
          const double expected = walked(*tree, slots), got = asked(*expression, slots);
          if (!same(expected, got)) FAIL_CHECK(a, " ", b, " ", c, ": ", got, " for ", expected);
        }
  }
}

TEST_CASE("what has texts, lists, functions or strange names is left to the walk") {
  for (const char* text : {"a == \"full\"", "a in [1, 2]", "max(a, b)", "a ^ 2", "a + somewhere", "if(a > 1, b, c)"}) {
    INFO(std::string(text));
    CHECK_FALSE(compiled(*parsed(text)).has_value());
  }
}

TEST_CASE("an expression that waits for too many numbers is left to the walk; a long chain waits for two") {
  std::string nested = "a", chain = "a";
  for (int i = 0; i < 40; ++i) {
    nested = "a + (" + nested + ")";
    chain += " + a";
  }
  CHECK_FALSE(compiled(*parsed(nested)).has_value());
  const dsl::ExprPtr tree = parsed(chain);
  const auto expression = compiled(*tree);
  REQUIRE(expression.has_value());
  CHECK(expression->slots().size() == 1);
  CHECK(asked(*expression, {3, 0, 0}) == 41 * 3);
}
