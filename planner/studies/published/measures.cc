#include "planner/studies/published/measures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

constexpr std::array kColumns{
    FilterColumn{"phase", &OperatorRow::phase},       FilterColumn{"layer", &OperatorRow::layer},
    FilterColumn{"sublayer", &OperatorRow::sublayer}, FilterColumn{"kind", &OperatorRow::kind},
    FilterColumn{"class", &OperatorRow::op_class},    FilterColumn{"part", &OperatorRow::part},
    FilterColumn{"name", &OperatorRow::name}};

/// Over one step, of the operators that a filter names.
struct OperatorSums {
  double count = 0, launches = 0, flops = 0, read = 0, written = 0, seconds = 0, waited = 0, share = 0;
  double dram_read = 0, dram_written = 0;
};

OperatorSums sums(MeasureSubject& s, const AskedMeasure& asked) {
  OperatorSums sum;
  for (const OperatorRow& r : s.operators()) {
    if (!matches(asked.filter, r)) continue;
    sum.count += r.count;
    sum.launches += r.count * r.launches;
    sum.flops += r.count * r.flops;
    sum.read += r.count * r.bytes_read;
    sum.written += r.count * r.bytes_written;
    sum.seconds += r.count * r.seconds;
    sum.waited += r.count * r.waited;
    sum.dram_read += r.count * r.dram_read;
    sum.dram_written += r.count * r.dram_written;
    sum.share += r.share;
  }
  return sum;
}

std::optional<double> mean_gain(MeasureSubject& s, const AskedMeasure& asked) {
  double logarithms = 0, count = 0;
  for (const OperatorRow& r : s.operators())
    if (matches(asked.filter, r)) logarithms += std::log(r.gain), ++count;
  return count > 0 ? std::optional(std::exp(logarithms / count)) : std::nullopt;
}

