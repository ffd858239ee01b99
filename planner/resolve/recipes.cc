#include "planner/resolve/recipes.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "dsl/write.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

constexpr const char* kRelease = "software.release";

/// `text` with another text in place of each name that is `name`.
std::string with_name_replaced(std::string_view text, std::string_view name, const std::string& other) {
  std::string out;
  size_t from = 0;
  for (size_t at = dsl::find_name(text, name); at != std::string_view::npos; at = dsl::find_name(text, name, from)) {
    out += std::string(text.substr(from, at - from)) + other;
    from = at + name.size();
  }
  return out + std::string(text.substr(from));
}

std::string joined(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return fmt::format("({}) and ({})", a, b);
}

/// The releases that `software.release` may be: one, or the values of a choice.
std::vector<dsl::Node> releases_of(const dsl::Node& tree) {
  const dsl::Node* node = node_at(tree, kRelease);
  if (!node || node->broken || node->kind == dsl::Node::Kind::null) return {};
  if (node->kind == dsl::Node::Kind::list) return node->items;
  return node->text.empty() ? std::vector<dsl::Node>{} : std::vector{*node};
}

bool all_are_releases(const std::vector<dsl::Node>& texts, dsl::Diagnostics& diagnostics) {
  bool good = true;
  for (const dsl::Node& node : texts) {
    if (node.text.empty() || node.text == kAnyRelease || parse_release(node.text)) continue;
    diagnostics.error(node.span,
                      fmt::format("expected a release for {}, got '{}'", kRelease, dsl::shortened(node.text)),
                      kReleaseForms);
    good = false;
  }
  return good;
}

/// Under which condition one of the releases is `in_time`: empty: always; nullopt: never.
template <class InTime>
std::optional<std::string> release_condition(const std::vector<dsl::Node>& releases, InTime in_time) {
  std::string in;
  bool all = true;
  for (const dsl::Node& node : releases) {
    if (in_time(node.text)) in += (in.empty() ? "\"" : ", \"") + node.text + '"';
    else all = false;
  }
  if (in.empty()) return std::nullopt;
  return all ? "" : fmt::format("{} in [{}]", kRelease, in);
}

/// One field's value, a rule after the other.
class FieldWriter {
 public:
  FieldWriter(dsl::Node& tree, const std::string& path) : tree_(tree), field_(recipe_field(path)) {
    const dsl::Node* node = node_at(tree, path);
    if (node && node->kind == dsl::Node::Kind::list && field_->many) text_ = list_of(*node);
    else text_ = as_expression(*field_, node && node->kind == dsl::Node::Kind::scalar ? node->text : field_->otherwise);
    // What fp32 implies of a field that no rule holds for.
    if (const std::optional<double> bytes = fp32_bytes(path))
      text_ = fmt::format(R"(if(job.precision in ["fp32", "tf32"], {}, {}))", *bytes, text_);
  }
  void add(const RecipeSet& set, const std::string& condition) {
    const std::string value = with_name_replaced(as_expression(*field_, set.value.text), set.field, text_);
    text_ = condition.empty() ? value : fmt::format("if({}, {}, {})", condition, value, text_);
    last_ = &set;
  }
  void write() {
    dsl::Node& node = make_at(tree_, last_->field);
    node = last_->value;  // its place: messages point to the rule
    node.text = text_;
    node.comment = last_->source;
  }

 private:
  std::string list_of(const dsl::Node& node) const {
    std::string items;
    for (const dsl::Node& item : node.items) items += (items.empty() ? "" : ", ") + as_expression(*field_, item.text);
    return "[" + items + "]";
  }

  dsl::Node& tree_;
  const dsl::Field* field_;
  std::string text_;
  const RecipeSet* last_ = nullptr;
};

RecipeUse& use_of(std::vector<RecipeUse>& uses, const std::string& field) {
  const auto at = std::ranges::find(uses, field, &RecipeUse::field);
  return at != uses.end() ? *at : uses.emplace_back(RecipeUse{field, {}});
}

bool holds(const std::string& condition, const dsl::Record& record) {
  if (condition.empty()) return true;
  dsl::Diagnostics unasked;  // it was evaluated with the record
  const dsl::Expression expression{dsl::parse_expression(condition, {}, unasked), condition, {}};
  const std::optional<dsl::Value> value = dsl::evaluate(expression, record, {}, unasked);
  return value && std::holds_alternative<bool>(value->v) && std::get<bool>(value->v);
}

}  // namespace

