#include "cli/render/json_lines.h"

#include <algorithm>
#include <cstring>

#include "cli/render/json_text.h"

namespace cli {
namespace {

constexpr size_t kPiece = 32;  // letters that are copied at once, whether a text has them or not

std::string quoted(std::string_view text) {
  std::string out;
  write_text(text, out);
  return out;
}

}  // namespace

JsonLines::Padded::Padded(std::string text) : letters(std::move(text)), size(letters.size()) {
  letters.resize((size + kPiece - 1) / kPiece * kPiece);
}

JsonLines::JsonLines(std::string_view format) : head_("{\"format\":" + quoted(format)) {}

// What is written at once is at most a piece longer than it says.
void JsonLines::room(size_t letters) {
  if (static_cast<size_t>(end_ - at_) >= letters + kPiece) return;
  const size_t used = text().size(), size = std::max<size_t>(2 * (used + letters + kPiece), 1 << 17);
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  if (used > 0) std::memcpy(larger.get(), buffer_.get(), used);
  buffer_ = std::move(larger);
  at_ = buffer_.get() + used;
  end_ = buffer_.get() + size;
}

void JsonLines::put(const Padded& text) {
  room(text.size);
  for (size_t i = 0; i < text.size; i += kPiece) std::memcpy(at_ + i, text.letters.data() + i, kPiece);
  at_ += text.size;
}

void JsonLines::put(std::string_view text) {
  room(text.size());
  at_ = std::ranges::copy(text, at_).out;
}

void JsonLines::put_text(std::string_view text) {
  if (is_plain(text)) {
    room(text.size() + 2);
    *at_++ = '"';
    at_ = std::ranges::copy(text, at_).out;
    *at_++ = '"';
    return;
  }
  quoted_.clear();
  write_text(text, quoted_);
  put(std::string_view(quoted_));
}

void JsonLines::put(const Cell& value) {
  room(kMostLetters);
  if (const auto* figure = std::get_if<double>(&value)) at_ = figures_.write(*figure, at_);
  else if (const auto* count = std::get_if<int64_t>(&value)) at_ = write_count(*count, at_);
  else if (const auto* text = std::get_if<std::string_view>(&value)) put_text(*text);
  else if (const auto* flag = std::get_if<bool>(&value)) put(std::string_view(*flag ? "true" : "false"));
  else put(std::string_view("null"));
}

JsonLines::Name& JsonLines::next(const char* name) {
  std::vector<Name>& names = opened_ ? opened_->inside : names_;
  size_t& at = opened_ ? next_inside_ : next_;
  if (at == names.size()) names.push_back({Padded((opened_ && at == 0 ? "{" : ",") + quoted(name) + ":")});
  return names[at++];
}

void JsonLines::begin() {
  next_ = 0;
  put(head_);
}

void JsonLines::member(const char* name, const Cell& value) {
  put(next(name).before);
  put(value);
}

void JsonLines::member(const char* name, std::span<const std::string> texts) {
  put(next(name).before);
  put(std::string_view("["));
  for (const std::string& text : texts) {
    if (&text != texts.data()) put(std::string_view(","));
    put_text(text);
  }
  put(std::string_view("]"));
}

void JsonLines::open(const char* name) {
  Name& object = next(name);
  put(object.before);
  opened_ = &object;
  next_inside_ = 0;
}

void JsonLines::close() {
  put(std::string_view(next_inside_ == 0 ? "{}" : "}"));
  opened_ = nullptr;
}

void JsonLines::end() { put(std::string_view("}\n")); }

}  // namespace cli
