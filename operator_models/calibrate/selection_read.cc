#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

#include "operator_models/attention_shape.h"
#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/gemm_read.h"
#include "operator_models/calibrate/scan_read.h"

namespace operator_models {
namespace {

/// GLM-5's indexer (config.json): 32 heads of 128, the 2048 best keys; scores in eight bits.
constexpr int64_t kHeads = 32, kWidth = 128, kChosen = 2048;
constexpr double kMostKeys = 1e12;
constexpr const char *kScores = "glm5_mqa_logits", *kChoice = "glm5_topk";

using Shape = std::tuple<std::string, std::string, std::string, std::string>;  // gpu, batch, queries, keys before them

Shape shape_of(const Columns& columns, size_t row) {
  return {columns.text(row, "gpu"), columns.text(row, "batch_size"), columns.text(row, "seq_len"),
          columns.text(row, "prefix_len")};
}

/// Scores of every head against each key that a query sees.
double score_flops(const Selection& op) {
  return 2.0 * real(op.batch * op.heads * op.head_dim) * seen_pairs(op.queries, op.keys, op.causal, 0);
}

struct Reader {
  const DataFile& file;
  const Columns& columns;
  const Machine& machine;
  SampleSet& set;
  dsl::Diagnostics& diagnostics;

  // A backward pass covers the chosen pairs alone.
  void add(size_t row, const Selection& op, double seconds, std::string_view column) const {
    const dsl::Span place = columns.place(row, column);
    if (!op.backward && above_peak(score_flops(op), seconds, op.precision, machine, place, diagnostics)) return;
    set.samples.push_back({op,
                           seconds,
                           {std::to_string(op.batch), std::to_string(op.queries), std::to_string(op.keys)},
                           file.counted[row] != 0,
                           place});
  }
};

/// The indexer of one row; `top_k`: 0 for its scores alone.
std::optional<Selection> selection_of(const Columns& columns, size_t row, int64_t top_k) {
  const auto batch = columns.count(row, "batch_size"), queries = columns.count(row, "seq_len");
  const auto prefix = columns.amount(row, "prefix_len");
  if (!batch || !queries || !prefix) return std::nullopt;
  if (*prefix != std::floor(*prefix) || *prefix > kMostKeys)
    return columns.wrong(row, "prefix_len", fmt::format("expected a whole number up to {:.0f}", kMostKeys));
  return Selection{.batch = *batch,
                   .queries = *queries,
                   .keys = *queries + static_cast<int64_t>(*prefix),
                   .heads = kHeads,
                   .head_dim = kWidth,
                   .top_k = top_k,
                   .precision = Precision::fp8};
}

/// aiconfigurator times the kernels of the scores and of the choice apart.
void read_parts(const Reader& r) {
  std::map<Shape, double> scores;
  for (size_t row : r.file.rows) {
    if (r.columns.text(row, "op") != kScores) continue;
    const auto op = selection_of(r.columns, row, 0);
    const auto seconds = r.columns.seconds(row, "latency_us");
    if (!op || !seconds) continue;
    scores[shape_of(r.columns, row)] = *seconds;
    r.add(row, *op, *seconds, "latency_us");
  }
  for (size_t row : r.file.rows) {
    const std::string& part = r.columns.text(row, "op");
    const auto at = scores.find(shape_of(r.columns, row));
    if (part != kChoice || at == scores.end()) {
      r.set.passed_over += part != kScores;
      continue;
    }
    const auto op = selection_of(r.columns, row, kChosen);
    const auto seconds = r.columns.seconds(row, "latency_us");
    if (op && seconds) r.add(row, *op, at->second + *seconds, "latency_us");
  }
}

void read_plain(const Reader& r, size_t row, const Task& task) {
  const auto batch = r.columns.count(row, "batch"), heads = r.columns.count(row, "heads"),
             queries = r.columns.count(row, "queries"), keys = r.columns.count(row, "keys"),
             width = r.columns.count(row, "head_dim"), chosen = r.columns.count(row, "top_k");
  const auto backward = r.columns.flag(row, "backward");
  const auto precision = r.columns.precision(row, task.precision);
  const auto seconds = r.columns.seconds(row, "time_us");
  if (!batch || !heads || !queries || !keys || !width || !chosen || !backward || !precision || !seconds) return;
  if (*queries > *keys) {
    r.columns.wrong(row, "queries",
                    fmt::format("{} queries of {} keys: the last query sees all keys", *queries, *keys));
    return;
  }
  r.add(row, {*batch, *queries, *keys, *heads, *width, *chosen, true, *precision, *backward}, *seconds, "time_us");
}

}  // namespace

void read_selections(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                     dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  set.dimensions = {"batch", "queries", "keys"};
  const Reader reader{file, columns, machine, set, diagnostics};
  if (columns.has_all({"gpu", "op", "batch_size", "seq_len", "prefix_len", "latency_us"})) return read_parts(reader);
  const char* plain = "batch,heads,queries,keys,head_dim,top_k,backward,time_us";
  if (!columns.has_all({"batch", "heads", "queries", "keys", "head_dim", "top_k", "backward", "time_us"}))
    return columns.unknown_layout(std::string(plain) + ", or one of those that calibrating.md lists");
  for (size_t row : file.rows) read_plain(reader, row, task);
}

}  // namespace operator_models
