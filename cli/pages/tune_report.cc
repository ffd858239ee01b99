#include "cli/pages/tune_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

using namespace planner::tuning;

double computed_seconds(const Replay& played) { return played.piece_ends.empty() ? 0 : played.piece_ends.back(); }

/// What is reduced when nothing computes any more.
double exposed_seconds(const Subject& subject, const Replay& played) {
  return played.step_seconds - subject.pass.after_seconds - computed_seconds(played);
}

class StrategyRows {
 public:
  explicit StrategyRows(const Subject& subject) : subject_(subject) {
    table_.title = "Strategies";
    table_.columns = {{.name = "strategy"},
                      {.name = "operators", .rank = 3},
                      {.name = "size_bytes", .unit = Unit::bytes, .rank = 1, .heading = "size"},
                      {.name = "setting", .rank = 2},
                      {.name = "buckets", .unit = Unit::count},
                      {.name = "largest_bucket_bytes", .unit = Unit::bytes, .rank = 2, .heading = "largest"},
                      {.name = "exposed_seconds", .unit = Unit::seconds, .heading = "exposed"},
                      {.name = "step_seconds", .unit = Unit::seconds, .heading = "step"}};
  }

  /// `setting`: how the framework is told of the size.
  void add(const std::string& name, const char* operators, Data size, Data setting, const Replay& played) {
    double largest = 0;
    for (const Bucket& bucket : played.buckets) largest = std::max(largest, bucket.bytes);
    table_.rows.push_back({name, operators, std::move(size), std::move(setting), std::ssize(played.buckets), largest,
                           exposed_seconds(subject_, played), played.step_seconds});
  }
  Table take() { return std::move(table_); }

 private:
  const Subject& subject_;
  Table table_;
};

Replay replay_measured(const Subject& subject) {
  return replay(subject.pass, *subject.measured, Sync(subject.sync, 1));
}

// Each framework by default and at its best, where that is another size.
Table strategy_rows(const Subject& subject, const Tuned& tuned) {
  StrategyRows rows(subject);
  if (subject.measured) rows.add("measured", "as they are", Data(), Data(), replay_measured(subject));
  for (const TunedFramework& each : tuned.frameworks) {
    const Framework& f = *each.framework;
    const std::string name(f.name);
    const char* operators = f.fuses_operators ? "one" : "as they are";
    const bool is_set = !f.setting.empty();
    const auto size = [&](double bytes) { return is_set ? whole(bytes) : Data(); };
    const auto setting = [&](double bytes) {
      return is_set ? Data(fmt::format("{}={:.10g}", f.setting, bytes / f.bytes_per_unit)) : Data();
    };
    rows.add(name, operators, size(f.default_bytes), setting(f.default_bytes), each.by_default);
    if (each.best_bytes != f.default_bytes)
      rows.add(name + ", tuned", operators, size(each.best_bytes), setting(each.best_bytes), each.best);
  }
  rows.add("gradients", "as they are", Data(), Data(), tuned.gradients.replay);
  const char* fused = tuned.best.strategy.fuses_within ? "fused" : "as they are";
  rows.add("theorems", fused, Data(), Data(), tuned.rounds.replay);
  rows.add("best", fused, Data(), Data(), tuned.best.replay);
  return rows.take();
}

Table bucket_rows(const Subject& subject, const Replay& played) {
  Table table{.title = "Buckets of the best",
              .columns = {{.name = "bucket", .unit = Unit::count},
                          {.name = "first"},
                          {.name = "last", .rank = 2},
                          {.name = "gradients", .unit = Unit::count, .rank = 3},
                          {.name = "bytes", .unit = Unit::bytes},
                          {.name = "partitions", .unit = Unit::count, .rank = 1},
                          {.name = "ready_seconds", .unit = Unit::seconds, .rank = 1, .heading = "ready"},
                          {.name = "begin_seconds", .unit = Unit::seconds, .rank = 4, .heading = "begins"},
                          {.name = "end_seconds", .unit = Unit::seconds, .heading = "reduced"}}};
  for (size_t i = 0; i < played.buckets.size(); ++i) {
    const Bucket& b = played.buckets[i];
    const auto has_gradient = [](const Piece& piece) { return piece.gradient_bytes > 0; };
    const auto begin = subject.pass.pieces.begin();
    const auto gradients = std::count_if(begin + static_cast<std::ptrdiff_t>(b.first),
                                         begin + static_cast<std::ptrdiff_t>(b.last) + 1, has_gradient);
    table.rows.push_back({static_cast<int64_t>(i + 1), subject.pass.pieces[b.first].name,
                          subject.pass.pieces[b.last].name, static_cast<int64_t>(gradients), b.bytes, b.sync.partitions,
                          b.ready_seconds, b.begin_seconds, b.end_seconds});
  }
  return table;
}

std::string title_of(const Subject& subject) {
  double bytes = 0;
  int64_t gradients = 0;
  for (const Piece& piece : subject.pass.pieces) bytes += piece.gradient_bytes, gradients += piece.gradient_bytes > 0;
  return fmt::format("{} of gradients in {} operators, reduced by {}; {} step takes {}", figure(bytes, Unit::bytes),
                     gradients, subject.reduction, subject.measured ? "the measured" : "the plan's",
                     figure(subject.step_seconds, Unit::seconds));
}

}  // namespace

Report tune_report(const Subject& subject, const Tuned& tuned) {
  Table strategies = strategy_rows(subject, tuned), buckets = bucket_rows(subject, tuned.best.replay);
  Report report{.format = "trainplan.tune/1",
                .document = {{"reduction", subject.reduction},
                             {"step_seconds", subject.step_seconds},
                             {"before_seconds", subject.pass.before_seconds},
                             {"after_seconds", subject.pass.after_seconds},
                             {"strategies", rows_of(strategies)},
                             {"buckets", rows_of(buckets)}},
                .key = "strategies",
                .table = strategies,
                .text = {}};
  report.text = {title_of(subject), std::move(strategies), std::move(buckets)};
  return report;
}

}  // namespace cli
