#include "planner/resolve/recipe_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "dsl/expression_tree.h"
#include "dsl/node_path.h"
#include "dsl/record_evaluator.h"

namespace planner {
namespace {

/// A number of two digits.
std::optional<int> two_digits(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.size() != 2 || error != std::errc() || end != text.data() + 2) return std::nullopt;
  return number;
}

/// Whether `release` lies behind `end`, of which only the parts that it writes count.
bool is_behind(const Release& release, const Release& end) {
  if (end.month == 0) return release.year > end.year;
  if (end.has_patch) return release > end;
  return Release{release.year, release.month} > Release{end.year, end.month};
}

constexpr std::array kKeys{"when", "from", "until", "source", "set"};
constexpr std::array kProgramKeys{"when", "from", "until", "source", "needs"};
constexpr std::array<std::string_view, 4> kSections{"model.", "job.", "software.", "parallelism."};

/// "tp" of "parallelism.tp", where expressions may say so.
std::string_view short_name(const dsl::Field& field) {
  return field.bare ? std::string_view(field.path).substr(field.path.rfind('.') + 1) : std::string_view();
}

// Looked up for every name of every rule: a dotted name is a path, another one is a shorthand of expressions.
const dsl::Field* find_field(const std::string& name) {
  const dsl::Schema& schema = scenario_schema();
  const bool is_path = name.find('.') != std::string::npos;
  const auto row = std::ranges::find_if(schema, [&](const dsl::Field& f) {
    return is_path ? f.path == name : f.path == name || (f.bare && short_name(f) == name);
  });
  return row == schema.end() ? nullptr : &*row;
}

/// Some value of the field's type, to check an expression with.
dsl::Value sample(const dsl::Field& field) {
  dsl::Value one;
  if (field.type == dsl::Type::boolean) one.v = true;
  else if (field.type == dsl::Type::name) one.v = std::string();
  else if (field.type == dsl::Type::word) one.v = field.words.front();
  else if (field.type != dsl::Type::expression) one.v = dsl::Number{1, field.dim};
  return field.many ? dsl::Value{dsl::List{one}} : one;
}

/// The value that the text has over samples of the scenario's fields; nullopt: diagnosed at its place.
std::optional<dsl::Value> sampled(const dsl::Node& node, dsl::Diagnostics& diagnostics) {
  const dsl::ExprPtr tree = dsl::parse_expression(node.text, node.span, diagnostics);
  if (!tree) return std::nullopt;
  std::vector<std::string> known;  // once a name is not
  const auto resolve = [&](const std::string& name, dsl::Span) -> std::optional<dsl::Value> {
    if (const dsl::Field* field = find_field(name)) return sample(*field);
    for (const dsl::Field& f : scenario_schema()) {
      known.push_back(f.path);
      if (f.bare) known.emplace_back(short_name(f));
    }
    return std::nullopt;
  };
  dsl::Budget budget;
  return dsl::walk(*tree, resolve, diagnostics, known, true, budget);
}

class RuleReader {
 public:
  RuleReader(dsl::Diagnostics& diagnostics, Checks checks) : diagnostics_(diagnostics), checks_(checks) {}

  /// Whether its expressions are tried.
  bool tries(const dsl::Node& node) const {
    return checks_ == Checks::all || !node.span.source || !node.span.source->name.starts_with("catalog:");
  }

  Recipe read(const dsl::Node& node) {
    if (node.kind != dsl::Node::Kind::map) return refuse(node, "a map of when, from, until, source and set"), Recipe{};
    Recipe rule = start(node, kKeys);
    const dsl::Node* source = node.find("source");
    const dsl::Node* set = node.find("set");
    if (!set || set->kind != dsl::Node::Kind::map)
      return refuse(set ? *set : node, "a map of fields under 'set'"), rule;
    for (const dsl::Entry& e : set->entries) rule.sets.push_back(read_set(e, source ? source->text : ""));
    return rule;
  }

  Recipe read_needs(const dsl::Node& node) {
    Recipe rule;
    if (node.kind == dsl::Node::Kind::scalar) {
      rule.needs = condition(node, "a condition"), rule.source = node.comment;
      return rule;
    }
    if (node.kind != dsl::Node::Kind::map) return refuse(node, "a map of when, from, until, source and needs"), rule;
    rule = start(node, kProgramKeys);
    const dsl::Node *needs = node.find("needs"), *source = node.find("source");
    if (!needs) return refuse(node, "a condition under 'needs'"), rule;
    rule.needs = condition(*needs, "a condition under 'needs'");
    if (source) rule.source = source->text;
    else diagnostics_.error(needs->span, "no source says that a program asks this", "write source: beside 'needs'");
    return rule;
  }