std::string as_expression(const dsl::Field& field, const std::string& text) {
  const bool is_word = field.type == dsl::Type::word && std::ranges::find(field.words, text) != field.words.end();
  return is_word ? '"' + text + '"' : '(' + text + ')';
}

std::vector<std::string> ruled_fields(const std::vector<RecipeUse>& uses) {
  std::vector<std::string> fields;
  for (const RecipeUse& use : uses) fields.push_back(use.field);
  return fields;
}

bool names_release(const dsl::Node& tree) { return !releases_of(tree).empty(); }

std::vector<RecipeUse> apply_recipes(dsl::Node& tree, const dsl::Node& written, const std::vector<Recipe>& recipes,
                                     dsl::Diagnostics& diagnostics) {
  const std::vector<dsl::Node> releases = releases_of(tree);
  std::vector<RecipeUse> uses;
  if (releases.empty() || !all_are_releases(releases, diagnostics) || diagnostics.has_errors()) return uses;
  std::vector<FieldWriter> writers;  // beside `uses`
  for (const Recipe& recipe : recipes) {
    const std::optional<std::string> in_time = release_condition(releases, [&](const std::string& release) {
      return !release.empty() && recipe.releases.holds(parse_release(release));
    });
    if (!in_time) continue;
    const std::string condition = joined(*in_time, recipe.when.text);
    for (const RecipeSet& set : recipe.sets) {
      if (node_at(written, set.field)) continue;
      RecipeUse& use = use_of(uses, set.field);
      if (uses.size() > writers.size()) writers.emplace_back(tree, set.field);
      use.rules.push_back({condition, set.source});
      writers[static_cast<size_t>(&use - uses.data())].add(set, condition);
    }
  }
  for (FieldWriter& writer : writers) writer.write();
  return uses;
}

void apply_program_rules(dsl::Node& tree, const std::vector<Recipe>& rules) {
  std::vector<dsl::Node> releases = releases_of(tree);
  if (releases.empty()) releases.emplace_back(dsl::Node::Kind::scalar, dsl::Span{});
  dsl::Node list(dsl::Node::Kind::list, {});
  for (const Recipe& rule : rules) {
    // The default release is the newest.
    const std::optional<std::string> in_time = release_condition(releases, [&](const std::string& text) {
      const std::optional<Release> release = parse_release(text);
      return release ? rule.releases.surely_holds(*release) : rule.until.empty();
    });
    if (!in_time) continue;
    const std::string when = joined(*in_time, rule.when.text);
    dsl::Node& item = list.items.emplace_back(rule.needs);  // its place: messages point to the rule
    if (!when.empty()) item.text = fmt::format("if({}, {}, true)", when, rule.needs.text);
    item.comment = rule.source;
  }
  if (!list.items.empty()) make_at(tree, kProgramRules) = std::move(list);
}

std::vector<RecipeField> applied_recipes(const std::vector<RecipeUse>& uses, const dsl::Record& record) {
  std::vector<RecipeField> out;
  for (const RecipeUse& use : uses) {
    const auto rule = std::find_if(use.rules.rbegin(), use.rules.rend(),
                                   [&](const RecipeUse::RecipeRule& r) { return holds(r.condition, record); });
    const dsl::Slot* slot = record.find(use.field);
    if (rule != use.rules.rend() && slot) out.push_back({use.field, dsl::shown_value(slot->value), rule->source});
  }
  return out;
}

namespace {

bool is_written(const dsl::Node* node) { return node && !node->broken && node->kind != dsl::Node::Kind::null; }

/// Sets the field at `implied` from the field at `said`, if it is not written.
void imply(dsl::Node& tree, const char* said, const char* implied, const char* value) {
  const dsl::Node* node = node_at(tree, said);
  if (is_written(node) && !node_at(tree, implied))
    make_at(tree, implied) = dsl::plain_node(value, dsl::Span(node->span));
}

}  // namespace

void imply_task(dsl::Node& tree) {
  // A task with quantised weights sets their format if nothing else does: NF4, as in its paper.
  imply(tree, "job.task", "job.lora.base", R"(if(job.task == "qlora", "nf4", "none"))");
  imply(tree, "job.lora.rank", "job.task", R"(if(job.lora.rank > 0, "lora", "pretrain"))");
}

}  // namespace planner
