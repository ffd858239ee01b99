#include "planner/scenario/pattern_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "planner/scenario/layer_row.h"

namespace planner {
namespace {

using dsl::Node;

constexpr const char* kForms = "an entry is '{kind: NAME, count: 3}' or '{repeat: [...], count: 3}'";

/// Whole numbers up to one more than any that is meant; nullopt: something else.
std::optional<int64_t> whole_number(const Node& node) {
  if (node.kind != Node::Kind::scalar || node.text.empty() || !std::ranges::all_of(node.text, dsl::is_digit)) return {};
  int64_t n = 0;
  for (const char c : node.text) n = std::min(kMostLayers + 1, 10 * n + (c - '0'));
  return n;
}

/// Whether each item is a whole map. The reader of the kinds reports all others.
bool is_readable(const Node& kinds) {
  return kinds.kind == Node::Kind::null ||
         (kinds.kind == Node::Kind::list &&
          std::ranges::all_of(kinds.items, [](const Node& n) { return n.kind == Node::Kind::map && !n.broken; }));
}

/// The text of a place within one line; "" of a longer one.
std::string written(const dsl::Span& place) {
  if (!place.source) return "";
  std::string_view text = place.source->text;
  for (int line = 1; line < place.line && !text.empty(); ++line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  text = text.substr(0, text.find('\n'));
  const size_t at = static_cast<size_t>(place.column - 1), length = static_cast<size_t>(place.length);
  return at + length <= text.size() ? std::string(text.substr(at, length)) : "";
}

/// Gives each kind without a letter the first that is free.
void put_letters(Node& kinds) {
  std::string taken;
  for (Node& kind : kinds.items)
    if (const Node* letter = kind.find("letter")) taken += letter->text;
  std::string_view free = "ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwyz!#$%&*+,-./:;<=>?@^_~";
  for (Node& kind : kinds.items) {
    if (kind.find("letter")) continue;
    const size_t at = free.find_first_not_of(taken);
    if (at == std::string_view::npos) return;  // more kinds than a model may have: reported where they are counted
    taken += free[at];
    kind.entries.push_back({"letter", kind.span, dsl::plain_node(std::string(1, free[at]), kind.span)});
  }
}

/// A part of the pattern as text, and how many layers it has.
struct PatternPart {
  std::string text;
  int64_t layers = 0;
};

class ListReader {
 public:
  ListReader(const Node& kinds, dsl::Diagnostics& diagnostics) : kinds_(kinds), diagnostics_(diagnostics) {}

  PatternPart read(const Node& list, int depth = 0) {
    PatternPart out;
    if (depth > kDeepest)
      return error(list, fmt::format("more than {} repeats inside one another", kDeepest), "list fewer"), out;
    for (const Node& item : list.items) {
      const PatternPart part = entry(item, depth);
      out.text += part.text;
      out.layers += part.layers;
      if (out.layers > kMostLayers) return too_many(item), out;
    }
    return out;
  }

  bool failed() const { return failed_; }

 private:
  static constexpr int kDeepest = 15;  // of brackets in a text, the entries at the top in none: 16

  void error(const Node& at, const std::string& message, const std::string& hint = "") {
    failed_ = true;
    diagnostics_.error(at.span, message, hint);
  }

  void too_many(const Node& item) {
    error(item, fmt::format("model.pattern has more than {} layers", kMostLayers), "make its counts smaller");
  }

  PatternPart entry(const Node& item, int depth) {
    const Node *kind = item.find("kind"), *repeat = item.find("repeat");
    if (item.kind != Node::Kind::map || (kind != nullptr) == (repeat != nullptr))
      return error(item, "expected a kind or a repeat as an entry of model.pattern", form_of(item)), PatternPart{};
    for (const dsl::Entry& e : item.entries) check_key(e);
    const int64_t times = count(item.find("count"));
    PatternPart part = kind ? named(*kind) : repeated(*repeat, depth);
    if (part.layers * times > kMostLayers) return too_many(item), part;
    part.layers *= times;
    if (times > 1) part.text += fmt::format("x{}", times);
    return part;
  }

  /// A plain name among entries is a kind.
  std::string form_of(const Node& item) const {
    const std::vector<std::string> known = names();
    const bool is_name = item.kind == Node::Kind::scalar && std::ranges::find(known, item.text) != known.end();
    return is_name ? fmt::format("write '{{kind: {}}}'", item.text) : kForms;
  }

  void check_key(const dsl::Entry& e) {
    static const std::vector<std::string> kKeys{"kind", "repeat", "count"};
    if (std::ranges::find(kKeys, e.key) != kKeys.end()) return;
    failed_ = true;
    const std::string meant = dsl::did_you_mean(e.key, kKeys);
    diagnostics_.error(e.key_span, fmt::format("unknown key '{}' in an entry of model.pattern", dsl::shortened(e.key)),
                       meant.empty() ? kForms : meant);
  }

  int64_t count(const Node* node) {
    if (!node) return 1;
    const std::optional<int64_t> n = whole_number(*node);
    if (n && *n > 0) return *n;
    const std::string got =
        node->kind == Node::Kind::scalar ? fmt::format(", got '{}'", dsl::shortened(node->text)) : "";
    error(*node, "expected a count of 1 or more" + got, "a plain number: leave 'count' out where it is 1");
    return 1;
  }

  PatternPart repeated(const Node& list, int depth) {
    if (list.kind != Node::Kind::list || list.items.empty())
      return error(list, "expected a list of entries below 'repeat'", kForms), PatternPart{};
    const PatternPart inner = read(list, depth + 1);
    return {"(" + inner.text + ")", inner.layers};
  }

  PatternPart named(const Node& name) {
    std::string letters;
    for (const Node& kind : kinds_.items)
      if (const Node* its = kind.find("name"), *letter = kind.find("letter"); its && letter && its->text == name.text)
        letters += letter->text;
    if (letters.empty()) unknown(name);
    if (letters.size() > 1)
      error(name, fmt::format("several kinds of layers are called '{}'", name.text),
            "give each its own name below 'kinds': '{use: KIND, name: local}'");
    return {letters.substr(0, 1), 1};
  }

  void unknown(const Node& name) {
    const std::vector<std::string> known = names();
    const std::string meant = dsl::did_you_mean(name.text, known);
    std::string all;
    for (const std::string& n : known) all += (all.empty() ? "" : ", ") + n;
    error(name, fmt::format("no kind of layers is called '{}'", dsl::shortened(name.text)),
          !meant.empty() ? meant
          : all.empty()  ? "name the kinds below 'kinds': '{use: KIND, name: local}'"
                         : "kinds of the model: " + all);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Node& kind : kinds_.items)
      if (const Node* name = kind.find("name")) out.push_back(name->text);
    return out;
  }

  const Node& kinds_;
  dsl::Diagnostics& diagnostics_;
  bool failed_ = false;
};

/// What to do about `has` layers in place of `wanted`.
std::string sum_hint(const Node& list, int64_t has, int64_t wanted) {
  const std::string text = written(list.span);
  if (has == 0 || wanted % has != 0 || !text.starts_with('[') || !text.ends_with(']'))
    return fmt::format("counts of its entries that make {}, or 'layers: {}'", wanted, has);
  return fmt::format("write '[{{repeat: {}, count: {}}}]'", text, wanted / has);
}

void check_sum(const Node& list, int64_t has, const Node* layers, dsl::Diagnostics& diagnostics) {
  const std::optional<int64_t> wanted = layers ? whole_number(*layers) : std::nullopt;
  if (!wanted || *wanted == has || *wanted > kMostLayers) return;
  diagnostics.error(list.span, fmt::format("model.pattern has {} layers, model.layers is {}", has, *wanted),
                    sum_hint(list, has, *wanted));
}

}  // namespace

void take_pattern_list(Node& tree, dsl::Diagnostics& diagnostics) {
  Node* pattern = node_at(tree, "model.pattern");
  if (!pattern || pattern->kind != Node::Kind::list || pattern->broken) return;
  const auto is_map = [](const Node& n) { return n.kind == Node::Kind::map; };
  if (std::ranges::none_of(pattern->items, is_map)) return;
  Node none(Node::Kind::list);
  Node* kinds = node_at(tree, "model.kinds");
  if (kinds && !is_readable(*kinds)) return void(*pattern = dsl::plain_node("", pattern->span));
  if (kinds) put_letters(*kinds);
  ListReader reader(kinds ? *kinds : none, diagnostics);
  const PatternPart part = reader.read(*pattern);
  if (!reader.failed()) check_sum(*pattern, part.layers, node_at(tree, "model.layers"), diagnostics);
  *pattern = dsl::plain_node(part.text, pattern->span);
}

}  // namespace planner
