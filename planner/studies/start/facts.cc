#include "planner/studies/start/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsl/quoting.h"
#include "planner/resolve/read.h"
#include "planner/scenario/fixed.h"

namespace planner {
namespace {

constexpr int64_t kUsualSequence = 4096, kVaryingSequence = 64;
constexpr double kTokensPerParameter = 20;  // Hoffmann et al. 2022 (arXiv:2203.15556), table 3
constexpr double kSamplesPerGpu = 32;       // of lists of operators
constexpr double kStepsOfList = 1e5;        // likewise
constexpr double kBytesPerParameter = 18;   // fp16 or bf16 weights and gradients, fp32 copy, Adam (ZeRO, sec. 3.1)
constexpr double kHeld = 0.8;               // share of the memory that these may fill

// Tokens of a step: GPT-3 (arXiv:2005.14165), table 2.1, by parameters.
struct BatchRow {
  double below, tokens;
};
constexpr BatchRow kBatches[] = {{1e9, 0.5e6}, {1e10, 2e6}, {1e30, 3.2e6}};

struct SoftwareRow {
  hw_profiles::Platform platform;
  const char *transformer, *listed;
};
constexpr SoftwareRow kSoftware[] = {{hw_profiles::Platform::xla, "maxtext-tpu", "maxtext-tpu"},
                                     {hw_profiles::Platform::cuda, "megatron-core", "ddp-amp"}};

const char* software_of(const StartFacts& facts, const char* tried) {
  const SoftwareRow* row = std::ranges::find(kSoftware, facts.scenario.cluster.gpu.platform, &SoftwareRow::platform);
  if (row == std::end(kSoftware)) row = std::end(kSoftware) - 1;  // the usual one
  if (facts.listed) return row->listed;
  return row->platform == hw_profiles::Platform::cuda ? tried : row->transformer;
}

// The first software of the row with kernels for the machine's accelerator; messages name what the first one lacks.
constexpr const char* kTried[] = {"megatron-core", "megatron-2021", "ddp-apex"};

std::optional<Scenario> read_with(const char* software, const StartQuestion& question, int64_t sequence,
                                  const dsl::Catalog& catalog, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  const std::string text = fmt::format(
      "{{model: {{use: {}}}, job: {{sequence: {}, global_batch: 1}}, cluster: {{use: {}, gpus: 1}}, software: {{use: "
      "{}}}}}\n",
      as_yaml(question.model), sequence, as_yaml(question.cluster), software);
  const dsl::Source& source = sources.emplace_back(dsl::Source{"<start>", text, question.directory});
  dsl::Diagnostics told;
  std::optional<LoadedScenario> loaded = read_scenario(source, {}, catalog, sources, told);
  for (const dsl::Diagnostic& d : told.list)
    if (d.severity == dsl::Severity::error) diagnostics.error({}, d.message, d.hint);
  return loaded ? std::optional(std::move(loaded->scenario)) : std::nullopt;
}

std::optional<Scenario> read(const StartQuestion& question, int64_t sequence, const dsl::Catalog& catalog,
                             dsl::Sources& sources, dsl::Diagnostics& diagnostics, const char*& software) {
  dsl::Diagnostics first;
  for (const char* name : kTried) {
    dsl::Diagnostics told;
    if (auto found = read_with(name, question, sequence, catalog, sources, told)) return software = name, found;
    if (first.list.empty()) first = std::move(told);
  }
  diagnostics.list.insert(diagnostics.list.end(), first.list.begin(), first.list.end());
  return std::nullopt;
}

// Whether any operator of the list follows the length of a sample.
bool follows_length(const Model& a, const Model& b) {
  return !std::ranges::equal(a.operators, b.operators, [](const FixedOperator& x, const FixedOperator& y) {
    return x.rows == y.rows && x.in == y.in && x.out == y.out;
  });
}

// Two digits, as people write it.
double rounded(double x) {
  const double scale = std::pow(10, std::floor(std::log10(x)) - 1);
  return std::round(x / scale) * scale;
}

void add_list(StartFacts& facts, bool varies) {
  const auto gpus = static_cast<double>(facts.scenario.cluster.gpus_per_node);
  facts.sequence = varies ? kVaryingSequence : 1;
  facts.batch = static_cast<int64_t>(kSamplesPerGpu * gpus);
  facts.tokens = rounded(kStepsOfList * static_cast<double>(facts.batch * facts.sequence));
}

void add_transformer(StartFacts& facts) {
  const Model& model = facts.scenario.model;
  facts.sequence = model.positions > 0 ? std::min(model.positions, kUsualSequence) : kUsualSequence;
  facts.parameters = parameters(model);
  facts.active = active_parameters(model);
  const BatchRow* row = std::ranges::find_if(kBatches, [&](const BatchRow& b) { return facts.parameters < b.below; });
  facts.batch = std::max<int64_t>(1, std::llround(row->tokens / static_cast<double>(facts.sequence)));
  facts.tokens = rounded(kTokensPerParameter * facts.active);
}

}  // namespace

std::string as_yaml(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._/:+-").find(c) != std::string_view::npos;
  };
  if (!name.empty() && std::ranges::all_of(name, plain) && name.front() != '-' && name.back() != ':') return name;
  return dsl::double_quoted(name);
}

std::optional<StartFacts> start_facts(const StartQuestion& question, const dsl::Catalog& catalog, dsl::Sources& sources,
                                      dsl::Diagnostics& diagnostics) {
  const char* software = nullptr;
  std::optional<Scenario> one = read(question, 1, catalog, sources, diagnostics, software);
  if (!one) return std::nullopt;
  StartFacts facts{.scenario = *std::move(one)};
  const hw_profiles::Cluster& cluster = facts.scenario.cluster;
  facts.listed = !facts.scenario.model.operators.empty();
  if (facts.listed) {
    const std::optional<Scenario> other = read(question, kVaryingSequence, catalog, sources, diagnostics, software);
    add_list(facts, other && follows_length(facts.scenario.model, other->model));
  } else {
    add_transformer(facts);
  }
  const double held = kHeld * cluster.gpu.memory.value * static_cast<double>(cluster.gpus_per_node);
  while (static_cast<double>(facts.nodes) * held < kBytesPerParameter * facts.parameters) facts.nodes *= 2;
  facts.software = software_of(facts, software);
  return facts;
}

}  // namespace planner
