// The corrections of `table`: linear least squares on logarithms, linearized at the last estimate, with a price on
// bends between neighbouring nodes. Rows far off count by their distance (weights 1/|r|, as Huber's).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "operator_models/calibrate/gemm_fit.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/gemm.h"

namespace operator_models {
namespace {

constexpr double kBend = 0.1, kPull = 1e-2;  // residuals a bend of one, and a distance of one from 1, is worth
constexpr double kFar = 0.05;
constexpr int kFirstRounds = 2, kRounds = 7;
constexpr double kLeastFactor = 0.01, kMostFactor = 50;

const std::vector<int64_t> kNodesM{1, 16, 128, 256, 512, 1024, 2048, 4096, 32768},
    kNodesN{32, 128, 512, 1024, 2048, 8192, 65536}, kNodesK{32, 128, 512, 2048, 8192, 65536};

// CUTLASS in eight bits (vLLM's scaled_mm) takes other kernels from 65 and from 129 rows on: a step, not a slope. Its
// cast does from 2,049 columns on.
const std::vector<int64_t> kNarrowNodesM{1, 64, 65, 128, 129, 256, 512, 1024, 2048, 4096, 32768},
    kNarrowNodesN{32, 128, 512, 1024, 2048, 4096, 8192, 16384, 65536},
    kNarrowNodesK{32, 128, 512, 1024, 2048, 2560, 4096, 8192, 16384, 65536};
constexpr double kLeastBend = 0.5;  // octaves: closer nodes represent a step, which bends at most this much

constexpr double kLeastStep = 1.5;  // between two nodes

/// The nodes inside the measured range, and its two ends.
std::vector<int64_t> nodes_within(const std::vector<int64_t>& nodes, const SampleSet& set, int64_t Gemm::*size) {
  int64_t least = INT64_MAX, most = 0;
  for (const Sample& s : set.samples) {
    least = std::min(least, std::get<Gemm>(s.op).*size);
    most = std::max(most, std::get<Gemm>(s.op).*size);
  }
  std::vector<int64_t> kept{least};
  for (int64_t node : nodes)
    if (real(node) >= kLeastStep * real(least) && kLeastStep * real(node) <= real(most)) kept.push_back(node);
  if (most > least) kept.push_back(most);
  return kept;
}

/// One sample as the fit sees it: seconds = fixed + slope * sum(share * factor of node).
struct NodeEquation {
  double fixed = 0, slope = 0, seconds = 0;
  std::array<size_t, 8> node{};
  std::array<double, 8> share{};
};

/// How much less the factor may be at the upper end of an edge of the grid: what ideal^(1 - kSteps) gains along it.
/// ideal = a*mnk + b*(mk + nk + mn) gains least where the others are largest.
double least_ratio(double per_product, double per_byte, double from, double to, double other, double another) {
  const double grows = per_product * other * another + per_byte * (other + another);
  const double stands = per_byte * other * another;
  return std::pow((grows * from + stands) / (grows * to + stands), 1 - kSteps);
}

/// Two neighbours of the grid along an axis: the factor of `above` is at least `ratio` times that of `below`.
struct GridEdge {
  size_t axis = 0, below = 0, above = 0;
  double ratio = 0;
};

/// By the number of their upper end.
std::vector<GridEdge> edges_of(const GemmCalibration& row, const Machine& machine, Precision precision) {
  const Gemm any{.m = 1, .n = 1, .k = 1, .precision = precision};
  Calibration calibration = machine.calibration;
  calibration.gemm[name(precision)] = row;
  const GemmMachine rates = gemm_machine(any, device_of(machine, calibration), {});
  const double per_product = 2 / rates.flops, per_byte = any.a_bytes / rates.bandwidth;
  const std::array<const std::vector<int64_t>*, 3> nodes{&row.table_m, &row.table_n, &row.table_k};
  const std::array<size_t, 3> along{row.table_n.size() * row.table_k.size(), row.table_k.size(), 1};
  auto size = [&](size_t axis, size_t at) { return real((*nodes[axis])[std::min(at, nodes[axis]->size() - 1)]); };
  std::vector<GridEdge> edges;
  for (size_t i = 0; i < row.table.size(); ++i) {
    const std::array<size_t, 3> at{i / along[0], i / along[1] % nodes[1]->size(), i % nodes[2]->size()};
    for (size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] == 0) continue;
      const size_t second = (axis + 1) % 3, third = (axis + 2) % 3;
      edges.push_back({axis, i - along[axis], i,
                       least_ratio(per_product, per_byte, size(axis, at[axis] - 1), size(axis, at[axis]),
                                   size(second, at[second] + 1), size(third, at[third] + 1))});
    }
  }
  return edges;
}

