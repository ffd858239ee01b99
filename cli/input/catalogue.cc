#include "cli/input/catalogue.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "dsl/fields.h"
#include "dsl/quoting.h"
#include "planner/resolve/layout_policy.h"
#include "planner/resolve/prices.h"
#include "planner/resolve/read.h"
#include "planner/scenario/fixed_check.h"
#include "planner/scenario/pattern_list.h"
#include "planner/scenario/vocabulary.h"

namespace cli {
namespace {

template <class T> dsl::Schema schema_below(const char* prefix) { return dsl::schema_of<T>(prefix); }

dsl::Schema calibration_schema() { return schema_below<operator_models::Calibration>("cluster.gpu.calibration."); }

void append(dsl::Schema& schema, dsl::Schema more) {
  schema.insert(schema.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

dsl::Schema accelerator_schema() {
  dsl::Schema schema = schema_below<hw_profiles::Accelerator>("cluster.gpu.");
  append(schema, calibration_schema());
  return schema;
}

/// The number of channels may follow from the memory of the parent; alone, an entry is read for a memory of 1 TB/s.
dsl::Schema near_memory_schema() {
  dsl::Schema schema = schema_below<hw_profiles::NearMemory>("cluster.gpu.near_memory.");
  for (dsl::Field& f : schema_below<hw_profiles::Accelerator>("cluster.gpu.")) {
    if (f.path != "cluster.gpu.memory_bandwidth") continue;
    f.required = false;
    f.otherwise = "1 TB/s";
    schema.push_back(std::move(f));
  }
  return schema;
}

/// Software may depend on the platform and generation that it runs on, and on the model's norm; alone, it is read for
/// the usual ones.
dsl::Schema software_schema() {
  dsl::Schema schema = schema_below<planner::Software>("software.");
  const auto take = [&](dsl::Schema fields, std::string_view path) {
    for (dsl::Field& f : fields)
      if (f.path == path) schema.push_back(std::move(f));
  };
  take(schema_below<hw_profiles::Accelerator>("cluster.gpu."), "cluster.gpu.platform");
  take(schema_below<hw_profiles::Accelerator>("cluster.gpu."), "cluster.gpu.generation");
  take(schema_below<planner::Model>("model."), "model.norm");
  return schema;
}

/// How many GPUs a job takes is the scenario's to say.
dsl::Schema cluster_schema() {
  dsl::Schema schema = schema_below<hw_profiles::Cluster>("cluster.");
  append(schema, planner::contract_schema());
  append(schema, calibration_schema());
  for (dsl::Field& f : schema)
    if (f.path == "cluster.gpus") f.required = false, f.optional = true;
  return schema;
}

/// Steps of a preset: any path of a scenario, its value kept as text until a base scenario evaluates it.
dsl::Schema roadmap_schema() {
  return {{.path = "roadmap.steps[].name", .type = dsl::Type::name, .required = true, .doc = "of the step"},
          {.path = "roadmap.steps[].set.*",
           .type = dsl::Type::name,
           .optional = true,
           .doc = "a field by its path, and an expression over the scenario's values"},
          {.path = "roadmap.steps[].scale.*",
           .type = dsl::Type::number,
           .optional = true,
           .doc = "a field by its path, and the factor on its value"}};
}

/// A kind of layers takes the model's widths if it has none; alone, it is read for those of a small model.
dsl::Schema layer_schema() {
  dsl::Schema schema = planner::model_schema();
  for (dsl::Field& f : schema) {
    if (f.path == "model.hidden") f.otherwise = "4096";
    if (f.path == "model.heads") f.otherwise = "32";
    if (!f.path.starts_with("model.kinds")) f.required = false;
  }
  return schema;
}

dsl::Schema errors_schema() { return schema_below<planner::ErrorModel>("software.errors."); }

/// Rows of a policy: any path of a scenario, its values kept as text.
dsl::Schema layout_policy_schema() {
  return {{.path = "parallelism.auto.open.*",
           .type = dsl::Type::name,
           .optional = true,
           .doc = "a field by its path, and an expression of its values"},
          {.path = "parallelism.auto.changes[].of",
           .type = dsl::Type::name,
           .optional = true,
           .doc = "what a change is of, where nothing fits: layout, job, cluster"},
          {.path = "parallelism.auto.changes[].when",
           .type = dsl::Type::name,
           .optional = true,
           .doc = "the scenario's condition"},
          {.path = "parallelism.auto.changes[].set.*",
           .type = dsl::Type::name,
           .optional = true,
           .doc = "a field by its path, and an expression of its values"}};
}

constexpr std::array<EntryKind, 11> kKinds{{
    {"accelerator", "accelerators", "GPUs: peaks, memory, bandwidth, power", "cluster.gpu", true, accelerator_schema},
    {"cluster", "clusters", "machines: nodes, network tiers, power, price, failures", "cluster", true, cluster_schema},
    {"model", "models", "architectures: Transformers, fixed lists of operators", "model", false, planner::model_schema},
    {"software", "software", "training software: fused kernels, overlap, memory habits", "software", false,
     software_schema},
    {"calibration", "calibrations", "measured efficiencies of the operator models on an accelerator",
     "cluster.gpu.calibration", true, calibration_schema},
    {"near-memory", "near_memory", "compute units beside the banks of a memory", "cluster.gpu.near_memory", true,
     near_memory_schema},
    {"roadmap", "roadmaps", "presets of `roadmap`: steps of hardware, public generations", "roadmap", true,
     roadmap_schema},
    {"layout-policy", "layouts", "what a search opens of a layout that a scenario does not write", "parallelism.auto",
     true, layout_policy_schema},
    {"layer", "layers", "kinds of layers: attention, recurrences, experts", "model.kinds[]", false, layer_schema},
    {"errors", "errors", "how far measured runs were from their plans, by software", "software.errors", false,
     errors_schema},
    {"scenario", "scenarios", "runnable examples", "", false, nullptr},
}};

/// A scenario that is nothing but the entry: `{"cluster": {"gpu": {"use": "NAME"}}}`, in a list the first item. Its
/// name makes the language look in the catalogue only, not beside it.
dsl::Source scenario_of(const EntryKind& kind, const std::string& name) {
  std::string open, close, path = kind.path;
  for (size_t start = 0; start != std::string::npos && start <= path.size();) {
    const size_t dot = path.find('.', start);
    std::string key = path.substr(start, dot == std::string::npos ? dot : dot - start);
    const bool list = key.ends_with("[]");
    if (list) key.resize(key.size() - 2);
    open += "{\"" + key + (list ? "\": [" : "\": ");
    close = (list ? "]}" : "}") + close;
    start = dot == std::string::npos ? dot : dot + 1;
  }
  return {"catalog:" + name, open + "{\"use\": " + dsl::double_quoted(name) + "}" + close + "\n", ""};
}

/// First steps of a kind's fields below its path: what may stand at the top of its files.
std::set<std::string> top_keys(const EntryKind& kind) {
  const dsl::Schema& fields = kind.schema ? kind.schema() : planner::scenario_schema();
  size_t skip = *kind.path ? std::string_view(kind.path).size() + 1 : 0;
  std::set<std::string> keys;
  for (const dsl::Field& f : fields) {
    std::string rest = f.path.size() > skip ? f.path.substr(skip) : "";
    if (f.path.starts_with(kind.path)) keys.insert(rest.substr(0, rest.find_first_of(".[")));
  }
  if (std::string_view(kind.path) == "software") keys.insert({"layout", "recipes"});
  if (!kind.schema) keys.insert({"let", "operator_models", "techniques", "price_list", "roadmap", "study"});
  keys.insert("extends");
  return keys;
}

}  // namespace

std::span<const EntryKind> entry_kinds() { return kKinds; }

const EntryKind* find_kind(std::string_view name) {
  for (const EntryKind& k : kKinds)
    if (name == k.name || name == k.folder) return &k;
  return nullptr;
}

const EntryKind& kind_of_file(const dsl::Source& source) {
  std::string folder = std::filesystem::path(source.directory).filename().string();
  for (const EntryKind& k : kKinds)
    if (folder == k.folder) return k;
  dsl::Diagnostics ignored;
  dsl::Node tree = dsl::parse_yaml(source, ignored);
  const EntryKind* best = &kKinds.back();  // a scenario, unless another kind knows more of its keys
  auto known = [&](const EntryKind& kind) {
    std::set<std::string> keys = top_keys(kind);
    return std::count_if(tree.entries.begin(), tree.entries.end(),
                         [&](const dsl::Entry& e) { return keys.contains(e.key); });
  };
  for (const EntryKind& k : kKinds)
    if (known(k) > known(*best)) best = &k;
  return *best;
}

Entry read_entry(const EntryKind& kind, const std::string& name, Session& session,
                 const std::vector<dsl::Override>& sets) {
  Entry entry;
  entry.kind = &kind;
  entry.schema = kind.schema();
  std::string why;
  const dsl::Source& scenario = session.sources.emplace_back(scenario_of(kind, name));
  entry.source = dsl::find_source(session.catalog, kind.name, name, "", session.sources, why, &scenario);
  if (!entry.source) {
    session.diagnostics.error({}, why);
    return entry;
  }
  dsl::Node tree =
      dsl::load(scenario, sets, planner::scenario_pulls(), session.catalog, session.sources, session.diagnostics);
  entry.recipes = planner::take_recipes(tree, session.diagnostics);
  entry.rules = planner::take_program_rules(tree, session.diagnostics);
  if (std::string_view(kind.path) == "software") planner::take_layout(tree);
  planner::take_pattern_list(tree, session.diagnostics);
  planner::drop_inherited_contracts(tree);
  entry.record = dsl::evaluate(tree, entry.schema, {.vocabulary = planner::vocabulary()}, session.diagnostics);
  if (!session.diagnostics.has_errors()) planner::check_operators(entry.record, {}, session.diagnostics);
  return entry;
}

std::string first_item_path(std::string path) {
  for (size_t at = path.find("[]"); at != std::string::npos; at = path.find("[]", at)) path.insert(at + 1, "0");
  return path;
}

std::string any_item_path(const std::string& path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '[' || c == ']') inside = c == '[';
    if (!inside || c == '[') out += c;
  }
  return out;
}

std::string source_comment(const dsl::Slot& slot) {
  if (!slot.comment.empty() || !slot.span.source || !std::holds_alternative<dsl::List>(slot.value.v))
    return slot.comment;
  std::string_view text = slot.span.source->text;
  for (int line = 1; line < slot.span.line && !text.empty(); ++line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  text = text.substr(0, text.find('\n'));
  size_t hash = text.find(" #");
  if (hash == std::string_view::npos) return "";
  text.remove_prefix(hash + 2);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::string(text);
}

std::string leading_comment(std::string_view text) {
  std::string out;
  while (text.starts_with('#')) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(1, end - 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty()) break;
    out += (out.empty() ? "" : " ") + std::string(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace cli
