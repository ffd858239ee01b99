#include "cli/render/json_lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/render/json_text.h"

namespace cli {
namespace {

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

void JsonLines::grow(size_t letters) {
  const size_t used = text().size(), size = std::max<size_t>(2 * (used + letters), 1 << 17);
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  if (used > 0) std::memcpy(larger.get(), buffer_.get(), used);
  buffer_ = std::move(larger);
  at_ = buffer_.get() + used;
  end_ = buffer_.get() + size;
}

void JsonLines::put(std::string_view text) {
  room(text.size());
  std::memcpy(at_, text.data(), text.size());
  at_ += text.size();
}

void JsonLines::put_text(std::string_view text) {
  if (!is_plain(text)) {
    quoted_.clear();
    write_text(text, quoted_);
    return put(quoted_);
  }
  room(text.size() + 2);
  *at_ = '"';
  std::memcpy(at_ + 1, text.data(), text.size());
  at_ += text.size() + 2;
  at_[-1] = '"';
}

JsonLines::LineName& JsonLines::learn(const char* name) {
  const char* before = names_ != &outer_ && next_ == 0 ? "{" : ",";
  ++next_;
  return names_->emplace_back(LineName{Padded(before + quoted(name) + ":")});
}

void JsonLines::begin() {
  next_ = 0;
  put(head_);
}

void JsonLines::member(const char* name, std::span<const std::string> texts) {
  begin_member(name);
  put("[");
  for (const std::string& text : texts) {
    if (&text != texts.data()) put(",");
    put_text(text);
  }
  put("]");
}

void JsonLines::open(const char* name) {
  LineName& object = next(name);
  put(object.before);
  names_ = &object.inside;
  next_outer_ = std::exchange(next_, 0);
}

void JsonLines::close() {
  put(next_ == 0 ? "{}" : "}");
  names_ = &outer_;
  next_ = next_outer_;
}

void JsonLines::end() { put("}\n"); }

}  // namespace cli
