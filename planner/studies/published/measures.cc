#include "planner/studies/published/measures.h"

#include <algorithm>
#include <array>

#include "planner/plan/ops.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

constexpr std::array kColumns{
    FilterColumn{"phase", &OperatorRow::phase},       FilterColumn{"layer", &OperatorRow::layer},
    FilterColumn{"sublayer", &OperatorRow::sublayer}, FilterColumn{"kind", &OperatorRow::kind},
    FilterColumn{"class", &OperatorRow::op_class},    FilterColumn{"part", &OperatorRow::part},
    FilterColumn{"name", &OperatorRow::name}};

/// Over one step, of the operators that a filter names.
struct Sums {
  double count = 0, flops = 0, read = 0, written = 0, seconds = 0, share = 0;
};

Sums sums(Subject& s, const Asked& asked) {
  Sums sum;
  for (const OperatorRow& r : s.operators()) {
    if (!matches(asked.filter, r)) continue;
    sum.count += r.count;
    sum.flops += r.count * r.flops;
    sum.read += r.count * r.bytes_read;
    sum.written += r.count * r.bytes_written;
    sum.seconds += r.count * r.seconds;
    sum.share += r.share;
  }
  return sum;
}

std::optional<double> slack(const Algorithm& a) {
  double flops = 0, bytes = 0;
  for (const SlackRow& row : a.layers) {
    flops += row.flops;
    bytes += row.overlapped_bytes;
  }
  return bytes > 0 ? std::optional(flops / bytes) : std::nullopt;
}

std::optional<double> quotient(double x, double y) { return y > 0 ? std::optional(x / y) : std::nullopt; }

using Value = std::optional<double>;
using enum MeasureOf;
using Unit = MeasureUnit;

template <double CommFractions::*member> Value fraction(Subject& s, const Asked&) { return s.comm().*member; }

constexpr std::array kMeasures{
    Measure{"share", operators, Unit::fraction, [](Subject& s, const Asked& a) -> Value { return sums(s, a).share; },
            "share of the operators' time of a step"},
    Measure{"operators", operators, Unit::count, [](Subject& s, const Asked& a) -> Value { return sums(s, a).count; },
            "kernel calls of a step"},
    Measure{"operator_seconds", operators, Unit::seconds,
            [](Subject& s, const Asked& a) -> Value { return sums(s, a).seconds; }, "time of the operators of a step"},
    Measure{"operator_flops", operators, Unit::number,
            [](Subject& s, const Asked& a) -> Value { return sums(s, a).flops; }, "FLOP of the operators of a step"},
    Measure{"intensity", operators, Unit::flops_per_byte,
            [](Subject& s, const Asked& a) {
              const Sums sum = sums(s, a);
              return quotient(sum.flops, sum.read + sum.written);
            },
            "FLOP per byte read or written"},
    Measure{"bandwidth", operators, Unit::bytes_per_second,
            [](Subject& s, const Asked& a) {
              const Sums sum = sums(s, a);
              return quotient(sum.read + sum.written, sum.seconds);
            },
            "bytes read or written in a second of their time"},
    Measure{"bytes_read", operators, Unit::bytes, [](Subject& s, const Asked& a) -> Value { return sums(s, a).read; },
            "bytes that the operators of a step read"},
    Measure{"step_seconds", nothing, Unit::seconds,
            [](Subject& s, const Asked&) -> Value { return s.plan().step->seconds; }, "time of a step"},
    Measure{"peak_bytes", nothing, Unit::bytes,
            [](Subject& s, const Asked&) -> Value { return s.plan().memory->peak_bytes; }, "memory of the fullest GPU"},
    Measure{"memory_demand_over_capacity", nothing, Unit::number,
            [](Subject& s, const Asked&) {
              const Memory& m = *s.plan().memory;
              return quotient(m.peak_bytes, m.capacity_bytes);
            },
            "memory of the fullest GPU over what it has"},
    Measure{"serialized_fraction", nothing, Unit::fraction, fraction<&CommFractions::serialized_fraction>,
            "communication that blocks, over it and the compute of the passes"},
    Measure{"overlapped_over_hiding_compute", nothing, Unit::fraction,
            [](Subject& s, const Asked&) { return s.comm().overlapped_over_hiding_compute; },
            "communication that could overlap over the compute that could hide it"},
    Measure{"overlapped_share_of_step", nothing, Unit::fraction, fraction<&CommFractions::overlapped_share_of_step>,
            "communication that could overlap, hidden or not, as a share of the step"},
    Measure{"exposed_fraction", nothing, Unit::fraction, fraction<&CommFractions::exposed_fraction>,
            "share of the step that is communication which sticks out of the compute"},
    Measure{"serialized_share_of_step", nothing, Unit::fraction, fraction<&CommFractions::serialized_share_of_step>,
            "communication that nothing can hide, as a share of the step"},
    Measure{"edge_flops_per_byte", nothing, Unit::flops_per_byte,
            [](Subject& s, const Asked&) { return s.algorithm().edge_flops_per_byte; },
            "FLOP of the layers over the bytes that block them"},
    Measure{"slack_flops_per_byte", nothing, Unit::flops_per_byte,
            [](Subject& s, const Asked&) { return slack(s.algorithm()); },
            "FLOP of a layer's backward GEMMs over the bytes of its gradients"},
    Measure{"required_tp", nothing, Unit::number,
            [](Subject& s, const Asked&) -> Value { return required_tp(s.scenario()); },
            "tensor parallelism that the model's size asks for, 8 for 3.9 billion parameters on 16 GB"},
    Measure{"value", expression, Unit::number, nullptr, "an expression over fields and results"}};

}  // namespace

std::span<const FilterColumn> filter_columns() { return kColumns; }

bool matches(const OperatorFilter::Column& column, std::string_view word, const OperatorRow& row) {
  const std::string& is = row.*column.field;
  return word.ends_with('*') ? is.starts_with(word.substr(0, word.size() - 1)) : is == word;
}

bool matches(const OperatorFilter& filter, const OperatorRow& row) {
  return std::ranges::all_of(filter.columns, [&](const OperatorFilter::Column& c) {
    return std::ranges::any_of(c.words, [&](const auto& word) { return matches(c, word.text, row); });
  });
}

const std::vector<OperatorRow>& Subject::operators() {
  if (!operators_) operators_ = operator_rows(scenario_);
  return *operators_;
}
const Plan& Subject::plan() {
  if (!plan_) plan_ = make_unchecked_plan(scenario_);
  return *plan_;
}
const CommFractions& Subject::comm() {
  if (!comm_) comm_ = comm_fractions(scenario_);
  return *comm_;
}

const Algorithm& Subject::algorithm() {
  if (!algorithm_) algorithm_ = count_algorithm(scenario_, build_workload(scenario_));
  return *algorithm_;
}

std::span<const Measure> measures() { return kMeasures; }

const Measure* find_measure(std::string_view name) {
  const auto it = std::ranges::find(kMeasures, name, &Measure::name);
  return it == kMeasures.end() ? nullptr : it;
}

}  // namespace planner
