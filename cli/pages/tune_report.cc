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

Data size_of(const Candidate& each) {
  const bool is_set = each.framework && !each.framework->setting.empty();
  return is_set ? whole(each.size_bytes) : Data();
}

/// How the framework is told of the size.
Data setting_of(const Candidate& each) {
  const Framework* f = each.framework;
  if (!f || f->setting.empty()) return {};
  return fmt::format("{}={:.10g}", f->setting, each.size_bytes / f->bytes_per_unit);
}

const char* operators_of(const Candidate& each) {
  if (!each.fuses_operators) return "as they are";
  return each.framework ? "one" : "fused";
}

Table strategy_rows(const Subject& subject, const std::vector<Candidate>& candidates) {
  Table table{.title = "Strategies",
              .columns = {{.name = "strategy"},
                          {.name = "operators", .rank = 3},
                          {.name = "size_bytes", .unit = Unit::bytes, .rank = 1, .heading = "size"},
                          {.name = "setting", .rank = 2},
                          {.name = "buckets", .unit = Unit::count},
                          {.name = "largest_bucket_bytes", .unit = Unit::bytes, .rank = 2, .heading = "largest"},
                          {.name = "exposed_seconds", .unit = Unit::seconds, .heading = "exposed"},
                          {.name = "step_seconds", .unit = Unit::seconds, .heading = "step"},
                          {.name = "replayed_seconds", .unit = Unit::seconds, .heading = "replayed"}}};
  for (const Candidate& each : candidates) {
    double largest = 0;
    for (const Bucket& bucket : each.played.buckets) largest = std::max(largest, bucket.bytes);
    table.rows.push_back({each.name, operators_of(each), size_of(each), setting_of(each),
                          std::ssize(each.played.buckets), largest, exposed_seconds(subject, each.played),
                          each.played.step_seconds, Data(each.replayed_seconds)});
  }
  return table;
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

Report tune_report(const Subject& subject, const std::vector<Candidate>& candidates, Data decisions) {
  const Candidate& best = candidates.back();
  Table strategies = strategy_rows(subject, candidates), buckets = bucket_rows(subject, best.played);
  Report report{.format = "trainplan.tune/1",
                .document = {{"reduction", subject.reduction},
                             {"step_seconds", subject.step_seconds},
                             {"before_seconds", subject.pass.before_seconds},
                             {"after_seconds", subject.pass.after_seconds},
                             {"strategies", rows_of(strategies)},
                             {"buckets", rows_of(buckets)},
                             {"to_apply", std::move(decisions)}},
                .key = "strategies",
                .table = strategies,
                .text = {}};
  if (!subject.measured) strategies.columns.pop_back();
  if (!subject.measured)
    for (std::vector<Data>& row : strategies.rows) row.pop_back();
  report.text = {title_of(subject), std::move(strategies), std::move(buckets)};
  return report;
}

}  // namespace cli
