// The plan of a measured run's configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/breakdown.h"
#include "planner/plan/throughput.h"
#include "planner/plan/violations.h"
#include "planner/studies/runs/row_scenario.h"

namespace planner {

/// The scenario that a run's configuration is planned as.
struct RunScenario {
  std::string skipped;  // why the run has no scenario; empty: it has one
  std::optional<Scenario> scenario;
  std::string layout;
  std::vector<Assumption> assumptions;
  std::string bad_override;
  std::vector<Violation> refusals = {};  // rules of its program that it breaks
};

struct Prediction {
  std::string skipped;         // why there are no figures; empty: there are
  StepTime step, unseen_step;  // unseen_step: as if its family had no measurements
  int64_t compared = 0;        // measured runs of its family
  Throughput throughput;
  double allocated_bytes = 0, reserved_bytes = 0, device_bytes = 0;
  double fit_probability = 0;         // that its memory fits
  std::string software, generation;   // that it was planned with, and of its accelerator
  const char* kind = "";              // of its job: kJobKinds
  int64_t width = 0;                  // bits of the operands of its GEMMs
  std::string layout;                 // equal for equal layouts, whether given or assumed
  std::vector<Violation> violations;  // figures are valid in any case: its program refuses it, it does not fit
  std::vector<Assumption> assumptions;
  std::string bad_override;  // the mistake in an override, rendered; empty: none
};

/// Builds the scenario of a row, or reads that of a file.
RunScenario run_scenario(const RunConfig& config, const dsl::Catalog& catalog,
                         const std::vector<dsl::Override>& overrides = {});

/// Builds the scenario, reads it, plans it. A layout that is impossible, and a scenario that is refused, is skipped
/// with the planner's message. `overrides` apply to the scenario as `--set` does (for ablations).
Prediction predict(const RunConfig& config, const dsl::Catalog& catalog,
                   const std::vector<dsl::Override>& overrides = {});

}  // namespace planner
