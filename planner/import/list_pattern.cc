#include "planner/import/list_pattern.h"

#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/scenario/layer_row.h"

namespace planner {
namespace {

using List = std::vector<int>;
constexpr size_t kLongest = kMostLayers;
constexpr int kDeepest = 50;

/// sum := product {'+' product}; product := factor {'*' count}; factor := '[' digits ']' | '(' sum ')'.
class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  std::optional<List> parse() {
    List list = sum(0);
    if (at_ != text_.size()) failed_ = true;
    return failed_ ? std::nullopt : std::optional(std::move(list));
  }

 private:
  bool take(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  size_t number() {
    size_t n = 0;
    const size_t from = at_;
    while (at_ < text_.size() && dsl::is_digit(text_[at_])) n = std::min(n * 10 + (text_[at_++] - '0'), kLongest + 1);
    if (at_ == from) failed_ = true;
    return n;
  }

  List sum(int depth) {
    List list = product(depth);
    while (!failed_ && take('+')) {
      const List more = product(depth);
      list.insert(list.end(), more.begin(), more.end());
    }
    return list;
  }

  List product(int depth) {
    List list = factor(depth);
    while (!failed_ && take('*')) {
      const size_t times = number();
      if (failed_ || list.size() * times > kLongest) return failed_ = true, List{};
      List repeated;
      for (size_t i = 0; i < times; ++i) repeated.insert(repeated.end(), list.begin(), list.end());
      list = std::move(repeated);
    }
    return list;
  }

  List factor(int depth) {
    List list;
    if (depth > kDeepest) failed_ = true;
    if (failed_) return list;
    if (take('(')) {
      list = sum(depth + 1);
      if (!take(')')) failed_ = true;
      return list;
    }
    if (!take('[')) failed_ = true;
    while (!failed_ && !take(']')) {
      list.push_back(static_cast<int>(number()));
      take(',');
    }
    return list;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::vector<int>> list_pattern(std::string_view text) { return PatternParser(text).parse(); }

std::optional<OnesPeriod> period_of_ones(const std::vector<int>& pattern) {
  const auto one = std::find(pattern.begin(), pattern.end(), 1);
  if (one == pattern.end()) return std::nullopt;
  const int64_t size = static_cast<int64_t>(pattern.size()), first = one - pattern.begin();
  const auto next = std::find(one + 1, pattern.end(), 1);
  const int64_t every = next == pattern.end() ? std::max<int64_t>(1, first + 1) : next - one;
  const int64_t dense = first + 1 - every;  // zeros in front of the repeated part
  if (dense < 0) return std::nullopt;
  for (int64_t i = 0; i < size; ++i)
    if ((pattern[i] == 1) != (i >= dense && (i - dense + 1) % every == 0)) return std::nullopt;
  return OnesPeriod{dense, every};
}

}  // namespace planner
