#include "operator_models/calibration_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "operator_models/collective.h"
#include "operator_models/models.h"
#include "operator_models/predictor.h"

namespace operator_models {
namespace {

/// The lists of one row, with mistakes reported at their places.
class CheckedRow {
 public:
  CheckedRow(const dsl::Record& record, std::string path, dsl::Diagnostics& diagnostics)
      : record_(record), path_(std::move(path)), diagnostics_(diagnostics) {}

  const dsl::Slot* find(const std::string& field) const { return record_.find(path_ + field); }

  void error(const std::string& field, const std::string& message, const std::string& hint) const {
    const dsl::Slot* slot = find(field);
    diagnostics_.error(slot ? slot->span : dsl::Span{}, path_ + field + message, hint);
  }

  template <class T> void ascending(const char* field, const std::vector<T>& list) const {
    const auto falls = std::adjacent_find(list.begin(), list.end(), std::greater_equal<>());
    if (falls == list.end()) return;
    error(field, fmt::format(" must ascend: {} stands before {}", falls[0], falls[1]),
          "sort it, and the figures that go with it");
  }

  /// Checks that `field` holds `wanted` numbers; `why` names what they belong to.
  void count(const char* field, size_t numbers, size_t wanted, const std::string& why) const {
    if (numbers == wanted) return;
    const char* of =
        numbers < wanted ? " holds {} of the {} numbers that belong there" : " holds {} numbers, {} belong there";
    error(field, fmt::format(fmt::runtime(of), numbers, wanted), why);
  }

