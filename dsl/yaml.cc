// The only place of yaml-cpp: its events become our tree.
//
// yaml-cpp 0.7 accepts much that is a mistake here (duplicate keys, merge keys,
// unterminated quotes, self-referencing aliases, further documents) and counts
// columns after undoing quotes, so every event is checked against the raw text.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "dsl/glyphs.h"
#include "dsl/indentation.h"
#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "dsl/slips.h"
#include "dsl/unknown_key.h"

namespace dsl {
namespace {

struct Stop {};  // thrown after a diagnostic that makes further reading useless

constexpr size_t kBytesPerNode = 32;  // a text this long weighs as one more node
constexpr size_t kMostKeys = 10000;   // of one map; merging compares them pairwise

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, const ParseLimits& limits, Diagnostics& diagnostics)
      : text_(source.text), lines_(source), comments_(source.text), limits_(limits), diagnostics_(diagnostics) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ < 2) return;
    diagnostics_.error(place(mark), "more than one document",
                       "one file is one document: no '---' between, and a list and keys do not stand side by side");
    throw Stop{};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    const size_t at = skip_properties(text_, position(mark));
    const std::string_view word = text_.substr(at, std::min(text_.find_first_of(" \t\r\n,]}", at), text_.size()) - at);
    if (word == "null" || word == "Null" || word == "NULL" || word == "~") node.span = lines_.at(at, word.size());
    if (!node.span.source) node.span = parent_place();  // yaml-cpp's mark is that of the next token
    finish(std::move(node), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    const Extent extent = scalar_extent(text_, skip_properties(text_, position(mark)), value);
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = value;
    node.quoted = extent.quoted;
    node.span = lines_.at(extent.begin, extent.end - extent.begin);
    node.broken = !check_scalar(node, extent);
    if (extent.closed) node.comment = comments_.at(extent.end);
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const size_t at = position(mark);
    const size_t end = std::min(text_.find_first_of(" \t\r\n,]}", at), text_.size());
    const Span span = lines_.at(at, end - at);
    auto it = anchors_.find(anchor);
    if (it == anchors_.end()) {
      diagnostics_.error(span, "the alias refers to the value that it is part of", "write the value out");
      throw Stop{};
    }
    Node node = it->second;
    count(node, span);
    node.span = span;  // a message about the value points at the alias
    finish(std::move(node), 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override {
    refuse_duplicates(frames_.back().node);
    close();
  }

  /// The tree read so far; open lists and maps are closed where reading stopped.
  Node take(bool broken) {
    stopped_ = broken;
    while (!frames_.empty()) {
      frames_.back().anchor = 0;
      frames_.back().node.broken = true;
      close();
    }
    root_.broken = broken;
    if (!root_.span.source) root_.span = lines_.at(0, 1);
    return std::move(root_);
  }

  Span place(const YAML::Mark& mark) const { return lines_.at(position(mark), 1); }
  /// The list or map that is still open, or the place itself.
  Span innermost(Span otherwise) const { return frames_.empty() ? otherwise : frames_.back().node.span; }
  /// The mistake in the lines around `mark`, if it is a common one.
  std::optional<LineMistake> line_mistake(const YAML::Mark& mark) const {
    return in_brackets() ? std::nullopt : find_line_mistake(text_, position(mark));
  }
  Span place(const LineMistake& mistake) const { return lines_.at(mistake.at, mistake.length); }
  std::string_view line_of(const YAML::Mark& mark) const { return dsl::line_of(text_, position(mark)); }

 private:
  struct OpenFrame {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false, good_key = false;
    std::string key;
    Span key_span;
  };

  size_t position(const YAML::Mark& mark) const {
    return mark.pos < 0 ? 0 : std::min(static_cast<size_t>(mark.pos), text_.size());
  }

  bool in_brackets() const {
    if (frames_.empty()) return false;
    const size_t at = offset_of(frames_.back().node.span);
    return at < text_.size() && (text_[at] == '{' || text_[at] == '[');
  }

  // Where a value stands that has no text of its own: its key, or the list around it.
  Span parent_place() const {
    if (frames_.empty()) return lines_.at(0, 1);
    const OpenFrame& f = frames_.back();
    return f.has_key ? f.key_span : f.node.span;
  }

  // Adds the node's size, and that of all below it, to the budget of nodes.
  void count(const Node& node, const Span& span) {
    if (stopped_) return;
    nodes_ += 1 + node.text.size() / kBytesPerNode;
    if (nodes_ > limits_.nodes) {
      diagnostics_.error(span, "the text has more than " + std::to_string(limits_.nodes) + " values",
                         "aliases count as often as they are used");
      throw Stop{};
    }
    for (const Node& item : node.items) count(item, span);
    for (const Entry& entry : node.entries) count(entry.value, span);
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?") return;
    const size_t at = position(mark), from = text_.substr(at, 1) == "&" ? text_.find_first_of(" \t\r\n", at) : at;
    const size_t first = std::min(text_.find_first_not_of(" \t\r\n", from), text_.size());
    if (tag == "!" && text_.substr(first, 1) != "!") return;  // yaml-cpp's tag for quoted scalars
    const size_t end = std::min(text_.find_first_of(" \t\r\n,", first), text_.size());
    diagnostics_.error(lines_.at(first, end - first), "tags are not part of the language",
                       "a leading '!' is written 'not'; or quote the value");
  }

  // False where the scalar can be no value; diagnosed.
  bool check_scalar(const Node& node, const Extent& extent) {
    const size_t before = diagnostics_.list.size();
    if (!extent.closed) {
      diagnostics_.error(lines_.at(extent.begin, 1), "the quote is never closed");
      throw Stop{};
    }
    if (!extent.one_line) refuse_lines(node, extent);
    if (!extent.quoted) refuse_glyphs(node);
    if (extent.quoted && find_bad_byte(node.text)) diagnostics_.error(node.span, "the string holds a control byte");
    return diagnostics_.list.size() == before;
  }

  // A value in brackets that nothing ends: YAML takes in what follows.
  void refuse_open_bracket(const Extent& extent) {
    const size_t behind = text_.find_first_not_of(" \t\r\n", extent.end);
    const bool ends = behind != std::string_view::npos && std::string_view(",]}").find(text_[behind]) != text_.npos;
    if (!in_brackets() || extent.quoted || ends) return;
    const char close = text_[offset_of(frames_.back().node.span)] == '{' ? '}' : ']';
    std::string_view line = text_.substr(extent.begin, text_.find('\n', extent.begin) - extent.begin);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    diagnostics_.error(lines_.at(extent.begin, line.size()), fmt::format("missing '{}'", close),
                       fmt::format("write '{}{}'", line, close));
    throw Stop{};
  }

  // A value of several lines; often the second was meant as a key, and YAML folds it into the first.
  void refuse_lines(const Node& node, const Extent& extent) {
    refuse_open_bracket(extent);
    const size_t next = text_.find('\n', extent.begin);
    const bool plain = !extent.quoted && !in_brackets() && text_.substr(extent.begin, 1).find_first_of("|>") != 0;
    if (const auto mistake = plain ? find_line_mistake(text_, next + 1) : std::nullopt) {
      diagnostics_.error(place(*mistake), mistake->message, mistake->hint);
      throw Stop{};
    }
    diagnostics_.error(node.span, "a value stands on one line", "an expression is not folded over lines");
  }

  static std::string glyph_hint(const Glyph& glyph) {
    const std::string range = range_hint(glyph.ascii);
    return !range.empty() || glyph.ascii.empty() ? range : "write '" + glyph.ascii + "'";
  }

  void refuse_glyphs(const Node& node) {
    const std::optional<Glyph> glyph = find_glyph(node.text);
    if (!glyph) return;
    std::string message = "letters outside ASCII stand in comments and quoted strings only";
    if (!glyph->name.empty()) message += "; here stands " + std::string(glyph->name);
    diagnostics_.error(node.span, message, glyph_hint(*glyph));
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(mark, tag);
    OpenFrame frame;
    frame.anchor = anchor;
    frame.node.kind = kind;
    const size_t at = skip_properties(text_, position(mark));
    frame.node.span = lines_.at(at, bracket_length(at));
    if (frames_.size() >= static_cast<size_t>(limits_.depth)) {
      diagnostics_.error(frame.node.span, "lists and maps nest more than " + std::to_string(limits_.depth) + " deep");
      throw Stop{};
    }
    frames_.push_back(std::move(frame));
  }

  // What to underline of a list or map: up to its closing bracket, or its first word.
  size_t bracket_length(size_t at) const {
    constexpr size_t kFar = 200;
    const std::string_view near = text_.substr(at, kFar), line = near.substr(0, near.find('\n'));
    if (line.empty() || (line[0] != '[' && line[0] != '{'))
      return std::max<size_t>(std::min(line.find_first_of(": \r"), line.size()), 1);
    int depth = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '[' || line[i] == '{') ++depth;
      if ((line[i] == ']' || line[i] == '}') && --depth == 0) return i + 1;
    }
    return 1;
  }

  void close() {
    OpenFrame frame = std::move(frames_.back());
    frames_.pop_back();
    finish(std::move(frame.node), frame.anchor);
  }

  void finish(Node node, YAML::anchor_t anchor) {
    nodes_ += 1;
    if (nodes_ > limits_.nodes || anchor != 0) count(node, node.span);  // an anchor keeps a copy
    if (anchor != 0) anchors_[anchor] = node;
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenFrame& f = frames_.back();
    if (f.node.kind == Node::Kind::list) {
      f.node.items.push_back(std::move(node));
    } else if (!f.has_key) {
      take_key(f, node);
    } else {
      if (f.node.entries.size() >= kMostKeys) refuse_size(f.key_span);
      if (f.good_key) f.node.entries.push_back({std::move(f.key), f.key_span, std::move(node)});
      f.has_key = false;
    }
  }

  [[noreturn]] void refuse_size(const Span& span) {
    diagnostics_.error(span, "a map has more than " + std::to_string(kMostKeys) + " keys");
    stopped_ = true;
    throw Stop{};
  }

  void take_key(OpenFrame& f, const Node& node) {
    if (node.kind != Node::Kind::scalar && !node.broken)
      diagnostics_.error(node.span, "a key is a plain word, not a list, a map or nothing",
                         "quote an expression that holds brackets");
    else if (node.text == "<<" && !node.quoted)
      diagnostics_.error(node.span, "merge keys ('<<') are not part of the language", "use 'use:' or 'extends:'");
    f.good_key = node.kind == Node::Kind::scalar && !node.broken && (node.text != "<<" || node.quoted);
    if (!f.good_key && frames_.size() > 1) f.node.broken = true;  // what it should have held is not missing
    if (!f.good_key && !f.node.entries.empty() && f.node.entries.back().value.kind == Node::Kind::null)
      f.node.entries.back().value.broken = true;
    f.has_key = true;
    f.key = node.text;
    f.key_span = node.span;
  }

  // The first of equal keys stays.
  void refuse_duplicates(Node& map) {
    std::vector<const Entry*> twice;
    for (const auto& [first, again] : repeated_keys(map)) {
      if (continues_number(map, static_cast<size_t>(again - map.entries.data()))) continue;
      diagnostics_.error(again->key_span, "duplicate key '" + again->key + "'",
                         "first written in line " + std::to_string(first->key_span.line));
      twice.push_back(again);
    }
    if (twice.empty()) return;
    std::ranges::sort(twice);
    std::vector<Entry> kept;
    for (Entry& e : map.entries)
      if (!std::ranges::binary_search(twice, &e)) kept.push_back(std::move(e));
    map.entries = std::move(kept);
  }

  std::string_view text_;
  LineMap lines_;
  LineComments comments_;
  const ParseLimits& limits_;
  Diagnostics& diagnostics_;
  std::vector<OpenFrame> frames_;
  std::unordered_map<YAML::anchor_t, Node> anchors_;
  Node root_;
  size_t nodes_ = 0;
  int documents_ = 0;
  bool stopped_ = false;  // only closing open nodes
};