/// Nodes of the grid one behind the other along an axis, and how much lower the logarithm of each may be than that of
/// the first.
struct GridLine {
  std::vector<size_t> nodes;
  std::vector<double> allowed;
};

std::vector<GridLine> lines_of(const std::vector<GridEdge>& edges, size_t axis) {
  std::vector<GridLine> lines;
  std::map<size_t, size_t> line_of;  // by its last node
  for (const GridEdge& e : edges) {
    if (e.axis != axis) continue;
    const auto [at, first] = line_of.try_emplace(e.below, lines.size());
    if (first) lines.push_back({{e.below}, {0}});
    GridLine& line = lines[at->second];
    line.nodes.push_back(e.above);
    line.allowed.push_back(line.allowed.back() + std::log(e.ratio));
    line_of[e.above] = at->second;
  }
  return lines;
}

/// The nearest table, in logarithms, that nowhere falls too steeply. Lines along one axis after the other are
/// projected; each first gets back what the last round took from it (Dykstra 1983).
void project(std::vector<double>& table, const std::vector<GridEdge>& edges, const std::vector<double>& weights) {
  constexpr int kTurns = 30;
  const std::array<std::vector<GridLine>, 3> lines{lines_of(edges, 0), lines_of(edges, 1), lines_of(edges, 2)};
  std::array<std::vector<double>, 3> taken;
  taken.fill(std::vector<double>(table.size(), 0));
  for (double& f : table) f = std::log(f);
  for (int turn = 0; turn < kTurns; ++turn)
    for (size_t axis = 0; axis < 3; ++axis)
      for (const GridLine& line : lines[axis]) {
        std::vector<double> values, counted;
        for (size_t i = 0; i < line.nodes.size(); ++i) {
          values.push_back(table[line.nodes[i]] + taken[axis][line.nodes[i]] - line.allowed[i]);
          counted.push_back(weights[line.nodes[i]]);
        }
        const std::vector<double> before = values;
        never_falling(values, counted);
        for (size_t i = 0; i < line.nodes.size(); ++i) {
          taken[axis][line.nodes[i]] = before[i] - values[i];
          table[line.nodes[i]] = values[i] + line.allowed[i];
        }
      }
  for (double& f : table) f = std::exp(f);
}

/// Removes the remaining steep falls: the upper end is raised by half, the lower one lowered by the other half. (Both
/// ends are within the bounds, and so is their geometric mean.)
void keep_monotone(std::vector<double>& table, const std::vector<GridEdge>& edges) {
  std::vector<double> raised = table, lowered = table;
  for (const GridEdge& e : edges) raised[e.above] = std::max(raised[e.above], e.ratio * raised[e.below]);
  for (size_t i = edges.size(); i-- > 0;)
    lowered[edges[i].below] = std::min(lowered[edges[i].below], lowered[edges[i].above] / edges[i].ratio);
  for (size_t i = 0; i < table.size(); ++i) table[i] = std::sqrt(raised[i] * lowered[i]);
}

