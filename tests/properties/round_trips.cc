// Random plans as settings of a program and back: the same plan to the last bit. `./dev trips [COUNT [SEED]]`.
//
// usage: trainplan_trips COUNT SEED [PROGRAM...]    COUNT: plans of each program that it can express
//
// Prints a table of the programs: plans that were drawn, that it refused, and that came back as another; such a plan is
// printed with the text that shows it. Exit status 1: there was one, or a program expressed too few.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "dsl/write.h"
#include "planner/export/export.h"
#include "planner/export/table.h"
#include "planner/import/core_config.h"
#include "planner/import/deepspeed.h"
#include "planner/import/field_tree.h"
#include "planner/import/megatron.h"
#include "planner/import/noted_fields.h"
#include "planner/import/torchtitan.h"
#include "planner/import/trainer.h"
#include "planner/plan/plan.h"
#include "planner/plan/violations.h"
#include "planner/resolve/read.h"
#include "planner/scenario/vocabulary.h"
#include "tests/properties/draw.h"
#include "tests/properties/field_values.h"

namespace properties {
namespace {

using planner::LoadedScenario;
using planner::Scenario;

constexpr int64_t kShown = 10;       // plans of one program that came back as others
constexpr int64_t kMostTries = 200;  // texts for each plan that a program can express
constexpr int64_t kVariants = 4;     // of a plan that it can express: other settings

/// As many replicas, each on one rank.
void keep_data_ranks(Scenario& s, Random& random) {
  planner::Parallelism data;
  data.dp = s.parallelism.dp, data.microbatch = s.parallelism.microbatch, data.zero = random.below(4);
  data.order = planner::kDefaultOrder;
  data.recompute = random.chance(0.5) ? planner::Recompute::full : planner::Recompute::none;
  data.zero_group = s.cluster.gpus = data.dp;
  s.parallelism = data;
  s.job.global_batch = data.dp * data.microbatch * random.between(1, 4);
}

/// Tensor ranks split sequences, and shards of states are shards of gradients.
void keep_titan_habits(Scenario& s, Random& random) {
  planner::Parallelism& p = s.parallelism;
  p.sequence_parallel = p.tp > 1;
  p.zero = random.of({2, 3, 3});
  p.etp = 1, p.interleave = p.interleave > 2 ? 2 : p.interleave;
  p.recompute_every = 1, p.servers = 0, p.offload = {}, p.order = planner::kDefaultOrder;
}

/// Its distributed optimizer shards states alone.
void keep_first_stage(Scenario& s, Random&) { s.parallelism.zero = std::min<int64_t>(s.parallelism.zero, 1); }

/// A program whose settings are read back. The catalogue's models that it can have: by a name, or any.
struct RoundTrip {
  const char* program;
  std::vector<std::string> softwares, models;
  planner::RunReader read;
  void (*fit)(Scenario&, Random&) = nullptr;  // makes a layout one that the program is likelier to have
};

const std::vector<RoundTrip>& round_trips() {
  static const std::vector<RoundTrip> rows{
      {"megatron", {"megatron-core", "megatron-2021", "nemo", "megatron-bridge"}, {}, planner::import_megatron},
      {"deepspeed", {"megatron-deepspeed"}, {}, planner::import_megatron},
      {"accelerate",
       {"deepspeed"},
       {"llama3-8b", "qwen3-32b", "mixtral-8x7b"},
       planner::import_deepspeed,
       keep_data_ranks},
      {"accelerate",
       {"transformers"},
       {"llama3-8b", "qwen3-32b", "mixtral-8x7b"},
       planner::import_trainer,
       keep_data_ranks},
      {"torchtitan",
       {"torchtitan", "torchtitan-compile"},
       {"llama3-8b", "llama3-70b", "qwen3-32b", "deepseek-v2-lite"},
       planner::import_torchtitan,
       keep_titan_habits},
      {"torchtitan-toml",
       {"torchtitan", "torchtitan-compile"},
       {"llama3-8b", "llama3-70b", "qwen3-32b", "deepseek-v2-lite"},
       planner::import_torchtitan,
       keep_titan_habits},
      {"nemo", {"nemo"}, {}, planner::import_nemo},
      {"nemo2",
       {"nemo"},
       {"llama3-8b", "llama2-70b", "qwen3-30b-a3b", "mixtral-8x22b"},
       planner::import_nemo2,
       keep_first_stage},
      {"megatron-bridge",
       {"megatron-bridge"},
       {"llama3-8b", "llama3-70b", "qwen3-32b", "mixtral-8x7b", "deepseek-v3"},
       planner::import_megatron_bridge}};
  return rows;
}

/// Fields that the program has a setting for.
std::vector<const dsl::Field*> settings_of(const planner::exporting::Target& target) {
  std::vector<const dsl::Field*> all;
  for (const dsl::Field& field : planner::scenario_schema()) {
    const planner::exporting::ExportRow* row = planner::exporting::find_row(target.rows, field.path);
    const bool is_set = row && (row->name || row->rule);
    if (is_set && can_be_open(field) && field.path.find_first_of("[*") == std::string::npos) all.push_back(&field);
  }
  return all;
}

/// The program's table, of its software where it has two.
const planner::exporting::Target& target_of(const RoundTrip& trip) {
  const auto targets = planner::exporting::targets();
  const auto is_of = [&](const auto& target) {
    return std::string_view(target.name) == trip.program && (!target.when || target.software == trip.softwares[0]);
  };
  return *std::ranges::find_if(targets, is_of);
}

/// What was read, with what it points into.
struct ReadBack {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<LoadedScenario> loaded;

  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += "  " + d.message + "\n";
    return out;
  }
  void load(const dsl::Source& source, const Sets& sets) {
    std::vector<dsl::Override> overrides;
    for (const std::string& set : sets) overrides.push_back({set});
    static const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    loaded = planner::read_scenario(source, overrides, catalog, sources, diagnostics);
  }
};

/// Differences that a plan shows; "": it is the same.
std::string differences(const Scenario& there, const Scenario& back) {
  const planner::Plan a = planner::make_plan(there), b = planner::make_plan(back);
  if (!b.step) return "it has no plan";
  std::string out;
  const auto compare = [&](const char* name, double x, double y) {
    if (x != y) out += fmt::format("{} {} is {}; ", name, x, y);
  };
  compare("step", a.step->seconds, b.step->seconds);
  compare("memory", a.memory->device.peak_bytes, b.memory->device.peak_bytes);
  compare("host", a.memory->host.peak_bytes, b.memory->host.peak_bytes);
  compare("tokens", there.job.tokens.has_value(), back.job.tokens.has_value());
  return out;
}

std::string differing_fields(const dsl::Record& a, const dsl::Record& b) {
  std::string out;
  for (const auto& [path, slot] : a.slots) {
    const dsl::Slot* other = b.find(path);
    if (path.starts_with("cluster.") || path.starts_with("software.errors.") || path.starts_with("operator_models.") ||
        path.ends_with(".name"))
      continue;
    const std::string left = dsl::to_text(slot.value), right = other ? dsl::to_text(other->value) : "absent";
    if (left != right) out += fmt::format("  {}: {} is {}\n", path, left, right);
  }
  return out;
}

class TripRun {
 public:
  TripRun(const RoundTrip& trip, int64_t count, uint64_t seed)
      : trip_(trip), settings_(settings_of(target_of(trip))), count_(count), seed_(seed) {}