 private:
  using Keys = std::span<const char* const>;

  /// What rules of both kinds have.
  Recipe start(const dsl::Node& node, Keys keys) {
    Recipe rule;
    for (const dsl::Entry& e : node.entries) refuse_unknown(e, keys);
    if (const dsl::Node* when = node.find("when")) rule.when = condition(*when, "a condition under 'when'");
    rule.from = end_of(node, "from", rule.releases.from);
    rule.until = end_of(node, "until", rule.releases.until);
    if (rule.releases.is_empty())
      diagnostics_.error(node.find("until")->span,
                         fmt::format("no release lies from {} until {}", rule.from, rule.until),
                         "the rule would never hold");
    return rule;
  }

  void refuse(const dsl::Node& node, const char* expected) {
    if (!node.broken) diagnostics_.error(node.span, fmt::format("expected {} of a recipe", expected));
  }
  void refuse_unknown(const dsl::Entry& e, Keys keys) {
    if (std::ranges::find(keys, e.key) != keys.end()) return;
    diagnostics_.error(e.key_span, fmt::format("unknown key '{}' of a recipe", e.key),
                       dsl::did_you_mean(e.key, {keys.begin(), keys.end()}));
  }

  dsl::Node condition(const dsl::Node& when, const char* expected) {
    if (when.kind != dsl::Node::Kind::scalar) return refuse(when, expected), dsl::Node{};
    if (!tries(when)) return when;
    const std::optional<dsl::Value> value = sampled(when, diagnostics_);
    if (value && !std::holds_alternative<bool>(value->v))
      diagnostics_.error(when.span, "expected a condition, got " + dsl::describe(*value),
                         "compare it with something, such as job.precision == \"fp8\"");
    return when;
  }

  std::string end_of(const dsl::Node& rule, const char* key, std::optional<Release>& end) {
    const dsl::Node* node = rule.find(key);
    if (!node) return "";
    end = parse_release(node->text);
    if (!end)
      diagnostics_.error(node->span, fmt::format("expected a release after '{}', got '{}'", key, node->text),
                         kReleaseForms);
    return node->text;
  }

  RecipeSet read_set(const dsl::Entry& e, const std::string& source) {
    RecipeSet set{e.key, e.value, e.value.comment.empty() ? source : e.value.comment};
    const dsl::Field* field = recipe_field(e.key);
    if (set.source.empty())
      diagnostics_.error(e.key_span, fmt::format("no source says that a recipe sets {}", e.key),
                         "write source: beside 'when', or a comment behind the value");
    if (!field) return refuse_field(e), set;
    if (e.value.kind != dsl::Node::Kind::scalar) return refuse(e.value, "one value for each field"), set;
    if (!tries(e.value)) return set;
    if (field->type != dsl::Type::word || std::ranges::find(field->words, e.value.text) == field->words.end())
      sampled(e.value, diagnostics_);
    return set;
  }
  void refuse_field(const dsl::Entry& e) {
    std::vector<std::string> known;
    for (const dsl::Field& f : scenario_schema())
      if (recipe_field(f.path)) known.push_back(f.path);
    const char* what = find_field(e.key) ? "no recipe may set '{}'" : "unknown field '{}' of a recipe";
    diagnostics_.error(e.key_span, fmt::format(fmt::runtime(what), e.key), dsl::did_you_mean(e.key, known));
  }

  dsl::Diagnostics& diagnostics_;
  Checks checks_;
};

}  // namespace

std::optional<Release> parse_release(std::string_view text) {
  const std::optional<int> year = two_digits(text.substr(0, 2));
  if (!year || text.size() < 4 || text[2] != '.') return std::nullopt;
  if (text.substr(3) == "x") return Release{.year = *year};
  const std::optional<int> month = two_digits(text.substr(3, 2));
  if (!month || *month < 1 || *month > 12) return std::nullopt;
  if (text.size() == 5) return Release{.year = *year, .month = *month};
  const std::optional<int> patch = two_digits(text.substr(std::min<size_t>(6, text.size())));
  if (text[5] != '.' || !patch) return std::nullopt;
  return Release{.year = *year, .month = *month, .patch = *patch, .has_patch = true};
}

bool ReleaseRange::surely_holds(const Release& release) const {
  if (release.month > 0) return holds(release);
  return holds(Release{.year = release.year, .month = 1}) && holds(Release{.year = release.year, .month = 12});
}

