#include "planner/studies/start/start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dsl/quoting.h"
#include "planner/resolve/read.h"
#include "planner/scenario/fixed.h"
#include "planner/search/rank_plans.h"

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

constexpr int kDoublings = 8;        // of the nodes
constexpr int64_t kMostStages = 64;  // in the search for a layout

// A field of the layout: the values that the search tries, and its comment.
struct TriedField {
  const char* name;
  std::string values;
  const char* says;
};

std::string powers(int64_t most) { return fmt::format("\"pow2(1, {})\"", std::max<int64_t>(1, most)); }

std::vector<TriedField> tries(const StartFacts& facts, int64_t gpus) {
  const Model& model = facts.scenario.model;
  if (facts.listed) return {{"microbatch", "[1, 2, 4, 8, 16, 32]", "samples of a GPU at a time"}};
  const int64_t node = facts.scenario.cluster.gpus_per_node;
  std::vector<TriedField> out{
      {"tp", powers(std::min(node, model.heads)), "tensor parallel: GPUs that share each matrix, within a node"},
      {"pp", powers(std::min({model.layers, gpus, kMostStages})), "pipeline parallel: stages of layers"}};
  if (model.experts.count > 0)
    out.push_back({"ep", powers(std::min(model.experts.count, gpus)), "expert parallel: GPUs that deal the experts"});
  out.push_back({"microbatch", "[1, 2, 4]", "samples of a GPU at a time"});
  out.push_back({"recompute", "[none, selective, full]", "activations computed again in the backward pass"});
  // Not every software shards states alone.
  out.push_back({"zero", "[1, 3]", "1: optimizer states split among data ranks; 3: FSDP, all of it"});
  return out;
}

struct StartLayout {
  std::vector<TriedField> tries;
  std::vector<std::string> values;  // found, one for each; empty: as it is tried
  int64_t gpus = 0, batch = 0;
  const char* precision = "bf16";
  int64_t feasible = 0;
};

class ScenarioLines {
 public:
  void line(const std::string& left, const std::string& comment = "") {
    constexpr size_t kColumn = 34;
    text += left;
    if (!comment.empty())
      text += std::string(left.size() + 2 < kColumn ? kColumn - left.size() : 2, ' ') + "# " + comment;
    text += '\n';
  }
  std::string text;
};

void add_head(const StartQuestion& question, ScenarioLines& out) {
  out.line(
      fmt::format("# {} on {}: a first scenario, every line of it yours to change.", question.model, question.cluster));
  out.line("#   trainplan check FILE     mistakes in it, each with its place");
  out.line("#   trainplan plan FILE      time, memory and cost of this layout");
  out.line("#   trainplan search FILE    the best layout, where fields below are lists");
  out.line("#   trainplan list model     what else stands behind `use`; also: list cluster, list software");
  out.line("");
}

void add_problem(const StartQuestion& question, const StartFacts& facts, const StartLayout& layout,
                 ScenarioLines& out) {
  out.line(fmt::format("model: {{use: {}}}", as_yaml(question.model)),
           "trainplan show NAME prints its fields; hf:DIR reads a config.json");
  out.line("job:");
  out.line(fmt::format("  sequence: {}", facts.sequence), facts.listed ? "length of a sample" : "tokens of a sample");
  out.line(fmt::format("  global_batch: {}", layout.batch), "samples of a step");
  out.line(fmt::format("  tokens: {:g}", facts.tokens),
           facts.listed ? "of the whole run: length and cost follow from it"
                        : "of the whole run, 20 for each parameter: length and cost follow from it");
  out.line(fmt::format("  precision: {}", layout.precision), "of the GEMMs");
  if (facts.listed) out.line("  optimizer: sgd");
  out.line("cluster:");
  out.line(fmt::format("  use: {}", as_yaml(question.cluster)),
           "trainplan show NAME prints it, every figure with its source");
  out.line(fmt::format("  gpus: {}", layout.gpus), "the fewest nodes, a power of two, that hold the run");
  if (!facts.scenario.cluster.price)
    out.line("  # price: 2.50 USD/h", "of a GPU; the cluster has none, and a run no cost without it");
  out.line(fmt::format("software: {{use: {}}}", facts.software), "what trains: its kernels, overlap and memory habits");
}

