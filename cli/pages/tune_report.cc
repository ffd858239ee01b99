#include "cli/pages/tune_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/row_fields.h"

namespace cli {
namespace {

using namespace planner::tuning;

constexpr const char* kReplayed = "replayed_seconds";

double computed_seconds(const Replay& played) { return played.piece_ends.empty() ? 0 : played.piece_ends.back(); }

/// Reduction time after the last computation.
double exposed_seconds(const Subject& subject, const Replay& played) {
  return played.step_seconds - subject.pass.after_seconds - computed_seconds(played);
}

Data size_of(const Candidate& each) {
  const bool is_set = each.framework && !each.framework->setting.empty();
  return is_set ? whole(each.size_bytes) : Data();
}

/// How to give the size to the framework.
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
  const auto largest = [](const Candidate& each) {
    double bytes = 0;
    for (const Bucket& bucket : each.played.buckets) bytes = std::max(bytes, bucket.bytes);
    return bytes;
  };
  const RowFields<Candidate> fields{
      {"strategy", &Candidate::name},
      {"operators", operators_of, Unit::text, "", 3},
      {"size_bytes", size_of, Unit::bytes, "size", 1},
      {"setting", setting_of, Unit::text, "", 2},
      {"buckets", [](auto& each) { return each.played.buckets.size(); }, Unit::count},
      {"largest_bucket_bytes", largest, Unit::bytes, "largest", 2},
      {"exposed_seconds", [&](auto& each) { return exposed_seconds(subject, each.played); }, Unit::seconds, "exposed"},
      {"step_seconds", [](auto& each) { return each.played.step_seconds; }, Unit::seconds, "step"},
      {kReplayed, &Candidate::replayed_seconds, Unit::seconds, "replayed"},
  };
  return fields.table(candidates, "Strategies");
}

Table bucket_rows(const Subject& subject, const Replay& played) {
  const auto piece = [&](size_t Bucket::*at) {
    return [&subject, at](const Bucket& b) { return subject.pass.pieces[b.*at].name; };
  };
  const auto gradients = [&](const Bucket& b) {
    const auto begin = subject.pass.pieces.begin();
    return std::count_if(begin + static_cast<std::ptrdiff_t>(b.first), begin + static_cast<std::ptrdiff_t>(b.last) + 1,
                         [](const Piece& piece) { return piece.gradient_bytes > 0; });
  };
  const RowFields<Bucket> fields{
      {"bucket", [&](auto& b) { return &b - played.buckets.data() + 1; }, Unit::count},
      {"first", piece(&Bucket::first)},
      {"last", piece(&Bucket::last), Unit::text, "", 2},
      {"gradients", gradients, Unit::count, "", 3},
      {"bytes", &Bucket::bytes, Unit::bytes},
      {"partitions", [](auto& b) { return b.sync.partitions; }, Unit::count, "", 1},
      {"ready_seconds", &Bucket::ready_seconds, Unit::seconds, "ready", 1},
      {"begin_seconds", &Bucket::begin_seconds, Unit::seconds, "begins", 4},
      {"end_seconds", &Bucket::end_seconds, Unit::seconds, "reduced"},
  };
  return fields.table(played.buckets, "Buckets of the best");
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
  if (!subject.measured) strategies = without(kReplayed, std::move(strategies));
  report.text = {title_of(subject), std::move(strategies), std::move(buckets)};
  return report;
}

}  // namespace cli
