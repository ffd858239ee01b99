#include "planner/scenario/techniques.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace planner {
namespace {

constexpr std::array kTechniques{
    Technique{.name = "near-memory-optimizer",
              .field = "software.optimizer_on",
              .value = "near-memory",
              .off = "gpu",
              .needs = "cluster.gpu.near_memory",
              .summary = "units at the banks of memory update the parameters",
              .source = "Pati 2024, chapter 6"},
    Technique{.name = "fused-collectives",
              .field = "software.fused_collectives",
              .value = "t3-mca",
              .off = "none",
              .needs = "cluster.gpu.near_memory.op_and_store",
              .summary = "a GEMM hands each part of its result to the reduce-scatter when it is written",
              .source = "Pati 2024, chapter 8"},
    Technique{.name = "concurrent-gemms",
              .field = "software.concurrency",
              .value = "goldyloc",
              .off = "sequential",
              .needs = "cluster.gpu.calibration.concurrency.predictor",
              .summary = "independent GEMMs share the GPU, as many as a predictor says, with kernels chosen for it",
              .source = "Pati 2024, chapter 7"},
};

/// A figure of the units near memory, each of which their cost reads.
struct UnitFigure {
  const char* field;
  double (*of)(const hw_profiles::NearMemory&);
};
constexpr std::array kUnitFigures{
    UnitFigure{"cluster.gpu.near_memory.channels", [](const auto& n) { return static_cast<double>(n.channels); }},
    UnitFigure{"cluster.gpu.near_memory.banks", [](const auto& n) { return static_cast<double>(n.banks); }},
    UnitFigure{"cluster.gpu.near_memory.column", [](const auto& n) { return n.column.value; }},
    UnitFigure{"cluster.gpu.near_memory.command", [](const auto& n) { return n.command.value; }},
    UnitFigure{"cluster.gpu.near_memory.registers", [](const auto& n) { return static_cast<double>(n.registers); }},
};
constexpr const char* kUseUnits =
    "name units by cluster.gpu.near_memory.use, as hbm2-bank-units (`trainplan list near-memory`), or write its fields";

std::string needs(const Scenario& s, const char* asked, const char* word, const char* needed) {
  return fmt::format("{}: {} needs {}, which {} does not have", asked, word, needed,
                     s.cluster.gpu.name.empty() ? "the accelerator" : "'" + s.cluster.gpu.name + "'");
}

std::optional<Lack> units_near_memory(const Scenario& s) {
  const OptimizerOn on = s.software.optimizer_on;
  constexpr const char* kAsks = "software.optimizer_on";
  if (on == OptimizerOn::gpu) return std::nullopt;
  for (const UnitFigure& figure : kUnitFigures)
    if (!(figure.of(s.cluster.gpu.near_memory) > 0))
      return Lack{kAsks, needs(s, kAsks, dsl::word_of(on), figure.field), kUseUnits};
  return std::nullopt;
}

std::optional<Lack> memory_that_adds(const Scenario& s) {
  const FusedCollectives way = s.software.fused_collectives;
  constexpr const char* kAsks = "software.fused_collectives";
  const bool adds =
      way == FusedCollectives::ideal_nmc || way == FusedCollectives::t3 || way == FusedCollectives::t3_mca;
  if (!adds || s.cluster.gpu.near_memory.op_and_store > 0) return std::nullopt;
  return Lack{kAsks, needs(s, kAsks, dsl::word_of(way), "cluster.gpu.near_memory.op_and_store"),
              "write cluster: {gpu: {near_memory: {op_and_store: 2}}}, or fused_collectives: ideal"};
}

std::optional<Lack> units_for_both(const Scenario& s) {
  const int64_t units = s.cluster.gpu.compute_units, taken = s.software.collective_units;
  if (s.software.fused_collectives != FusedCollectives::cu_split || taken < units) return std::nullopt;
  return Lack{"software.collective_units",
              fmt::format("collective_units: {} leaves none of the {} compute units to the GEMM", taken, units), ""};
}

std::optional<Lack> predictor(const Scenario& s) {
  const operator_models::Concurrency how = s.software.concurrency;
  constexpr const char* kAsks = "software.concurrency";
  const operator_models::DegreePredictor& trained = s.calibration.concurrency.predictor;
  const bool knows = !trained.weights.empty() && trained.device == s.cluster.gpu.name;
  if (how != operator_models::Concurrency::goldyloc || knows) return std::nullopt;
  if (!trained.weights.empty())
    return Lack{kAsks,
                fmt::format("{}: {}: the predictor was trained for '{}', the accelerator is '{}'", kAsks,
                            dsl::word_of(how), trained.device, s.cluster.gpu.name),
                "train one for this device by `trainplan calibrate concurrency`"};
  return Lack{
      kAsks, needs(s, kAsks, dsl::word_of(how), "cluster.gpu.calibration.concurrency.predictor"),
      "train one for this device by `trainplan calibrate concurrency`, or write oracle: the best of all numbers"};
}

constexpr std::array kLacks{units_near_memory, memory_that_adds, units_for_both, predictor};

}  // namespace

std::span<const Technique> techniques() { return kTechniques; }

const Technique* find_technique(std::string_view name) {
  const auto* row = std::ranges::find(kTechniques, name, &Technique::name);
  return row == kTechniques.end() ? nullptr : row;
}

std::optional<Lack> lack_of(const Scenario& s) {
  for (const auto& lacks : kLacks)
    if (std::optional<Lack> lack = lacks(s)) return lack;
  return std::nullopt;
}

}  // namespace planner
