#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <span>

#include "operator_models/attention_shape.h"
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/row_fit.h"

namespace operator_models {
namespace {

constexpr size_t kCutRows = 60;   // fewer rows of a width make no surface of their own
constexpr size_t kKnotRows = 20;  // a knot is placed where this many rows are near it
constexpr double kNear = std::numbers::sqrt2;
constexpr double kPull = 0.5;  // of a knot towards its start, in the logarithm: knots few rows reach stay there
constexpr int kMostIterations = 25;
constexpr double kBlocks[] = {64, 128, 192, 256};
constexpr double kKeys[] = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr double kWork[] = {0.25, 0.5, 1, 2, 4, 8, 16, 64};

const ModelChoice kTable{{"attention", "table"}};

const Attention& attention_of(const Sample& s) { return std::get<Attention>(s.op); }

/// The row of the samples' kernel, made from the nearest one's where the calibration has none.
AttentionCalibration& row_for(Calibration& calibration, const SampleSet& set) {
  const std::string& kernel = attention_of(set.samples.front()).kernel;
  return calibration.attention.try_emplace(kernel, attention_row(calibration, kernel)).first->second;
}

/// Candidates with enough values near them, at least one: a knot between two lengths that were measured would stay at
/// its start, where a line between its neighbours knows better.
std::vector<double> knots(std::span<const double> candidates, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<double> chosen;
  for (double k : candidates) {
    const auto from = std::lower_bound(values.begin(), values.end(), k / kNear);
    const auto to = std::lower_bound(values.begin(), values.end(), k * kNear);
    if (to - from >= static_cast<std::ptrdiff_t>(kKnotRows)) chosen.push_back(k);
  }
  if (chosen.empty()) chosen.push_back(std::max(1.0, values[values.size() / 2]));
  return chosen;
}

/// Mean keys per query, and workgroups of `block` queries per compute unit, as attention_table.cc counts them.
AttentionCut empty_cut(const SampleSet& set, const Machine& machine, const AttentionCalibration& row, double block) {
  std::vector<double> keys, work;
  for (const Sample& s : set.samples) {
    const Attention& op = attention_of(s);
    const double kv = real(std::max<int64_t>(1, op.kv_heads));
    const double rows = real(op.queries) * real(op.heads) / kv;
    keys.push_back(std::max(128.0, executed_pairs(op, row.block) / real(op.queries)));
    work.push_back(real(op.batch) * kv * std::ceil(rows / block) / real(machine.gpu.compute_units));
  }
  AttentionCut cut{.head_dim = attention_of(set.samples.front()).head_dim, .block = block};
  cut.keys = knots(kKeys, keys);
  cut.work = knots(kWork, work);
  cut.efficiency.assign(cut.keys.size(), row.forward);
  cut.share.assign(cut.work.size(), 1);
  return cut;
}

std::vector<FitNumber> numbers_of(AttentionCut& cut) {
  std::vector<FitNumber> all = {{&cut.base.value, {.start = 5e-6, .least = 0, .most = 5e-5, .step = 1e-3}},
                                {&cut.tail, {.start = cut.tail, .least = 0, .most = 1}},
                                {&cut.memory_efficiency, {.start = cut.memory_efficiency, .least = 0.2, .most = 1.2}},
                                {&cut.cache_efficiency, {.start = cut.cache_efficiency, .least = 0.1, .most = 3}},
                                {&cut.cache_token.value, {.start = 1e-10, .least = 1e-14, .most = 1e-8}}};
  for (double& e : cut.efficiency) all.push_back({&e, {.start = e, .least = 0.01, .most = 1, .pull = kPull}});
  for (size_t i = 0; i + 1 < cut.share.size(); ++i)  // the last is 1: full
    all.push_back({&cut.share[i], {.start = 1, .least = 0.2, .most = 2, .pull = kPull}});
  return all;
}

/// No step up so steep that more keys, or more work, would take less time: time goes as x / efficiency(x), and below
/// one workgroup per unit as 1 / share.
void keep_monotone(AttentionCut& cut) {
  for (size_t i = 1; i < cut.keys.size(); ++i)
    cut.efficiency[i] =
        std::min(cut.efficiency[i], cut.efficiency[i - 1] * (1 + std::log(cut.keys[i] / cut.keys[i - 1])));
  for (size_t i = 1; i < cut.work.size(); ++i) {
    const double rise = cut.work[i] <= 1 ? 0 : std::log(cut.work[i] / std::max(1.0, cut.work[i - 1]));
    cut.share[i] = std::min(cut.share[i], cut.share[i - 1] * (1 + rise));
  }
}

/// The surface of one head width: the block whose fit leaves least.
void fit_cut(const SampleSet& set, const Machine& machine, Calibration& calibration, AttentionCalibration& row) {
  const std::vector<AttentionCut> others = row.table;
  AttentionCut best;
  double least = 1e300;
  for (double block : kBlocks) {
    row.table = {empty_cut(set, machine, row, block)};
    const auto residuals = [&] { return residuals_of(set, machine, calibration, kTable); };
    const LeastSquares found = fit_in_place(numbers_of(row.table[0]), residuals, {}, kMostIterations);
    if (found.residual >= least) continue;
    least = found.residual;
    best = row.table[0];
  }
  keep_monotone(best);
  row.table = others;
  std::erase_if(row.table, [&](const AttentionCut& c) { return c.head_dim == best.head_dim; });
  row.table.push_back(best);
  std::sort(row.table.begin(), row.table.end(), [](auto& a, auto& b) { return a.head_dim < b.head_dim; });
}

/// One number of the row, to all samples of `set`.
void fit_factor(double& factor, const SampleSet& set, const Machine& machine, const Calibration& calibration,
                double least, double most) {
  if (set.samples.empty()) return;
  fit_in_place({{&factor, {.start = factor, .least = least, .most = most}}},
               [&] { return residuals_of(set, machine, calibration, kTable); });
}

}  // namespace

Fitted fit_attention_table(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  AttentionCalibration& row = row_for(fitted.calibration, set);
  std::set<int64_t> widths;
  for (const Sample& s : set.samples) widths.insert(attention_of(s).head_dim);
  const SampleSet forward = samples_of_pass<Attention>(set, false);
  bool cut = false;
  for (int64_t width : widths) {
    const SampleSet part = samples_where(forward, [&](const Sample& s) { return attention_of(s).head_dim == width; });
    if (part.samples.size() < kCutRows) continue;
    if (!cut) row.table.clear();  // not beside surfaces of other measurements
    cut = true;
    fit_cut(part, machine, fitted.calibration, row);
  }
  fitted.empty = row.table.empty();
  if (fitted.empty) return fitted;
  if (cut) row.scale = 1;
  else fit_factor(row.scale, forward, machine, fitted.calibration, 0.1, 2);
  fit_factor(row.backward, samples_of_pass<Attention>(set, true), machine, fitted.calibration, 0.01, 1);
  finish_row(row, set, residuals_of(set, machine, fitted.calibration, kTable), fitted);
  return fitted;
}

Fitted fit_attention_fused(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  AttentionCalibration& row = row_for(fitted.calibration, set);
  const ModelChoice fused{{"attention", "fused"}};
  for (bool backward : {false, true}) {
    const SampleSet part = samples_of_pass<Attention>(set, backward);
    if (part.samples.empty()) continue;
    double& rate = backward ? row.backward : row.forward;
    double& half = backward ? row.backward_half_length : row.half_length;
    fit_in_place({{&rate, {.start = rate, .least = 0.001, .most = 1, .pull = 1}},
                  {&half, {.start = std::max(1.0, half), .least = 1, .most = 1e4, .pull = 1}}},
                 [&] { return residuals_of(part, machine, fitted.calibration, fused); });
  }
  finish_row(row, set, residuals_of(set, machine, fitted.calibration, fused), fitted);
  return fitted;
}

}  // namespace operator_models
