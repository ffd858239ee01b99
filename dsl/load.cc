// extends, use and --set: from one file's tree to the whole one.
#include <algorithm>

#include "dsl/entry_users.h"
#include "dsl/lower_case.h"
#include "dsl/merge.h"
#include "dsl/raw_text.h"
#include "dsl/read_builtin.h"
#include "dsl/record.h"
#include "dsl/schema_tree.h"

namespace dsl {
namespace {

constexpr size_t kLongestChain = 32;  // files that extend each other
constexpr size_t kProposed = 2;       // maps with a `use` in one hint

/// Replaces a section's word by the map that it abbreviates.
void spell_out(std::string_view section, Node& value, const Vocabulary& words) {
  if (value.kind != Node::Kind::scalar || value.broken) return;
  for (const SectionWord& row : words.section_words) {
    if (row.section != section || row.word != value.text) continue;
    Node map(Node::Kind::map, value.span);
    map.entries.push_back({std::string(row.key), value.span, plain_node("true", value.span)});
    value = std::move(map);
    return;
  }
}

class Loader {
 public:
  Loader(const std::vector<Pull>& pulls, const Catalog& catalog, Sources& sources, Diagnostics& diagnostics)
      : pulls_(pulls), catalog_(catalog), sources_(sources), diagnostics_(diagnostics) {}

  /// The tree of one file over the trees that it extends.
  Node read(const Source& source, std::string_view kind, std::vector<const Source*> chain) {
    Node tree = tree_of(source, diagnostics_);
    const Vocabulary& words = catalog_.builtin.vocabulary;
    if (kind == words.main_kind)
      for (Entry& e : tree.entries) spell_out(e.key, e.value, words);
    chain.push_back(&source);
    const Node* extends = tree.find("extends");
    if (!extends || tree.broken) return tree;
    Node base = named(*extends, kind, "extends", chain);
    if (base.kind != Node::Kind::map) {
      tree.broken = true;
      return tree;
    }
    merge(base, tree, diagnostics_);
    return base;
  }

  /// Follows every `use` below `node`, which stands at `path` behind the key at `key`.
  void pull(Node& node, const std::string& path, const Span& key) {
    if (node.kind == Node::Kind::list && !node.items.empty()) {
      const std::string inside = path + "[]";
      for (Node& item : node.items) pull(item, inside, key);
    }
    const Pull* row = node.kind == Node::Kind::scalar && !node.broken ? pull_at(path) : nullptr;
    if (row && !row->by_name && is_name(node.text)) {
      diagnostics_.error(node.span, "expected a map of fields for " + path + ", got '" + shortened(node.text) + "'",
                         use_hint(node.text, path));
      node.broken = true;
    }
    if (node.kind != Node::Kind::map) return;
    if (const std::string* kind = kind_at(path)) name_without_use(node, *kind);
    if (const Node* use = node.find("use")) pull_here(node, Node(*use), path, key);
    for (Entry& e : node.entries)
      if (!path.empty() || kind_at(e.key) || !catalog_.builtin.vocabulary.is_special(e.key))
        pull(e.value, path_below(path, e.key), e.key_span);
  }

 private:
  // Whether a text can be the name of an entry, and is neither a number nor multi-line.
  static bool is_name(std::string_view text) {
    return text.find_first_of(":=") == std::string_view::npos && text.find_first_not_of("0123456789.") < text.size();
  }

  // "write '{use: NAME}'" for the entries that a name may mean.
  std::string use_hint(const std::string& name, const std::string& path) const {
    std::vector<std::string> names = meant(name, *kind_at(path));
    if (names.empty()) names = {shortened(name)};
    if (names.size() > kProposed) names.resize(kProposed);
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "write '{use: " : " or '{use: ") + n + "}'";
    return out;
  }

