#include "planner/trace/tensors.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace planner::trace {
namespace {

void skip_blanks(std::string_view& text) {
  const size_t at = text.find_first_not_of(" \n\t\r");
  text.remove_prefix(std::min(at, text.size()));
}

bool take_char(std::string_view& text, char c) {
  skip_blanks(text);
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

template <class Number> bool take_number(std::string_view& text, Number& out) {
  skip_blanks(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return take_char(text, ',');
}

// A text up to its quote, which may be escaped.
std::string_view take_quoted(std::string_view& text, char quote) {
  size_t end = 0;
  while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
  const std::string_view quoted = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return quoted;
}

// Behind the bracket.
std::optional<Tensor> take_tensor(std::string_view& text, char quote, Names& names) {
  std::string_view rest = text;
  Tensor tensor;
  int64_t offset = 0;
  if (!take_number(rest, tensor.number) || !take_number(rest, tensor.storage) || !take_number(rest, offset) ||
      !take_number(rest, tensor.elements) || !take_number(rest, tensor.element_bytes) || !take_char(rest, quote))
    return std::nullopt;
  const std::string_view device = take_quoted(rest, quote);
  if (!take_char(rest, ']')) return std::nullopt;
  tensor.device = names.number(device);
  text = rest;
  return tensor;
}

}  // namespace

void append_tensors(std::string_view list, char quote, Names& names, std::vector<Tensor>& out) {
  while (!list.empty()) {
    const char c = list.front();
    list.remove_prefix(1);
    if (c == quote) take_quoted(list, quote);
    if (c != '[') continue;
    if (const std::optional<Tensor> tensor = take_tensor(list, quote, names)) out.push_back(*tensor);
  }
}

}  // namespace planner::trace
