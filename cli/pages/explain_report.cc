#include "cli/pages/explain_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/report/facts.h"
#include "dsl/units.h"

namespace cli {
namespace {

const char* type_name(dsl::Type type) {
  constexpr std::array kNames{"count", "number", "boolean", "quantity", "word", "name", "expression"};
  return kNames[static_cast<size_t>(type)];
}

std::string values(const dsl::Field& f) {
  if (f.type == dsl::Type::quantity) return dsl::dim_units(f.dim);
  return fmt::format("{}", fmt::join(f.words, " "));
}

/// The first of them, and how many more there are.
std::string few(const std::vector<std::string>& names) {
  constexpr size_t kFew = 6;
  const size_t shown = std::min(names.size(), kFew);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

/// "example:gpt3-175b:7 has 8".
std::string few_lines(const std::vector<FieldLine>& examples) {
  std::vector<std::string> lines;
  for (const FieldLine& e : examples) lines.push_back(fmt::format("{}:{} has {}", e.file, e.line, e.value));
  return few(lines);
}

Table facts_of(const dsl::Field& field, const Data::Object& row, const FieldUses& uses) {
  Table facts = fact_table();
  for (const Member& member : row) {
    const bool said = member.name == "path" || member.name == "summary" || member.value.is_null();
    const std::string text = said ? "" : figure(member.value, Unit::number);
    const bool units = member.name == "values" && field.type == dsl::Type::quantity;
    if (!text.empty()) add_fact(facts, units ? "units" : member.name.c_str(), text);
  }
  const std::pair<const char*, std::string> more[] = {{"examples", few_lines(uses.examples)},
                                                      {"set by", few(uses.entries)},
                                                      {"read by", few(uses.read_by)},
                                                      {"exported as", few(uses.settings)}};
  for (const auto& [name, text] : more)
    if (!text.empty()) add_fact(facts, name, text);
  return facts;
}

}  // namespace

RowFields<dsl::Field> field_rows() {
  const auto bound = [](double x) { return std::isfinite(x) ? Data(x) : Data(); };
  return {{"path", &dsl::Field::path},
          {"type", [](const dsl::Field& f) { return std::string(f.many ? "list of " : "") + type_name(f.type); },
           Unit::text, "", 1},
          {"values", values, Unit::text, "", 4},
          {"default", [](const dsl::Field& f) { return f.required ? "required" : text_or_null(f.otherwise); },
           Unit::text, "", 2},
          {"least", [=](const dsl::Field& f) { return bound(f.least); }, Unit::number, "", 5},
          {"most", [=](const dsl::Field& f) { return bound(f.most); }, Unit::number, "", 6},
          {"summary", &dsl::Field::doc}};
}

Report explain_field(const dsl::Field& field, const FieldUses& uses) {
  Report report{.format = "trainplan.explain/1", .document = field_rows().object(field)};
  report.text = {field.path + ": " + field.doc, facts_of(field, report.document, uses)};
  const RowFields<FieldLine> written{
      {"file", &FieldLine::file}, {"line", &FieldLine::line}, {"value", &FieldLine::value}};
  report.document.insert(report.document.begin(), {"kind", "field"});
  add_member(report, "examples", written.list(uses.examples));
  add_member(report, "set_by", Data::List(uses.entries.begin(), uses.entries.end()));
  add_member(report, "read_by", Data::List(uses.read_by.begin(), uses.read_by.end()));
  add_member(report, "exported_as", Data::List(uses.settings.begin(), uses.settings.end()));
  return report;
}

Report explain_figure(const planner::ResultRow& figure) {
  Report report{.format = "trainplan.explain/1",
                .document = {{"kind", "figure"},
                             {"path", figure.name},
                             {"column", figure.about.column ? Data(figure.about.column) : Data()},
                             {"summary", figure.about.doc}}};
  Table facts = fact_table();
  if (figure.about.named) add_fact(facts, "in goals and assertions", figure.about.named);
  if (figure.about.column) add_fact(facts, "column of search and sweep", figure.about.column);
  report.text = {std::string(figure.name) + ": " + figure.about.doc, std::move(facts)};
  return report;
}

}  // namespace cli