// yaml-cpp's messages in the words of ours. A prefix decides.
struct Rewording {
  std::string_view theirs;
  const char *ours, *hint;
};
constexpr Rewording kRewordings[] = {
    {"illegal map value", "unexpected ':' here", "quote a value that holds ': '; check the indentation"},
    {"end of sequence flow not found", "missing ']'", ""},
    {"end of map flow not found", "missing '}'", ""},
    {"end of map not found", "unexpected text here", "check the indentation; a key is followed by ': '"},
    {"end of sequence not found", "unexpected text here", "check the indentation; an item begins with '- '"},
    {"illegal block entry", "unexpected '-' here", "a list stands on lines of its own below its key"},
    {"unknown token", "no value can begin like this", "quote the value"},
    {"illegal flow end", "unexpected closing bracket", ""},
    {"the referenced anchor is not defined", "no such anchor before this alias", "a value cannot begin with '*'"},
    {"alias not found", "'*' begins an alias, not a value", "write a product with its factors around '*'"},
    {"bad file", "lists and maps nest too deep", ""},
};

void report(const YAML::Exception& e, const TreeBuilder& builder, Diagnostics& diagnostics) {
  const Span place = builder.place(e.mark);
  if (const auto mistake = builder.line_mistake(e.mark))
    return diagnostics.error(builder.place(*mistake), mistake->message, mistake->hint);
  const std::string_view line = builder.line_of(e.mark);
  for (const Rewording& row : kRewordings) {
    if (!std::string_view(e.msg).starts_with(row.theirs)) continue;
    const bool never_closed = std::string_view(row.ours).starts_with("missing");
    if (never_closed && builder.innermost(place).length > 1)
      return diagnostics.error(place, "expected ',' before the next entry",
                               "a comma stands between entries in brackets");
    const bool ternary = line.find(" ? ") != std::string_view::npos && *row.ours == 'u';
    return diagnostics.error(never_closed ? builder.innermost(place) : place, row.ours,
                             ternary ? "for one of two values write if(condition, a, b)" : row.hint);
  }
  diagnostics.error(place, e.msg);
}

