#include "planner/resolve/techniques_read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "dsl/node_path.h"
#include "planner/scenario/techniques.h"

namespace planner {
namespace {

using dsl::Node;

constexpr const char* kKey = "techniques";

/// The names of one set, each with its row.
struct NamedTechnique {
  const Technique* technique = nullptr;
  const Node* node = nullptr;
};
using Set = std::vector<NamedTechnique>;

class TechniqueReader {
 public:
  explicit TechniqueReader(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// One name, or a list of them.
  Set set_of(const Node& node) {
    Set set;
    if (node.kind == Node::Kind::scalar) add(set, node);
    else if (node.kind == Node::Kind::list)
      for (const Node& item : node.items) add(set, item);
    else if (node.kind != Node::Kind::null) refuse(node);
    return set;
  }

 private:
  void refuse(const Node& node) {
    if (!node.broken)
      diagnostics_.error(node.span, "expected names of techniques",
                         "techniques: [near-memory-optimizer]; a list of such lists is a choice");
  }
  void add(Set& set, const Node& node) {
    if (node.kind != Node::Kind::scalar) return refuse(node);
    const Technique* row = find_technique(node.text);
    if (!row) return unknown(node);
    if (std::ranges::find(set, row, &NamedTechnique::technique) != set.end())
      return diagnostics_.error(node.span, fmt::format("technique '{}' is named twice", node.text));
    set.push_back({row, &node});
  }
  void unknown(const Node& node) {
    std::vector<std::string> known;
    for (const Technique& t : techniques()) known.emplace_back(t.name);
    diagnostics_.error(node.span,
                       fmt::format("no technique is called '{}'; known: {}", node.text, fmt::join(known, ", ")),
                       dsl::did_you_mean(node.text, known));
  }

  dsl::Diagnostics& diagnostics_;
};

bool is_choice(const Node& node) {
  return node.kind == Node::Kind::list &&
         std::ranges::any_of(node.items, [](const Node& item) { return item.kind != Node::Kind::scalar; });
}

std::string word_of(const Set& set) {
  std::string word;
  for (const NamedTechnique& n : set) word += (word.empty() ? "" : "+") + std::string(n.technique->name);
  return word.empty() ? "none" : word;
}

/// Writes the field of a technique; one that is there already has been written by somebody else.
void write_field(Node& tree, const Technique& technique, Node value, dsl::Diagnostics& diagnostics) {
  Node& field = make_at(tree, technique.field);
  if (field.kind != Node::Kind::null)
    return diagnostics.error(
        value.span, fmt::format("technique '{}' sets {}, which is written as well", technique.name, technique.field),
        "leave one of the two out");
  field = std::move(value);
}

/// `software.techniques` holds the named techniques, so that the fields may follow it.
constexpr const char* kWord = "software.techniques";

void write_set(Node& tree, const Set& set, dsl::Span place, dsl::Diagnostics& diagnostics) {
  if (!set.empty()) make_at(tree, kWord) = dsl::plain_node(word_of(set), place);
  for (const NamedTechnique& n : set)
    write_field(tree, *n.technique, dsl::plain_node(n.technique->value, n.node->span), diagnostics);
}

/// The words of the sets that name the technique, and where the first of them does.
void write_choice(Node& tree, const std::vector<Set>& sets, dsl::Span place, dsl::Diagnostics& diagnostics) {
  Node words(Node::Kind::list, place);
  for (const Set& set : sets) words.items.push_back(dsl::plain_node(word_of(set), place));
  if (Node& word = make_at(tree, kWord); word.kind == Node::Kind::null) word = std::move(words);  // else it is chosen
  for (const Technique& technique : techniques()) {
    std::vector<std::string> with;
    std::optional<dsl::Span> first;
    for (const Set& set : sets) {
      const auto named = std::ranges::find(set, &technique, &NamedTechnique::technique);
      if (named == set.end()) continue;
      with.push_back('"' + word_of(set) + '"');
      if (!first) first = named->node->span;
    }
    if (!first) continue;
    write_field(tree, technique,
                dsl::plain_node(fmt::format(R"(if({} in [{}], "{}", "{}"))", kWord, fmt::join(with, ", "),
                                            technique.value, technique.off),
                                *first),
                diagnostics);
  }
}

}  // namespace

void take_techniques(Node& tree, dsl::Diagnostics& diagnostics) {
  const std::optional<Node> node = take_at(tree, kKey);
  if (!node) return;
  TechniqueReader reader(diagnostics);
  if (!is_choice(*node)) return write_set(tree, reader.set_of(*node), node->span, diagnostics);
  std::vector<Set> sets;
  for (const Node& item : node->items) sets.push_back(reader.set_of(item));
  if (!diagnostics.has_errors()) write_choice(tree, sets, node->span, diagnostics);
}

}  // namespace planner
