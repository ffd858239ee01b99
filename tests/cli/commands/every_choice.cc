#include "tests/cli/commands/every_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dsl/convert.h"
#include "dsl/write.h"
#include "planner/resolve/read.h"
#include "planner/search/search.h"
#include "tests/planner/texts.h"

namespace choices {
namespace {

constexpr const char* kDense =
    R"(model: {layers: 8, hidden: 1024, heads: 16, kv_heads: 8, vocab: 51200, positions: 1024, dropout: 0.1}
job: {sequence: 1024, global_batch: 64, tokens: 1e9, precision: bf16}
cluster: {use: dgx-a100-80gb, gpus: 16}
software: {use: megatron-core}
parallelism: {auto: false, tp: 2, pp: 2, microbatch: 2, recompute: selective, zero: 1}
goal: {minimize: step}
)";
constexpr const char* kUnnamedSoftware = R"(model: {use: gpt3-125m}
job: {sequence: 1024, global_batch: 64, tokens: 1e9, lora: {rank: 8}}
cluster: {use: dgx-h100, gpus: 8, price: null, purchase: {gpu_price: 30000 USD, amortisation: 1000 d}}
parallelism: {auto: false, offload: {activations: 0.5}}
goal: {minimize: step}
)";
constexpr const char* kMixture = R"(model: {use: deepseek-v2-lite}
job: {sequence: 1024, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-h100, gpus: 16}
software: {use: megatron-core}
parallelism: {auto: false, ep: 8, zero: 1}
goal: {minimize: step}
)";
constexpr const char* kTechniques = R"(model: {use: bert-large}
job: {sequence: 512, global_batch: 64, tokens: 1e9, optimizer: lamb}
cluster: {use: mi210x4, gpus: 4, gpu: {near_memory: {use: hbm2-bank-units, op_and_store: 2}}}
software: {use: ddp-amp, concurrency: oracle}
parallelism: {auto: false}
goal: {minimize: step}
)";
constexpr const char* kOperators = R"(model: {use: gnmt}
job: {sequence: 32, global_batch: 64, tokens: 1e9, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 4}
software: {use: ddp-amp}
parallelism: {auto: false}
goal: {minimize: step}
)";
constexpr const char* kTables = R"(model: {use: dlrm-small}
job: {sequence: 1, global_batch: 65536, tokens: 1e9, precision: fp16, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 4}
software: {use: dlrm-graphs}
parallelism: {auto: false}
goal: {minimize: step}
)";
constexpr const char* kHybrid = R"(model:
  layers: 4
  hidden: 1024
  heads: 16
  vocab: 32000
  bias: false
  norm: rmsnorm
  experts: {count: 8, top_k: 2, ffn: 512}
  pattern: (MS)x2
  kinds: [{use: mamba2}, {use: sparse-attention, feed_forward: experts, indexer: {heads: 4, head_dim: 64, top_k: 256}}]
job: {sequence: 1024, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-h100, gpus: 16}
software: {use: megatron-core}
parallelism: {auto: false, zero: 1}
goal: {minimize: step}
)";
constexpr const char* kScenarios[] = {kDense, kUnnamedSoftware, kMixture, kTechniques, kOperators, kTables, kHybrid};

std::string quantity(double value, dsl::Dim dim) { return dsl::write_value({dsl::Number{value, dim}}); }

/// Other values of a field, as a scenario writes them; some are invalid.
std::vector<std::string> others(const dsl::Field& field, const dsl::Value& value) {
  using dsl::Type;
  if (field.type == Type::boolean) return {"true", "false"};
  if (field.type == Type::word) return field.words;
  if (field.type == Type::name)
    return {"other", "gpipe", "1f1b", "flash-2", "unfused", "fixed", "table", "tp-cp-ep-pp-dp"};
  const dsl::Dim dim = field.type == Type::quantity ? field.dim : dsl::kNone;
  std::vector<std::string> out;
  if (const auto* now = std::get_if<dsl::Number>(&value.v))
    for (const double times : {2.0, 0.5, 1.25, 0.75})
      if (field.type != Type::count ||
          times * now->value == static_cast<double>(static_cast<int64_t>(times * now->value)))
        out.push_back(quantity(times * now->value, dim));
  for (const double x : {1.0, 2.0, 4.0, 0.0, 0.5, 1e-6, 1e3, 1e9, 1e12})
    if (field.type != Type::count || x >= 1 || x == 0) out.push_back(quantity(x, dim));
  return out;
}

/// How many of the choice's candidates fit, where all of them have a plan.
int64_t feasible(const Choice& choice) {
  sample::Texts read(choice.text, {{choice.set}});
  const planner::ScenarioText text = read.text();
  const auto open =
      planner::read_open_scenario(text.source, text.overrides, text.catalog, text.sources, read.diagnostics);
  if (!open || planner::choice_names(open->space) != std::vector{choice.path}) return 0;
  const planner::SearchResult found = planner::search(*open, {.top = 2, .pareto = {}});
  return found.evaluated == 2 ? found.feasible : 0;
}

/// The first pair of values that both fit, else the first of which one does.
std::optional<Choice> choice_of(const char* text, const std::string& path, const dsl::Slot& slot) {
  const std::string now = dsl::write_value(slot.value);
  std::optional<Choice> second;
  for (const std::string& other : others(*slot.field, slot.value)) {
    if (other == now) continue;
    const bool is_text = slot.field->type == dsl::Type::word || slot.field->type == dsl::Type::name;
    Choice choice{text, path, fmt::format("{}=[{}, {}]", path, now, other), is_text};
    const int64_t fit = feasible(choice);
    if (fit == 2) return choice;
    if (fit == 1 && !second) second = std::move(choice);
  }
  return second;
}

}  // namespace

namespace {

/// Fields that a search does not open: measured figures.
bool is_measured(const std::string& path) { return path.starts_with("software.errors."); }

}  // namespace

std::vector<Choice> every_choice(std::set<std::string>& without) {
  const std::string word = "software.techniques";  // follows from a key that is no field
  std::vector<Choice> all{{kTechniques, word, "techniques=[[], [near-memory-optimizer]]", true}};
  std::set<std::string> found{word};
  for (const char* scenario : kScenarios) {
    sample::Texts read(scenario, {});
    const planner::ScenarioText text = read.text();
    const auto loaded =
        planner::read_scenario(text.source, text.overrides, text.catalog, text.sources, read.diagnostics);
    if (!loaded) throw std::runtime_error(read.told());
    for (const auto& [path, slot] : loaded->record.slots) {
      const dsl::Field& field = *slot.field;
      if (field.many || field.type == dsl::Type::expression || found.contains(field.path) || is_measured(path))
        continue;
      if (auto choice = choice_of(scenario, path, slot)) all.push_back(*std::move(choice)), found.insert(field.path);
    }
  }
  for (const dsl::Field& field : planner::scenario_schema())
    if (!field.many && field.type != dsl::Type::expression && !found.contains(field.path) && !is_measured(field.path))
      without.insert(field.path);
  return all;
}

}  // namespace choices