  void pull_here(Node& node, const Node& use, const std::string& path, const Span& key) {
    const std::string* kind = kind_at(path);
    if (!kind) return refuse_pull(node, path, key);
    Node pulled = named(use, *kind, "use", {});
    if (pulled.kind != Node::Kind::map) {
      node.broken = true;
      return;
    }
    std::erase_if(pulled.entries, [](const Entry& e) { return e.key == "extends"; });
    for (const Entry& e : pulled.entries)
      if (e.key == "use") diagnostics_.error(e.key_span, "a catalogue file takes 'extends' at its top, not 'use'");
    merge(pulled, node, diagnostics_);
    node = std::move(pulled);
  }

  // {NAME, key: value}
  void name_without_use(Node& node, const std::string& kind) {
    if (node.find("use")) return;
    for (Entry& e : node.entries) {
      if (e.value.kind != Node::Kind::null) continue;
      const std::vector<std::string> names = catalog_names(catalog_, kind);
      if (std::find(names.begin(), names.end(), e.key) == names.end()) continue;
      diagnostics_.error(e.key_span, "expected 'use' before the name '" + e.key + "'", "write 'use: " + e.key + "'");
      node.broken = e.value.broken = true;
    }
  }

  // `use` where nothing can be pulled in.
  void refuse_pull(Node& node, const std::string& path, const Span& key) {
    const auto use =
        std::find_if(node.entries.begin(), node.entries.end(), [](const Entry& e) { return e.key == "use"; });
    const auto above = use == node.entries.begin() ? node.entries.end() : use - 1;
    if (path.empty() && above != node.entries.end() && above->value.kind == Node::Kind::null && kind_at(above->key)) {
      above->value.broken = true;
      return diagnostics_.error(use->key_span, "'use' is not indented below '" + above->key + "'", "write '  use'");
    }
    const std::string section = path.substr(0, path.size() - std::min(path.size(), last_part(path).size()));
    std::vector<std::string> near;
    for (const Pull& p : pulls_)
      if (p.path == section + std::string(last_part(p.path))) near.emplace_back(last_part(p.path));
      else if (last_part(p.path) == last_part(path)) near.push_back(p.path);
    const OtherName* other = catalog_.builtin.vocabulary.other_name(last_part(path));
    const std::string hint =
        other && section.empty() ? did_you_mean({std::string(other->meant)}) : did_you_mean(last_part(path), near);
    if (path.empty() || hint.empty())
      return diagnostics_.error(use->key_span, "nothing can be pulled in here", places());
    node.broken = true;
    diagnostics_.error(key, "nothing can be pulled in at '" + path + "'", hint);
  }

  const Pull* pull_at(const std::string& path) const {
    const auto row = std::ranges::find(pulls_, path, &Pull::path);
    return row == pulls_.end() ? nullptr : &*row;
  }

  // The kind of file that `path` pulls in, or null.
  const std::string* kind_at(const std::string& path) const {
    const Pull* row = pull_at(path);
    return row ? &row->kind : nullptr;
  }

  std::string places() const {
    std::string out = "'use' stands in ";
    for (size_t i = 0; i < pulls_.size(); ++i) out += (i ? ", " : "") + pulls_[i].path;
    return pulls_.empty() ? "" : out;
  }

  /// The map of fields that `name` names; anything else is diagnosed.
  Node named(const Node& name, std::string_view kind, const char* key, const std::vector<const Source*>& chain) {
    Node tree = broken_node();
    if (const Format* format = format_of(name, kind)) tree = convert(name, kind, *format);
    else if (const Source* source = follow(name, kind, key, chain)) tree = read(*source, kind, chain);
    if (tree.kind != Node::Kind::map && !tree.broken)
      diagnostics_.error(name.span, "'" + tree.span.source->name + "' is not a map of fields");
    return tree;
  }

  // The format whose prefix `name` begins with, or null.
  const Format* format_of(const Node& name, std::string_view kind) const {
    for (const Pull& p : pulls_)
      for (const Format& format : p.formats)
        if (p.kind == kind && name.kind == Node::Kind::scalar && name.text.starts_with(format.prefix)) return &format;
    return nullptr;
  }