/// Of all calls half reach at most this share of the GPU's peak in the job's precision.
std::optional<double> median_utilization(MeasureSubject& s, const AskedMeasure& asked) {
  const Scenario& scenario = s.scenario();
  const double peak = scenario.cluster.gpu.flops.at(scenario.job.precision)->value * scenario.cluster.gpu.speedup;
  std::vector<std::pair<double, double>> calls;  // utilization, count
  double half = 0;
  for (const OperatorRow& r : s.operators()) {
    if (!matches(asked.filter, r) || !(r.seconds > 0)) continue;
    calls.emplace_back(r.flops / r.seconds / peak, r.count);
    half += r.count / 2;
  }
  std::ranges::sort(calls);
  for (const auto& [utilization, count] : calls)
    if ((half -= count) <= 0) return utilization;
  return std::nullopt;
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
using Unit = FigureUnit;

template <double OperatorSums::*member> Value sum_of(MeasureSubject& s, const AskedMeasure& a) {
  return sums(s, a).*member;
}
template <double CommFractions::*member> Value fraction(MeasureSubject& s, const AskedMeasure&) {
  return s.comm().*member;
}

constexpr std::array kMeasures{
    Measure{"share", operators, Unit::fraction, sum_of<&OperatorSums::share>, "share of the operators' time of a step"},
    Measure{"rest_share", operators, Unit::fraction,
            [](MeasureSubject& s, const AskedMeasure& a) -> Value { return 1 - sums(s, a).share; },
            "share of the time of the operators that the filter leaves"},
    Measure{"operators", operators, Unit::count, sum_of<&OperatorSums::count>, "operator calls of a step"},
    Measure{"launches", operators, Unit::count, sum_of<&OperatorSums::launches>,
            "kernels that the operators of a step launch"},
    Measure{"operator_seconds", operators, Unit::seconds, sum_of<&OperatorSums::seconds>,
            "time of the operators of a step"},
    Measure{"waited_seconds", operators, Unit::seconds, sum_of<&OperatorSums::waited>,
            "time of the operators of a step, of communication what nothing hides"},
    Measure{"operator_flops", operators, Unit::number, sum_of<&OperatorSums::flops>, "FLOP of the operators of a step"},
    Measure{"intensity", operators, Unit::flops_per_byte,
            [](MeasureSubject& s, const AskedMeasure& a) {
              const OperatorSums sum = sums(s, a);
              return quotient(sum.flops, sum.read + sum.written);
            },
            "FLOP per byte read or written"},
    Measure{"bandwidth", operators, Unit::bytes_per_second,
            [](MeasureSubject& s, const AskedMeasure& a) {
              const OperatorSums sum = sums(s, a);
              return quotient(sum.read + sum.written, sum.seconds);
            },
            "bytes read or written in a second of their time"},
    Measure{"dram_bandwidth", operators, Unit::bytes_per_second,
            [](MeasureSubject& s, const AskedMeasure& a) {
              const OperatorSums sum = sums(s, a);
              return quotient(sum.dram_read + sum.dram_written, sum.seconds);
            },
            "bytes behind the last-level cache in a second of their time"},
    Measure{"median_utilization", operators, Unit::fraction, median_utilization,
            "share of the GPU's peak that half of the kernel calls stay below"},
    Measure{"bytes_read", operators, Unit::bytes, sum_of<&OperatorSums::read>,
            "bytes that the operators of a step read"},
    Measure{"concurrent_gain", operators, Unit::number, mean_gain,
            "geometric mean, of operators, of their time alone over that beside others"},
    Measure{"bytes_moved", operators, Unit::bytes,
            [](MeasureSubject& s, const AskedMeasure& a) -> Value {
              const OperatorSums sum = sums(s, a);
              return sum.read + sum.written;
            },
            "bytes that the operators of a step read and write, but for what units near memory do"},
    Measure{"dram_read", operators, Unit::bytes, sum_of<&OperatorSums::dram_read>,
            "bytes that they read from the memory, behind the last-level cache and the steps of collectives"},
    Measure{"dram_written", operators, Unit::bytes, sum_of<&OperatorSums::dram_written>, "bytes that they write there"},
    Measure{"dram_bytes", operators, Unit::bytes,
            [](MeasureSubject& s, const AskedMeasure& a) -> Value {
              const OperatorSums sum = sums(s, a);
              return sum.dram_read + sum.dram_written;
            },
            "both"},
    Measure{"step_seconds", nothing, Unit::seconds,
            [](MeasureSubject& s, const AskedMeasure&) -> Value { return s.plan().step->seconds; }, "time of a step"},
    Measure{"peak_bytes", nothing, Unit::bytes,
            [](MeasureSubject& s, const AskedMeasure&) -> Value { return s.plan().memory->device.peak_bytes; },
            "memory of the fullest GPU"},
    Measure{"memory_demand_over_capacity", nothing, Unit::number,
            [](MeasureSubject& s, const AskedMeasure&) {
              const Memory& m = *s.plan().memory;
              return quotient(m.device.peak_bytes, m.device.capacity_bytes);
            },
            "memory of the fullest GPU over what it has"},
    Measure{"serialized_fraction", nothing, Unit::fraction, fraction<&CommFractions::serialized_fraction>,
            "communication that blocks, over it and the compute of the passes"},
    Measure{"critical_path_fraction", nothing, Unit::fraction, fraction<&CommFractions::critical_path_fraction>,
            "communication that blocks or sticks out of an overlapped collective that blocks, over it and the compute"},
    Measure{"overlapped_over_hiding_compute", nothing, Unit::fraction,
            [](MeasureSubject& s, const AskedMeasure&) { return s.comm().overlapped_over_hiding_compute; },
            "communication that could overlap over the compute that could hide it"},
    Measure{"overlapped_share_of_step", nothing, Unit::fraction, fraction<&CommFractions::overlapped_share_of_step>,
            "communication that could overlap, hidden or not, as a share of the step"},
    Measure{"exposed_fraction", nothing, Unit::fraction, fraction<&CommFractions::exposed_fraction>,
            "share of the step that is communication which sticks out of the compute"},
    Measure{"serialized_share_of_step", nothing, Unit::fraction, fraction<&CommFractions::serialized_share_of_step>,
            "communication that nothing can hide, as a share of the step"},
    Measure{"edge_flops_per_byte", nothing, Unit::flops_per_byte,
            [](MeasureSubject& s, const AskedMeasure&) { return s.algorithm().edge_flops_per_byte; },
            "FLOP of the layers over the bytes that block them"},
    Measure{"slack_flops_per_byte", nothing, Unit::flops_per_byte,
            [](MeasureSubject& s, const AskedMeasure&) { return slack(s.algorithm()); },
            "FLOP of a layer's backward GEMMs over the bytes of its gradients"},
    Measure{"required_tp", nothing, Unit::number,
            [](MeasureSubject& s, const AskedMeasure&) -> Value { return required_tp(s.scenario()); },
            "tensor parallelism that the model's size asks for, 8 for 3.9 billion parameters on 16 GB"},
    Measure{"value", expression, Unit::number, nullptr, "an expression over fields and results"},
    Measure{"rows", rows, Unit::number, nullptr, "the values of all rows of the study with a label"}};

}  // namespace

std::span<const FilterColumn> filter_columns() { return kColumns; }

bool stands_for(std::string_view word, std::string_view text) {
  return word.ends_with('*') ? text.starts_with(word.substr(0, word.size() - 1)) : text == word;
}

bool matches(const OperatorFilter::OperatorColumn& column, std::string_view word, const OperatorRow& row) {
  return stands_for(word, row.*column.field);
}

bool matches(const OperatorFilter& filter, const OperatorRow& row) {
  if (filter.only && filter.only != &row) return false;
  return std::ranges::all_of(filter.columns, [&](const OperatorFilter::OperatorColumn& c) {
    return std::ranges::any_of(c.words, [&](const auto& word) { return matches(c, word.text, row); });
  });
}

const std::vector<OperatorRow>& MeasureSubject::operators() {
  if (!operators_) operators_ = operator_rows(scenario_);
  return *operators_;
}
const Plan& MeasureSubject::plan() {
  if (!plan_) plan_ = make_unchecked_plan(scenario_);
  return *plan_;
}
const CommFractions& MeasureSubject::comm() {
  if (!comm_) comm_ = comm_fractions(scenario_);
  return *comm_;
}

const Algorithm& MeasureSubject::algorithm() {
  if (!algorithm_) algorithm_ = count_algorithm(scenario_, build_workload(scenario_));
  return *algorithm_;
}

std::span<const Measure> measures() { return kMeasures; }

const Measure* find_measure(std::string_view name) {
  const auto it = std::ranges::find(kMeasures, name, &Measure::name);
  return it == kMeasures.end() ? nullptr : it;
}

}  // namespace planner