  /// Returns whether every plan came back.
  bool run() {
    for (uint64_t i = 0; expressed_ < count_ && i < static_cast<uint64_t>(count_ * kMostTries); ++i)
      one(Random(seed_, i));
    fmt::print("| {}, {} | {} | {} | {} |\n", trip_.program, fmt::join(trip_.softwares, ", "), expressed_, refused_,
               other_);
    return other_ == 0 && expressed_ == count_;
  }

 private:
  void one(Random random) {
    Uses uses{{"software", random.of(trip_.softwares)}};
    if (!trip_.models.empty()) uses["model"] = random.of(trip_.models);
    const Written written = draw_written(random, uses);
    const dsl::Source source{"there.yaml", written.text, "/nonexistent"};
    ReadBack usual;
    usual.load(source, {});
    if (!usual.loaded || !draw_layout(usual.loaded->scenario, random)) return;
    if (trip_.fit) trip_.fit(usual.loaded->scenario, random);
    const Sets layout = layout_sets(usual.loaded->scenario);
    if (!there_and_back(written, layout)) return;
    for (int64_t i = 0; i < kVariants && expressed_ < count_; ++i)
      there_and_back(written, layout + drawn(usual.loaded->record, random));
  }

  /// Returns whether the program can express the plan.
  bool there_and_back(const Written& written, const Sets& sets) {
    const dsl::Source source{"there.yaml", written.text, "/nonexistent"};
    ReadBack there;
    there.load(source, sets);
    if (!there.loaded || planner::broken_layout_rule(there.loaded->scenario)) return false;
    const auto result = planner::export_plan(*there.loaded, trip_.program, there.diagnostics);
    if (!result) return ++refused_, false;
    ++expressed_;
    judge(written, sets, *there.loaded, result->text);
    return true;
  }

