#include "tests/properties/field_values.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "dsl/write.h"
#include "planner/scenario/vocabulary.h"

namespace properties {
namespace {

/// What a choice cannot open, by a part of its path.
struct Closed {
  const char* part;
  const char* because;
};
constexpr Closed kClosed[] = {
    {"[].name", "a file says by its name which item it means"},
    {"model.kinds[]", "most values of one contradict the others: read_again_test opens each by itself"},
    {"software.techniques", "`techniques:` at the top opens it: tests/bench/search/techniques.yaml"},
    {"software.errors.own", "measured runs of one's own say it"},
    {"cluster.price_terms.contract", "a price list has the others"},
    {"operator_models.step", "there is no model of a step but files of one's own"},
    {"operator_models.host-copy", "there is one model"},
    {"parallelism.balance", "a search refuses it: parts of layers are dealt before they have a price"},
    {"model.mtp_pattern", "it names kinds of the model: read_again_test opens it by itself"},
};

/// A choice says by its name which item of a list it means; rows of tables have none.
bool has_name(std::string_view path) {
  static const std::set<std::string, std::less<>> named = [] {
    std::set<std::string, std::less<>> lists;
    for (const dsl::Field& field : planner::scenario_schema())
      if (field.path.ends_with("[].name")) lists.insert(field.path.substr(0, field.path.size() - 5));
    return lists;
  }();
  for (size_t end = path.find("[]"); end != path.npos; end = path.find("[]", end + 2))
    if (!named.contains(path.substr(0, end + 2))) return false;
  return true;
}

/// Values that a field may have, where neither the schema nor the catalogue lists any.
std::vector<std::string> values_for(std::string_view path) {
  if (path == "parallelism.order") return {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"};
  if (path == "parallelism.schedule") return {"1f1b", "gpipe"};
  if (path == "cluster.checkpoint.interval") return {"10 min", "1 h"};
  if (path == "cluster.node_failures") return {"1 %/week", "5 %/week"};
  std::vector<std::string> names;
  const std::string_view kind = dsl::last_part(path);
  const bool is_collective = std::ranges::count(operator_models::kCollectiveKinds, kind) > 0;
  if (path.starts_with("operator_models.") || path.starts_with("cluster.gpu.calibration.models."))
    for (const operator_models::ModelRow& row : operator_models::registry())
      if (row.kind == kind || (is_collective && row.kind == "collective")) names.emplace_back(row.name);
  return names;
}

/// What entries of the catalogue say of a field.
struct Known {
  std::set<std::string> values;  // as the language writes them
  std::vector<Uses> entries;     // those that have it; where any writes it, those
  bool written = false;
};

const std::map<std::string, Known, std::less<>>& known_fields() {
  static const auto all = [] {
    std::map<std::string, Known, std::less<>> known;
    for (const dsl::BuiltinFile& file : planner::builtin_files()) {
      const Uses uses{{std::string(file.kind), std::string(file.name)}};
      if (file.kind != "model" && file.kind != "cluster" && file.kind != "software") continue;
      Random random(0, 0);
      const auto opened = open({draw_written(random, uses).text, {}}, {"job.precision=bf16"});
      if (!opened) continue;
      for (const auto& [path, slot] : opened->scenario->space.record().slots) {
        Known& of = known[slot.field->path];
        if (!slot.value.is_null()) of.values.insert(dsl::write_value(slot.value));
        if (slot.given < of.written) continue;
        if (slot.given > of.written) of.entries.clear(), of.written = true;
        if (of.entries.empty() || of.entries.back() != uses) of.entries.push_back(uses);
      }
    }
    return known;
  }();
  return all;
}

dsl::Value scaled(const dsl::Field& field, const dsl::Value& value, double factor) {
  if (const auto* list = std::get_if<dsl::List>(&value.v)) {
    dsl::List more;
    for (const dsl::Value& item : *list) more.push_back(scaled(field, item, factor));
    return {more};
  }
  const auto* number = std::get_if<dsl::Number>(&value.v);
  if (!number) return value;
  const double wanted = number->value == 0 ? factor : number->value * factor;
  const double moved = field.type == dsl::Type::count ? std::max(1.0, std::round(wanted)) : wanted;
  return {dsl::Number{std::clamp(moved, field.least, field.most), field.dim}};
}

}  // namespace

bool can_be_open(const dsl::Field& field) {
  const bool closed =
      std::ranges::any_of(kClosed, [&](const Closed& row) { return field.path.find(row.part) != field.path.npos; });
  return !closed && has_name(field.path) && !field.many && field.type != dsl::Type::expression;
}

const std::vector<Uses>& entries_with(const std::string& field) {
  static const std::vector<Uses> any{Uses{}};
  const auto known = known_fields().find(field);
  return known == known_fields().end() || known->second.entries.empty() ? any : known->second.entries;
}

std::vector<std::string> two_values(const dsl::Field& field, const dsl::Value& value, Random& random) {
  std::set<std::string> some;
  if (!value.is_null()) some.insert(dsl::write_value(value));
  const auto add = [&](std::vector<std::string> more) {
    while (some.size() < 2 && !more.empty()) {
      const auto at = more.begin() + random.below(static_cast<int64_t>(more.size()));
      some.insert(*at);
      more.erase(at);
    }
  };
  if (field.type == dsl::Type::boolean) add({"true", "false"});
  if (field.type == dsl::Type::word) add(field.words);
  add(values_for(field.path));
  const auto known = known_fields().find(field.path);
  const bool is_number =
      field.type != dsl::Type::boolean && field.type != dsl::Type::word && field.type != dsl::Type::name;
  if (known != known_fields().end() && (!is_number || value.is_null() || random.chance(0.2)))
    add({known->second.values.begin(), known->second.values.end()});
  const dsl::Value from = value.is_null() ? dsl::Value{dsl::Number{1, field.dim}} : value;
  if (is_number)
    for (double factor : {random.chance(0.5) ? 2.0 : 0.5, 2.0, 0.5, 3.0})
      if (some.size() < 2) some.insert(dsl::write_value(scaled(field, from, factor)));
  return {some.begin(), some.end()};
}

}  // namespace properties
