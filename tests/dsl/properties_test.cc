// Properties of the language over random input.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "dsl/expression_tree.h"
#include "dsl/raw_text.h"
#include "tests/dsl/sample.h"

using dsl::Node;
using sample::Run;

namespace {

// A random formula over + - * / and its value by C++'s own rules; brackets only where they are needed.
struct Formula {
  std::string text;
  double value;
  int level;  // 0: a number, 1: a product, 2: a sum
};

Formula formula(int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 4) == 0) {
    const int n = *rc::gen::inRange(1, 100);
    return {std::to_string(n), static_cast<double>(n), 0};
  }
  const Formula a = formula(depth - 1), b = formula(depth - 1);
  const char op = *rc::gen::element('+', '-', '*', '/');
  const int level = op == '+' || op == '-' ? 2 : 1;
  auto bracketed = [](const Formula& f, bool needed) { return needed ? "(" + f.text + ")" : f.text; };
  const std::string text = bracketed(a, a.level > level) + " " + op + " " + bracketed(b, b.level >= level);
  const double value = op == '+'   ? a.value + b.value
                       : op == '-' ? a.value - b.value
                       : op == '*' ? a.value * b.value
                                   : a.value / b.value;
  // A part without a finite value is an error of the language, even if C++ gives a finite result: 1 / (1 / 0).
  return {text, std::isfinite(value) ? value : std::nan(""), level};
}

std::optional<dsl::Value> value_of(const std::string& text, dsl::Diagnostics& d) {
  const dsl::ExprPtr tree = dsl::parse_expression(text, {}, d);
  if (!tree) return std::nullopt;
  return dsl::evaluate(
      *tree, [](const std::string&, dsl::Span) { return std::nullopt; }, d);
}

// A random tree of the shapes that YAML has; texts contain everything that may be quoted.
Node random_node(int depth) {
  Node node;
  const int kind = depth == 0 ? 1 : *rc::gen::inRange(0, 4);
  if (kind == 0) return node;
  if (kind == 1) {
    node.kind = Node::Kind::scalar;
    node.quoted = true;
    node.text = *rc::gen::container<std::string>(rc::gen::element('a', 'Z', '9', ' ', ':', '#', '[', '}', ',', '"',
                                                                  '\\', '\'', '-', '&', '*', '!', '%', '~', '|'));
    return node;
  }
  const int size = *rc::gen::inRange(0, 4);
  node.kind = kind == 2 ? Node::Kind::list : Node::Kind::map;
  for (int i = 0; i < size; ++i) {
    if (kind == 2) node.items.push_back(random_node(depth - 1));
    else node.entries.push_back({"k" + std::to_string(i), {}, random_node(depth - 1)});
  }
  return node;
}

bool equal(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() || a.entries.size() != b.entries.size())
    return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!equal(a.items[i], b.items[i])) return false;
  for (size_t i = 0; i < a.entries.size(); ++i)
    if (a.entries[i].key != b.entries[i].key || !equal(a.entries[i].value, b.entries[i].value)) return false;
  return true;
}

// Every span of the tree lies in its text, and every plain scalar is found there.
bool well_placed(const Node& node) {
  const size_t at = dsl::offset_of(node.span);
  if (at == std::string::npos) return false;
  const std::string& text = node.span.source->text;
  if (at + static_cast<size_t>(node.span.length) > text.size() + 1) return false;
  if (node.kind == Node::Kind::scalar && !node.quoted && text.compare(at, node.text.size(), node.text) != 0)
    return false;
  for (const Node& item : node.items)
    if (!well_placed(item)) return false;
  for (const dsl::Entry& e : node.entries)
    if (!well_placed(e.value)) return false;
  return true;
}

}  // namespace

TEST_CASE("a formula has the value that C++ gives it") {
  CHECK(rc::check("arithmetic", [] {
    const Formula f = formula(5);
    dsl::Diagnostics d;
    const auto value = value_of(f.text, d);
    if (!std::isfinite(f.value)) {
      RC_ASSERT(!value.has_value());
      RC_ASSERT(d.has_errors());
    } else if (f.text.size() <= 4096) {
      RC_ASSERT(value.has_value());
      RC_ASSERT(std::get<dsl::Number>(value->v).value == f.value);
    }
  }));
}

TEST_CASE("any tree that is written in YAML is read back the same") {
  CHECK(rc::check("yaml round trip", [] {
    const Node node = random_node(4);
    const dsl::Source source{"a.yaml", sample::write(node), ""};
    dsl::Diagnostics d;
    const Node back = dsl::parse_yaml(source, d);
    RC_ASSERT(!d.has_errors());
    RC_ASSERT(equal(node, back));
    RC_ASSERT(well_placed(back));
  }));
}

TEST_CASE("any damage to a scenario ends in a record or in messages with places") {
  const std::string whole = sample::complete(
      "let: {a: 1, b: [1, 2]}\nparallelism: {tp: 'max(a, 2)', stages: [1, 2]}\nwhere:\n  - memory.peak <= 3 GB  # "
      "why\n");
  CHECK(rc::check("damage", [&] {
    std::string text = whole;
    for (int n = *rc::gen::inRange(1, 4); n > 0; --n) {
      const auto at = *rc::gen::inRange<size_t>(0, text.size());
      const char c = *rc::gen::element(' ', '\n', ':', '{', '}', '[', ']', '"', '\'', '#', '&', '*', '-', ',', 'x', '0',
                                       '\xC3', '\t');
      if (*rc::gen::arbitrary<bool>()) text[at] = c;
      else text.insert(at, 1, c);
    }
    Run run(text);
    for (const dsl::Diagnostic& d : run.diagnostics.list) {
      RC_ASSERT(d.span.source != nullptr);
      RC_ASSERT(dsl::offset_of(d.span) != std::string::npos);
      RC_ASSERT(!d.message.empty());
      RC_ASSERT(!dsl::render(d).empty());
    }
    if (!run.diagnostics.has_errors()) dsl::bind<sample::Scenario>(run.record);
  }));
}

TEST_CASE("the columns inside a quoted expression are those of the raw text") {
  CHECK(rc::check("columns in quotes", [](bool single) {
    const std::string before = *rc::gen::container<std::string>(rc::gen::element('a', '"', '\\', '\'', ' '));
    std::string inner = "\"";  // the string in the language's own quotes
    for (char c : before) inner += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    inner += "\" == wrong_name";
    std::string raw = single ? "'" : "\"";  // the YAML scalar around it
    for (char c : inner)
      raw += single ? (c == '\'' ? "''" : std::string(1, c)) : (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    raw += single ? "'" : "\"";
    Run run(sample::complete("where: [" + raw + "]\n"));
    RC_ASSERT(run.diagnostics.list.size() == 1u);
    const dsl::Span span = run.diagnostics.list[0].span;
    RC_ASSERT(run.sources[0].text.substr(dsl::offset_of(span), static_cast<size_t>(span.length)) == "wrong_name");
  }));
}

TEST_CASE("did you mean proposes candidates only, each once") {
  CHECK(rc::check("similar", [](const std::string& word, const std::vector<std::string>& candidates) {
    std::vector<std::string> found = dsl::similar(word, candidates);
    for (const std::string& name : found)
      RC_ASSERT(std::find(candidates.begin(), candidates.end(), name) != candidates.end());
    RC_ASSERT(std::adjacent_find(found.begin(), found.end()) == found.end());
  }));
}
