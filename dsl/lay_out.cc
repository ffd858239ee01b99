#include "dsl/lay_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "dsl/raw_text.h"
#include "dsl/record.h"
#include "dsl/slips.h"
#include "dsl/unknown_key.h"

namespace dsl {
namespace {

std::string shown(const Node& node) {
  return node.kind == Node::Kind::scalar ? "'" + shortened(node.text) + "'" : kind_name(node);
}

constexpr size_t kMostEntries = 1000;  // of a table or a list of maps: each brings all its fields

class Layouter {
 public:
  Layouter(const SchemaNode& root, const Vocabulary& vocabulary, Diagnostics& diagnostics)
      : root_(root), vocabulary_(vocabulary), diagnostics_(diagnostics) {}

  WrittenFields layout;

  /// State of the section that is being walked.
  struct Where {
    std::string path;     // "" at the root
    Span parent;          // the nearest parent that is written
    std::string absent;   // the outermost section around that is not written, or ""
    bool broken = false;  // pulled from a file that could not be read
  };

  void file(const Node& tree) {
    Where where{"", tree.span, "", false};
    if (tree.kind != Node::Kind::map && tree.kind != Node::Kind::null) {
      refuse_shape(tree, "a map of sections", keys_hint("", root_));
      where.broken = true;
    }
    section(root_, &tree, where);
  }

  void section(const SchemaNode& schema, const Node* node, const Where& where) {
    if (node && node->kind == Node::Kind::map) refuse_unknown(schema, *node, where);
    for (const SchemaNode& child : schema.children) {
      const Entry* entry = find_entry(node, child.name);
      if (child.name == "*") any_keys(child, node, where);
      else if (child.field) leaf(child, entry, where, spares(node, child.field->unless));
      else if (!entry || !is_of_neighbour(schema, *entry, where)) below(child, entry, where);
    }
  }

  void tell_missing() {
    for (Missing& m : missing_) {
      std::erase_if(m.fields, [&](const std::string& path) { return is_meant(path); });
      if (m.fields.empty()) continue;
      if (m.absent.empty()) {
        for (const std::string& path : m.fields)
          diagnostics_.error(m.span, "missing required field " + path, doc_of(path));
        continue;
      }
      std::string hint = names_kind(m.absent)
                             ? "'" + m.absent + ": {use: NAME}' takes one of the catalogue; else it needs "
                             : "it needs ";
      constexpr size_t kNamed = 6;
      for (size_t i = 0; i < std::min(m.fields.size(), kNamed); ++i) hint += (i ? ", " : "") + m.fields[i];
      if (m.fields.size() > kNamed) hint += " and " + std::to_string(m.fields.size() - kNamed) + " more";
      diagnostics_.error(m.span, "missing section '" + m.absent + "'", hint);
    }
  }

 private:
  struct Missing {
    std::string absent;
    Span span;
    std::vector<std::string> fields;
  };

  // "gpus: accelerators of this job; give it there, or by --set cluster.gpus=..."; "" without a doc.
  std::string doc_of(const std::string& path) const {
    const auto place = std::ranges::find(layout.places, path, &WrittenField::path);
    if (place == layout.places.end() || !place->field || place->field->doc.empty()) return "";
    return fmt::format("{}: {}; give it there, or by --set {}=...", last_part(path), place->field->doc, path);
  }

  // A section that is called as a kind of catalogue files is: they are there to fill it.
  bool names_kind(std::string_view path) const {
    return std::ranges::any_of(vocabulary_.kinds, [&](const FileKind& kind) { return kind.kind == path; });
  }

  static const Entry* find_entry(const Node* node, std::string_view key) {
    if (!node || node->kind != Node::Kind::map) return nullptr;
    for (const Entry& e : node->entries)
      if (e.key == key) return &e;
    return nullptr;
  }
  void refuse_unknown(const SchemaNode& schema, const Node& node, const Where& where) {
    if (schema.any()) return;
    for (size_t i = 0; i < node.entries.size(); ++i) {
      const Entry& e = node.entries[i];
      if (continues_number(node, i)) continue;
      const bool ours = e.key == "use" || (where.path.empty() && vocabulary_.is_special(e.key));
      if (ours || schema.find(e.key)) continue;
      UnknownKey unknown = explain_unknown_key(node, i, where.path, schema, root_, vocabulary_);
      if (!unknown.meant.empty()) meant_.insert(unknown.meant);
      if (!e.value.broken) diagnostics_.list.push_back(std::move(unknown.told));
    }
  }