// The tree of `text`, a copy of the source's of the same length.
Node read_events(const Source& source, std::string text, Diagnostics& diagnostics, const ParseLimits& limits) {
  TreeBuilder builder(source, limits, diagnostics);
  text += '\n';  // otherwise yaml-cpp reports an open quote in its own words, at the end
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    for (int documents = 0; documents < 2 && parser.HandleNextDocument(builder);) ++documents;
  } catch (const YAML::Exception& e) {
    report(e, builder, diagnostics);
    return builder.take(true);
  } catch (const Stop&) {
    return builder.take(true);
  }
  return builder.take(false);
}

// YAML's directives say nothing here, and what looks like one is mostly meant for a comment.
bool has_directive(const Source& source, Diagnostics& diagnostics) {
  const size_t later = source.text.find("\n%");
  const size_t at = source.text.starts_with('%') ? 0 : later == std::string::npos ? later : later + 1;
  if (at == std::string::npos) return false;
  diagnostics.error(LineMap(source).at(at, 1), "a line that begins with '%'", "a comment begins with '#'");
  return true;
}

}  // namespace

Node parse_yaml(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits) {
  return parse_yaml_from(source, 0, diagnostics, limits);
}

Node parse_yaml_from(const Source& source, size_t offset, Diagnostics& diagnostics, const ParseLimits& limits) {
  if (!is_readable(source, diagnostics, limits) || has_directive(source, diagnostics)) return broken_node();
  std::string text = source.text;
  text.replace(0, offset, offset, ' ');  // what comes before keeps its columns
  return read_events(source, std::move(text), diagnostics, limits);
}

}  // namespace dsl
