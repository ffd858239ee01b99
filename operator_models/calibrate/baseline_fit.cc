#include <fmt/format.h>

#include <algorithm>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kFullWaves = 4;    // fewer waves of tiles leave compute units idle
constexpr double kFullLaunch = 10;  // a kernel of fewer launches is mostly launch

/// Whether the width of the rows leads from one base to another. Not of softmax, although it is measured by width: the
/// tables hold odd widths for the most part, and models even ones, whose kernel loads vectors (A100, fp32, 2048: 0.61
/// of the bandwidth in the table, 0.84 at even widths). With it A100's traces are 37 % off, without it 4 %.
bool by_width(VectorKind kind) { return kind == VectorKind::normalization; }

/// The shape of an operator that a base iteration may hold; false: of no such kind.
struct BaseShape {
  BaselineOperator& out;
  bool operator()(const Gemm& g) const {
    out = {.kind = BaselineKind::gemm, .batch = g.batch, .m = g.m, .n = g.n, .k = g.k};
    return true;
  }
  bool operator()(const Vector& v) const {
    out = {.kind = BaselineKind::vector,
           .part = name(v.kind),
           .bytes = v.read + v.written,
           .width = by_width(v.kind) ? v.width : 0,
           .backward = v.backward,
           .called = v.called};
    return true;
  }
  bool operator()(const Lookup& l) const {
    const double rows = real(l.rows) * real(l.width) * l.bytes_per_element;
    out = {.kind = BaselineKind::lookup, .bytes = {rows * (l.backward ? 3 : 2)}};
    return true;
  }
  bool operator()(const Collective& c) const {
    out = {.kind = BaselineKind::collective, .part = name(c.kind), .ranks = c.group.ranks, .bytes = c.bytes};
    return true;
  }
  template <class Other> bool operator()(const Other&) const { return false; }
};

/// Equal shapes of the base, with the sum of their times and how many there are.
struct BaseEntry {
  std::string name;
  BaselineOperator op;
  double seconds = 0, count = 0;
};

/// A name of the language: letters, digits and dashes.
std::string key_of(const std::string& text) {
  std::string key;
  for (char c : text) key += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return key;
}

std::string name_of(const Sample& s, const BaselineOperator& op, size_t index) {
  if (!s.name.empty()) return key_of(s.name);
  return fmt::format("{}-{}", op.part.empty() ? kBaselineKindNames[static_cast<size_t>(op.kind)] : op.part, index + 1);
}

std::vector<BaseEntry> entries_of(const SampleSet& set) {
  const bool marked = std::any_of(set.samples.begin(), set.samples.end(), [](const Sample& s) { return s.base; });
  std::vector<BaseEntry> entries;
  for (const Sample& s : set.samples) {
    BaselineOperator op;
    if ((marked && !s.base) || !std::visit(BaseShape{op}, s.op)) continue;
    auto found = std::ranges::find(entries, op, &BaseEntry::op);
    if (found == entries.end()) found = entries.insert(entries.end(), {name_of(s, op, entries.size()), op});
    found->seconds += s.seconds;
    ++found->count;
  }
  return entries;
}

std::string unfilled(const Sample& s, const Device& device) {
  if (const Gemm* g = std::get_if<Gemm>(&s.op)) {
    const Cost c = gemm_wave(*g, device, {});
    if (c.waves >= kFullWaves) return "";
    return fmt::format("a base GEMM of {} x {} x {} ({:.1g} FLOP) is {:.1f} waves of tiles", g->m, g->n, g->k, c.flops,
                       c.waves);
  }
  if (s.seconds >= kFullLaunch * launch_of(device).value) return "";
  return fmt::format("a base {} of {:.1f} us is hardly longer than a launch", kind_of(s.op), s.seconds * 1e6);
}

std::vector<std::string> warnings_of(const SampleSet& set, const Machine& machine) {
  const bool marked = std::any_of(set.samples.begin(), set.samples.end(), [](const Sample& s) { return s.base; });
  const Device device = device_of(machine, machine.calibration);
  std::string first;
  int count = 0;
  for (const Sample& s : set.samples) {
    if (marked && !s.base) continue;
    const std::string why = unfilled(s, device);
    if (why.empty()) continue;
    if (first.empty()) first = why;
    ++count;
  }
  if (count == 0) return {};
  return {fmt::format("{} base operators do not fill the device, and what is projected from them will be too slow: {}",
                      count, first)};
}

}  // namespace

Fitted fit_baseline(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, warnings_of(set, machine), false};
  BaselineCalibration& base = fitted.calibration.baseline;
  base = {};
  for (BaseEntry& e : entries_of(set)) {
    e.op.seconds = {e.seconds / e.count};
    std::string key = e.name;
    for (int i = 2; base.operators.contains(key); ++i) key = fmt::format("{}-{}", e.name, i);
    base.operators[key] = e.op;
  }
  fitted.empty = base.operators.empty();
  Precision precision = Precision::fp32;
  for (const Sample& s : set.samples)
    if (const Gemm* g = std::get_if<Gemm>(&s.op)) precision = g->precision;
  base.flops = matrix_peak(machine.gpu, precision).peak;
  base.bandwidth = machine.gpu.memory_bandwidth;
  if (!machine.network.empty()) base.network = machine.network[0].bandwidth;
  const SampleSet rest = samples_where(set, [](const Sample& s) { return !s.base; });
  const Errors errors = errors_of(log_ratios(rest, device_of(machine, fitted.calibration), baseline_choice()));
  if (errors.rows > 0 && rest.samples.size() < set.samples.size()) base.relative_error = *errors.residual;
  return fitted;
}

ModelChoice baseline_choice() {
  ModelChoice all;
  for (const ModelRow& row : registry())
    if (row.name == "baseline") all[std::string(row.kind)] = row.name;
  return all;
}

}  // namespace operator_models
