// Text of a shell script whose every byte knows where it is written, however often variables passed it on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planner::shell {

struct PlacedText {
  /// Marks a byte that stands for something the script does not set: "$NAME" stays as it is written.
  static constexpr uint32_t kOpen = uint32_t{1} << 31;

  std::string text;
  std::vector<uint32_t> at;  // of each byte: its offset in all sources together, and kOpen
  bool is_absent = false;    // of a word: nothing but open text outside quotes, no word at all if nobody sets it

  void add(char c, uint32_t place) {
    text += c;
    at.push_back(place);
  }
  void add(const PlacedText& other) {
    text += other.text;
    at.insert(at.end(), other.at.begin(), other.at.end());
  }
  PlacedText part(size_t from, size_t to) const {
    const auto begin = static_cast<std::ptrdiff_t>(from), end = static_cast<std::ptrdiff_t>(to);
    return {text.substr(from, to - from), {at.begin() + begin, at.begin() + end}, false};
  }
  bool is_open() const {
    for (const uint32_t place : at)
      if (place & kOpen) return true;
    return false;
  }
  /// Returns the text with nothing in place of what is open: what bash makes of names that nobody sets.
  std::string bare() const {
    std::string known;
    for (size_t i = 0; i < text.size(); ++i)
      if (!(at[i] & kOpen)) known += text[i];
    return known;
  }
};

/// Returns a text that is computed by what is written at a place.
inline PlacedText computed_text(std::string text, uint32_t place) {
  const size_t size = text.size();
  return {std::move(text), std::vector<uint32_t>(size, place), false};
}

/// Bytes of a text, from `from` up to `to`.
struct TextRange {
  size_t from = 0, to = 0;
  std::string_view in(std::string_view text) const { return text.substr(from, to - from); }
};

}  // namespace planner::shell
