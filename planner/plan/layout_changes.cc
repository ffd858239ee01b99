#include "planner/plan/layout_changes.h"

#include <array>

#include "planner/plan/single_changes.h"
#include "planner/plan/violations.h"

namespace planner {
namespace {

constexpr int64_t kMostGpus = 16;  // times as many, or as few

/// A number that changes may touch, in addition to the number of GPUs and the degrees. It is read to see the effect of
/// a change, and written into the record.
struct TouchedField {
  const char* path;
  double (*value)(const Scenario&);
};
template <auto member> double layout_number(const Scenario& s) { return static_cast<double>(s.parallelism.*member); }
template <double Offload::*share> double offload_share(const Scenario& s) { return s.parallelism.offload.*share; }
constexpr std::array kTouched{
    TouchedField{"parallelism.interleave", layout_number<&Parallelism::interleave>},
    TouchedField{"parallelism.microbatch", layout_number<&Parallelism::microbatch>},
    TouchedField{"parallelism.zero", layout_number<&Parallelism::zero>},
    TouchedField{"parallelism.zero_group", layout_number<&Parallelism::zero_group>},
    TouchedField{"parallelism.offload.optimizer", offload_share<&Offload::optimizer>},
    TouchedField{"parallelism.offload.activations", offload_share<&Offload::activations>},
};
constexpr const char *kSequenceParallel = "parallelism.sequence_parallel", *kRecompute = "parallelism.recompute";

void write(dsl::Record& record, const char* path, dsl::Value value) {
  record.slots[record.index.find(path)->second].second.value = std::move(value);
}

/// An unwritten degree follows the others.
bool must_be_set(const dsl::Record& record, const std::string& path) {
  const bool follows = path == "parallelism.dp" || path == "parallelism.zero_group";
  return !follows || record.find(path)->given;
}

/// What `changed` has that the scenario has not; empty sets: nothing.
LayoutChange change_of(const LoadedScenario& from, size_t setting, Scenario changed) {
  LayoutChange change{.setting = setting, .loaded = {from.record, std::move(changed)}};
  const auto set = [&](const char* path, const dsl::Value& value) {
    if (must_be_set(from.record, path)) change.sets.emplace_back(path, dsl::to_text(value));
    write(change.loaded.record, path, value);
  };
  const auto count = [&](const char* path, int64_t now, int64_t before) {
    if (now != before) set(path, {dsl::Number{static_cast<double>(now), dsl::kNone}});
  };
  const Scenario& to = change.loaded.scenario;
  count("cluster.gpus", to.cluster.gpus, from.scenario.cluster.gpus);
  for (const Degree& degree : degrees())
    count(degree_path(degree).c_str(), to.parallelism.*degree.value, from.scenario.parallelism.*degree.value);
  for (const TouchedField& field : kTouched)
    if (const double x = field.value(to); x != field.value(from.scenario))
      set(field.path, {dsl::Number{x, dsl::kNone}});
  if (to.parallelism.sequence_parallel != from.scenario.parallelism.sequence_parallel)
    set(kSequenceParallel, {to.parallelism.sequence_parallel});
  if (to.parallelism.recompute != from.scenario.parallelism.recompute)
    set(kRecompute, {std::string(kRecomputeNames[static_cast<size_t>(to.parallelism.recompute)])});
  return change;
}

/// Other numbers of data ranks that divide the batch.
void add_gpus(const LoadedScenario& loaded, const std::function<void(Scenario)>& add) {
  const Scenario& s = loaded.scenario;
  const Parallelism& p = s.parallelism;
  const int64_t batches = s.job.global_batch / p.microbatch, rest = s.cluster.gpus / p.dp;
  for (int64_t dp = std::max<int64_t>(1, p.dp / kMostGpus); dp <= std::min(batches, p.dp * kMostGpus); ++dp) {
    if (batches % dp != 0 || dp == p.dp) continue;
    Scenario other = s;
    set_data_degree(other.parallelism, dp);
    other.cluster.gpus = rest * dp;
    add(std::move(other));
  }
}

}  // namespace

std::vector<LayoutChange> layout_changes(const LoadedScenario& loaded) {
  std::vector<LayoutChange> changes;
  size_t setting = 0;
  const auto add = [&](Scenario changed) {
    if (!broken_layout_rule(changed)) changes.push_back(change_of(loaded, setting, std::move(changed)));
  };
  std::string_view before;
  for (const SingleChange& row : single_changes()) {
    if (row.amount == 0) continue;
    if (std::exchange(before, row.field) != row.field) ++setting;
    Scenario changed = loaded.scenario;
    if (apply_change(row, changed)) add(std::move(changed));
  }
  ++setting;
  add_gpus(loaded, add);
  return changes;
}

}  // namespace planner
