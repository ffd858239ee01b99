// Names of operators, tensors and blocks: constant words, put together where someone reads them.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>
#include <string>

namespace planner {

/// "attention.qkv" and ".dgrad", for people. A copy allocates no memory.
class Label {
 public:
  constexpr Label() = default;
  /// A literal, which outlives all names.
  template <size_t n> constexpr Label(const char (&word)[n]) : words_{n > 1 ? word : nullptr} {}
  /// A text of a table, which outlives all names.
  static constexpr Label of(const char* constant) {
    Label label;
    label.words_[0] = constant;
    return label;
  }
  /// A text of the user, kept for as long as the process runs.
  Label(const std::string& text);

  std::string str() const;
  operator std::string() const { return str(); }
  bool empty() const { return !words_[0]; }

  friend Label operator+(Label a, const Label& b) {
    const size_t first = a.count(), more = b.count();
    if (first + more > kMost) return Label(a.str() + b.str());
    for (size_t i = 0; i < more; ++i) a.words_[first + i] = b.words_[i];
    return a;
  }
  friend bool operator==(const Label& a, const Label& b) { return a.words_ == b.words_ || a.str() == b.str(); }
  friend std::ostream& operator<<(std::ostream& out, const Label& name) { return out << name.str(); }

 private:
  static constexpr size_t kMost = 4;
  size_t count() const {
    size_t count = 0;
    while (count < kMost && words_[count]) ++count;
    return count;
  }

  std::array<const char*, kMost> words_{};  // the first null one ends them
};

}  // namespace planner
