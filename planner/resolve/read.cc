#include "planner/resolve/read.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/merge.h"
#include "dsl/node_path.h"
#include "planner/import/hf.h"
#include "planner/plan/balance.h"
#include "planner/plan/results.h"
#include "planner/resolve/changes.h"
#include "planner/resolve/layout_policy.h"
#include "planner/resolve/lengths.h"
#include "planner/resolve/measured_read.h"
#include "planner/resolve/prices.h"
#include "planner/resolve/recipes.h"
#include "planner/resolve/scenario_check.h"
#include "planner/resolve/techniques_read.h"
#include "planner/scenario/fitted_name.h"
#include "planner/scenario/fixed_check.h"
#include "planner/scenario/pattern_list.h"
#include "planner/scenario/vocabulary.h"

namespace planner {

const std::vector<dsl::Pull>& scenario_pulls() {
  static const std::vector<dsl::Pull> pulls{{"model", "model", model_formats()},
                                            {"model.kinds[]", "layer"},
                                            {"cluster", "cluster"},
                                            {"cluster.gpu", "accelerator"},
                                            {"cluster.gpu.calibration", "calibration"},
                                            {"cluster.gpu.near_memory", "near-memory"},
                                            {"software", "software"},
                                            {"software.errors", "errors"},
                                            {kPriceList, kPriceListKind},
                                            {"roadmap", "roadmap", {}, true},
                                            {"parallelism.auto", "layout-policy", {}, true}};
  return pulls;
}

namespace {

constexpr const char* kDefaultSoftware = "other";  // nothing that a program would have to be known for
constexpr const char* kPublished = "software.errors={use: published}";  // what all measured runs came to

// Keys without a `use` lie over the default profile. Where nothing at all is written, the messages should point
// there and not at that default.
bool lacks_software(const dsl::Node& tree) {
  const dsl::Node* software = tree.find("software");
  return !tree.entries.empty() && !(software && software->find("use"));
}

// A scenario that writes habits of its software itself is not what runs of the default profile were compared with.
void forget_families(const dsl::Node& written, dsl::Node& tree) {
  if (node_at(written, "errors")) return;
  take_at(tree, "software.errors.families");
  take_at(tree, "software.errors.memory");
}

constexpr const char* kErrors = "software.errors";

// What runs came to is a long table of the catalogue: a resolved scenario names the entry, and what it writes itself.
void name_errors(const dsl::Node& tree, dsl::Record& record) {
  const dsl::Node* use = node_at(tree, "software.errors.use");
  if (!use) return;
  const std::string prefix = std::string(kErrors) + ".", own = prefix + "own.";
  bool has_families = false;
  for (const auto& [path, slot] : record.slots) {
    if (!path.starts_with(prefix)) continue;
    if (slot.given && !is_of_catalogue(slot) && !path.starts_with(own)) return;
    has_families = has_families || path.starts_with("software.errors.families[");
  }
  dsl::Node named(dsl::Node::Kind::map, use->span);
  make_at(named, "use") = dsl::plain_node(has_families ? use->text : "published", {});
  if (const dsl::Node* runs = node_at(tree, "software.errors.own")) make_at(named, "own") = *runs;
  record.stands_for[kErrors] = std::move(named);
}

/// Defaults for parts that the scenario does not name.
struct AssumedParts {
  bool software = false;     // the default profile
  bool calibration = false;  // that of the accelerator's class
};

struct ScenarioTree {
  dsl::Node tree;
  AssumedParts assumed = {};
};

// An accelerator that names no calibration has that of its class, of which every row is assumed.
std::optional<dsl::Override> class_calibration(const dsl::Node& tree) {
  const dsl::Node* gpu = node_at(tree, "cluster.gpu");
  if (!gpu || !gpu->find("flops") || gpu->find("calibration")) return std::nullopt;
  const dsl::Node* platform = gpu->find("platform");
  const std::string name = platform ? platform->text : hw_profiles::kPlatformNames.front();
  const auto& known = hw_profiles::kPlatformNames;
  if (std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;  // reported where it is read
  return dsl::Override{fmt::format("cluster.gpu.calibration={{use: generic-{}}}", name)};
}

// The scenario's tree with everything that it uses. A scenario that names no software gets the default one.
ScenarioTree load_tree(const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  const auto load = [&](const std::vector<dsl::Override>& overrides) {
    return dsl::load(text.source, overrides, scenario_pulls(), text.catalog, text.sources, diagnostics);
  };
  const auto before = static_cast<std::ptrdiff_t>(diagnostics.list.size());
  dsl::Node tree = load(text.overrides);
  if (diagnostics.has_errors()) return {std::move(tree)};
  const bool lacks = lacks_software(tree);
  std::vector<dsl::Override> defaults;
  if (lacks) defaults.push_back({fmt::format("software={{use: {}}}", kDefaultSoftware)});
  const std::optional<dsl::Override> calibration = class_calibration(tree);
  if (calibration) defaults.push_back(*calibration);
  if (!lacks && node_at(tree, "software") && !node_at(tree, "software.errors")) defaults.push_back({kPublished});
  if (defaults.empty()) return {std::move(tree)};
  const dsl::Node* written = tree.find("software");
  const std::optional<dsl::Node> own = lacks && written ? std::optional(*written) : std::nullopt;
  diagnostics.list.erase(diagnostics.list.begin() + before, diagnostics.list.end());  // warnings, reported again
  defaults.insert(defaults.end(), text.overrides.begin(), text.overrides.end());
  tree = load(defaults);
  if (own) forget_families(*own, tree);
  return {std::move(tree), {lacks && !(own && own->find("name")), calibration.has_value()}};
}

/// Lays the values that a row of a search has for its choices over the complete tree. A `--set` would come earlier: it
/// counts as written, and other fields follow written ones (a profile's accuracy, the fields of a technique). The
/// scenario would then differ from the one that the search costed.
void put_chosen(dsl::Node& tree, const Sets& chosen, const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  size_t number = text.overrides.size();  // behind what --set writes
  for (const auto& [path, value] : chosen) {
    const dsl::Source& source = text.sources.emplace_back(dsl::Source{"--set", path + "=" + value, "", number++});
    dsl::ParsedOverride parsed;
    if (!dsl::parse_override(source, parsed, diagnostics, vocabulary().override_example)) continue;
    dsl::ParsedOverride nothing{.path = parsed.path, .value = {}};
    dsl::apply_override(tree, nothing, true, diagnostics);
    dsl::apply_override(tree, parsed, true, diagnostics);
  }
}

struct LoadedTree {
  dsl::Node tree;
  std::vector<RecipeUse> recipe;  // what rules of the software's release wrote into it
  std::optional<dsl::Node> roadmap;
  LayoutWords layout;
  AssumedParts assumed;
};

ReadRun read_run(const ScenarioText& text) {
  return [&text](const std::vector<dsl::Override>& overrides, dsl::Diagnostics& diagnostics) {
    return read_scenario(text.source, overrides, text.catalog, text.sources, diagnostics);
  };
}

/// The tree with what the recipes of its release set. What the scenario itself writes is the same text without anything
/// that it uses.
LoadedTree load_with_recipes(const ScenarioText& text, const Sets& chosen, dsl::Diagnostics& diagnostics) {
  LoadedTree out;
  ScenarioTree loaded = load_tree(text, diagnostics);
  out.tree = std::move(loaded.tree);
  out.assumed = loaded.assumed;
  const std::vector<Recipe> recipes = take_recipes(out.tree, diagnostics, Checks::own);
  out.layout = take_layout(out.tree);
  imply_task(out.tree);
  take_pattern_list(out.tree, diagnostics);
  take_techniques(out.tree, diagnostics);
  take_prices(out.tree, text, diagnostics);
  if (!diagnostics.has_errors() && names_release(out.tree)) {
    out.recipe = apply_recipes(out.tree, own_tree(text), recipes, diagnostics);
  }
  const std::vector<Recipe> rules = take_program_rules(out.tree, diagnostics, Checks::own);  // of what recipes set, too
  if (!diagnostics.has_errors()) apply_program_rules(out.tree, rules);
  if (!diagnostics.has_errors()) take_measured(out.tree, text, read_run(text), diagnostics);
  rebase_fitted(out.tree);
  if (!diagnostics.has_errors()) apply_changes(out.tree, text, diagnostics);
  put_chosen(out.tree, chosen, text, diagnostics);
  out.roadmap = take_at(out.tree, "roadmap");  // no field: it is steps away from all others
  return out;
}

/// One reading of a scenario's tree; its places and mistakes are reported where it is first read.
class TreeReader {
 public:
  TreeReader(LoadedTree loaded, dsl::Sources& sources, dsl::Diagnostics& diagnostics)
      : tree_(std::move(loaded.tree)),
        recipe_(std::move(loaded.recipe)),
        assumed_(loaded.assumed),
        sources_(sources),
        diagnostics_(diagnostics) {}

  std::optional<LoadedScenario> closed(bool pick_first) const { return closed(pick_first, tree_, diagnostics_); }

  /// Returns the scenario of a run of several lengths: at the longest, with what differs at the others.
  std::optional<LoadedScenario> closed(bool pick_first, const LengthSource& source) {
    const int64_t batch = batch_of(source);
    if (batch == 0) return closed(pick_first);  // says why
    std::optional<Lengths> lengths = resolve_lengths(source, batch, times(), diagnostics_);
    if (!lengths) return std::nullopt;
    set_lengths(tree_, {lengths->shares.back().length});
    std::optional<LoadedScenario> loaded = closed(pick_first);
    if (!loaded) return std::nullopt;
    for (LengthShare& share : lengths->shares) {
      set_lengths(tree_, {share.length});
      dsl::Diagnostics told;
      std::optional<dsl::Record> record = read_record(pick_first, tree_, told);
      if (!record) return tell_errors(told, share.length);
      hide_foreign_defaults(*record);  // as in the other
      share.sets = differences(*record, loaded->record);
      keep_written(*record, share.sets, loaded->record);
      for (const auto& [path, value] : share.sets) check_follower(path, loaded->record.find(path)->span, source);
      if (diagnostics_.has_errors()) return std::nullopt;
    }
    loaded->record.stands_for[kSequence] = lengths_node(*lengths);
    loaded->scenario.lengths = std::move(*lengths);
    return loaded;
  }

  std::optional<OpenScenario> open() { return open("", std::move(tree_), diagnostics_); }

  std::optional<OpenScenario> open(const LengthSource& source) {
    const int64_t batch = batch_of(source);
    if (batch == 0) return open();  // says why
    std::optional<Lengths> lengths = resolve_lengths(source, batch, times(), diagnostics_);
    if (!lengths) return std::nullopt;
    std::vector<int64_t> points;
    for (const LengthShare& share : lengths->shares) points.push_back(share.length);
    set_lengths(tree_, points);
    std::optional<OpenScenario> opened = open(kSequence, std::move(tree_), diagnostics_);
    if (!opened) return std::nullopt;
    for (size_t i = 0; i < opened->space.items().size(); ++i) check_item(*opened, i, source);
    if (diagnostics_.has_errors()) return std::nullopt;
    opened->sample.lengths = std::move(*lengths);
    return opened;
  }

 private:
  static dsl::EvaluateOptions options(bool pick_first, const char* together = "") {
    return {.pick_first = pick_first, .together = together, .results = result_names(), .vocabulary = vocabulary()};
  }

  std::optional<dsl::Record> read_record(bool pick_first, const dsl::Node& tree, dsl::Diagnostics& diagnostics) const {
    dsl::Record record = dsl::evaluate(tree, scenario_schema(), options(pick_first), diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    apply_implied(record, ruled_fields(recipe_));
    return record;
  }

  std::optional<LoadedScenario> closed(bool pick_first, const dsl::Node& tree, dsl::Diagnostics& diagnostics) const {
    std::optional<dsl::Record> record = read_record(pick_first, tree, diagnostics);
    if (!record) return std::nullopt;
    Scenario scenario = bind_scenario(*record);
    check_scenario(*record, scenario, sources_, diagnostics);
    if (!diagnostics.has_errors()) deal_by_cost(scenario);
    if (diagnostics.has_errors()) return std::nullopt;
    hide_foreign_defaults(*record);
    name_errors(tree, *record);
    std::vector<RecipeField> recipe = applied_recipes(recipe_, *record);
    return LoadedScenario{std::move(*record), std::move(scenario), std::move(recipe), assumed_.software,
                          assumed_.calibration};
  }

  std::optional<OpenScenario> open(const char* together, dsl::Node tree, dsl::Diagnostics& diagnostics) const {
    dsl::Space space(std::move(tree), scenario_schema(), options(false, together), diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    OpenScenario open{.space = std::move(space), .sample = {}, .ruled = ruled_fields(recipe_)};
    dsl::Record record = open.space.record();
    apply_implied(record, open.ruled);
    open.sample = bind_scenario(record);
    check_open_scenario(open, sources_, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    return open;
  }

  std::nullopt_t tell_errors(const dsl::Diagnostics& found, int64_t length) {
    for (const dsl::Diagnostic& d : found.list)
      if (d.severity == dsl::Severity::error)
        diagnostics_.error(d.span, fmt::format("{} (at a sequence length of {})", d.message, length), d.hint);
    return std::nullopt;
  }

  using FieldValues = std::vector<std::pair<std::string, dsl::Value>>;

  static FieldValues differences(const dsl::Record& here, const dsl::Record& base) {
    FieldValues out;
    for (const auto& [path, slot] : here.slots)
      if (const dsl::Slot* other = base.find(path); other && !(other->value == slot.value))
        out.emplace_back(path, slot.value);
    return out;
  }

  /// What follows the length stays as it is written, so that a resolved scenario says the same of all lengths.
  void keep_written(const dsl::Record& here, const FieldValues& sets, dsl::Record& base) const {
    for (const auto& [path, value] : sets) base.stands_for[path] = written_at(tree_, path);
    for (size_t i = 0; i < base.let.size(); ++i)
      if (!(here.let[i].second == base.let[i].second))
        base.stands_for["let." + base.let[i].first] = written_at(tree_, "let." + base.let[i].first);
  }

  StepTimes times() const {
    return [this](const std::vector<int64_t>& lengths) {
      dsl::Node tree = tree_;
      set_lengths(tree, lengths);
      dsl::Diagnostics unasked;  // the scenario was read before
      std::optional<OpenScenario> opened = open(kSequence, std::move(tree), unasked);
      return opened ? step_times(std::move(*opened), lengths) : std::vector<double>{};
    };
  }

  /// job.global_batch before the lengths are known, where they depend on it; 0: it has no value.
  int64_t batch_of(const LengthSource& source) const {
    if (!source.log.sequences) return 1;
    dsl::Diagnostics unasked;  // a value may be wrong at this length alone
    const dsl::Record record = dsl::evaluate(tree_, scenario_schema(), options(true), unasked);
    const dsl::Slot* slot = record.find("job.global_batch");
    const dsl::Number* batch = slot ? std::get_if<dsl::Number>(&slot->value.v) : nullptr;
    return batch ? static_cast<int64_t>(batch->value) : 0;
  }

  /// A field that differs between the lengths.
  void check_follower(const std::string& path, const dsl::Span& place, const LengthSource& source) {
    if (!may_follow_length(path))
      diagnostics_.error(place, fmt::format("{} follows job.sequence, which differs from step to step", path),
                         "a run has one: write it without the length");
    else if (path == "job.global_batch" && source.log.sequences)
      diagnostics_.error(place, "job.global_batch follows the length, and the data set's batches are of one size",
                         "give the lengths of iterations in place of sequences");
  }

  void check_item(const OpenScenario& opened, size_t i, const LengthSource& source) {
    const dsl::OpenItem& item = opened.space.items()[i];
    const bool follows = opened.space.together() && i > *opened.space.together() && item.field;
    if (follows) check_follower(item.path, item.span, source);
    else if (item.path == "job.global_batch" && source.log.sequences)
      diagnostics_.error(item.span, "job.global_batch is open, and the data set's sequences make batches of one size",
                         "search each batch by itself, or give the lengths of iterations");
  }

  dsl::Node tree_;
  std::vector<RecipeUse> recipe_;
  AssumedParts assumed_;
  dsl::Sources& sources_;
  dsl::Diagnostics& diagnostics_;
};

}  // namespace

std::optional<LoadedScenario> read_scenario(const dsl::Source& source, const std::vector<dsl::Override>& overrides,
                                            const dsl::Catalog& catalog, dsl::Sources& sources,
                                            dsl::Diagnostics& diagnostics, const ReadOptions& options) {
  LoadedTree loaded = load_with_recipes({source, overrides, catalog, sources}, options.chosen, diagnostics);
  refuse_automatic(loaded.layout, diagnostics);
  const std::optional<LengthSource> several = take_lengths(loaded.tree, sources, diagnostics);
  TreeReader reader(std::move(loaded), sources, diagnostics);
  return several ? reader.closed(options.pick_first, *several) : reader.closed(options.pick_first);
}

std::optional<OpenScenario> read_open_scenario(const dsl::Source& source, const std::vector<dsl::Override>& overrides,
                                               const dsl::Catalog& catalog, dsl::Sources& sources,
                                               dsl::Diagnostics& diagnostics, const Sets& chosen,
                                               const TreeEdit& edit) {
  LoadedTree loaded = load_with_recipes({source, overrides, catalog, sources}, chosen, diagnostics);
  if (edit) edit(loaded.tree, loaded.layout);
  std::optional<dsl::Node> roadmap = std::move(loaded.roadmap);
  LayoutWords layout = std::move(loaded.layout);
  const std::optional<LengthSource> several = take_lengths(loaded.tree, sources, diagnostics);
  TreeReader reader(std::move(loaded), sources, diagnostics);
  std::optional<OpenScenario> open = several ? reader.open(*several) : reader.open();
  if (open) open->roadmap = std::move(roadmap), open->layout = std::move(layout);
  return open;
}

}  // namespace planner
