// Formulas of "$((...))": whole numbers of 64 bits that wrap, with the operators of C.
#include <charconv>
#include <limits>

#include "planner/shell/state.h"

namespace planner::shell {
namespace {

struct BinaryOperator {
  std::string_view sign;
  int rank;  // the higher binds first
};
constexpr BinaryOperator kBinary[] = {{"**", 11}, {"||", 1}, {"&&", 2}, {"<<", 8}, {">>", 8}, {"==", 6}, {"!=", 6},
                                      {"<=", 7},  {">=", 7}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},
                                      {"+", 9},   {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
constexpr const char* kAssignments[] = {"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "="};

class FormulaReader {
 public:
  FormulaReader(const std::string& text, ScriptState& state, int depth) : text_(text), state_(state), depth_(depth) {}

  std::optional<int64_t> read() {
    int64_t value = sequence();
    skip_blanks();
    if (failed_ || at_ < text_.size()) return std::nullopt;
    return value;
  }

 private:
  std::string_view rest() const { return std::string_view(text_).substr(at_); }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!rest().starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  int64_t fail() { return failed_ = true, 0; }

  int64_t sequence() {
    skip_blanks();
    if (at_ >= text_.size()) return 0;  // an empty formula is 0
    int64_t value = choice();
    while (!failed_ && take(",")) value = choice();
    return value;
  }

  int64_t choice() {
    const int64_t condition = binary(1);
    if (failed_ || !take("?")) return condition;
    const int64_t yes = choice();
    if (!take(":")) return fail();
    const int64_t no = choice();
    return condition ? yes : no;
  }

  const BinaryOperator* next_operator() {
    skip_blanks();
    for (const char* sign : kAssignments)
      if (rest().starts_with(sign) && !rest().starts_with("==")) return nullptr;
    for (const BinaryOperator& row : kBinary)
      if (rest().starts_with(row.sign)) return &row;
    return nullptr;
  }

  int64_t binary(int least) {
    int64_t left = unary();
    for (const BinaryOperator* row; !failed_ && (row = next_operator()) && row->rank >= least;) {
      at_ += row->sign.size();
      const bool from_right = row->sign == "**";
      left = apply(row->sign, left, binary(from_right ? row->rank : row->rank + 1));
    }
    return left;
  }

  int64_t apply(std::string_view sign, int64_t a, int64_t b) {
    const auto wrapped = [](uint64_t x) { return static_cast<int64_t>(x); };
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (sign == "+") return wrapped(x + y);
    if (sign == "-") return wrapped(x - y);
    if (sign == "*") return wrapped(x * y);
    if (sign == "/" || sign == "%") return divided(sign == "/", a, b);
    if (sign == "**") return power(a, b);
    if (sign == "<<") return wrapped(x << (y & 63));
    if (sign == ">>") return a >> (y & 63);
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "&") return a & b;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if (sign == "&&") return a && b;
    return a || b;
  }
  int64_t divided(bool quotient, int64_t a, int64_t b) {
    if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return fail();
    return quotient ? a / b : a % b;
  }
  int64_t power(int64_t base, int64_t exponent) {
    if (exponent < 0) return fail();
    uint64_t out = 1, square = static_cast<uint64_t>(base);
    for (; exponent > 0; exponent >>= 1, square *= square)
      if (exponent & 1) out *= square;
    return static_cast<int64_t>(out);
  }

  int64_t unary() {
    if (++nested_ > 200) return fail();
    const int64_t value = signed_operand();
    --nested_;
    return value;
  }
  int64_t signed_operand() {
    if (take("++") || take("--")) return fail();
    if (take("!")) return !unary();
    if (take("~")) return ~unary();
    if (take("+")) return unary();
    if (take("-")) return static_cast<int64_t>(0 - static_cast<uint64_t>(unary()));
    if (take("(")) {
      const int64_t value = sequence();
      return take(")") ? value : fail();
    }
    skip_blanks();
    if (at_ < text_.size() && dsl::is_digit(text_[at_])) return number();
    const size_t n = name_length(rest());
    if (n == 0) return fail();
    const std::string name(rest().substr(0, n));
    at_ += n;
    return named(name);
  }

  int64_t number() {
    int base = 10;
    if (rest().starts_with("0x") || rest().starts_with("0X")) base = 16, at_ += 2;
    else if (rest().starts_with("0")) base = 8;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, base);
    if (error != std::errc()) return fail();
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  int64_t named(const std::string& name) {
    for (const char* sign : kAssignments)
      if (!(rest_after_blanks().starts_with("==")) && take(sign)) return assigned(name, sign);
    const bool up = take("++"), down = !up && take("--");
    const std::optional<int64_t> value = value_of(name);
    if (!value) return fail();
    if (up || down) put(name, *value + (up ? 1 : -1));
    return *value;
  }
  std::string_view rest_after_blanks() {
    skip_blanks();
    return rest();
  }
  int64_t assigned(const std::string& name, std::string_view sign) {
    int64_t value = choice();
    if (sign.size() > 1) {
      const std::optional<int64_t> before = value_of(name);
      value = before ? apply(sign.substr(0, sign.size() - 1), *before, value) : fail();
    }
    if (!failed_) put(name, value);
    return value;
  }
  void put(const std::string& name, int64_t value) {
    const ShellVariable* old = state_.find(name);
    const uint32_t place =
        old && !old->items.empty() && !old->items[0].second.at.empty() ? old->items[0].second.at[0] : 0;
    state_.set(name, computed_text(std::to_string(value), place & ~PlacedText::kOpen));
  }

  /// A variable's text is a formula itself.
  std::optional<int64_t> value_of(const std::string& name) {
    const ShellVariable* variable = state_.find(name);
    const PlacedText* text = variable ? variable->find("0") : nullptr;
    if (!text || text->is_open() || depth_ > 20) return std::nullopt;
    return FormulaReader(text->text, state_, depth_ + 1).read();
  }

  const std::string text_;
  ScriptState& state_;
  size_t at_ = 0;
  int depth_, nested_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<int64_t> shell_arithmetic(const std::string& formula, ScriptState& state) {
  return FormulaReader(formula, state, 0).read();
}

}  // namespace planner::shell
