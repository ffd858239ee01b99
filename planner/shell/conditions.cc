#include "planner/shell/conditions.h"

#include <algorithm>
#include <regex>

#include "planner/shell/expansion.h"

namespace planner::shell {
namespace {

TestVerdict verdict(bool yes) { return yes ? TestVerdict::yes : TestVerdict::no; }

TestVerdict both(TestVerdict a, TestVerdict b) {
  if (a == TestVerdict::no || b == TestVerdict::no) return TestVerdict::no;
  return a == TestVerdict::open ? a : b;
}

struct NumberTest {
  std::string_view sign;
  bool (*holds)(int64_t, int64_t);
};
constexpr NumberTest kNumberTests[] = {
    {"-eq", [](int64_t a, int64_t b) { return a == b; }}, {"-ne", [](int64_t a, int64_t b) { return a != b; }},
    {"-lt", [](int64_t a, int64_t b) { return a < b; }},  {"-le", [](int64_t a, int64_t b) { return a <= b; }},
    {"-gt", [](int64_t a, int64_t b) { return a > b; }},  {"-ge", [](int64_t a, int64_t b) { return a >= b; }}};
constexpr std::string_view kTextTests[] = {"=", "==", "!=", "=~", "<", ">"};
constexpr std::string_view kFileTests[] = {"-nt", "-ot", "-ef"};

class ConditionReader {
 public:
  ConditionReader(const std::vector<TestOperand>& words, bool is_double, ScriptState& state, std::string& what)
      : words_(words), is_double_(is_double), state_(state), what_(what) {}

  TestVerdict read() {
    if (words_.empty()) return TestVerdict::no;
    const TestVerdict answer = any();
    return at_ == words_.size() ? answer : open(words_[std::min(at_, words_.size() - 1)].text);
  }

 private:
  bool is_sign(size_t at, std::string_view sign) const {
    return at < words_.size() && words_[at].can_be_sign && words_[at].text.text == sign;
  }
  bool take(std::string_view sign) {
    const bool found = is_sign(at_, sign);
    at_ += found;
    return found;
  }

  TestVerdict any() {
    TestVerdict answer = all();
    while (take(is_double_ ? "||" : "-o")) answer = opposite(both(opposite(answer), opposite(all())));
    return answer;
  }
  TestVerdict all() {
    TestVerdict answer = one();
    while (take(is_double_ ? "&&" : "-a")) answer = both(answer, one());
    return answer;
  }

  bool is_comparison(size_t at) const {
    if (at >= words_.size() || !words_[at].can_be_sign) return false;
    const std::string& sign = words_[at].text.text;
    return std::ranges::find(kTextTests, sign) != std::end(kTextTests) ||
           std::ranges::find(kFileTests, sign) != std::end(kFileTests) ||
           std::ranges::find(kNumberTests, sign, &NumberTest::sign) != std::end(kNumberTests);
  }

  TestVerdict one() {
    if (at_ >= words_.size() || ++depth_ > 100) return TestVerdict::open;
    if (is_comparison(at_ + 1) && at_ + 2 < words_.size()) return comparison();
    if (take("!")) return opposite(one());
    if (take("(")) {
      const TestVerdict answer = any();
      return take(")") ? answer : TestVerdict::open;
    }
    const std::string& sign = words_[at_].text.text;
    const bool unary = words_[at_].can_be_sign && sign.size() == 2 && sign[0] == '-' && at_ + 1 < words_.size();
    if (unary) return single();
    return verdict(!words_[at_++].text.bare().empty());
  }

  TestVerdict single() {
    const char sign = words_[at_].text.text[1];
    const PlacedText& text = words_[at_ + 1].text;
    at_ += 2;
    if (sign == 'z') return verdict(text.bare().empty());
    if (sign == 'n') return verdict(!text.bare().empty());
    if (sign == 'v') return verdict(state_.find(text.text) != nullptr);
    what_ = std::string("-") + sign + " " + text.text;
    return TestVerdict::open;
  }

  TestVerdict comparison() {
    const TestOperand &left = words_[at_], &right = words_[at_ + 2];
    const std::string& sign = words_[at_ + 1].text.text;
    at_ += 3;
    if (const auto row = std::ranges::find(kNumberTests, sign, &NumberTest::sign); row != std::end(kNumberTests))
      return numbers(*row, left.text, right.text);
    if (std::ranges::find(kFileTests, sign) != std::end(kFileTests)) return open(left.text);
    if (sign == "=~") return expression(left.text, right.text);
    if (sign == "<" || sign == ">") {
      if (left.text.is_open() || right.text.is_open()) return open(left.text.is_open() ? left.text : right.text);
      return verdict(sign == "<" ? left.text.text < right.text.text : left.text.text > right.text.text);
    }
    const TestVerdict same = alike(left, right);
    return sign == "!=" ? opposite(same) : same;
  }

  /// A name that nothing sets is equal to nothing: [ "x$NAME" = x ].
  TestVerdict alike(const TestOperand& left, const TestOperand& right) {
    const bool left_open = left.text.is_open(), right_open = right.text.is_open();
    if (left_open || right_open) {
      const bool unset = left_open != right_open && left.text.bare() == right.text.bare();
      return unset ? TestVerdict::yes : open(left_open ? left.text : right.text);
    }
    return verdict(is_double_ ? fits_pattern(left.text.text, right.pattern) : left.text.text == right.text.text);
  }

  TestVerdict numbers(const NumberTest& test, const PlacedText& left, const PlacedText& right) {
    for (const PlacedText* text : {&left, &right})
      if (text->is_open()) return open(*text);
    const std::optional<int64_t> a = shell_arithmetic(left.text, state_), b = shell_arithmetic(right.text, state_);
    return a && b ? verdict(test.holds(*a, *b)) : TestVerdict::no;
  }

  TestVerdict expression(const PlacedText& left, const PlacedText& right) {
    constexpr size_t kMost = 1000;  // std::regex recurses on every character
    if (left.is_open() || right.is_open()) return open(left.is_open() ? left : right);
    if (left.text.size() > kMost || right.text.size() > kMost) return open(left);
    try {
      return verdict(std::regex_search(left.text, std::regex(right.text, std::regex::extended)));
    } catch (const std::regex_error&) {
      return open(right);
    }
  }

  TestVerdict open(const PlacedText& text) {
    what_ = text.text;
    return TestVerdict::open;
  }

  const std::vector<TestOperand>& words_;
  bool is_double_;
  ScriptState& state_;
  std::string& what_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

TestVerdict test_verdict(const std::vector<TestOperand>& operands, bool is_double, ScriptState& state,
                         std::string& what) {
  return ConditionReader(operands, is_double, state, what).read();
}

}  // namespace planner::shell
