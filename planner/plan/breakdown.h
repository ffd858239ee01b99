// Where the time of one optimizer step goes.
#pragma once

#include <array>

#include "operator_models/cost.h"
#include "planner/plan/figure_field.h"

namespace planner {

/// Seconds of one optimizer step; low and high are the 10th and 90th percentile.
struct StepTime {
  double seconds = 0, low_seconds = 0, high_seconds = 0;
};
template <class V> void fields(V& v, StepTime& s) {
  using enum FigureUnit;
  v("seconds", s.seconds,
    about(seconds, "one optimizer step")
        .in_expressions("step", WithStep::rises)
        .in_rows("step_seconds")
        .on_page("step", 0)
        .on_axis("step")
        .at_least(1e-300));
  v("low_seconds", s.low_seconds,
    about(seconds, "10th percentile, from the operators' errors and the software profile's")
        .in_rows("low_seconds")
        .on_page("low", 8));
  v("high_seconds", s.high_seconds, about(seconds, "90th percentile").in_rows("high_seconds").on_page("high", 8));
}

/// Seconds on the rank that finishes last; the step is their sum in the order of `kBreakdownParts`.
struct Breakdown {
  double forward = 0, backward = 0, recompute = 0, optimizer = 0, serialized_comm = 0, exposed_comm = 0, bubble = 0,
         overhead = 0;
  double sum() const;
};

/// A part of the step: its key in reports, how tables call it, its seconds, its line.
struct BreakdownPart {
  const char *name, *heading;
  double Breakdown::*seconds;
  FigureAbout about;
};
inline constexpr std::array kBreakdownParts{
    BreakdownPart{"forward", "forward", &Breakdown::forward,
                  about(FigureUnit::seconds, "forward compute of the rank that finishes last")},
    BreakdownPart{"backward", "backward", &Breakdown::backward, about(FigureUnit::seconds, "its backward compute")},
    BreakdownPart{"recompute", "recompute", &Breakdown::recompute, about(FigureUnit::seconds, "its recomputation")},
    BreakdownPart{"optimizer", "optimizer", &Breakdown::optimizer, about(FigureUnit::seconds, "its weight update")},
    BreakdownPart{"serialized_comm", "serialized communication", &Breakdown::serialized_comm,
                  about(FigureUnit::seconds, "blocking communication (tensor, context, expert, pipeline)")
                      .in_expressions("serialized_comm")
                      .on_axis("serialized communication of a step")},
    BreakdownPart{
        "exposed_comm", "exposed communication", &Breakdown::exposed_comm,
        about(FigureUnit::seconds, "communication that could overlap and is not hidden, parameter gathers included")
            .in_expressions("exposed_comm")
            .in_rows("exposed_comm")
            .on_axis("exposed communication of a step")},
    BreakdownPart{"bubble", "pipeline bubble", &Breakdown::bubble,
                  about(FigureUnit::seconds, "that rank waits for other pipeline stages")
                      .in_expressions("bubble")
                      .in_rows("bubble")
                      .on_page("bubble", 10)
                      .on_axis("bubble of a step")},
    BreakdownPart{
        "overhead", "overhead", &Breakdown::overhead,
        about(FigureUnit::seconds, "host work and straggling. The step is the sum of the eight parts in this order")},
};
template <class V> void fields(V& v, Breakdown& b) {
  for (const BreakdownPart& part : kBreakdownParts) v(part.name, b.*part.seconds, part.about);
}
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
/// the errors that the software's profile leaves unexplained.
struct KindErrors {
  std::array<double, operator_models::kKindNames.size()> kinds{};
  double software = 0;
  double assumed = 0;    // share of the operators' seconds that rests on assumed figures
  double operators = 0;  // of all kinds together, before what compared runs explain of it
};

}  // namespace planner