class TableFit {
 public:
  TableFit(const SampleSet& set, const Machine& machine, const Fitted& waves, GemmCalibration& row)
      : row_(row),
        device_(device_of(machine, waves.calibration)),
        edges_(edges_of(row, machine, std::get<Gemm>(set.samples[0].op).precision)) {
    for (const Sample& s : set.samples) add(std::get<Gemm>(s.op), s.seconds);
    add_bends();
  }

  void solve() {
    const size_t n = row_.table.size();
    std::vector<double> weights(n, 1);
    for (int round = 0; round < kFirstRounds + kRounds; ++round) {
      std::vector<double> a = bends_, b(n, 0);
      for (size_t i = 0; i < n; ++i) {
        a[i * n + i] += kPull;
        b[i] += kPull;
      }
      for (const NodeEquation& e : equations_) accumulate(e, round < kFirstRounds, a, b);
      const std::vector<double> solved = solve_symmetric(a, b);
      for (size_t i = 0; i < n; ++i) {
        const double before = round < kFirstRounds ? 1 : row_.table[i], reach = round < kFirstRounds ? kMostFactor : 2;
        row_.table[i] = std::max(kLeastFactor, std::clamp(solved[i], before / reach, before * reach));
        weights[i] = a[i * n + i] * row_.table[i] * row_.table[i];
      }
    }
    project(row_.table, edges_, weights);
    keep_monotone(row_.table, edges_);
  }

 private:
  size_t along(size_t axis) const {
    return axis == 2 ? 1 : axis == 1 ? row_.table_k.size() : row_.table_k.size() * row_.table_n.size();
  }
  const std::vector<int64_t>& nodes(size_t axis) const {
    return axis == 0 ? row_.table_m : axis == 1 ? row_.table_n : row_.table_k;
  }

  /// Rows that the table does not price (outside, batched), or that are mostly something else, say nothing.
  void add(const Gemm& op, double seconds) {
    if (op.batch != 1 || seconds <= 0) return;
    const std::array<int64_t, 3> x{op.m, op.n, op.k};
    std::array<size_t, 3> cell{};
    std::array<double, 3> share{};
    for (size_t i = 0; i < 3; ++i) {
      const std::vector<int64_t>& at = nodes(i);
      if (x[i] < at.front() || x[i] > at.back()) return;
      while (cell[i] + 2 < at.size() && x[i] >= at[cell[i] + 1]) ++cell[i];
      const double low = real(at[cell[i]]), high = real(at[cell[i] + 1]);
      share[i] = std::log(real(x[i]) / low) / std::log(high / low);
    }
    NodeEquation e;
    for (size_t c = 0; c < 8; ++c) {
      e.share[c] = 1;
      for (size_t i = 0; i < 3; ++i) {
        const bool upper = (c >> i & 1) != 0;
        e.node[c] += (cell[i] + (upper ? 1 : 0)) * along(i);
        e.share[c] *= upper ? share[i] : 1 - share[i];
      }
    }
    const Cost whole = gemm_table(op, device_, {});  // with factors of one
    e.fixed = whole.launch.value + cast_seconds(op, row_);
    e.slope = whole.seconds.value - e.fixed;
    e.seconds = seconds;
    equations_.push_back(e);
  }

  /// Second differences along each axis, per octave.
  void add_bends() {
    const size_t n = row_.table.size();
    bends_.assign(n * n, 0);
    for (size_t axis = 0; axis < 3; ++axis)
      for (size_t i = 0; i < n; ++i) {
        const size_t step = along(axis), at = i / step % nodes(axis).size();
        if (at == 0 || at + 1 == nodes(axis).size()) continue;
        const auto node = [&](size_t j) { return std::log2(real(nodes(axis)[j])); };
        const double before = std::max(kLeastBend, node(at) - node(at - 1)),
                     after = std::max(kLeastBend, node(at + 1) - node(at));
        const double width = std::sqrt(kBend * (before + after) / 2);
        const std::array<size_t, 3> where{i - step, i, i + step};
        const std::array<double, 3> bend{width / before, -width / before - width / after, width / after};
        for (size_t p = 0; p < 3; ++p)
          for (size_t q = 0; q < 3; ++q) bends_[where[p] * n + where[q]] += bend[p] * bend[q];
      }
  }

