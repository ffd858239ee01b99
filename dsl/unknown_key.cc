#include "dsl/unknown_key.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "dsl/slips.h"

namespace dsl {
namespace {

constexpr size_t kNamed = 14;  // keys of a section that a hint lists
constexpr size_t kPlaces = 2;  // sections that a misplaced key may belong to

// Every path of the schema that a file may write, but those inside lists and tables.
void add_paths(const SchemaNode& schema, const std::string& path, std::vector<std::string>& out) {
  for (const SchemaNode& child : schema.children) {
    if (child.name == "*") continue;
    const std::string its = path_below(path, child.name);
    out.push_back(its);
    if (!child.is_list) add_paths(child, its, out);
  }
}

std::string squeezed(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c != '_' && c != '-') out += small(c);
  return out;
}

bool is_digits_alone(const Entry& entry) {
  return entry.value.kind == Node::Kind::null && std::ranges::all_of(entry.key, is_digit);
}

class Explanation {
 public:
  Explanation(const Node& map, size_t at, const std::string& path, const SchemaNode& section, const SchemaNode& root,
              const Vocabulary& vocabulary)
      : map_(map), entry_(map.entries[at]), at_(at), path_(path), section_(section), root_(root), words_(vocabulary) {
    out_.told.span = entry_.key_span;
    out_.told.message = "unknown field '" + path_below(path, shortened(entry_.key)) + "'";
  }

  UnknownKey explain() {
    using Step = bool (Explanation::*)();
    constexpr Step kSteps[] = {&Explanation::by_equals,     &Explanation::by_colon,      &Explanation::by_blank,
                               &Explanation::by_comma,      &Explanation::by_other_name, &Explanation::by_dots,
                               &Explanation::by_neighbours, &Explanation::by_place};
    const bool known = std::ranges::any_of(kSteps, [this](Step step) { return (this->*step)(); });
    if (!known) out_.told.hint = keys_hint(path_, section_);
    return std::move(out_);
  }

 private:
  bool is_alone() const { return entry_.value.kind == Node::Kind::null; }

  // {sugar = 4}
  bool by_equals() {
    const auto assignment = is_alone() ? find_assignment(entry_.key) : std::nullopt;
    if (!assignment) return false;
    const Slip slip = assignment_slip(*assignment);
    out_.told.message = slip.message;
    out_.told.hint = slip.hint;
    out_.meant = path_below(path_, assignment->key);
    return true;
  }

  // {sugar:4}
  bool by_colon() {
    const size_t colon = entry_.key.find(':');
    if (!is_alone() || colon == std::string::npos) return false;
    const std::string key = entry_.key.substr(0, colon), value = entry_.key.substr(colon + 1);
    out_.told.message = "expected a blank behind '" + shortened(key) + ":'";
    out_.told.hint = fmt::format("write '{}: {}'", key, value);
    out_.meant = path_below(path_, key);
    return true;
  }

  // {sugar 4}
  bool by_blank() {
    const size_t blank = entry_.key.find(' ');
    const std::string key = entry_.key.substr(0, blank);
    if (!is_alone() || blank == std::string::npos || !stands(path_below(path_, key))) return false;
    out_.told.message = "expected ':' behind '" + key + "'";
    out_.told.hint = fmt::format("write '{}: {}'", key, entry_.key.substr(blank + 1));
    out_.meant = path_below(path_, key);
    return true;
  }

  // {grams: 2,048}
  bool by_comma() {
    if (!is_digits_alone(entry_) || at_ == 0) return false;
    const Entry& before = map_.entries[at_ - 1];
    const Span &from = before.value.span, &to = entry_.key_span;
    if (before.value.kind != Node::Kind::scalar || from.source != to.source || from.line != to.line) return false;
    std::string text = before.value.text;
    int end = to.column + to.length;
    for (size_t i = at_; i < map_.entries.size() && is_digits_alone(map_.entries[i]); ++i) {
      text += "," + map_.entries[i].key;
      if (map_.entries[i].key_span.line == from.line)
        end = map_.entries[i].key_span.column + map_.entries[i].key_span.length;
    }
    const auto slip = find_slip(text);
    if (!slip) return false;
    out_.told = {Severity::error, from, slip->message, slip->hint};
    out_.told.span.length = end - from.column;
    return true;
  }

