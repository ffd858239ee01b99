#include <fmt/format.h>

#include <cmath>

#include "cli/pages/list_report.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

Data value_data(const dsl::Value& value, const dsl::Field& field) {
  if (const bool* b = std::get_if<bool>(&value.v)) return *b;
  if (const std::string* s = std::get_if<std::string>(&value.v)) return *s;
  if (const dsl::Number* n = std::get_if<dsl::Number>(&value.v))
    return field.type == dsl::Type::count ? whole(n->value) : Data(n->value);
  const dsl::List* list = std::get_if<dsl::List>(&value.v);
  if (!list) return {};
  Data::List items;
  for (const dsl::Value& v : *list) items.push_back(value_data(v, field));
  return items;
}

Data source_of(const dsl::Slot& slot) {
  if (!slot.given) return "default";
  return text_or_null(source_comment(slot));
}

/// The path inside the entry's file; "" for what the entry does not show: names of parts, absent
/// figures, and the calibration of a device (an entry of its own).
std::string own_path(const Entry& entry, const std::string& path, const dsl::Slot& slot) {
  std::string below = std::string(entry.kind->path) + ".";
  if (const size_t item = below.find("[]"); item != std::string::npos) below.insert(item + 1, "0");
  if (!path.starts_with(below) || slot.value.is_null()) return "";
  std::string own = path.substr(below.size());
  const bool device = own.starts_with("calibration.") || own.starts_with("gpu.calibration.");
  if (device && !own.ends_with("calibration.name")) return "";
  const std::string* text = std::get_if<std::string>(&slot.value.v);
  const bool unnamed = own == "family" && text && text->empty();
  return own == "name" || unnamed ? "" : own;
}

struct Figures {
  Table table;  // name, value, unit, source
  Table text;   // name, value with its unit, source
};

Figures figures_of(const Entry& entry) {
  Figures out;
  out.table.columns = {{.name = "name"}, {.name = "value", .unit = Unit::number}, {.name = "unit"}, {.name = "source"}};
  out.text = {.columns = {{.name = "figure"}, {.name = "value"}, {.name = "source"}}};
  const bool fixed = entry.record.size("model.operators") > 0;  // what a Transformer would have by default says nothing
  for (const auto& [path, slot] : entry.record.slots) {
    std::string own = own_path(entry, path, slot);
    if (own.empty() || (fixed && !slot.given)) continue;
    Data unit = slot.field->type == dsl::Type::quantity ? Data(dsl::dim_name(slot.field->dim)) : Data();
    out.table.rows.push_back({own, value_data(slot.value, *slot.field), unit, source_of(slot)});
    out.text.rows.push_back({own, dsl::to_text(slot.value), source_of(slot)});
  }
  return out;
}

/// "from 25.09 until 26.01", "in 25.09", or any release.
std::string releases_of(const planner::Recipe& recipe) {
  if (!recipe.from.empty() && recipe.from == recipe.until) return "in " + recipe.from;
  if (recipe.from.empty() && recipe.until.empty()) return "any release";
  const std::string from = recipe.from.empty() ? "" : "from " + recipe.from;
  const std::string until = recipe.until.empty() ? "" : "until " + recipe.until;
  return from + (from.empty() || until.empty() ? "" : " ") + until;
}

/// A rule's fields, each with the rule's condition.
Table recipes_of(const std::vector<planner::Recipe>& recipes) {
  Table table{
      .title = "What its releases set",
      .columns = {{.name = "field"}, {.name = "value"}, {.name = "release"}, {.name = "when"}, {.name = "source"}}};
  for (const planner::Recipe& r : recipes)
    for (const planner::RecipeSet& set : r.sets)
      table.rows.push_back({set.field, set.value.text, releases_of(r), r.when.text, set.source});
  return table;
}

/// What the program asks of a layout.
Table rules_of(const std::vector<planner::Recipe>& rules) {
  Table table{.title = "What its program asks of a layout",
              .columns = {{.name = "needs"}, {.name = "when"}, {.name = "release"}, {.name = "source"}}};
  for (const planner::Recipe& r : rules) table.rows.push_back({r.needs.text, r.when.text, releases_of(r), r.source});
  return table;
}

Data rules_data(const std::vector<planner::Recipe>& rules) {
  Data::List list;
  for (const planner::Recipe& r : rules)
    list.push_back(Data::Object{{"needs", r.needs.text},
                                {"when", text_or_null(r.when.text)},
                                {"from", text_or_null(r.from)},
                                {"until", text_or_null(r.until)},
                                {"source", r.source}});
  return list;
}

Data recipes_data(const std::vector<planner::Recipe>& recipes) {
  Data::List list;
  for (const planner::Recipe& r : recipes)
    for (const planner::RecipeSet& set : r.sets)
      list.push_back(Data::Object{{"field", set.field},
                                  {"value", set.value.text},
                                  {"from", text_or_null(r.from)},
                                  {"until", text_or_null(r.until)},
                                  {"when", text_or_null(r.when.text)},
                                  {"source", set.source}});
  return list;
}

}  // namespace

Data parameters(const Entry& model) {
  return whole(std::round(planner::parameters(dsl::bind<planner::Model>(model.record, "model."))));
}

Data active_parameters(const Entry& model) {
  return whole(std::round(planner::active_parameters(dsl::bind<planner::Model>(model.record, "model."))));
}

Report show_report(const std::string& name, const Entry& entry) {
  Report report{.format = "trainplan.show/1", .document = {}, .key = "figures", .table = {}, .text = {}};
  Figures figures = figures_of(entry);
  std::string summary = leading_comment(entry.source->text);
  report.document = {{"kind", entry.kind->name}, {"name", name}, {"file", entry.source->name}, {"summary", summary}};
  report.text = {fmt::format("{} ({}){}{}", name, entry.kind->name, summary.empty() ? "" : ": ", summary)};
  if (std::string_view(entry.kind->name) == "model") {
    const Data all = parameters(entry), active = active_parameters(entry);
    report.text.push_back(
        fmt::format("{} parameters, {} active per token", figure(all, Unit::count), figure(active, Unit::count)));
    report.document.push_back({"parameters", all});
    report.document.push_back({"active_parameters", active});
  }
  if (!entry.recipes.empty()) report.document.push_back({"recipes", recipes_data(entry.recipes)});
  if (!entry.rules.empty()) report.document.push_back({"rules", rules_data(entry.rules)});
  report.document.push_back({"figures", {}});
  report.table = std::move(figures.table);
  report.text.push_back(std::move(figures.text));
  if (!entry.recipes.empty()) report.text.push_back(recipes_of(entry.recipes));
  if (!entry.rules.empty()) report.text.push_back(rules_of(entry.rules));
  report.text.push_back("Read from " + entry.source->name + ".");
  return report;
}

}  // namespace cli