void add_layout(const StartFacts& facts, const StartLayout& layout, ScenarioLines& out) {
  const bool found = !layout.values.empty();
  out.line("parallelism:", found ? fmt::format("the fastest of {} layouts that fit here", layout.feasible) : "");
  for (size_t i = 0; i < layout.tries.size(); ++i) {
    const TriedField& row = layout.tries[i];
    out.line(fmt::format("  {}: {}", row.name, found ? layout.values[i] : row.values), row.says);
  }
  if (!facts.listed) out.line("  sequence_parallel: tp > 1", "an expression: norms are split where matrices are");
}

// What the reader has to decide. Indented comments: no field.
void add_decisions(const StartLayout& layout, ScenarioLines& out) {
  out.line(
      "  # dp, the data parallel ranks, is what the other degrees leave of the GPUs. Still to be decided, by you or "
      "by");
  out.line("  # `trainplan search`: write lists in place of the values above,");
  for (const TriedField& row : layout.tries) out.line(fmt::format("  #   {}: {}", row.name, row.values));
  out.line("  # and say what is best:");
  out.line("# goal: {minimize: usd, deadline: 60 d}");
  out.line("# where: [memory.peak <= 0.9 * cluster.gpu.memory]");
}

std::string text_of(const StartQuestion& question, const StartFacts& facts, const StartLayout& layout) {
  ScenarioLines out;
  add_head(question, out);
  add_problem(question, facts, layout, out);
  add_layout(facts, layout, out);
  add_decisions(layout, out);
  return std::move(out.text);
}

// The layout with the values of the fastest candidate; false: none fits.
bool find_layout(const StartQuestion& question, const StartFacts& facts, const dsl::Catalog& catalog,
                 dsl::Sources& sources, StartLayout& layout) {
  const dsl::Source& source =
      sources.emplace_back(dsl::Source{"<start>", text_of(question, facts, layout), question.directory});
  dsl::Diagnostics told;  // a precision that the accelerator lacks, for one: the next is tried
  const std::optional<OpenScenario> open = read_open_scenario(source, {}, catalog, sources, told);
  if (!open || told.has_errors()) return false;
  const SearchResult result = ranked_search(*open, {.top = 1, .pareto = {}});
  if (result.plans.empty()) return false;
  const std::vector<std::string> names = choice_names(open->space);
  for (const TriedField& row : layout.tries) {
    const auto at = std::ranges::find(names, fmt::format("parallelism.{}", row.name));
    layout.values.push_back(
        at == names.end() ? "1" : dsl::to_text(result.plans[0].choices[static_cast<size_t>(at - names.begin())]));
  }
  layout.feasible = result.feasible;
  return true;
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

std::optional<std::string> starting_scenario(const StartQuestion& question, const dsl::Catalog& catalog,
                                             dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  const std::optional<StartFacts> facts = start_facts(question, catalog, sources, diagnostics);
  if (!facts) return std::nullopt;
  int64_t nodes = facts->nodes;
  for (int i = 0; i < kDoublings; ++i, nodes *= 2)
    for (const char* precision : {"bf16", "fp16", "fp32"}) {
      StartLayout layout{.precision = precision};
      layout.gpus = nodes * facts->scenario.cluster.gpus_per_node;
      layout.batch = std::max<int64_t>(1, facts->batch / layout.gpus) * layout.gpus;
      layout.tries = tries(*facts, layout.gpus);
      if (find_layout(question, *facts, catalog, sources, layout)) return text_of(question, *facts, layout);
    }
  diagnostics.error({},
                    fmt::format("no layout of '{}' fits up to {} GPUs of '{}'", question.model,
                                nodes / 2 * facts->scenario.cluster.gpus_per_node, question.cluster),
                    "a machine with more memory may hold it: trainplan list cluster");
  return std::nullopt;
}

}  // namespace planner