  Node convert(const Node& name, std::string_view kind, const Format& format) {
    Node tree = broken_node();
    std::string why;
    const std::string directory = name.span.source ? name.span.source->directory : "";
    const std::string path = name.text.substr(format.prefix.size());
    const Source* source = open_file(path, format.inside, directory, sources_, why, format.limits.bytes);
    if (!source) diagnostics_.error(name.span, why, missing_file_hint(name.text, kind, format.advice));
    else tree = parse_json(*source, diagnostics_, format.limits);
    return tree.broken ? broken_node() : format.convert(tree, diagnostics_);
  }

  // The entry that the last part of a path may mean, or `otherwise`.
  std::string missing_file_hint(std::string_view path, std::string_view kind, const std::string& otherwise) const {
    path.remove_prefix(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
    if (path.ends_with(".yaml")) path.remove_suffix(5);
    const std::string hint = did_you_mean(path, catalog_names(catalog_, kind));
    return hint.empty() || otherwise.empty() ? hint + otherwise : hint + " (" + otherwise + ")";
  }

  // Entries of `kind` for a name that none of them has: those that the vocabulary gives, those that contain the named
  // entry (a machine for the name of its accelerator), and those of similar names.
  std::vector<std::string> meant(const std::string& name, std::string_view kind) const {
    const Vocabulary& words = catalog_.builtin.vocabulary;
    const std::vector<std::string> known = catalog_names(catalog_, kind);
    if (std::find(known.begin(), known.end(), name) != known.end()) return {name};
    if (std::vector<std::string> users = holders(name, kind); !users.empty()) return users;
    std::vector<std::string> names = similar(name, known);
    const OtherName* other = words.other_word(name, path_of(kind) + ".use");
    if (!other) return names;
    std::erase(names, other->meant);
    names.insert(names.begin(), std::string(other->meant));
    return names;
  }

  // Entries of `kind` that pull in the entry of this name, if it is used in a part of theirs.
  std::vector<std::string> holders(const std::string& name, std::string_view kind) const {
    const std::string above = path_of(kind) + ".";
    for (const Pull& p : pulls_) {
      if (!p.path.starts_with(above)) continue;
      const std::string_view entry = catalog_.builtin.vocabulary.entry_of(p.kind, name);
      std::vector<std::string> users =
          entry_users(catalog_, kind, p.path.substr(above.size()), {p.kind, entry}, name, sources_);
      if (!users.empty()) return users;
    }
    return {};
  }

  // Where entries of `kind` stand, or "".
  std::string path_of(std::string_view kind) const {
    const auto row = std::ranges::find(pulls_, kind, &Pull::kind);
    return row == pulls_.end() ? "" : row->path;
  }

  // What to do about a name that no entry of the kind has.
  std::string missing_hint(const std::string& name, std::string_view kind) const {
    if (name.find('/') != std::string::npos || name.ends_with(".yaml")) return missing_file_hint(name, kind, "");
    const bool held = !holders(name, kind).empty();
    for (const Pull& p : pulls_) {
      const std::vector<std::string> names = catalog_names(catalog_, p.kind);
      if (!held && p.kind != kind && std::find(names.begin(), names.end(), name) != names.end())
        return "it names an entry of kind " + p.kind + ", which stands in " + p.path;
    }
    const std::string hint = did_you_mean(meant(name, kind));
    if (!hint.empty()) return hint;
    const bool is_listed = kind != catalog_.builtin.vocabulary.main_kind;
    const std::string list = "`trainplan list " + std::string(kind) + "`";
    if (is_placeholder(name) && is_listed) return "put a name of " + list + " in place of " + name;
    const std::string own = "a file of your own is named by its path, which ends in .yaml";
    return is_listed ? list + " names them; " + own : own;
  }

  /// The file that `name` names; diagnosed if there is none, or if it names its own chain.
  const Source* follow(const Node& name, std::string_view kind, const char* key,
                       const std::vector<const Source*>& chain) {
    if (name.broken) return nullptr;
    if (name.kind != Node::Kind::scalar || name.text.empty()) {
      diagnostics_.error(name.span, "expected the name of a " + std::string(kind) + " or a file after '" + key + "'",
                         name.kind == Node::Kind::list && std::string_view(key) == "use"
                             ? "a list is for `search`, `clusters` and --pick best; here name one"
                             : "");
      return nullptr;
    }
    std::string why;
    const Source* naming = name.span.source;
    const Source* source =
        find_source(catalog_, kind, name.text, naming ? naming->directory : "", sources_, why, naming);
    if (!source) {
      diagnostics_.error(name.span, why, missing_hint(name.text, kind));
      return nullptr;
    }
    for (const Source* earlier : chain)
      if (earlier->name == source->name) return cycle(name, chain, source);
    if (chain.size() < kLongestChain) return source;
    diagnostics_.error(name.span, "more than 32 files extend each other");
    return nullptr;
  }

  const Source* cycle(const Node& name, const std::vector<const Source*>& chain, const Source* again) {
    std::string text = "'extends' goes round in a circle: ";
    for (const Source* s : chain) text += s->name + " -> ";
    diagnostics_.error(name.span, text + again->name);
    return nullptr;
  }

  const std::vector<Pull>& pulls_;
  const Catalog& catalog_;
  Sources& sources_;
  Diagnostics& diagnostics_;
};

void move_to(Node& node, const Span& place) {
  node.span = place;
  for (Node& item : node.items) move_to(item, place);
  for (Entry& e : node.entries) {
    e.key_span = place;
    move_to(e.value, place);
  }
}

void move_to(ParsedOverride& o, const Span& place) {
  for (ParsedOverride::PathStep& step : o.path) step.span = place;
  move_to(o.value, place);
}

std::vector<ParsedOverride> parse_overrides(const std::vector<Override>& overrides, const Vocabulary& words,
                                            Sources& sources, Diagnostics& diagnostics) {
  const std::string_view example = words.override_example;
  std::vector<ParsedOverride> out;
  for (const Override& o : overrides) {
    ParsedOverride parsed;
    const bool good = o.value ? parse_written(o, parsed, diagnostics, example)
                              : parse_override(sources.emplace_back(Source{"--set", o.text, "", out.size()}), parsed,
                                               diagnostics, example);
    if (!good) continue;
    if (o.place.source && !o.value) move_to(parsed, o.place);
    if (parsed.path.size() == 1) spell_out(parsed.path[0].key, parsed.value, words);
    out.push_back(std::move(parsed));
  }
  return out;
}

}  // namespace

Node load(const Source& main, const std::vector<Override>& overrides, const std::vector<Pull>& pulls,
          const Catalog& catalog, Sources& sources, Diagnostics& diagnostics) {
  const Vocabulary& words = catalog.builtin.vocabulary;
  Loader loader(pulls, catalog, sources, diagnostics);
  Node tree = loader.read(main, words.main_kind, {});
  const std::vector<ParsedOverride> parsed = parse_overrides(overrides, words, sources, diagnostics);
  if (tree.broken || (tree.kind != Node::Kind::map && tree.kind != Node::Kind::null)) return tree;
  // Before the pulls, because an override may change a `use` ('model.use=...'); and after them, for items of lists that
  // only the pulled file has.
  // What changes a value waits for the finished one: the caller applies it.
  for (const bool last : {false, true}) {
    for (const ParsedOverride& o : parsed)
      if (!o.change) apply_override(tree, o, last, diagnostics);
    if (!last) loader.pull(tree, "", {});
  }
  return tree;
}

}  // namespace dsl
