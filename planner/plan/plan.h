// The plan of one configuration: what `trainplan plan` prints (field by field: docs/output.md).
//
//     Scenario -> Workload -> CostedWorkload -> Step -> Plan
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/fitted_use.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// Why a configuration is not feasible. `rule` is a fixed word (ranks, batch, heads, memory, where ...).
struct Violation {
  std::string rule, message;
};

/// Seconds of one optimizer step; low and high are the 10th and 90th percentile.
struct StepTime {
  double seconds = 0, low_seconds = 0, high_seconds = 0;
};

/// Seconds on the rank that finishes last; the step is their sum in the order of `kBreakdownParts`.
struct Breakdown {
  double forward = 0, backward = 0, recompute = 0, optimizer = 0, serialized_comm = 0, exposed_comm = 0, bubble = 0,
         overhead = 0;
  double sum() const;
};

/// A part of the step: its key in reports, how tables call it, its seconds.
struct BreakdownPart {
  const char *name, *heading;
  double Breakdown::*seconds;
};
inline constexpr std::array kBreakdownParts{
    BreakdownPart{"forward", "forward", &Breakdown::forward},
    BreakdownPart{"backward", "backward", &Breakdown::backward},
    BreakdownPart{"recompute", "recompute", &Breakdown::recompute},
    BreakdownPart{"optimizer", "optimizer", &Breakdown::optimizer},
    BreakdownPart{"serialized_comm", "serialized communication", &Breakdown::serialized_comm},
    BreakdownPart{"exposed_comm", "exposed communication", &Breakdown::exposed_comm},
    BreakdownPart{"bubble", "pipeline bubble", &Breakdown::bubble},
    BreakdownPart{"overhead", "overhead", &Breakdown::overhead},
};
static_assert(sizeof(Breakdown) == kBreakdownParts.size() * sizeof(double), "each member has its row");

inline double Breakdown::sum() const {
  double seconds = 0;
  for (const BreakdownPart& part : kBreakdownParts) seconds += this->*part.seconds;
  return seconds;
}

/// One row per collective: bytes of one call; count and seconds per step; hidden + exposed = seconds.
struct CommunicationRow {
  std::string name, kind;
  int64_t ranks = 1;
  std::vector<std::string> tiers;
  double bytes = 0, count = 0, seconds = 0, hidden_seconds = 0, exposed_seconds = 0;
  Purpose purpose = Purpose::none;
  bool serialized = false;  // blocks the work after it; else what sticks out of other work is exposed
};

/// Operators of one kind whose cost has one provenance: their share of the operators' time, 0 to 1.
struct SourceShare {
  std::string kind;  // operator_models::kind_of
  operator_models::Provenance provenance = operator_models::Provenance::assumed;
  double share = 0;
};

/// Standard errors of the operators of each kind (operator_models::kind_of), relative to the time of all of them, and
/// what the software's profile leaves unexplained.
struct KindErrors {
  std::array<double, operator_models::kKindNames.size()> kinds{};
  double software = 0;
};

struct Throughput {
  double tokens_per_second = 0, tokens_per_second_per_gpu = 0, samples_per_second = 0;
  double model_flops_per_step = 0, model_tflops_per_gpu = 0;
  double mfu = 0, mfu_full_attention = 0, hfu = 0;
  double peak_flops_per_gpu = 0;
  std::string_view peak_precision;
};

/// Bytes on one GPU of a stage: allocated = the first five; reserved adds fragmentation; device is the total.
/// `host`: what this GPU keeps in the memory of its host.
struct StageMemory {
  int64_t stage = 0;
  double weights = 0, gradients = 0, optimizer = 0, activations = 0, temporary = 0, fragmentation = 0,
         device_overhead = 0, host = 0;
  double allocated() const { return weights + gradients + optimizer + activations + temporary; }
  double reserved() const { return allocated() + fragmentation; }
  double total() const { return reserved() + device_overhead; }
};

/// Each *_bytes is the maximum over stages; host bytes are those of the fullest node.
struct MemoryPeaks {
  double capacity_bytes = 0, peak_bytes = 0, allocated_bytes = 0, reserved_bytes = 0, device_bytes = 0;
  double host_capacity_bytes = 0, host_bytes = 0;
};
struct Memory : MemoryPeaks {
  std::vector<StageMemory> stages;
};

/// Null where the scenario gives no tokens or no price.
struct RunCost {
  int64_t gpus = 0, spare_gpus = 0;  // spares stand by, beside `gpus`
  std::optional<double> tokens, steps, days_ideal, days, gpu_hours, usd, usd_per_1e12_tokens, kwh, expected_failures;
  double goodput = 1, checkpoint_interval_seconds = 0;
  double recovery_seconds = 0;  // from a failure until the job runs again
  std::optional<double> usd_per_gpu_hour, usd_power;
};

/// The figures of a plan that candidates of a search are compared by.
struct PlanFigures {
  StepTime step;
  Breakdown breakdown;
  KindErrors errors;  // what the interval of the step follows from
  MemoryPeaks memory;
  Throughput throughput;
  RunCost cost;
  bool priced = true;  // false: a fitted model of an operator has no time where it is asked
};

struct Plan {
  bool feasible = true;
  std::vector<Violation> violations;
  // Absent after a layout violation; a memory violation keeps every figure.
  std::optional<StepTime> step;
  std::optional<Breakdown> breakdown;
  std::vector<SourceShare> sources;  // what the step rests on, largest share first
  KindErrors errors;                 // what the interval of the step follows from
  std::vector<CommunicationRow> communication;
  std::optional<Throughput> throughput;
  std::optional<Memory> memory;
  size_t fullest_share = 0;  // of several lengths: the one whose memory it is
  std::optional<RunCost> cost;
  std::vector<FittedUse> fitted;  // models that were fitted to measurements, and where they are asked
};

/// One operator of the step, as `trainplan ops` prints it: per GPU of the stage that holds it.
struct OperatorRow {
  std::string name, phase, layer, sublayer, kind,
      op_class,                                         // op_class: gemm, attention, vector, communication, optimizer
      part;                                             // of the Transformer: kParts (anatomy.h)
  std::vector<std::pair<std::string, double>> shape;    // e.g. {"m", 2048}, {"n", ...}; whole numbers
  double count = 0;                                     // per step
  double flops = 0, bytes_read = 0, bytes_written = 0;  // one call
  double intensity = 0;                                 // flops / (read + written)
  double seconds = 0;                                   // one call
  double share = 0;                                     // of the step's operator seconds: count * seconds / sum
  std::string bound, model, provenance;
  double relative_error = 0;
};

/// Cannot fail: what does not work is a violation in the plan.
Plan make_plan(const Scenario& scenario);
/// Returns the plan with its figures, whether they fit or not; its violations are those of fitted models that have no
/// time. REQUIRES: no layout violation.
Plan make_unchecked_plan(const Scenario& scenario);
/// REQUIRES: no layout violation.
PlanFigures plan_figures(const Plan& plan);
/// Adds violations of `where`, deadline and budget.
void check_goals(Plan& plan, const LoadedScenario& loaded, dsl::Diagnostics& diagnostics);
/// The operators behind a plan, in step order; empty after a layout violation.
std::vector<OperatorRow> operator_rows(const Scenario& scenario);

}  // namespace planner
