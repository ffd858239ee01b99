#include "operator_models/calibrate/concurrency_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/score.h"
#include "operator_models/models.h"
#include "operator_models/predictor.h"

namespace operator_models {
namespace {

constexpr int64_t kMostAtOnce = 1024;

/// How the operands lie in memory, in the order of GemmPass.
constexpr std::array kLayouts{"TN", "NN", "NT"};

std::optional<GemmPass> pass_of(const Columns& columns, size_t row) {
  const std::string& text = columns.text(row, "layout");
  if (text.empty()) return GemmPass::forward;
  const auto at = std::ranges::find(kLayouts, text);
  if (at != kLayouts.end()) return static_cast<GemmPass>(at - kLayouts.begin());
  columns.wrong(row, "layout", fmt::format("expected one of {}, got '{}'", fmt::join(kLayouts, ", "), text));
  return std::nullopt;
}

/// The shape of a row; nullopt: diagnosed.
std::optional<Gemm> read_gemm(const Columns& columns, size_t row, Precision otherwise) {
  const auto m = columns.count(row, "m"), n = columns.count(row, "n"), k = columns.count(row, "k"),
             batch = columns.has("batch") ? columns.count(row, "batch") : std::optional<int64_t>(1);
  const auto pass = pass_of(columns, row);
  const auto precision = columns.precision(row, otherwise);
  if (!m || !n || !k || !batch || !pass || !precision) return std::nullopt;
  const double bytes = operand_bytes(*precision);
  return Gemm{.batch = *batch,
              .m = *m,
              .n = *n,
              .k = *k,
              .precision = *precision,
              .a_bytes = bytes,
              .b_bytes = bytes,
              .c_bytes = std::max(2.0, bytes),
              .pass = *pass};
}

/// A gain is over one GEMM alone: without it a time of several says nothing.
void want_alone(const SampleSet& set, size_t first, dsl::Diagnostics& diagnostics) {
  std::map<GemmShape, bool> alone;
  for (size_t i = first; i < set.samples.size(); ++i) {
    const auto& op = std::get<ConcurrentGemms>(set.samples[i].op);
    alone[shape_of(op.gemm)] |= op.at_once == 1;
  }
  for (size_t i = first; i < set.samples.size(); ++i) {
    const auto& op = std::get<ConcurrentGemms>(set.samples[i].op);
    bool& found = alone[shape_of(op.gemm)];
    if (found) continue;
    found = true;  // told once
    diagnostics.error(
        set.samples[i].place,
        fmt::format("{} at once, but no row of {} x {} x {} alone", op.at_once, op.gemm.m, op.gemm.n, op.gemm.k),
        "measure each shape with at_once 1 too: gains are over it");
  }
}

/// A table of times, or of shapes alone.
class Reader {
 public:
  Reader(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set, dsl::Diagnostics& diagnostics)
      : columns_(file.table, diagnostics),
        file_(file),
        task_(task),
        device_(device_of(machine, machine.calibration)),
        set_(set),
        time_(columns_.time_column({"time", "latency"})) {}

  bool knows_columns() const {
    return columns_.has_all({"m", "n", "k"}) && columns_.has("at_once") == time_.has_value();
  }
  void tell_layouts() const { columns_.unknown_layout("m,n,k,at_once,time_us or m,n,k"); }
  void read() {
    set_.modelled = !time_;
    for (const size_t row : file_.rows)
      if (const auto gemm = read_gemm(columns_, row, task_.precision))
        time_ ? add_measured(row, *gemm) : add(row, *gemm);
  }

 private:
  void add_measured(size_t row, const Gemm& gemm) {
    const auto at_once = columns_.count(row, "at_once");
    const auto seconds = columns_.seconds(row, *time_);
    if (at_once && *at_once > kMostAtOnce) columns_.wrong(row, "at_once", fmt::format("more than {}", kMostAtOnce));
    else if (at_once && seconds) add(row, {gemm, *at_once}, *seconds, *time_);
  }
  /// A shape alone: the local model says what each number of it takes.
  void add(size_t row, const Gemm& gemm) {
    for (const int64_t degree : kDegrees) {
      const ConcurrentGemms op{gemm, degree};
      add(row, op, cost(op, device_, {{"concurrent-gemm", "go"}}).seconds.value, "m");
    }
  }
  void add(size_t row, const ConcurrentGemms& op, double seconds, const std::string& column) {
    const Gemm& g = op.gemm;
    set_.samples.push_back({op,
                            seconds,
                            {std::to_string(g.m), std::to_string(g.n), std::to_string(g.k), std::to_string(op.at_once)},
                            file_.counted[row] != 0,
                            columns_.place(row, column)});
  }

  const Columns columns_;
  const DataFile& file_;
  const Task& task_;
  const Device device_;
  SampleSet& set_;
  const std::optional<std::string> time_;
};

}  // namespace

void read_concurrency(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                      dsl::Diagnostics& diagnostics) {
  Reader reader(file, task, machine, set, diagnostics);
  if (!reader.knows_columns()) return reader.tell_layouts();
  set.dimensions = {"m", "n", "k", "at_once"};
  const size_t first = set.samples.size();
  reader.read();
  want_alone(set, first, diagnostics);
}

}  // namespace operator_models