  /// Whether the list that replaces a required field is written and has items.
  static bool spares(const Node* node, const std::string& list) {
    const Entry* entry = list.empty() ? nullptr : find_entry(node, list);
    return entry && !entry->value.items.empty();
  }

  void leaf(const SchemaNode& schema, const Entry* entry, const Where& where, bool spared = false) {
    WrittenField place{path_below(where.path, schema.name), schema.field, entry ? &entry->value : nullptr, where.parent,
                       false};
    if (entry && entry->value.kind == Node::Kind::null && !entry->value.span.source) place.parent = entry->key_span;
    if (!entry && schema.field->required && !spared) {
      place.missing = true;
      if (!where.broken) add_missing(place.path, where);
    }
    layout.places.push_back(std::move(place));
  }

  void add_missing(const std::string& path, const Where& where) {
    for (Missing& m : missing_)
      if (m.absent == where.absent && m.span.source == where.parent.source && m.span.line == where.parent.line &&
          m.span.column == where.parent.column)
        return m.fields.push_back(path);
    missing_.push_back({where.absent, where.parent, {path}});
  }

  // A section, list or table below that of `where`.
  void below(const SchemaNode& schema, const Entry* entry, const Where& where) {
    Where inner{path_below(where.path, schema.name), where.parent, where.absent, where.broken};
    if (!entry && inner.absent.empty()) inner.absent = inner.path;
    if (entry) {
      inner.parent = entry->key_span;
      inner.broken = inner.broken || entry->value.broken;
    }
    if (schema.is_list) return list(schema, entry, inner);
    if (entry) takes_fields(entry->value, inner, [&] { return section_hint(schema, entry->value, inner.path); });
    section(schema, entry ? &entry->value : nullptr, inner);
  }

  void refuse_shape(const Node& node, const std::string& expected, std::string hint = {}) {
    if (node.broken) return;
    std::string message = "expected " + expected + ", got " + shown(node);
    if (const Slip slip = line_slip(node); !slip.hint.empty()) {
      message = slip.message;
      hint = slip.hint;
    }
    diagnostics_.error(node.span, message, hint);
  }

  // A value that is neither a map nor empty has no fields that could be missing.
  void takes_fields(const Node& node, Where& where, const std::function<std::string()>& hint = {}) {
    if (node.kind == Node::Kind::map || node.kind == Node::Kind::null) return;
    refuse_shape(node, "a map of fields for " + where.path, hint ? hint() : "");
    where.broken = true;
  }

  // A line that should be a key and its value: "sugar = 4", "sugar:4".
  static Slip line_slip(const Node& node) {
    if (node.kind != Node::Kind::scalar || node.quoted) return {};
    if (const auto assignment = find_assignment(node.text)) return assignment_slip(*assignment);
    const size_t colon = node.text.find(':');
    if (colon == std::string::npos) return {};
    const std::string key = node.text.substr(0, colon), value = node.text.substr(colon + 1);
    return {"expected a blank behind '" + shortened(key) + ":'", "write '" + key + ": " + value + "'"};
  }

  // What a section takes, where something else is written.
  std::string section_hint(const SchemaNode& schema, const Node& node, const std::string& path) const {
    const bool is_text = node.kind == Node::Kind::scalar;
    const OtherName* other = is_text ? vocabulary_.other_word(node.text, path) : nullptr;
    if (other) return "write '" + std::string(other->meant) + "'";
    const bool keys = node.kind == Node::Kind::list && !node.items.empty() && node.items[0].kind == Node::Kind::map;
    return keys ? "the fields of a section have no '-' before them" : keys_hint(path, schema);
  }

