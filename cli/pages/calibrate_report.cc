#include "cli/pages/calibrate_report.h"

#include <fmt/format.h>

#include <charconv>

#include "dsl/write.h"
#include "operator_models/calibrate/fragment.h"

namespace cli {
namespace {

using operator_models::Errors;

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

Table table_of(const std::string& what, const std::vector<std::pair<std::string, Errors>>& groups) {
  Table table{.title = "", .columns = {{what, Unit::text}, {"rows", Unit::count}, {"geomean_error", Unit::fraction}}};
  for (const auto& [name, errors] : groups) table.rows.push_back({name, errors.rows, errors.geomean});
  return table;
}

Data::List objects(const Table& table) {
  Data::List list;
  for (size_t i = 0; i < table.rows.size(); ++i) list.push_back(row_object(table, i));
  return list;
}

}  // namespace

Data node_data(const dsl::Node& node) {
  if (node.kind == dsl::Node::Kind::scalar) return scalar_data(node);
  if (node.kind == dsl::Node::Kind::list) {
    Data::List list;
    for (const dsl::Node& item : node.items) list.push_back(node_data(item));
    return list;
  }
  Data::Object object;
  for (const dsl::Entry& e : node.entries) object.push_back({e.key, node_data(e.value)});
  return object;
}

Report score_report(const Scored& s) {
  std::vector<std::pair<std::string, Errors>> groups;
  for (const auto& g : s.groups) groups.emplace_back(g.group, g.errors);
  Report report{
      .format = "trainplan.score/1", .document = {}, .key = "groups", .table = table_of("group", groups), .text = {}};
  report.document = {{"profile", s.profile},
                     {"kind", s.kind},
                     {"model", s.model},
                     {"rows", s.errors.rows},
                     {"skipped", s.skipped},
                     {"geomean_error", s.errors.geomean},
                     {"median_error", s.errors.median},
                     {"p90_error", s.errors.p90},
                     {"bias", s.errors.bias},
                     {"groups", objects(report.table)}};
  report.text = {fmt::format("{} {} with model {}: {} rows, geomean error {}, median {}, 90 % below {}, bias {}",
                             s.profile, s.kind, s.model, s.errors.rows, percent(s.errors.geomean),
                             percent(s.errors.median), percent(s.errors.p90), percent(s.errors.bias)),
                 report.table};
  return report;
}

Report calibrate_report(const Calibrated& c) {
  std::vector<std::pair<std::string, Errors>> folds;
  for (const auto& fold : c.holdout.folds) folds.emplace_back(fold.left_out, fold.errors);
  const dsl::Node profile = fragment_of(c);
  Report report{.format = "trainplan.calibrate/1",
                .document = {},
                .key = "holdout",
                .table = table_of("left_out", folds),
                .text = {}};
  Data::List holdout, warnings;
  for (const auto& [name, errors] : folds)
    holdout.push_back(Data::Object{{"left_out", name}, {"geomean_error", errors.geomean}});
  for (const std::string& warning : c.fitted.warnings) warnings.push_back(warning);
  report.document = {{"profile", node_data(profile)},
                     {"rows", c.errors.rows},
                     {"residual_error", c.errors.residual},
                     {"holdout", std::move(holdout)},
                     {"warnings", std::move(warnings)}};
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