  /// A few settings with other values.
  Sets drawn(const dsl::Record& usual, Random& random) const {
    Sets sets;
    for (int64_t i = random.below(6); i > 0; --i) {
      const dsl::Field& field = *random.of(settings_);
      const dsl::Slot* slot = usual.find(field.path);
      if (!slot) continue;
      const std::vector<std::string> values = two_values(field, slot->value, random);
      if (!values.empty()) sets.push_back(field.path + "=" + random.of(values));
    }
    return sets;
  }

  void judge(const Written& written, const Sets& sets, const LoadedScenario& there, const std::string& text) {
    ReadBack back;
    planner::RunFiles files{.model = "", .cluster = there.scenario.cluster.name};
    files.config = &back.sources.emplace_back(dsl::Source{"run", text, "."});
    planner::ImportedRun import = trip_.read(files, back.sources, back.diagnostics);
    planner::put_noted_fields(*files.config, import.scenario, back.diagnostics);
    const bool told = !back.diagnostics.list.empty();
    planner::put_field(import.scenario, "cluster.use", planner::value_node(files.cluster, {}, "", true));
    if (!told) back.load(back.sources.emplace_back(dsl::Source{"back", dsl::write_yaml(import.scenario), "/no"}), {});
    const std::string wrong = !back.loaded ? "it is not read" : differences(there.scenario, back.loaded->scenario);
    if (wrong.empty()) return;
    if (++other_ > kShown) return;
    fmt::print("{}: {}\n{}{}", trip_.program, wrong, back.told(),
               back.loaded ? differing_fields(there.record, back.loaded->record) : "");
    std::string line = written.text;
    for (const std::string& set : sets) line += fmt::format(" --set '{}'", set);
    fmt::print("{}\n{}\n", line, text);
  }

  const RoundTrip& trip_;
  const std::vector<const dsl::Field*> settings_;
  const int64_t count_;
  const uint64_t seed_;
  int64_t expressed_ = 0, refused_ = 0, other_ = 0;
};

}  // namespace
}  // namespace properties

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: trainplan_trips COUNT SEED [PROGRAM...]\n");
    return 2;
  }
  const std::vector<std::string> programs(argv + 3, argv + argc);
  fmt::print("| program, software | plans | refused | came back as another |\n| --- | ---: | ---: | ---: |\n");
  bool all = true;
  for (const properties::RoundTrip& trip : properties::round_trips()) {
    if (!programs.empty() && std::ranges::find(programs, trip.program) == programs.end()) continue;
    all = properties::TripRun(trip, std::atoll(argv[1]), std::strtoull(argv[2], nullptr, 10)).run() && all;
  }
  return all ? 0 : 1;
}