  // A map in place of a list of one: "write '[{...}]'", or how a list is written.
  static std::string list_hint(const Node& node) {
    const size_t at = offset_of(node.span);
    if (node.kind != Node::Kind::map || at == std::string::npos) return "";
    const std::string text = node.span.source->text.substr(at, static_cast<size_t>(node.span.length));
    if (text.starts_with('{') && text.ends_with('}')) return "write '[" + text + "]'";
    return "an item of a list begins with '- '";
  }

  // "cup: 8" next to a field 'cups': reported for that field, and the section is otherwise ignored.
  bool is_of_neighbour(const SchemaNode& schema, const Entry& entry, const Where& where) {
    if (entry.value.kind != Node::Kind::scalar || entry.value.broken || schema.find(entry.key)->is_list) return false;
    std::vector<std::string> fields;
    for (const SchemaNode& c : schema.children)
      if (c.field && c.field->type == Type::count) fields.push_back(c.name);
    const std::vector<std::string> found = similar(entry.key, fields);
    if (found.empty() || !is_digit(entry.value.text[0])) return false;
    for (const std::string& name : found) meant_.insert(path_below(where.path, name));
    diagnostics_.error(entry.key_span, path_below(where.path, entry.key) + " is a section, and takes no number",
                       did_you_mean(found));
    return true;
  }

  // Whether an unknown key was meant for this path or for a section around it.
  bool is_meant(std::string_view path) const {
    for (size_t end = path.size(); end != std::string_view::npos; end = path.rfind('.', end - 1))
      if (meant_.contains(path.substr(0, end))) return true;
    return false;
  }

  void refuse_size(const Span& span, const std::string& path) {
    diagnostics_.error(span, path + " has more than " + std::to_string(kMostEntries) + " entries");
  }

  void list(const SchemaNode& schema, const Entry* entry, const Where& where) {
    if (!entry || entry->value.kind == Node::Kind::null) return;
    const Node& node = entry->value;
    if (node.kind != Node::Kind::list) return refuse_shape(node, "a list of maps for " + where.path, list_hint(node));
    if (node.items.size() > kMostEntries) return refuse_size(node.span, where.path);
    layout.list_sizes[where.path] = node.items.size();
    for (size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      Where inner{where.path + "[" + std::to_string(i) + "]", item.span, "", where.broken || item.broken};
      takes_fields(item, inner);
      section(schema, &item, inner);
    }
  }

  // A map whose keys the user chooses.
  void any_keys(const SchemaNode& schema, const Node* node, const Where& where) {
    if (!node || node->kind != Node::Kind::map) return;
    if (node->entries.size() > kMostEntries) return refuse_size(node->span, where.path);
    std::vector<std::string>& keys = layout.map_keys[where.path];
    for (const Entry& e : node->entries) {
      if (e.key == "use") continue;
      if (!good_key(e.key)) {
        diagnostics_.error(e.key_span,
                           "a name here has letters, digits and _ - + . only, got '" + shortened(e.key) + "'");
        continue;
      }
      keys.push_back(e.key);
      SchemaNode named;  // the row for any key, under this one's name
      named.name = e.key;
      if (schema.field) {
        named.field = schema.field;
        leaf(named, &e, where);
        continue;
      }
      Where inner{path_below(where.path, e.key), e.key_span, "", where.broken || e.value.broken};
      takes_fields(e.value, inner);
      section(schema, &e.value, inner);
    }
  }

  static bool good_key(const std::string& key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
      return is_name_char(c) || std::string_view("-+.[]*").find(c) != std::string_view::npos;
    });
  }

  const SchemaNode& root_;
  const Vocabulary& vocabulary_;
  Diagnostics& diagnostics_;
  std::vector<Missing> missing_;
  std::set<std::string, std::less<>> meant_;  // paths that an unknown key was meant for: they are not missing
};

}  // namespace

constexpr size_t kUsualPlaces = 2048;  // of a scenario

WrittenFields lay_out(const Node& tree, const SchemaNode& schema, const Vocabulary& vocabulary,
                      Diagnostics& diagnostics) {
  Layouter layouter(schema, vocabulary, diagnostics);
  layouter.layout.places.reserve(kUsualPlaces);
  layouter.file(tree);
  layouter.tell_missing();
  return std::move(layouter.layout);
}

}  // namespace dsl
