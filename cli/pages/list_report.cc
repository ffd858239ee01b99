#include "cli/pages/list_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/pages/show_report.h"
#include "cli/render/render.h"
#include "operator_models/cost.h"
#include "planner/scenario/techniques.h"

namespace cli {
namespace {

Report empty_report() {
  return {.format = "trainplan.list/1", .document = {{"entries", {}}}, .key = "entries", .table = {}, .text = {}};
}

/// Figures that a list of entries shows beside the name.
struct ListedFigure {
  std::string_view kind;
  const char* column;
  const char* path;  // of the record
  Unit unit;
};
constexpr std::array kListed{
    ListedFigure{"accelerator", "fp16_flops_per_second", "cluster.gpu.flops.fp16", Unit::flops_per_second},
    ListedFigure{"accelerator", "memory_bytes", "cluster.gpu.memory", Unit::memory},
    ListedFigure{"accelerator", "memory_bytes_per_second", "cluster.gpu.memory_bandwidth", Unit::bytes_per_second},
    ListedFigure{"cluster", "gpu", "cluster.gpu.name", Unit::text},
    ListedFigure{"cluster", "gpus_per_node", "cluster.gpus_per_node", Unit::count},
    ListedFigure{"model", "layers", "model.layers", Unit::count},
    ListedFigure{"model", "hidden", "model.hidden", Unit::count},
    ListedFigure{"software", "attention", "software.attention", Unit::text},
    ListedFigure{"calibration", "launch_seconds", "cluster.gpu.calibration.launch", Unit::seconds},
};

/// Figures that follow from an entry.
struct Counted {
  std::string_view kind;
  const char* column;
  Data (*count)(const Entry& entry);
};
constexpr std::array kCounted{
    Counted{"model", "parameters", parameters},
    Counted{"model", "active_parameters", active_parameters},
};

Data slot_data(const dsl::Record& record, const char* path, Unit unit) {
  const dsl::Slot* slot = record.find(path);
  // What a neighbour spares a model from saying is a placeholder, no figure.
  if (!slot || (slot->field->required && !slot->given)) return {};
  if (const dsl::Number* n = std::get_if<dsl::Number>(&slot->value.v))
    return unit == Unit::count ? whole(n->value) : Data(n->value);
  if (const std::string* s = std::get_if<std::string>(&slot->value.v)) return *s;
  return {};
}

/// An entry that cannot be read keeps its row, without figures; `check` says what is wrong with it.
std::vector<Data> entry_row(const EntryKind& kind, const std::string& name, const Session& session) {
  Session own{.sources = {}, .diagnostics = {}, .catalog = session.catalog};
  Entry entry = read_entry(kind, name, own);
  bool good = !own.diagnostics.has_errors();
  std::vector<Data> row{name};
  for (const ListedFigure& f : kListed)
    if (f.kind == kind.name) row.push_back(good ? slot_data(entry.record, f.path, f.unit) : Data());
  for (const Counted& c : kCounted)
    if (c.kind == kind.name) row.push_back(good ? c.count(entry) : Data());
  row.push_back(entry.source ? leading_comment(entry.source->text) : "");
  return row;
}

Report list_entries(const std::string& name, Session& session) {
  const EntryKind& kind = *find_kind(name);
  Report report = empty_report();
  report.table.columns = {{.name = "name"}};
  for (const ListedFigure& f : kListed)
    if (f.kind == kind.name) report.table.columns.push_back({.name = f.column, .unit = f.unit});
  for (const Counted& c : kCounted)
    if (c.kind == kind.name) report.table.columns.push_back({.name = c.column, .unit = Unit::count});
  report.table.columns.push_back({.name = "summary"});
  for (const std::string& entry : dsl::catalog_names(session.catalog, kind.name))
    report.table.rows.push_back(entry_row(kind, entry, session));
  for (Column& c : report.table.columns)
    if (size_t per = c.name.find("_flops_per"); per != std::string::npos) c.heading = c.name.substr(0, per);
    else if (c.name == "memory_bytes_per_second") c.heading = "bandwidth";
    else if (c.name == "memory_bytes") c.heading = "memory";
    else if (c.name == "active_parameters") c.heading = "active";
  return report;
}

Report list_operator_models(const std::string&, Session&) {
  Report report = empty_report();
  report.table.columns = {{.name = "kind"}, {.name = "name"}, {.name = "default"}, {.name = "summary"}};
  std::string last;
  for (const operator_models::ModelRow& row : operator_models::registry()) {
    report.table.rows.push_back({std::string(row.kind), std::string(row.name), last != row.kind, row.summary});
    last = row.kind;
  }
  return report;
}

const char* type_name(dsl::Type type) {
  constexpr std::array kNames{"count", "number", "boolean", "quantity", "word", "name", "expression"};
  return kNames[static_cast<size_t>(type)];
}

std::string values(const dsl::Field& f) {
  if (f.type == dsl::Type::quantity) return dsl::dim_units(f.dim);
  std::string text;
  for (const std::string& w : f.words) text += (text.empty() ? "" : " ") + w;
  return text;
}

Report list_fields(const std::string&, Session&) {
  Report report = empty_report();
  report.table.columns = {{.name = "path"},
                          {.name = "type", .rank = 1},
                          {.name = "values", .rank = 4},
                          {.name = "default", .rank = 2},
                          {.name = "least", .unit = Unit::number, .rank = 5},
                          {.name = "most", .unit = Unit::number, .rank = 6},
                          {.name = "summary"}};
  for (const dsl::Field& f : planner::scenario_schema()) {
    Data otherwise = f.required ? Data("required") : f.otherwise.empty() ? Data() : Data(f.otherwise);
    auto bound = [](double x) { return std::isfinite(x) ? Data(x) : Data(); };
    report.table.rows.push_back({f.path, fmt::format("{}{}", f.many ? "list of " : "", type_name(f.type)), values(f),
                                 otherwise, bound(f.least), bound(f.most), f.doc});
  }
  return report;
}

Report list_techniques(const std::string&, Session&) {
  Report report = empty_report();
  report.table.columns = {{.name = "name"},
                          {.name = "field", .rank = 1},
                          {.name = "value", .rank = 2},
                          {.name = "needs", .rank = 3},
                          {.name = "source", .rank = 4},
                          {.name = "summary"}};
  for (const planner::Technique& t : planner::techniques())
    report.table.rows.push_back({t.name, t.field, t.value, t.needs, t.source, t.summary});
  return report;
}

Report list_formats(const std::string&, Session&) {
  Report report = empty_report();
  report.table.columns = {{.name = "name"}, {.name = "summary"}};
  for (const ReportFormat& f : kFormats) report.table.rows.push_back({f.name, f.summary});
  return report;
}

constexpr std::array kListings{
    Listing{"accelerator", "GPUs: peaks, memory, bandwidth, power", list_entries},
    Listing{"cluster", "machines: nodes, network tiers, power, price, failures", list_entries},
    Listing{"model", "architectures: Transformers, fixed lists of operators", list_entries},
    Listing{"software", "training software: fused kernels, overlap, memory habits", list_entries},
    Listing{"calibration", "measured efficiencies of the operator models", list_entries},
    Listing{"near-memory", "compute units beside the banks of a memory", list_entries},
    Listing{"technique", "what `techniques` names: the fields that they set, what they need of a machine",
            list_techniques},
    Listing{"roadmap", "presets of `roadmap`: steps of hardware, public generations", list_entries},
    Listing{"layout-policy", "what a search opens of a layout that a scenario does not write", list_entries},
    Listing{"layer", "kinds of layers: attention, recurrences, experts", list_entries},
    Listing{"errors", "how far measured runs were from their plans, by software", list_entries},
    Listing{"operator-model", "what an operator costs: the rows a scenario may choose from", list_operator_models},
    Listing{"scenario-field", "every field of a scenario, its type and default", list_fields},
    Listing{"format", "what --format takes", list_formats},
};

}  // namespace

std::span<const Listing> listings() { return kListings; }

Report list_overview(Session& session) {
  Report report = empty_report();
  report.table.columns = {{.name = "name"}, {.name = "count", .unit = Unit::count}, {.name = "summary"}};
  for (const Listing& l : kListings) {
    const EntryKind* kind = find_kind(l.name);
    size_t count =
        kind ? dsl::catalog_names(session.catalog, kind->name).size() : l.function(l.name, session).table.rows.size();
    report.table.rows.push_back({l.name, static_cast<int64_t>(count), l.summary});
  }
  return report;
}

}  // namespace cli
