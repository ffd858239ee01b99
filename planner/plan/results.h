// The results of a plan that `where`, `goal` and searches may name, one row each.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dsl/record.h"
#include "planner/plan/plan.h"

namespace planner {

/// What a plan comes to, in SI units (energy in kWh), null where it is undefined.
struct Results {
  StepTime step;
  double serialized_comm = 0, exposed_comm = 0, bubble = 0;  // seconds
  double hidden_comm = 0;  // seconds of transfers beside compute; 0 where the plan has no communication rows
  double mfu = 0, hfu = 0, tokens_per_second = 0;
  double peak_bytes = 0, headroom_bytes = 0;
  double goodput = 1;
  int64_t gpus = 0;
  std::optional<double> days, usd, kwh;
  double scaling_efficiency = 1;  // tokens/s/GPU over that of the fewest GPUs of a space
  KindErrors errors;
};

Results results_of(const PlanFigures& figures);
/// Returns the results of a plan, with the communication that hides. REQUIRES: no layout violation.
Results results_of(const Plan& plan);

struct ResultRow {
  const char* name;
  dsl::Dim dim;
  bool timed;                                      // rests on the predicted time, and shares its error
  bool more;                                       // more is better
  std::optional<double> (*value)(const Results&);  // SI base units
};
std::span<const ResultRow> result_rows();
const ResultRow* find_result(std::string_view name);

/// Returns names and dimensions, in the order of `results`.
std::vector<dsl::ResultName> result_names();
/// Returns the values in the order of `results`; null where undefined.
std::vector<dsl::Value> result_values(const Results& results);

}  // namespace planner
