// Predictions against a small table of published runs: tests/accuracy/runs_small.csv.
//
// Its figures are copied from the sources that its column `source` names. Nothing was fitted to them; the limits below
// hold what was reached, so that a change that makes predictions worse is seen. Figures of the whole data:
// docs/accuracy.md.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "planner/studies/runs/score.h"

namespace {

using planner::MemoryKind;
using planner::ScoredRun;

const planner::Score& score() {
  static const planner::Score score = [] {
    std::ifstream file(TRAINPLAN_SOURCE_DIR "/tests/accuracy/runs_small.csv");
    std::ostringstream text;
    text << file.rdbuf();
    const dsl::Source source{"runs_small.csv", text.str(), ""};
    dsl::Diagnostics diagnostics;
    dsl::CsvTable table = dsl::read_csv(source, diagnostics);
    std::vector<planner::Run> runs = planner::read_runs(table, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    return planner::score_runs(std::move(runs), {.builtin = planner::builtin_catalog(), .directories = {}});
  }();
  return score;
}

/// What a set of rows may have: mean and largest |error| of the step's time, size of the mean error.
struct Limit {
  const char* group;  // its beginning
  double mape, max_ape, bias;
};
constexpr Limit kTimeLimits[] = {
    {"korthikanti-tab5", 0.06, 0.12, 0.06},   {"megatron-2020", 0.15, 0.20, 0.15},
    {"megatron-h100-weak", 0.25, 0.35, 0.25}, {"vtrain-multi", 0.12, 0.20, 0.12},
    {"bloom-prequel", 0.22, 0.30, 0.22},      {"llm-foundry-mpt", 0.20, 0.40, 0.20},
    {"torchtitan", 0.22, 0.35, 0.22},         {"simumax", 0.35, 0.45, 0.35},
    {"internevo", 0.28, 0.40, 0.28},          {"nv-LLAMA3", 0.22, 0.30, 0.22},
    {"dgxc-GPT3", 0.28, 0.38, 0.28},          {"dgxc-Nemotron4", 0.28, 0.38, 0.28},
    {"dgxc-DeepSeek-V3", 0.60, 0.75, 0.60},   {"nv-DeepSeek-V3", 0.25, 0.50, 0.25},
    {"nv-Qwen3-30B-A3B", 0.35, 0.70, 0.35},   {"nv-Mixtral-8x7B", 0.25, 0.25, 0.25},
    {"automodel", 0.25, 0.45, 0.25},          {"mlperf-lora", 0.30, 0.30, 0.30},
    {"dle-bert", 0.65, 1.15, 0.65},
};

struct MemoryLimit {
  MemoryKind kind;
  int64_t rows;  // at least
  double mape;
};
constexpr MemoryLimit kMemoryLimits[] = {
    {MemoryKind::allocated, 5, 0.01},
    {MemoryKind::reserved, 5, 0.07},
    {MemoryKind::device, 5, 0.1},
};

planner::Figures figures(const std::function<bool(const ScoredRun&)>& wanted) {
  std::vector<const ScoredRun*> rows;
  for (const ScoredRun& r : score().rows)
    if (wanted(r)) rows.push_back(&r);
  return planner::figures_of(rows);
}

}  // namespace

TEST_CASE("step times of published runs stay within their limits") {
  for (const Limit& limit : kTimeLimits) {
    planner::Figures f =
        figures([&](const ScoredRun& r) { return r.run.group.starts_with(limit.group) && !r.skipped(); });
    INFO(std::string(limit.group));
    REQUIRE(f.mape.has_value());
    INFO("mape ", *f.mape, ", largest ", *f.max_ape, ", bias ", *f.bias);
    CHECK(*f.mape <= limit.mape);
    CHECK(*f.max_ape <= limit.max_ape);
    CHECK(std::fabs(*f.bias) <= limit.bias);
  }
}

TEST_CASE("memory of published runs stays within its limits") {
  for (const MemoryLimit& limit : kMemoryLimits) {
    planner::Figures f =
        figures([&](const ScoredRun& r) { return r.memory_error && r.run.measured.memory_kind == limit.kind; });
    INFO("kind ", static_cast<int>(limit.kind), ", mape ", f.memory_mape.value_or(-1));
    CHECK(f.rows >= limit.rows);
    CHECK(f.memory_mape.value_or(1) <= limit.mape);
  }
}

TEST_CASE("every run of the table is predicted") {
  for (const ScoredRun& r : score().rows) {
    INFO(r.run.id, ": ", r.prediction.skipped);
    CHECK_FALSE(r.skipped());
  }
}

TEST_CASE("the eight runs of Korthikanti et al. 2022 fit their GPUs") {
  int count = 0;
  for (const ScoredRun& r : score().rows) {
    if (r.run.group != "korthikanti-tab5") continue;
    ++count;
    INFO(r.run.id);
    CHECK(r.prediction.violations.empty());
  }
  CHECK(count == 8);
}

TEST_CASE("the layouts of one problem are ranked") {
  CHECK_FALSE(score().problems.empty());
  for (const planner::ProblemScore& p : score().problems) {
    INFO(p.problem);
    CHECK(p.regret >= 0);
    CHECK(p.regret <= 0.5);
  }
}
