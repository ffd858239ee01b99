#include "tests/proposals.h"

#include <algorithm>

#include "dsl/raw_text.h"

namespace proposals {
namespace {

constexpr size_t kNone = std::string::npos;

/// A text with one proposal followed.
struct Followed {
  std::string text;
  std::vector<std::string> overrides;
};

Followed follow(const std::string& text, const Told& told, const std::string& proposal) {
  const std::string marked = text.substr(told.at, told.length);
  const bool moves = text[told.at + told.length] == ':' && marked.find('.') == kNone && proposal.find('.') != kNone &&
                     proposal.find(':') == kNone;
  if (!moves) return {text.substr(0, told.at) + proposal + text.substr(told.at + told.length), {}};
  const size_t before = text.rfind('\n', told.at), begin = before == kNone ? 0 : before + 1;
  const size_t end = text.find('\n', told.at), value = told.at + told.length + 1;
  return {text.substr(0, begin) + text.substr(end + 1), {proposal + "=" + text.substr(value, end - value)}};
}

// Whether `left`, reported once the mistake `mended` is gone, is another mistake: reported before, or further down, or
// a missing part, now that the rest can be read.
bool is_another(const Told& left, const Told& mended, const std::vector<Told>& before) {
  const bool known =
      std::any_of(before.begin(), before.end(), [&](const Told& t) { return t.message == left.message; });
  return (known && left.message != mended.message) || left.message.starts_with("missing ") ||
         (left.at != kNone && left.at > mended.at + mended.length);
}

}  // namespace

std::vector<Told> told_in(const dsl::Source& source, const dsl::Diagnostics& diagnostics) {
  std::vector<Told> out;
  for (const dsl::Diagnostic& d : diagnostics.list)
    out.push_back({d.message, d.hint, d.span.source == &source ? dsl::offset_of(d.span) : kNone,
                   static_cast<size_t>(d.span.length)});
  return out;
}

std::vector<std::string> of(const std::string& hint) {
  std::vector<std::string> out;
  if (!hint.starts_with("write ") && !hint.starts_with("did you mean ")) return out;
  for (size_t open = hint.find('\''); open != kNone;) {
    const size_t close = hint.find('\'', open + 1);
    if (close == kNone) break;
    out.push_back(hint.substr(open + 1, close - open - 1));
    open = hint.find('\'', close + 1);
  }
  return out;
}

std::string failure(const std::string& text, const Read& read) {
  const std::vector<Told> all = read(text, {});
  for (const Told& told : all)
    for (const std::string& proposal : of(told.hint)) {
      if (told.at == kNone) continue;
      const Followed followed = follow(text, told, proposal);
      const std::vector<Told> left = read(followed.text, followed.overrides);
      const auto still =
          std::find_if_not(left.begin(), left.end(), [&](const Told& l) { return is_another(l, told, all); });
      if (still == left.end()) continue;
      return "'" + proposal + "' does not help: " + still->message + "\n" + followed.text;
    }
  return "";
}

}  // namespace proposals
