#include "cli/pages/calibrate_report.h"

#include <fmt/format.h>

#include <charconv>

#include "cli/report/row_fields.h"
#include "dsl/write.h"
#include "operator_models/calibrate/fragment.h"

namespace cli {
namespace {

std::string percent(const std::optional<double>& x) { return x ? fmt::format("{:.1f} %", 100 * *x) : "-"; }

/// "fit: gemm_bf16.csv (26640 rows): residual 5.2 %, left out by group 5.6 %".
std::string provenance(const Calibrated& c) {
  return fmt::format("calibrate {} of {} ({} rows): residual {}, left out by group {}", c.fit->model, c.files,
                     c.errors.rows, percent(c.errors.residual), percent(c.holdout.all.geomean));
}

dsl::Node fragment_of(const Calibrated& c) {
  return operator_models::fragment(c.fitted.calibration, c.machine->calibration, provenance(c));
}

Data scalar_data(const dsl::Node& node) {
  if (node.quoted) return node.text;
  double x = 0;
  const char* end = node.text.data() + node.text.size();
  if (std::from_chars(node.text.data(), end, x).ptr == end && !node.text.empty()) return whole(x);
  return node.text;
}

/// `name`: what the errors are of.
template <class Row> RowFields<Row> error_fields(const char* heading, std::string Row::*name) {
  return {{heading, name},
          {"rows", [](const Row& r) { return r.errors.rows; }, Unit::count},
          {"geomean_error", [](const Row& r) { return r.errors.geomean; }, Unit::fraction}};
}

}  // namespace

Data node_data(const dsl::Node& node) {
  if (node.kind == dsl::Node::Kind::scalar) return scalar_data(node);
  if (node.kind == dsl::Node::Kind::list) return list_of(node.items, node_data);
  Data::Object object;
  for (const dsl::Entry& e : node.entries) object.push_back({e.key, node_data(e.value)});
  return object;
}

Report score_report(const ProfileScore& s) {
  Report report{.format = "trainplan.score/1",
                .key = "groups",
                .table = error_fields("group", &operator_models::GroupErrors::group).table(s.groups)};
  report.document = {{"profile", s.profile},
                     {"kind", s.kind},
                     {"model", s.model},
                     {"rows", s.errors.rows},
                     {"skipped", s.skipped},
                     {"geomean_error", s.errors.geomean},
                     {"median_error", s.errors.median},
                     {"p90_error", s.errors.p90},
                     {"bias", s.errors.bias},
                     {"groups", {}}};
  report.text = {fmt::format("{} {} with model {}: {} rows, geomean error {}, median {}, 90 % below {}, bias {}",
                             s.profile, s.kind, s.model, s.errors.rows, percent(s.errors.geomean),
                             percent(s.errors.median), percent(s.errors.p90), percent(s.errors.bias)),
                 report.table};
  return report;
}

Report calibrate_report(const Calibrated& c) {
  Report report{.format = "trainplan.calibrate/1",
                .key = "holdout",
                .table = error_fields("left_out", &operator_models::HoldoutFold::left_out).table(c.holdout.folds)};
  report.document = {{"profile", node_data(fragment_of(c))},
                     {"rows", c.errors.rows},
                     {"residual_error", c.errors.residual},
                     {"holdout", {}},
                     {"warnings", field_data(c.fitted.warnings)}};
  return report;
}

std::string fragment_text(const Calibrated& c) {
  return fmt::format("# {}, geomean {}\n{}", provenance(c), percent(c.errors.geomean), dsl::write_yaml(fragment_of(c)));
}

std::string file_names(const std::vector<std::string>& inputs) {
  std::string names;
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::string& path = inputs[i];
    names += (names.empty() ? "" : ", ") + path.substr(path.rfind('/') + 1);
  }
  return names;
}

}  // namespace cli
