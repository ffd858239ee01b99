#include "tests/properties/draw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "planner/plan/violations.h"
#include "planner/resolve/read.h"
#include "planner/scenario/vocabulary.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/placement.h"

namespace properties {
namespace {

using planner::Scenario;

std::vector<std::string> names_of(std::string_view kind) {
  std::vector<std::string> names;
  for (const dsl::BuiltinFile& file : planner::builtin_files())
    if (file.kind == kind) names.emplace_back(file.name);
  return names;
}

std::string precision_of(Random& random) {
  return random.chance(0.7) ? "bf16" : hw_profiles::kPrecisionNames[static_cast<size_t>(random.below(7))];
}

std::string job_of(Random& random) {
  const int64_t sequence = random.of({512, 1024, 2048, 4096, 8192, 16384, 32768, 131072, 1000, 96});
  std::string job = fmt::format("sequence: {}, global_batch: 1, precision: {}", sequence, precision_of(random));
  if (random.chance(0.1))
    job += fmt::format(", optimizer: {}", planner::optimizers()[random.below(planner::optimizers().size())].name);
  if (random.chance(0.1)) job += fmt::format(", document: {}", sequence / 3);
  if (random.chance(0.05)) job += ", lora: {rank: 16, targets: all}";
  if (random.chance(0.2)) job += fmt::format(", tokens: {}", random.between(1, 1'000'000'000'000));
  return job;
}

/// A figure that a scenario may give otherwise than the catalogue, in the range of machines that one may think of.
struct Figure {
  const char* path;
  double middle, factor;  // from middle / factor to middle * factor
  const char* unit;
};
constexpr Figure kFigures[] = {
    {"cluster.network[0].latency", 1e-6, 100, "s"},
    {"cluster.network[1].latency", 5e-6, 100, "s"},
    {"cluster.network[0].bandwidth", 300e9, 20, "B/s"},
    {"cluster.network[1].bandwidth", 40e9, 20, "B/s"},
    {"cluster.network[1].oversubscription", 2, 2, ""},
    {"cluster.gpu.memory_bandwidth", 3e12, 10, "B/s"},
    {"cluster.gpu.vector_flops", 6e13, 10, "FLOP/s"},
    {"cluster.gpu.flops.bf16", 1e15, 10, "FLOP/s"},
    {"cluster.gpu.flops.fp8", 2e15, 10, "FLOP/s"},
    {"cluster.gpu.speedup", 1, 10, ""},
    {"cluster.gpu.power_cap", 400, 4, "W"},
    {"cluster.gpu.clock_cap", 1.2e9, 4, "Hz"},
    {"cluster.host.launch", 1, 10, ""},
    {"cluster.host.bandwidth", 50e9, 20, "B/s"},
    {"cluster.host.memory_bandwidth", 300e9, 10, "B/s"},
    {"software.launch", 5e-6, 10, "s"},
    {"software.gap", 1e-6, 10, "s"},
    {"cluster.skew", 1e-5, 10, "s"},
    {"software.skew", 1e-5, 10, "s"},
    {"software.step_overhead", 1e-2, 10, "s"},
    {"software.straggling", 0.01, 10, ""},
    {"software.vector_slowdown", 2, 2, ""},
    {"software.memory.gathered_units", 2, 2, ""},
    {"job.routing.capacity", 1.2, 2, ""},
};

void draw_figures(Sets& sets, Random& random) {
  for (const Figure& figure : kFigures)
    if (random.chance(0.05))
      sets.push_back(fmt::format("{}={} {}", figure.path, figure.middle * random.factor(figure.factor), figure.unit));
}

/// Turns habits of the software over.
void draw_habits(Sets& sets, Random& random) {
  static const std::vector<std::string> habits = [] {
    std::vector<std::string> paths;
    for (const dsl::Field& field : planner::scenario_schema())
      if (field.type == dsl::Type::boolean && field.path.starts_with("software.")) paths.push_back(field.path);
    return paths;
  }();
  for (const std::string& path : habits)
    if (random.chance(0.02)) sets.push_back(fmt::format("{}={}", path, random.chance(0.5)));
}

int64_t divisor_of(int64_t whole, int64_t most, Random& random) {
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= most; ++i)
    if (whole % i == 0) divisors.push_back(i);
  return random.of(divisors);
}

/// A schedule by name, with the chunks that it needs.
void draw_schedule(planner::Parallelism& p, Random& random) {
  if (random.chance(0.4)) return;
  const auto rows = planner::schedules();
  const planner::ScheduleRow& row = rows[static_cast<size_t>(random.below(static_cast<int64_t>(rows.size())))];
  p.schedule = row.name;
  p.interleave = row.chunks > 0 ? row.chunks : p.schedule == "interleaved" ? random.between(2, 4) : 1;
}

/// Another order of the groups, and stages of different length.
void draw_placement(Scenario& s, Random& random) {
  planner::Parallelism& p = s.parallelism;
  const planner::DegreeOrder usual = planner::parse_order(planner::kDefaultOrder);
  std::vector<std::string_view> words;
  for (const planner::Degree* word : usual) words.emplace_back(word->name);
  for (size_t i = words.size(); i > 1; --i)
    std::swap(words[i - 1], words[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
  if (random.chance(0.2)) p.order = fmt::format("{}", fmt::join(words, "-"));
  const int64_t parts = p.pp * p.interleave;
  if (p.pp == 1 || parts > s.model.layers || !random.chance(0.1)) return;
  p.stages.assign(static_cast<size_t>(parts), 0);
  for (int64_t layer = 0; layer < s.model.layers; ++layer) ++p.stages[static_cast<size_t>(random.below(parts))];
}

void draw_sharding(planner::Parallelism& p, Random& random) {
  p.zero = random.below(4);
  const int64_t data = planner::data_ranks(p);
  p.zero_group = random.chance(0.8) ? data : divisor_of(data, data, random);
}

void draw_memory(planner::Parallelism& p, Random& random) {
  p.recompute = static_cast<planner::Recompute>(random.below(3));
  if (random.chance(0.2)) p.recompute_every = random.of({2, 3, 5, 1000});
  if (random.chance(0.1)) p.offload.optimizer = random.of({1, 2, 4}) / 4.0;
  if (random.chance(0.05)) p.offload.weights = random.of({1, 2, 4}) / 4.0;
  if (random.chance(0.1)) p.offload.activations = random.of({1, 2, 4}) / 4.0;
}

/// One try; the rules say whether it holds.
void draw_degrees(Scenario& s, Random& random) {
  planner::Parallelism& p = s.parallelism;
  const bool fixed = !s.model.operators.empty();
  p.dp = random.of({1, 1, 2, 3, 4, 8, 16, 64});
  if (fixed) return;
  p.tp = divisor_of(s.model.heads, 16, random);
  if (random.chance(0.5)) p.pp = random.between(1, std::min<int64_t>(s.model.layers, 16));
  if (random.chance(0.3)) p.cp = random.of({2, 4, 8});
  if (s.model.experts.count > 0) p.ep = divisor_of(s.model.experts.count, 64, random), p.etp = random.of({1, p.tp});
  p.sequence_parallel = random.chance(0.5);
}

void draw_parallelism(Scenario& s, Random& random) {
  planner::Parallelism& p = s.parallelism;
  p = {};
  p.order = planner::kDefaultOrder;
  draw_degrees(s, random);
  if (p.pp > 1) draw_schedule(p, random);
  draw_placement(s, random);
  draw_sharding(p, random);
  draw_memory(p, random);
  if (p.zero == 0 && random.chance(0.05)) p.servers = random.of({1, 4});
  p.microbatch = random.of({1, 1, 1, 2, 3, 8});
  const int64_t rounds = random.of({1, 2, 3, 5, 8});
  s.job.global_batch = p.dp * p.microbatch * rounds * (p.interleave > 1 ? 2 * p.pp : 1);
  s.cluster.gpus = planner::stage_ranks(p) * p.pp;
}

}  // namespace

Written draw_written(Random& random, const Uses& uses) {
  static const std::vector<std::string> models = names_of("model"), clusters = names_of("cluster"),
                                        softwares = names_of("software");
  const auto use = [&](const char* kind, const std::vector<std::string>& names) {
    const auto given = uses.find(kind);
    return given != uses.end() ? given->second : random.of(names);
  };
  const std::string model = use("model", models), job = job_of(random), cluster = use("cluster", clusters);
  Written out{fmt::format("model: {{use: {}}}\njob: {{{}}}\ncluster: {{use: {}, gpus: 1}}\nsoftware: {{use: {}}}\n",
                          model, job, cluster, use("software", softwares)),
              {}};
  draw_figures(out.sets, random);
  draw_habits(out.sets, random);
  return out;
}

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

namespace {

std::vector<dsl::Override> overrides_of(const Sets& sets) {
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  return overrides;
}

dsl::Source source_of(const Written& written) { return {"drawn.yaml", written.text, "/nonexistent"}; }

const dsl::Catalog& catalog() {
  static const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  return catalog;
}

}  // namespace

std::optional<Scenario> read(const Written& written, const Sets& further) {
  const dsl::Source source = source_of(written);
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  auto loaded = planner::read_scenario(source, overrides_of(written.sets + further), catalog(), sources, diagnostics);
  if (!loaded) return std::nullopt;
  return std::move(loaded->scenario);
}

std::unique_ptr<Opened> open(const Written& written, const Sets& further) {
  auto opened = std::make_unique<Opened>();
  opened->source = source_of(written);
  dsl::Diagnostics diagnostics;
  auto scenario = planner::read_open_scenario(opened->source, overrides_of(written.sets + further), catalog(),
                                              opened->sources, diagnostics);
  if (!scenario) return nullptr;
  opened->scenario.emplace(*std::move(scenario));
  return opened;
}

bool draw_layout(Scenario& scenario, Random& random) {
  // A fixed list of operators that knows no sequences is of samples of one element.
  const auto knows_sequences = [](const planner::FixedOperator& o) { return planner::is_of_sequences(o.kind); };
  if (!scenario.model.operators.empty()) {
    if (std::ranges::none_of(scenario.model.operators, knows_sequences)) scenario.job.sequence = 1;
    scenario.job.document = scenario.job.sequence;
  }
  for (int tries = 0; tries < 100; ++tries) {
    draw_parallelism(scenario, random);
    if (!planner::broken_layout_rule(scenario)) return true;
  }
  return false;
}

Sets layout_sets(const Scenario& s) {
  const planner::Parallelism &p = s.parallelism, usual;
  Sets sets{fmt::format("job.sequence={}", s.job.sequence), fmt::format("job.document={}", s.job.document),
            fmt::format("job.global_batch={}", s.job.global_batch), fmt::format("cluster.gpus={}", s.cluster.gpus)};
  const auto note = [&](std::string_view name, const auto& value, const auto& otherwise) {
    if (value != otherwise) sets.push_back(fmt::format("parallelism.{}={}", name, value));
  };
  for (const planner::Degree& degree : planner::degrees()) note(degree.name, p.*degree.value, usual.*degree.value);
  note("interleave", p.interleave, usual.interleave);
  note("microbatch", p.microbatch, usual.microbatch);
  note("sequence_parallel", p.sequence_parallel, usual.sequence_parallel);
  note("zero", p.zero, usual.zero);
  note("zero_group", p.zero_group, planner::data_ranks(p));
  note("recompute", planner::kRecomputeNames[static_cast<size_t>(p.recompute)], planner::kRecomputeNames[0]);
  note("recompute_every", p.recompute_every, usual.recompute_every);
  note("schedule", p.schedule, usual.schedule);
  note("offload.optimizer", p.offload.optimizer, usual.offload.optimizer);
  note("offload.weights", p.offload.weights, usual.offload.weights);
  note("offload.activations", p.offload.activations, usual.offload.activations);
  note("servers", p.servers, usual.servers);
  note("order", p.order, std::string(planner::kDefaultOrder));
  if (!p.stages.empty()) sets.push_back(fmt::format("parallelism.stages=[{}]", fmt::join(p.stages, ", ")));
  return sets;
}

}  // namespace properties
