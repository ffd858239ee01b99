#include "planner/plan/changes.h"

#include <array>
#include <functional>

#include "planner/plan/step.h"

namespace planner {
namespace {

constexpr int64_t kMostGpus = 16;  // times as many, or as few

/// What changes may touch, besides the number of GPUs and the degrees: read to see what a change did, written into the
/// record.
struct Knob {
  const char* path;
  double (*value)(const Scenario&);
};
constexpr std::array kKnobs{
    Knob{"parallelism.interleave", [](const Scenario& s) { return static_cast<double>(s.parallelism.interleave); }},
    Knob{"parallelism.microbatch", [](const Scenario& s) { return static_cast<double>(s.parallelism.microbatch); }},
    Knob{"parallelism.zero", [](const Scenario& s) { return static_cast<double>(s.parallelism.zero); }},
    Knob{"parallelism.zero_group", [](const Scenario& s) { return static_cast<double>(s.parallelism.zero_group); }},
    Knob{"parallelism.offload.optimizer", [](const Scenario& s) { return s.parallelism.offload.optimizer; }},
    Knob{"parallelism.offload.activations", [](const Scenario& s) { return s.parallelism.offload.activations; }},
};
constexpr const char *kSequenceParallel = "parallelism.sequence_parallel", *kRecompute = "parallelism.recompute";

/// A kind of change and how far it goes. False: there is nothing to change.
struct Kind {
  bool (*apply)(Scenario&, int64_t amount);
  std::array<int64_t, 3> amounts;  // 0: none
};

bool use_sequence_parallel(Scenario& s, int64_t) {
  return s.parallelism.tp > 1 && !std::exchange(s.parallelism.sequence_parallel, true);
}
bool shard(Scenario& s, int64_t stage) { return std::exchange(s.parallelism.zero, stage) < stage; }
bool recompute(Scenario& s, int64_t policy) {
  const auto wanted = static_cast<Recompute>(policy);
  return std::exchange(s.parallelism.recompute, wanted) < wanted;
}
bool smaller_microbatch(Scenario& s, int64_t factor) {
  const bool divides = s.parallelism.microbatch % factor == 0;
  return divides && (s.parallelism.microbatch /= factor, true);
}

/// Stages of half the length hold half the chunks where they would be too short.
void shorten_chunks(Parallelism& p, int64_t layers) {
  while (p.interleave > 1 && p.pp * p.interleave > layers) p.interleave = (p.interleave + 1) / 2;
}
bool more_stages(Scenario& s, const Degree& stages, int64_t factor) {
  if (!s.parallelism.stages.empty() || !grow(s, stages, factor)) return false;
  shorten_chunks(s.parallelism, s.model.layers);
  return true;
}
bool offload_optimizer(Scenario& s, int64_t) { return std::exchange(s.parallelism.offload.optimizer, 1) < 1; }
bool offload_activations(Scenario& s, int64_t) { return std::exchange(s.parallelism.offload.activations, 1) < 1; }

constexpr std::array kBeforeDegrees{Kind{use_sequence_parallel, {1}}, Kind{shard, {1, 2, 3}}, Kind{recompute, {1, 2}},
                                    Kind{smaller_microbatch, {2, 4}}};
constexpr std::array kBehindDegrees{Kind{offload_optimizer, {1}}, Kind{offload_activations, {1}}};

void write(dsl::Record& record, const char* path, dsl::Value value) {
  record.slots[record.index.find(path)->second].second.value = std::move(value);
}

/// A degree that nobody wrote follows the others by itself.
bool must_be_set(const dsl::Record& record, const std::string& path) {
  const bool follows = path == "parallelism.dp" || path == "parallelism.zero_group";
  return !follows || record.find(path)->given;
}

/// What `changed` has that the scenario has not; empty sets: nothing.
Change change_of(const LoadedScenario& from, size_t kind, Scenario changed) {
  Change change{.sets = {}, .kind = kind, .loaded = {from.record, std::move(changed)}};
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
  for (const Knob& knob : kKnobs)
    if (const double x = knob.value(to); x != knob.value(from.scenario)) set(knob.path, {dsl::Number{x, dsl::kNone}});
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

bool grow(Scenario& s, const Degree& degree, int64_t factor) {
  Parallelism& p = s.parallelism;
  if (degree.within_node && factor * p.*degree.value > s.cluster.gpus_per_node) return false;
  if (degree.cut == Cut::experts && s.model.experts.count == 0) return false;
  if (degree.has_ranks() && p.dp % factor != 0) return false;
  const bool whole_group = p.zero_group == data_ranks(p);
  p.*degree.value *= factor;
  if (degree.has_ranks()) p.dp /= factor;
  if (whole_group) p.zero_group = data_ranks(p);
  return true;
}

std::vector<Change> single_changes(const LoadedScenario& loaded) {
  std::vector<Change> changes;
  size_t kind = 0;
  const auto add = [&](Scenario changed) {
    if (!broken_layout_rule(changed)) changes.push_back(change_of(loaded, kind, std::move(changed)));
  };
  const auto try_all = [&](const std::array<int64_t, 3>& amounts, const auto& apply) {
    for (int64_t amount : amounts) {
      Scenario changed = loaded.scenario;
      if (amount > 0 && apply(changed, amount)) add(std::move(changed));
    }
    ++kind;
  };
  for (const Kind& row : kBeforeDegrees) try_all(row.amounts, row.apply);
  for (const Degree& degree : degrees())
    try_all(degree.factors, [&](Scenario& s, int64_t factor) {
      return degree.value == &Degrees::pp ? more_stages(s, degree, factor) : grow(s, degree, factor);
    });
  for (const Kind& row : kBehindDegrees) try_all(row.amounts, row.apply);
  add_gpus(loaded, add);
  return changes;
}

}  // namespace planner
