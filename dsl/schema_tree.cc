#include "dsl/schema_tree.h"

#include <algorithm>

#include "dsl/catalog.h"
#include "dsl/raw_text.h"

namespace dsl {

const SchemaNode* SchemaNode::find(std::string_view key) const {
  for (const SchemaNode& c : children)
    if (c.name == key) return &c;
  return nullptr;
}

SchemaNode schema_tree(const Schema& schema) {
  SchemaNode root;
  for (const Field& field : schema) {
    SchemaNode* at = &root;
    std::string_view rest = field.path;
    while (!rest.empty()) {
      const size_t dot = rest.find('.');
      std::string_view step = rest.substr(0, dot);
      rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
      const bool is_list = step.ends_with("[]");
      if (is_list) step.remove_suffix(2);
      auto it =
          std::find_if(at->children.begin(), at->children.end(), [&](const SchemaNode& c) { return c.name == step; });
      if (it == at->children.end()) it = at->children.insert(it, SchemaNode{std::string(step), nullptr, is_list, {}});
      at = &*it;
    }
    at->field = &field;
  }
  return root;
}

namespace {

const char* kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    default:
      return "a value";
  }
}

std::string shown(const Node& node) {
  return node.kind == Node::Kind::scalar ? "'" + shortened(node.text) + "'" : kind_name(node);
}

constexpr size_t kMostEntries = 1000;  // of a table or a list of maps: each brings all its fields

class Layouter {
 public:
  Layouter(const Vocabulary& vocabulary, Diagnostics& diagnostics)
      : vocabulary_(vocabulary), diagnostics_(diagnostics) {}

  WrittenFields layout;

  /// What is known about the section that is being walked.
  struct Where {
    std::string path;     // "" at the root
    Span parent;          // the nearest parent that is written
    std::string absent;   // the outermost section around that is not written, or ""
    bool broken = false;  // pulled from a file that could not be read
  };

  void section(const SchemaNode& schema, const Node* node, const Where& where) {
    if (node && node->kind == Node::Kind::map) refuse_unknown(schema, *node, where);
    for (const SchemaNode& child : schema.children) {
      const Entry* entry = find_entry(node, child.name);
      if (child.name == "*") any_keys(child, node, where);
      else if (child.field) leaf(child, entry, where, spares(node, child.field->unless));
      else below(child, entry, where);
    }
  }

  void tell_missing() {
    for (const Missing& m : missing_) {
      if (m.absent.empty()) {
        for (const std::string& path : m.fields) diagnostics_.error(m.span, "missing required field " + path);
        continue;
      }
      std::string hint = "it needs ";
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

  static const Entry* find_entry(const Node* node, std::string_view key) {
    if (!node || node->kind != Node::Kind::map) return nullptr;
    for (const Entry& e : node->entries)
      if (e.key == key) return &e;
    return nullptr;
  }
  static std::string join(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }

  void refuse_unknown(const SchemaNode& schema, const Node& node, const Where& where) {
    if (schema.any()) return;
    for (const Entry& e : node.entries) {
      const bool ours = e.key == "use" || (where.path.empty() && vocabulary_.is_special(e.key));
      if (ours || schema.find(e.key)) continue;
      std::vector<std::string> known;
      for (const SchemaNode& c : schema.children) known.push_back(c.name);
      if (where.path.empty())
        for (std::span<const char* const> keys : {language_keys(), vocabulary_.other_keys})
          known.insert(known.end(), keys.begin(), keys.end());
      std::string hint = did_you_mean(e.key, known);
      if (hint.empty() && e.value.kind == Node::Kind::null && e.key.find(':') != std::string::npos)
        hint = "a blank follows a colon";
      diagnostics_.error(e.key_span, "unknown field '" + join(where.path, e.key) + "'", hint);
    }
  }

  /// The list that stands for a required field is written and has items.
  static bool spares(const Node* node, const std::string& list) {
    const Entry* entry = list.empty() ? nullptr : find_entry(node, list);
    return entry && !entry->value.items.empty();
  }

  void leaf(const SchemaNode& schema, const Entry* entry, const Where& where, bool spared = false) {
    WrittenField place{join(where.path, schema.name), schema.field, entry ? &entry->value : nullptr, where.parent,
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

  // A section, list or table below the one of `where`.
  void below(const SchemaNode& schema, const Entry* entry, const Where& where) {
    Where inner{join(where.path, schema.name), where.parent, where.absent, where.broken};
    if (!entry && inner.absent.empty()) inner.absent = inner.path;
    if (entry) {
      inner.parent = entry->key_span;
      inner.broken = inner.broken || entry->value.broken;
    }
    if (schema.is_list) return list(schema, entry, inner);
    if (entry && entry->value.kind != Node::Kind::map && entry->value.kind != Node::Kind::null) {
      refuse_shape(entry->value, inner.path, "a map of fields");
      inner.broken = true;
    }
    section(schema, entry ? &entry->value : nullptr, inner);
  }

  void refuse_shape(const Node& node, const std::string& path, const std::string& expected) {
    if (node.broken) return;
    const bool colon = node.kind == Node::Kind::scalar && node.text.find(':') != std::string::npos;
    const char* hint = colon ? "a blank follows a colon" : "";
    diagnostics_.error(node.span, "expected " + expected + " for " + path + ", got " + shown(node), hint);
  }

  void refuse_size(const Span& span, const std::string& path) {
    diagnostics_.error(span, path + " has more than " + std::to_string(kMostEntries) + " entries");
  }

  void list(const SchemaNode& schema, const Entry* entry, const Where& where) {
    if (!entry || entry->value.kind == Node::Kind::null) return;
    const Node& node = entry->value;
    if (node.kind != Node::Kind::list) return refuse_shape(node, where.path, "a list of maps");
    if (node.items.size() > kMostEntries) return refuse_size(node.span, where.path);
    layout.list_sizes[where.path] = node.items.size();
    for (size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      Where inner{where.path + "[" + std::to_string(i) + "]", item.span, "", where.broken || item.broken};
      if (item.kind != Node::Kind::map && item.kind != Node::Kind::null) {
        refuse_shape(item, inner.path, "a map of fields");
        inner.broken = true;
      }
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
      Where inner{join(where.path, e.key), e.key_span, "", where.broken || e.value.broken};
      if (e.value.kind != Node::Kind::map && e.value.kind != Node::Kind::null) {
        refuse_shape(e.value, inner.path, "a map of fields");
        inner.broken = true;
      }
      section(schema, &e.value, inner);
    }
  }

  static bool good_key(const std::string& key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
      return is_name_char(c) || std::string_view("-+.[]*").find(c) != std::string_view::npos;
    });
  }

  const Vocabulary& vocabulary_;
  Diagnostics& diagnostics_;
  std::vector<Missing> missing_;
};

}  // namespace

WrittenFields lay_out(const Node& tree, const SchemaNode& schema, const Vocabulary& vocabulary,
                      Diagnostics& diagnostics) {
  Layouter layouter(vocabulary, diagnostics);
  Layouter::Where root;
  root.parent = tree.span;
  if (tree.kind != Node::Kind::map && tree.kind != Node::Kind::null) {
    const bool colon = tree.kind == Node::Kind::scalar && tree.text.find(':') != std::string::npos;
    diagnostics.error(tree.span, "expected a map of sections, got " + shown(tree),
                      colon ? "a blank follows a colon" : "");
    root.broken = true;
  }
  layouter.section(schema, &tree, root);
  layouter.tell_missing();
  return std::move(layouter.layout);
}

}  // namespace dsl
