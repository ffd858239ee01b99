// Where the time of one optimizer step goes.
#pragma once

#include <array>
#include <vector>

#include "operator_models/cost.h"

namespace planner {

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
  double assumed = 0;    // share of the operators' seconds that rests on assumed figures
  double operators = 0;  // of all kinds together, before what compared runs explain of it
};

}  // namespace planner