bool ReleaseRange::holds(const std::optional<Release>& release) const {
  if (!release) return !from && !until;
  return (!from || *release >= *from) && (!until || !is_behind(*release, *until));
}

const dsl::Field* recipe_field(const std::string& path) {
  const dsl::Field* field = find_field(path);
  if (!field || field->optional) return nullptr;
  if (field->many && (field->type != dsl::Type::word || field->otherwise.empty())) return nullptr;
  if (field->type == dsl::Type::name || field->type == dsl::Type::expression) return nullptr;
  const bool inside = std::ranges::any_of(kSections, [&](std::string_view s) { return path.starts_with(s); });
  return inside && path.find('*') == std::string::npos && path.find('[') == std::string::npos ? field : nullptr;
}

namespace {

/// What the tree writes of a field, if that is 0, a truth or a word of it; its default, if nothing; else nullopt.
std::optional<std::string> plain_value(const dsl::Node& tree, const std::string& path) {
  const dsl::Field* field = recipe_field(path);
  const dsl::Node* node = node_at(tree, path);
  if (!field || !node) return field ? std::optional(field->otherwise) : std::nullopt;
  const std::string& text = node->text;
  const bool plain = node->kind == dsl::Node::Kind::scalar &&
                     (text == "0" || text == "true" || text == "false" || std::ranges::count(field->words, text) > 0);
  return plain ? std::optional(text) : std::nullopt;
}

/// Whether `first` is false whatever the layout: `model.sinks`, `not software.overlap.pipeline`,
/// `model.experts.count > 0`, `software.graphs == "step"`.
bool is_false(const dsl::Node& tree, std::string_view first) {
  const bool inverted = first.starts_with("not ");
  if (inverted) first.remove_prefix(4);
  const std::string path(first.substr(0, first.find(' '))), rest(first.substr(path.size()));
  if (path.find('.') == std::string::npos || path.starts_with("parallelism.")) return false;
  const std::optional<std::string> value = plain_value(tree, path);
  if (!value) return false;
  if (inverted) return rest.empty() && *value == "true";
  if (rest.empty()) return *value == "false";
  if (rest == " > 0") return *value == "0";
  if (rest == " != \"" + *value + "\"") return true;
  return rest.starts_with(" == \"") && !value->empty() && rest != " == \"" + *value + "\"";
}

/// Whether a condition begins with a part that is false whatever the layout. Most rules are about features that a
/// scenario lacks, and reading a rule takes longer than this check. Many begin alike: each beginning is evaluated once.
class Vacuous {
 public:
  explicit Vacuous(const dsl::Node& tree) : tree_(tree) {}
  bool operator()(std::string_view when) {
    if (when.find(" or ") != std::string_view::npos) return false;
    const std::string_view first = when.substr(0, when.find(" and "));
    const auto at = std::ranges::find(asked_, first, &std::pair<std::string_view, bool>::first);
    return at != asked_.end() ? at->second : asked_.emplace_back(first, is_false(tree_, first)).second;
  }

 private:
  const dsl::Node& tree_;
  std::vector<std::pair<std::string_view, bool>> asked_;
};

/// Takes a list of rules out of the tree.
dsl::Node take_rules(dsl::Node& tree, const char* path, dsl::Diagnostics& diagnostics) {
  const dsl::Entry* entry = entry_at(tree, path);
  if (!entry) return {};
  if (entry->value.kind != dsl::Node::Kind::list && entry->value.kind != dsl::Node::Kind::null)
    diagnostics.error(entry->key_span, fmt::format("expected a list of rules after '{}'", entry->key));
  return *take_at(tree, path);
}

}  // namespace

std::vector<Recipe> take_recipes(dsl::Node& tree, dsl::Diagnostics& diagnostics, Checks checks) {
  RuleReader reader(diagnostics, checks);
  std::vector<Recipe> rules;
  for (const dsl::Node& item : take_rules(tree, "software.recipes", diagnostics).items)
    rules.push_back(reader.read(item));
  return rules;
}

std::vector<Recipe> take_program_rules(dsl::Node& tree, dsl::Diagnostics& diagnostics, Checks checks) {
  const dsl::Node list = take_rules(tree, kProgramRules, diagnostics);
  RuleReader reader(diagnostics, checks);
  Vacuous is_vacuous(tree);
  std::vector<Recipe> rules;
  for (const dsl::Node& item : list.items) {
    const dsl::Node* when = checks == Checks::own ? item.find("when") : nullptr;
    const bool drops = when && is_vacuous(when->text);
    if (drops && !reader.tries(item)) continue;
    Recipe rule = reader.read_needs(item);
    if (!drops) rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace planner