 private:
  const dsl::Record& record_;
  std::string path_;
  dsl::Diagnostics& diagnostics_;
};

void check_gemm(const CheckedRow& at, const GemmCalibration& row) {
  const std::string tiles = "one for each tile of tile_m";
  at.count("tile_n", row.tile_n.size(), row.tile_m.size(), tiles);
  at.count("tile_efficiency", row.tile_efficiency.size(), row.tile_m.size(), tiles);
  const size_t nodes = row.table_m.size() * row.table_n.size() * row.table_k.size();
  if (row.table.empty()) return;
  at.count("table", row.table.size(), nodes,
           fmt::format("table_m, table_n and table_k hold {}, {} and {}; k runs fastest", row.table_m.size(),
                       row.table_n.size(), row.table_k.size()));
  for (const auto& [field, list] :
       {std::pair{"table_m", &row.table_m}, {"table_n", &row.table_n}, {"table_k", &row.table_k}}) {
    at.ascending(field, *list);
    if (list->size() == 1) at.error(field, " has a single node", "a table lies between two or more");
  }
}

void check_cut(const CheckedRow& at, const AttentionCut& cut) {
  at.count("efficiency", cut.efficiency.size(), cut.keys.size(), "one for each of keys");
  at.count("share", cut.share.size(), cut.work.size(), "one for each of work");
  at.ascending("keys", cut.keys);
  at.ascending("work", cut.work);
}

void check_predictor(const CheckedRow& at, const DegreePredictor& p) {
  if (p.weights.empty()) return;
  const std::string features = "one for each feature: m, n, k, and three for each of 2, 4, 8 and 16 at once";
  at.count("least", p.least.size(), kPredictorFeatures, features);
  at.count("most", p.most.size(), kPredictorFeatures, features);
  at.count("weights", p.weights.size(), kDegrees.size() * (kPredictorFeatures + 1),
           "one for each feature and a constant, for 1, 2, 4, 8 and 16 at once");
}

void check_vector(const CheckedRow& at, const VectorCalibration& row) {
  at.count("efficiencies", row.efficiencies.size(), row.widths.size(), "one for each of widths");
  at.ascending("widths", row.widths);
}

/// Times over another table's first message would be those of other sizes: what reads a table comes with it, so that a
/// calibration that extends another, or a scenario over it, brings all of a table or nothing.
void check_written_together(const CheckedRow& at, const CollectiveCalibration& row) {
  if (row.table_us.empty()) return;
  for (const char* field : {"table_ranks", "table_octave"}) {
    const dsl::Slot *of = at.find(field), *times = at.find("table_us");
    if (!of || !times || !of->given || !times->given) continue;
    if (of->span.source->name == times->span.source->name) continue;
    return at.error(
        "table_us",
        fmt::format(" comes without its {}, which {} gives for another table", field, of->span.source->name),
        fmt::format("both belong to one table: give {} too", field));
  }
}

/// Every group's times, message by message.
void check_times(const CheckedRow& at, const CollectiveCalibration& row) {
  const size_t sizes = row.table_us.size() / row.table_ranks.size();
  for (size_t i = 0; i < row.table_us.size(); ++i) {
    if (i % sizes == 0 || row.table_us[i] >= row.table_us[i - 1]) continue;
    return at.error(
        "table_us",
        fmt::format(" falls over {} ranks, from {} us at 2^{} bytes to {} us", row.table_ranks[i / sizes],
                    row.table_us[i - 1], row.table_octave + static_cast<int64_t>(i % sizes) - 1, row.table_us[i]),
        "a larger message takes no less time");
  }
}

void check_regions(const CheckedRow& at, const CollectiveCalibration& row) {
  at.ascending("region_ranks", row.region_ranks);
  at.count("region", row.region.size(), kRegionNumbers * row.region_ranks.size(),
           "eight for each of region_ranks: latency us, log2 of both boundaries, L, x0, k, b, GB/s");
  if (!has_regions(row)) return;
  for (size_t i = 0; i < row.region_ranks.size(); ++i) {
    const CollectiveCurve r = region_of(row, i);
    if (r.latency > 0 && r.bandwidth > 0 && r.first <= r.last) continue;
    at.error("region", fmt::format(" of {} ranks is no curve", row.region_ranks[i]),
             "latency and bandwidth above zero, the first boundary not above the second");
  }
}

void check_collective(const CheckedRow& at, const CollectiveCalibration& row) {
  check_regions(at, row);
  if (row.table_ranks.empty() && row.table_us.empty()) return;
  at.ascending("table_ranks", row.table_ranks);
  check_written_together(at, row);
  if (has_table(row)) return check_times(at, row);
  at.error(row.table_us.empty() ? "table_ranks" : "table_us",
           fmt::format(": {} times do not share out among {} groups", row.table_us.size(), row.table_ranks.size()),
           "as many for each of table_ranks, two or more: group by group, each message twice as large as the last; "
           "without a table both are []");
}

/// "nvlink-all-reduc": the row of a tier that is known, of a collective that is not.
void check_name(const dsl::Record& record, const std::string& prefix, const std::string& row,
                const std::set<std::string>& tiers, dsl::Diagnostics& diagnostics) {
  const std::vector<std::string> parts(kCollectivePartNames.begin(), kCollectivePartNames.end());
  for (const std::string& tier : tiers) {
    if (!row.starts_with(tier + "-") || tiers.contains(row)) continue;
    const std::string part = row.substr(tier.size() + 1), hint = dsl::did_you_mean(part, parts);
    if (hint.empty() || std::find(parts.begin(), parts.end(), part) != parts.end()) continue;
    const dsl::Slot* slot = record.find(prefix + "collective." + row + ".efficiency");
    diagnostics.error(slot ? slot->span : dsl::Span{},
                      fmt::format("no collective '{}' for the row '{}'; known: {}", part, row, fmt::join(parts, ", ")),
                      hint);
  }
}

}  // namespace

void check_calibration(const dsl::Record& record, const std::string& prefix, const Calibration& calibration,
                       const std::vector<hw_profiles::Tier>& network, dsl::Diagnostics& diagnostics) {
  const auto row = [&](const std::string& path) { return CheckedRow(record, prefix + path + ".", diagnostics); };
  for (const auto& [name, gemm] : calibration.gemm) check_gemm(row("gemm." + name), gemm);
  for (const auto& [name, attention] : calibration.attention)
    for (size_t i = 0; i < attention.table.size(); ++i)
      check_cut(row(fmt::format("attention.{}.table[{}]", name, i)), attention.table[i]);
  for (const auto& [name, vector] : calibration.vector) check_vector(row("vector." + name), vector);
  check_predictor(row("concurrency.predictor"), calibration.concurrency.predictor);
  std::set<std::string> tiers;
  for (const hw_profiles::Tier& tier : network) tiers.insert(tier.name);
  for (const auto& [name, collective] : calibration.collective) {
    check_collective(row("collective." + name), collective);
    check_name(record, prefix, name, tiers, diagnostics);
  }
}

}  // namespace operator_models
