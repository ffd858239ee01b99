#include "cli/pages/list_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/input/examples.h"
#include "cli/pages/explain_report.h"
#include "cli/render/render.h"
#include "cli/report/row_fields.h"
#include "dsl/unit_sizes.h"
#include "operator_models/cost.h"
#include "planner/scenario/techniques.h"

namespace cli {
namespace {

/// Parameters of a model, a whole number. REQUIRES: entry of a model, read without mistakes.
Data parameters(const Entry& model) {
  return whole(std::round(planner::parameters(dsl::bind<planner::Model>(model.record, "model."))));
}

/// Those that one token is multiplied with, by the same rules.
Data active_parameters(const Entry& model) {
  return whole(std::round(planner::active_parameters(dsl::bind<planner::Model>(model.record, "model."))));
}

// ---- show

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
  const std::string below = first_item_path(entry.kind->path) + ".";
  if (!path.starts_with(below) || slot.value.is_null()) return "";
  std::string own = path.substr(below.size());
  const bool device = own.starts_with("calibration.") || own.starts_with("gpu.calibration.");
  if (device && !own.ends_with("calibration.name")) return "";
  const std::string* text = std::get_if<std::string>(&slot.value.v);
  const bool unnamed = text && text->empty();  // of no family, of no provider
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

// ---- list

Report list_of_rows(Table table) { return rows_report("trainplan.list/1", "entries", std::move(table)); }

/// An entry of the catalogue; one that cannot be read has no figures.
struct ListedEntry {
  std::string name;
  Entry entry;
  bool is_good = false;
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

/// A figure that a list of entries shows next to the name. An entry that cannot be read keeps its row, without figures;
/// `check` reports its mistakes.
template <class Of>
RowField<ListedEntry> entry_field(const char* name, Unit unit, const char* heading, Of of, int rank = 0) {
  return {name, [of](const ListedEntry& e) { return e.is_good ? of(e.entry) : Data(); }, unit, heading, rank};
}

/// `path`: of the record.
RowField<ListedEntry> slot_field(const char* name, const char* path, Unit unit, const char* heading = "",
                                 int rank = 0) {
  return entry_field(
      name, unit, heading, [=](const Entry& e) { return slot_data(e.record, path, unit); }, rank);
}

Data price_per_hour(const Entry& e) {
  const auto price = slot_data(e.record, "cluster.price", Unit::usd).number();
  return price ? Data(std::round(*price * dsl::kHour * 1e9) / 1e9) : Data();  // of a cent, not of a bit
}

std::vector<RowField<ListedEntry>> kind_figures(std::string_view kind) {
  if (kind == "accelerator")
    return {slot_field("vendor", "cluster.gpu.vendor", Unit::text, "", 1),
            slot_field("fp16_flops_per_second", "cluster.gpu.flops.fp16", Unit::flops_per_second, "fp16"),
            slot_field("memory_bytes", "cluster.gpu.memory", Unit::memory, "memory"),
            slot_field("memory_bytes_per_second", "cluster.gpu.memory_bandwidth", Unit::bytes_per_second, "bandwidth")};
  if (kind == "cluster")
    return {slot_field("provider", "cluster.provider", Unit::text, "", 2),
            slot_field("gpu", "cluster.gpu.name", Unit::text, "", 1),
            slot_field("gpus_per_node", "cluster.gpus_per_node", Unit::count, "GPUs"),
            slot_field("memory_bytes", "cluster.gpu.memory", Unit::memory, "memory"),
            entry_field("usd_per_gpu_hour", Unit::usd, "price/h", price_per_hour),
            slot_field("contract", "cluster.price_terms.contract", Unit::text, "", 3),
            slot_field("price_date", "cluster.price_terms.date", Unit::text, "of", 4)};
  if (kind == "model")
    return {slot_field("layers", "model.layers", Unit::count), slot_field("hidden", "model.hidden", Unit::count),
            entry_field("parameters", Unit::count, "", parameters),
            entry_field("active_parameters", Unit::count, "active", active_parameters)};
  if (kind == "software") return {slot_field("attention", "software.attention", Unit::text)};
  if (kind == "calibration") return {slot_field("launch_seconds", "cluster.gpu.calibration.launch", Unit::seconds)};
  return {};
}

Report list_entries(const std::string& name, Session& session) {
  const EntryKind& kind = *find_kind(name);
  RowFields<ListedEntry> fields{{"name", &ListedEntry::name}};
  fields.add_all(kind_figures(kind.name));
  fields.add(
      {"summary", [](const ListedEntry& e) { return e.entry.source ? leading_comment(e.entry.source->text) : ""; }});
  Table table = fields.table(std::vector<ListedEntry>{});
  for (const std::string& entry : dsl::catalog_names(session.catalog, kind.name)) {
    Session own{.sources = {}, .diagnostics = {}, .catalog = session.catalog};
    ListedEntry row{entry, read_entry(kind, entry, own)};
    row.is_good = !own.diagnostics.has_errors();
    table.rows.push_back(fields.cells(row));
  }
  return list_of_rows(std::move(table));
}

Report list_operator_models(const std::string&, Session&) {
  Table table{.columns = {{.name = "kind"}, {.name = "name"}, {.name = "default"}, {.name = "summary"}}};
  std::string last;
  for (const operator_models::ModelRow& row : operator_models::registry()) {
    table.rows.push_back({std::string(row.kind), std::string(row.name), last != row.kind, row.summary});
    last = row.kind;
  }
  return list_of_rows(std::move(table));
}

Report list_fields(const std::string&, Session&) {
  return list_of_rows(field_rows().table(planner::scenario_schema()));
}

Report list_techniques(const std::string&, Session&) {
  using Technique = planner::Technique;
  const RowFields<Technique> fields{{"name", &Technique::name},
                                    {"field", &Technique::field, Unit::text, "", 1},
                                    {"value", &Technique::value, Unit::text, "", 2},
                                    {"needs", &Technique::needs, Unit::text, "", 3},
                                    {"source", &Technique::source, Unit::text, "", 4},
                                    {"summary", &Technique::summary}};
  return list_of_rows(fields.table(planner::techniques()));
}

Report list_formats(const std::string&, Session&) {
  const RowFields<ReportFormat> fields{{"name", &ReportFormat::name}, {"summary", &ReportFormat::summary}};
  return list_of_rows(fields.table(kFormats));
}

/// The first sentence of its comment, or what its ending says.
std::string example_summary(const dsl::EmbeddedFile& file) {
  struct Ending {
    std::string_view text;
    const char* summary;
  };
  constexpr Ending kEndings[] = {{"/config.json", "the config.json of a model"},
                                 {".json", "a trace of a rank"},
                                 {".csv", "a table"},
                                 {".txt", "lengths of samples"},
                                 {".sh", "a launch script"}};
  for (const Ending& ending : kEndings)
    if (file.path.ends_with(ending.text)) return ending.summary;
  const std::string comment = leading_comment(file.text);
  return comment.substr(0, std::min(comment.find(": "), comment.find(". ")));
}

Report list_examples(const std::string&, Session&) {
  const RowFields<dsl::EmbeddedFile> fields{
      {"name", [](const dsl::EmbeddedFile& f) { return "example:" + example_name(f); }}, {"summary", example_summary}};
  return list_of_rows(fields.table(example_files()));
}

constexpr std::array kListings{
    Listing{"example", "files inside the program, to begin with: \"example:NAME\" in place of a file", list_examples},
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

std::span<const Listing> listings() { return kListings; }

Report list_overview(Session& session) {
  const auto count = [&](const Listing& l) {
    const EntryKind* kind = find_kind(l.name);
    return kind ? dsl::catalog_names(session.catalog, kind->name).size()
                : l.function(l.name, session).table.rows.size();
  };
  const RowFields<Listing> fields{
      {"name", &Listing::name}, {"count", count, Unit::count}, {"summary", &Listing::summary}};
  return list_of_rows(fields.table(kListings));
}

}  // namespace cli