  bool by_other_name() {
    const OtherName* other = words_.other_name(entry_.key);
    if (!other || !stands(std::string(other->meant))) return false;
    propose({std::string(other->meant)});
    if (!other->advice.empty()) out_.told.hint = other->advice;
    return true;
  }

  bool by_neighbours() {
    std::vector<std::string> known;
    for (const SchemaNode& c : section_.children) known.push_back(c.name);
    if (path_.empty())
      for (std::span<const char* const> keys : {language_keys(), words_.other_keys})
        known.insert(known.end(), keys.begin(), keys.end());
    std::vector<std::string> found = similar(entry_.key, known);
    for (std::string& name : found) name = path_below(path_, name);
    return propose(found);
  }

  // tea.sugar: 4
  bool by_dots() {
    const size_t dot = entry_.key.rfind('.');
    const Span &from = entry_.key_span, &to = entry_.value.span;
    if (dot == std::string::npos || !stands(path_below(path_, entry_.key)) || from.line != to.line) return false;
    out_.told.message = "expected a section, got the path '" + entry_.key + "'";
    std::string text = entry_.key.substr(dot + 1) + ": " + entry_.value.text;
    for (size_t end = dot; end != std::string::npos;) {
      const size_t begin = entry_.key.rfind('.', end - 1), first = begin == std::string::npos ? 0 : begin + 1;
      text = entry_.key.substr(first, end - first) + ": {" + text + "}";
      end = begin;
    }
    out_.told.hint = "write '" + text + "'";
    out_.told.span.length = to.column + to.length - from.column;
    return true;
  }

  // A key of another section: of those that have it the outermost, unless they are many.
  bool by_place() {
    std::vector<std::string> all, found;
    add_paths(root_, "", all);
    const std::string key = squeezed(entry_.key);
    const auto depth = [](const std::string& path) { return std::ranges::count(path, '.'); };
    for (const std::string& path : all) {
      if (squeezed(last_part(path)) != key) continue;
      if (!found.empty() && depth(path) < depth(found[0])) found.clear();
      if (found.empty() || depth(path) == depth(found[0])) found.push_back(path);
    }
    if (found.size() > kPlaces || found.empty()) return false;
    if (depth(found[0]) > 0) return propose(found);
    out_.told.hint = "'" + found[0] + "' stands at the top of a file";
    return true;
  }

  bool stands(const std::string& path) const {
    if (path.empty() || path.ends_with('.')) return false;
    const SchemaNode* at = &root_;
    for (std::string_view rest = path; at && !rest.empty();) at = at->find(next_step(rest));
    return at != nullptr;
  }

  // A path in this section is named by its key alone.
  bool propose(std::vector<std::string> paths) {
    if (paths.empty()) return false;
    if (paths.size() == 1) out_.meant = paths[0];
    for (std::string& path : paths)
      if (std::string key(last_part(path)); path_below(path_, key) == path) path = key;
    out_.told.hint = did_you_mean(paths);
    return true;
  }

  const Node& map_;
  const Entry& entry_;
  size_t at_;
  const std::string& path_;
  const SchemaNode &section_, &root_;
  const Vocabulary& words_;
  UnknownKey out_;
};

}  // namespace

UnknownKey explain_unknown_key(const Node& map, size_t at, const std::string& path, const SchemaNode& section,
                               const SchemaNode& root, const Vocabulary& vocabulary) {
  return Explanation(map, at, path, section, root, vocabulary).explain();
}

bool continues_number(const Node& map, size_t at) {
  size_t first = at;
  while (first > 0 && is_digits_alone(map.entries[first])) --first;
  return at > first + 1 && map.entries[first].value.kind == Node::Kind::scalar;
}

std::string keys_hint(const std::string& path, const SchemaNode& section) {
  std::string out = (path.empty() ? "a file" : path) + " has ";
  const size_t shown = std::min(section.children.size(), kNamed);
  for (size_t i = 0; i < shown; ++i) out += (i ? ", " : "") + section.children[i].name;
  return shown < section.children.size() ? out + " ..." : out;
}

}  // namespace dsl
