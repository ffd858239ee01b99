#include "dsl/json.h"

#include <algorithm>
#include <charconv>

#include "dsl/csv.h"
#include "dsl/node_path.h"
#include "dsl/raw_text.h"

namespace dsl {
namespace {

void append_utf8(std::string& out, unsigned code) {
  if (code >= 0xD800 && code <= 0xDFFF) code = '?';  // half of a surrogate pair
  if (code < 0x20 || code == 0x7F) code = ' ';
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
  } else {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  }
  out += static_cast<char>(0x80 | (code & 0x3F));
}

bool is_python_number(std::string_view word) { return word == "NaN" || word == "Infinity" || word == "-Infinity"; }

bool is_word_char(char c) { return is_name_char(c) || c == '+' || c == '-' || c == '.'; }

}  // namespace

void JsonText::skip_blanks(Ends ends) {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n' && ends == Ends::in_line) return;
    if (c == '\n') ++line_, start_ = at_ + 1;
    else if (c != ' ' && c != '\t' && c != '\r') return;
  }
}

bool JsonText::at_end() {
  skip_blanks(Ends::anywhere);
  return at_ >= text_.size();
}

bool JsonText::take(char c) {
  skip_blanks();
  const bool found = at_ < text_.size() && text_[at_] == c;
  at_ += found;
  return found;
}

Span JsonText::here(size_t length) const {
  return {&source_, line_, static_cast<int>(at_ - start_) + 1, static_cast<int>(length)};
}

bool JsonText::fail(const std::string& message, const char* hint) {
  if (at_ >= text_.size()) diagnostics_.error(here(1), "the text ends inside a value", hint);
  else if (ends_ == Ends::in_line && text_[at_] == '\n')
    diagnostics_.error(here(1), "the line ends inside a value", "one measurement in a line");
  else diagnostics_.error(here(1), message, hint);
  return false;
}

Node JsonText::next() {
  Node node;
  nodes_ = 0;
  node.broken = !value(node, 0);
  return node;
}

bool JsonText::value(Node& node, int depth) {
  skip_blanks();
  node.span = here(1);
  if (++nodes_ > limits_.nodes)
    return fail("the text has more than " + std::to_string(limits_.nodes) + " values",
                "leave out what is not needed, or split it");
  if (at_ >= text_.size()) return fail("");
  if (text_[at_] == '{' || text_[at_] == '[') return map_or_list(node, depth);
  return text_[at_] == '"' ? string(node) : word(node);
}

bool JsonText::map_or_list(Node& node, int depth) {
  if (depth >= limits_.depth) return fail("lists and maps nest more than " + std::to_string(limits_.depth) + " deep");
  return text_[at_] == '{' ? map(node, depth) : list(node, depth);
}

bool JsonText::map(Node& node, int depth) {
  node.kind = Node::Kind::map;
  ++at_;
  if (take('}')) return true;
  do {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '"') return fail("expected a key in double quotes");
    Node key;
    key.span = here(1);
    if (!string(key)) return false;
    if (!take(':')) return fail("expected ':' after the key");
    node.entries.push_back({std::move(key.text), key.span, {}});
    if (!value(node.entries.back().value, depth + 1)) return false;
  } while (take_comma());
  if (!take('}')) return fail("expected ',' or '}'");
  return !has_twins(node);
}

bool JsonText::has_twins(const Node& map) {
  const std::vector<RepeatedKey> twins = repeated_keys(map);
  if (twins.empty()) return false;
  const auto& [first, again] = twins.front();
  diagnostics_.error(again->key_span, "duplicate key '" + shortened(again->key) + "'",
                     "first written in line " + std::to_string(first->key_span.line));
  return true;
}

bool JsonText::list(Node& node, int depth) {
  node.kind = Node::Kind::list;
  ++at_;
  if (take(']')) return true;
  do {
    node.items.emplace_back();
    if (!value(node.items.back(), depth + 1)) return false;
  } while (take_comma());
  return take(']') || fail("expected ',' or ']'");
}

bool JsonText::string(Node& node) {
  node.kind = Node::Kind::scalar;
  node.quoted = true;
  const size_t begin = at_++;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\n') return fail("the quote is not closed in its line");
    if (text_[at_] != '\\') node.text += text_[at_++];
    else if (!escape(node.text)) return fail("not an escape of JSON", "a backslash is written twice");
  }
  if (at_ >= text_.size()) return fail("");
  ++at_;
  node.span.length = static_cast<int>(at_ - begin);
  return true;
}

bool JsonText::escape(std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/     ";
  const std::string_view rest = text_.substr(at_ + 1);
  if (rest.empty()) return false;
  if (const size_t letter = kLetters.find(rest[0]); letter != std::string_view::npos) {
    out += kMeant[letter];
    at_ += 2;
    return true;
  }
  unsigned code = 0;
  if (rest[0] != 'u' || rest.size() < 5) return false;
  if (std::from_chars(rest.data() + 1, rest.data() + 5, code, 16).ptr != rest.data() + 5) return false;
  append_utf8(out, code);
  at_ += 6;
  return true;
}

bool JsonText::word(Node& node) {
  size_t end = at_;
  while (end < text_.size() && is_word_char(text_[end])) ++end;
  const std::string_view text = text_.substr(at_, end - at_);
  node.span.length = static_cast<int>(text.size());
  if (text != "null") {
    if (!is_python_number(text) && text != "true" && text != "false" && !cell_number(text))
      return text_.find_first_not_of(" \t\r\n") == at_
                 ? fail("expected JSON", "commands of trainplan write JSON with --format json")
                 : fail("expected a value", "strings need double quotes, and numbers are finite");
    node.kind = Node::Kind::scalar;
    node.text = text;
  }
  at_ = end;
  return true;
}

Node parse_json(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits) {
  Node node = broken_node();
  if (!is_readable(source, diagnostics, limits)) return node;
  JsonText text(source, diagnostics, limits);
  node = text.next();
  if (node.broken || text.at_end()) return node;
  diagnostics.error(text.place(), "more text after the end of the JSON");
  node.broken = true;
  return node;
}

}  // namespace dsl
