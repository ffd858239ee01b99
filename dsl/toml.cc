// The only place of toml++: its tables become our tree. It has places of keys and values, but counts glyphs where we
// count bytes, and keeps tables sorted by key.
#include "dsl/toml.h"

#include <algorithm>

#include "dsl/raw_text.h"
#include "dsl/readable.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 64
#include <toml++/toml.h>

namespace dsl {
namespace {

/// The first dot of a key of more parts than may nest. toml++ would build, and take down, a table for each of them in
/// calls of calls. Strings and comments are passed over as TOML has them; in what is no TOML it may be any dot.
size_t find_deep_key(std::string_view text, int depth) {
  int dots = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') i = std::min(text.find('\n', i), text.size()) - 1;
    else if (c == '"' || c == '\'') {
      const std::string_view mark = text.substr(i, 3) == std::string(3, c) ? text.substr(i, 3) : text.substr(i, 1);
      for (i += mark.size(); i < text.size() && text.substr(i, mark.size()) != mark; ++i) {
        if (mark.size() == 1 && text[i] == '\n') break;
        if (c == '"' && text[i] == '\\') ++i;
      }
      i += mark.size() - 1;
    } else if (c == '.') {
      if (++dots >= depth) return i;
    } else if (c == '\n' || c == ',' || c == '=') dots = 0;
  }
  return std::string::npos;
}

class Reader {
 public:
  Reader(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits)
      : source_(source), lines_(source), diagnostics_(diagnostics), limits_(limits) {
    for (size_t at = 0; at < source.text.size(); at += std::max<size_t>(utf8_length(source.text, at), 1)) {
      glyphs_.push_back(at);
      if (source.text[at] == '\n') lines_of_glyphs_.push_back(glyphs_.size());
    }
    glyphs_.push_back(source.text.size());
  }

  Node read() {
    const toml::parse_result result = toml::parse(std::string_view(source_.text));
    if (result) return value(result.table());
    diagnostics_.error(place(result.error().source()), message(result.error().description()));
    return broken_node();
  }
  bool is_small_enough() const { return nodes_ <= limits_.nodes; }

 private:
  /// The byte of a position, which counts glyphs; that of the line's end for what stands behind it.
  size_t offset(const toml::source_position& at) const {
    const size_t line = std::clamp<size_t>(at.line, 1, lines_of_glyphs_.size()) - 1;
    const bool last = line + 1 == lines_of_glyphs_.size();
    const size_t end = last ? glyphs_.size() - 1 : lines_of_glyphs_[line + 1] - 1;
    return glyphs_[std::min(lines_of_glyphs_[line] + std::max<size_t>(at.column, 1) - 1, end)];
  }
  Span place(const toml::source_region& region, bool whole = false) const {
    const size_t begin = offset(region.begin), end = whole ? offset(region.end) : begin + 1;
    const bool one_line = region.begin.line == region.end.line && end > begin;
    return lines_.at(begin, whole && one_line ? end - begin : 1);
  }

  static std::string message(std::string_view description) {
    constexpr std::string_view kBegin = "Error while parsing ";
    if (description.starts_with(kBegin)) description.remove_prefix(kBegin.size());
    return "this is no TOML: " + std::string(description.substr(0, description.find('\n')));
  }

  Node scalar(const toml::node& from) const {
    Node node(Node::Kind::scalar, place(from.source(), true));
    if (const auto* text = from.as_string()) {
      node.text = text->get();
      node.quoted = true;
      for (char& c : node.text)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    } else if (const auto* whole = from.as_integer()) {
      node.text = std::to_string(whole->get());
    } else {
      node.text = source_.text.substr(offset(from.source().begin), static_cast<size_t>(node.span.length));
      std::erase(node.text, '_');
    }
    return node;
  }

  Node value(const toml::node& from) {
    ++nodes_;
    if (const auto* table = from.as_table()) return map(*table);
    const auto* array = from.as_array();
    if (!array) return scalar(from);
    Node node(Node::Kind::list, place(from.source()));
    for (const toml::node& item : *array) node.items.push_back(value(item));
    return node;
  }

  Node map(const toml::table& table) {
    Node node(Node::Kind::map, place(table.source()));
    for (const auto& [key, below] : table)
      node.entries.push_back({std::string(key.str()), place(key.source(), true), value(below)});
    std::ranges::sort(node.entries, {}, [](const Entry& e) { return std::pair(e.key_span.line, e.key_span.column); });
    return node;
  }

  const Source& source_;
  LineMap lines_;
  Diagnostics& diagnostics_;
  const ParseLimits& limits_;
  std::vector<size_t> glyphs_;              // the first byte of each, and the end
  std::vector<size_t> lines_of_glyphs_{0};  // the first glyph of each line
  size_t nodes_ = 0;
};

}  // namespace

Node parse_toml(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits) {
  if (!is_readable(source, diagnostics, limits)) return broken_node();
  if (const size_t dot = find_deep_key(source.text, limits.depth); dot != std::string::npos) {
    diagnostics.error(LineMap(source).at(dot, 1), "tables nest more than " + std::to_string(limits.depth) + " deep");
    return broken_node();
  }
  Reader reader(source, diagnostics, limits);
  Node node = reader.read();
  if (node.broken || reader.is_small_enough()) return node;
  diagnostics.error({&source, 1, 1, 1}, "the text has more than " + std::to_string(limits.nodes) + " values",
                    "leave out what is not needed, or split it");
  return broken_node();
}

}  // namespace dsl
