// Grouping of operators: every pair of them, and the dimensions of the results.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "tests/dsl/evaluated.h"

namespace {

using dsl::Expr;

constexpr std::array kSigns{"+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", "==", "!=", "in", "not in"};

// The tree with a bracket around every operator: "((a + b) - c)".
std::string shape(const Expr& e) {
  auto joined = [&](const char* separator) {
    std::string out;
    for (const dsl::ExprPtr& arg : e.args) out += (out.empty() ? "" : separator) + shape(*arg);
    return out;
  };
  switch (e.kind) {
    case Expr::Kind::literal:
      return dsl::to_text(e.literal);
    case Expr::Kind::name:
      return e.name;
    case Expr::Kind::list:
      return "[" + joined(", ") + "]";
    case Expr::Kind::call:
      return e.name + "(" + joined(", ") + ")";
    case Expr::Kind::negate:
      return "(-" + joined("") + ")";
    case Expr::Kind::invert:
      return "(not " + joined("") + ")";
    case Expr::Kind::all:
      return "(" + joined(" and ") + ")";
    case Expr::Kind::any:
      return "(" + joined(" or ") + ")";
    case Expr::Kind::power: {
      std::string out = shape(*e.args.back());
      for (size_t i = e.args.size() - 1; i-- > 0;) out = "(" + shape(*e.args[i]) + " ^ " + out + ")";
      return out;
    }
    case Expr::Kind::chain:
      break;
  }
  std::string out = shape(*e.args[0]);
  for (size_t i = 0; i < e.ops.size(); ++i)
    out = "(" + out + " " + kSigns[static_cast<size_t>(e.ops[i])] + " " + shape(*e.args[i + 1]) + ")";
  return out;
}

std::string parsed(const std::string& text) {
  const dsl::Source source{"a", text, ""};
  dsl::Diagnostics d;
  const dsl::ExprPtr tree = dsl::parse_expression(text, {&source, 1, 1, static_cast<int>(text.size())}, d);
  return tree ? shape(*tree) : "error " + std::to_string(d.list[0].span.column) + ": " + d.list[0].message;
}

// From loosest to tightest, as docs/language.md lists them.
struct Operator {
  std::string sign;
  int level;
};
const Operator kOperators[] = {{"or", 0}, {"and", 1}, {"<", 2},  {"<=", 2}, {">", 2}, {">=", 2},
                               {"==", 2}, {"!=", 2},  {"in", 2}, {"+", 3},  {"-", 3}, {"not in", 2},
                               {"*", 4},  {"/", 4},   {"%", 4},  {"^", 5}};

std::string bracketed(const std::string& a, const std::string& sign, const std::string& b) {
  return "(" + a + " " + sign + " " + b + ")";
}

struct Row {
  const char *text, *result;
};

}  // namespace

TEST_CASE("every pair of operators groups by level, equal ones from the left, powers from the right") {
  for (const Operator& first : kOperators)
    for (const Operator& second : kOperators) {
      const std::string text = "a " + first.sign + " b " + second.sign + " c";
      INFO(text);
      std::string expected;
      if (first.level == 2 && second.level == 2) {
        CHECK(parsed(text).ends_with(": comparisons do not chain"));
        continue;
      }
      if (first.level < 2 && first.level == second.level)
        expected = "(a " + first.sign + " b " + first.sign + " c)";  // one node: it stops at the first that decides
      else if (first.level < second.level || (first.level == 5 && second.level == 5))
        expected = bracketed("a", first.sign, bracketed("b", second.sign, "c"));
      else expected = bracketed(bracketed("a", first.sign, "b"), second.sign, "c");
      CHECK(parsed(text) == expected);
    }
}

TEST_CASE("a sign binds tighter than a product and looser than a power, 'not' looser than a comparison") {
  for (const Operator& o : kOperators) {
    INFO(o.sign);
    CHECK(parsed("-a " + o.sign + " b") == (o.level == 5 ? "(-(a ^ b))" : bracketed("(-a)", o.sign, "b")));
    CHECK(parsed("a " + o.sign + " -b") == bracketed("a", o.sign, "(-b)"));
    CHECK(parsed("not a " + o.sign + " b") ==
          (o.level < 2 ? bracketed("(not a)", o.sign, "b") : "(not " + bracketed("a", o.sign, "b") + ")"));
    const std::string right = parsed("a " + o.sign + " not b");
    if (o.level < 2) CHECK(right == bracketed("a", o.sign, "(not b)"));
    else CHECK(right == "error " + std::to_string(4 + o.sign.size()) + ": expected a value, got 'not'");
  }
}