  /// `first`: (seconds of the model) / seconds - 1 is linear; its solution is the start for the logarithms.
  void accumulate(const NodeEquation& e, bool first, std::vector<double>& a, std::vector<double>& b) const {
    double factor = 0;
    for (size_t c = 0; c < 8; ++c) factor += e.share[c] * row_.table[e.node[c]];
    const double now = e.fixed + e.slope * factor, off = first ? 1 - now / e.seconds : std::log(e.seconds / now);
    const double gain = e.slope / (first ? e.seconds : now);
    const double weight = first ? 1 : std::min(1.0, kFar / std::max(std::abs(off), 1e-12));
    const double target = off + gain * factor;
    for (size_t p = 0; p < 8; ++p) {
      const double here = weight * gain * e.share[p];
      if (here == 0) continue;
      b[e.node[p]] += here * target;
      for (size_t q = 0; q < 8; ++q) a[e.node[p] * row_.table.size() + e.node[q]] += here * gain * e.share[q];
    }
  }

  GemmCalibration& row_;
  Device device_;
  std::vector<GridEdge> edges_;
  std::vector<NodeEquation> equations_;
  std::vector<double> bends_;
};

/// Rows too few to place a table: the rates of the catalogue's table, or where it has none the waves.
Fitted fit_few(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, false};
  GemmCalibration& row = gemm_row_for(fitted.calibration, std::get<Gemm>(set.samples[0].op).precision);
  const char* done = "the waves alone are fitted";
  if (has_table(row)) {
    done = "the catalogue's keeps its shape, and its rates of computing and of memory are fitted";
    fit_in_place({{&row.compute_efficiency, {.start = row.compute_efficiency, .least = 0.01, .most = 1}},
                  {&row.memory_efficiency, {.start = row.memory_efficiency, .least = 0.01, .most = 1.5}}},
                 [&] {
                   return log_ratios(set, device_of(machine, fitted.calibration), {{"gemm", "table"}});
                 });
  } else {
    fitted = fit_waves(set, machine);
  }
  finish_gemm_fit(fitted, set, machine, "table");
  fitted.warnings.push_back(
      fmt::format("{} rows place no table, which takes {}: {}", set.samples.size(), kTableRows, done));
  return fitted;
}

}  // namespace

Fitted fit_gemm_table(const SampleSet& set, const Machine& machine) {
  if (set.samples.empty()) return {machine.calibration, {}, true};
  if (static_cast<int64_t>(set.samples.size()) < kTableRows) return fit_few(set, machine);
  Fitted waves = fit_waves(set, machine);
  const Precision precision = std::get<Gemm>(set.samples[0].op).precision;
  GemmCalibration& row = gemm_row_for(waves.calibration, precision);
  const bool narrow = std::get<Gemm>(set.samples[0].op).a_bytes < 2;
  row.table_m = nodes_within(narrow ? kNarrowNodesM : kNodesM, set, &Gemm::m);
  row.table_n = nodes_within(narrow ? kNarrowNodesN : kNodesN, set, &Gemm::n);
  row.table_k = nodes_within(narrow ? kNarrowNodesK : kNodesK, set, &Gemm::k);
  row.table.assign(row.table_m.size() * row.table_n.size() * row.table_k.size(), 1);
  if (has_table(row)) {
    TableFit(set, machine, waves, row).solve();
  } else {
    row.table_m = row.table_n = row.table_k = {};
    row.table = {};
    waves.warnings.emplace_back("the sizes of one dimension are all one: no table, waves alone");
  }
  finish_gemm_fit(waves, set, machine, "table");
  return waves;
}

}  // namespace operator_models