TEST_CASE("brackets, calls and lists hold whole expressions") {
  const Row rows[] = {{"(a or b) and c", "((a or b) and c)"},
                      {"a * (b + c)", "(a * (b + c))"},
                      {"(a ^ b) ^ c", "((a ^ b) ^ c)"},
                      {"(a < b) == (c < d)", "((a < b) == (c < d))"},
                      {"max(a or b, -c)", "max((a or b), (-c))"},
                      {"[a + b, c and d]", "[(a + b), (c and d)]"},
                      {"a - b + c - d", "(((a - b) + c) - d)"},
                      {"a * b / c % d", "(((a * b) / c) % d)"},
                      {"a + b * c - d", "((a + (b * c)) - d)"},
                      {"a * b + c * d", "((a * b) + (c * d))"},
                      {"a + b < c * d and e", "(((a + b) < (c * d)) and e)"},
                      {"a ^ -b ^ c", "(a ^ (-(b ^ c)))"},
                      {"--a", "(-(-a))"},
                      {"-a * -b", "((-a) * (-b))"},
                      {"not not a", "(not (not a))"},
                      {"not -a < b", "(not ((-a) < b))"},
                      {"not (a and b)", "(not (a and b))"},
                      {"a not in b or c in d", "((a not in b) or (c in d))"},
                      {"2 s ^ 2", "(2 s ^ 2)"},
                      {"-3 GB", "(-3 GB)"},
                      {"3 GB/s * 2", "(3 GB/s * 2)"},
                      {"3 GB / s", "(3 GB / s)"},
                      {"a.b[0].c + d", "(a.b[0].c + d)"},
                      {"[][0]", "error 3: expected an operator, got '['"},
                      {"a (b)", "a(b)"},
                      {"(a)(b)", "error 4: expected an operator, got '('"},
                      {"a<b<c", "error 4: comparisons do not chain"},
                      {"(a < b) < c", "((a < b) < c)"},
                      {"a = b", "error 3: expected an operator, got '='"},
                      {"a && b", "error 3: expected an operator, got '&'"},
                      {"a ** b", "error 3: expected a value, got '*'"},
                      {"a <> b", "error 3: expected a value, got '>'"},
                      {"+a", "error 1: expected a value, got '+'"},
                      {"a; b", "error 2: expected an operator, got ';'"},
                      {"(a, b)", "error 1: several values stand in square brackets"},
                      {"[a b]", "error 4: expected ',' or ']', got 'b'"},
                      {"f(a b)", "error 5: expected ',' or ')', got 'b'"},
                      {")", "error 1: expected a value, got ')'"},
                      {"a)", "error 2: expected an operator, got ')'"}};
  for (const Row& row : rows) {
    INFO(std::string(row.text));
    CHECK(parsed(row.text) == std::string(row.result));
  }
}

TEST_CASE("what is bracketed by the tree's own shape is parsed to the same tree") {
  for (const Operator& first : kOperators)
    for (const Operator& second : kOperators) {
      const std::string once = parsed("a " + first.sign + " b " + second.sign + " -c");
      if (!once.starts_with("error")) CHECK(parsed(once) == once);
    }
}

TEST_CASE("two dimensions add and compare if they are one, and always multiply and divide") {
  const std::array units{"", "s", "B", "FLOP", "USD", "J", "Hz", "W", "B/s", "FLOP/s", "USD/h", "USD/kWh", "FLOP/B"};
  for (const std::string left : units)
    for (const std::string right : units) {
      const std::string a = "4 " + left, b = "2 " + right;
      INFO(a, " and ", b);
      for (const char* op : {"+", "-", "%", "<", "<=", ">", ">=", "==", "!="}) {
        const std::string result = evaluated(a + " " + op + " " + b);
        CHECK(result.starts_with("error 1: cannot ") == (left != right));
      }
      CHECK(evaluated("(" + a + ") * (" + b + ") / (" + b + ") == " + a) == "true");
      CHECK(evaluated("abs((" + a + ") / (" + b + ") * (" + b + ") - " + a + ") < 1e-9 * " + a) == "true");
      CHECK(evaluated("(" + a + ") * (" + b + ") == (" + b + ") * (" + a + ")") == "true");
      CHECK(evaluated("sqrt((" + a + ") ^ 2) == " + a) == "true");
    }
}

TEST_CASE("products and quotients of units are written in the unit of what they are") {
  const Row rows[] = {{"1 W * 1 h", "3600 J"},
                      {"1 kW * 1 h", "1 kWh"},
                      {"2 kWh / 1 h", "2 kW"},
                      {"1 / 1 ms", "1 kHz"},
                      {"3 / 1 s", "3 Hz"},
                      {"1 GHz * 1 s", "1000000000"},
                      {"100 Gb/s * 8 s", "100 GB"},
                      {"1 GiB / 1 GiB/s", "1 s"},
                      {"300 TFLOP / 1 PFLOP/s", "300 ms"},
                      {"2 USD/h * 1 d", "48 USD"},
                      {"0.1 USD/kWh * 10 kWh", "1 USD"},
                      {"1 MW * 0.1 USD/kWh", "100 USD/h"},
                      {"4 USD/h / 2", "2 USD/h"},
                      {"1 USD / 1 d", "1 USD/d"},
                      {"1 s * 1 s", "1 * 1 s * 1 s"},
                      {"(2 s) ^ -2", "0.25 / 1 s / 1 s"},
                      {"(3 GB) ^ 0", "1"},
                      {"2 ^ -2 ^ 2", "0.0625"},
                      {"2 ^ (-2) ^ 2", "16"},
                      {"-2 ^ -2", "-0.25"},
                      {"2 B ^ 2 / 1 B", "4 B"},
                      {"1 PB / 1 kB", "1000000000000"},
                      {"90 min + 30 min", "2 h"},
                      {"1 d - 1 s", "86399 s"},
                      {"7 GB % 2 GB", "1 GB"},
                      {"-7 s % 2 s", "-1 s"},
                      {"1 GiB == 1.073741824 GB", "true"},
                      {"8 Gb == 1 GB", "true"},
                      {"0.3 s == 300 ms", "true"},
                      {"1 kWh == 3.6e6 J", "true"}};
  for (const Row& row : rows) {
    INFO(std::string(row.text));
    CHECK(evaluated(row.text) == std::string(row.result));
  }
}
