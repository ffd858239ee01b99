#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/pages/calibrate_report.h"
#include "cli/report/row_fields.h"
#include "dsl/write_fields.h"
#include "planner/scenario/vocabulary.h"

namespace cli {
namespace {

using operator_models::Errors;
using planner::FittedNumber;
using planner::GroupResult;
using planner::Owner;
using planner::OwnerCount;

constexpr size_t kMostNamed = 4;  // groups behind a number, in text

// ---- pieces of catalogue files

constexpr int kDigits = 4;

dsl::Node number_node(double value, dsl::Dim dim) {
  return dsl::value_node(dsl::Value{dsl::Number{dsl::rounded(value, kDigits), dim}});
}

/// With a unit.
std::string number_text(double value, dsl::Dim dim) { return number_node(value, dim).text; }

/// "+- 3.1 %", or in the number's unit around 0.
std::string error_text(const FittedNumber& n) {
  if (n.at_bound) return "at its bound";
  if (n.fitted == 0) return "+- " + number_text(n.error, n.dim);
  return "+- " + figure(n.error / std::abs(n.fitted), Unit::fraction);
}

/// A number's path inside its owner's file.
std::string below_owner(const std::string& path, Owner owner) {
  return path.substr(std::string_view(planner::owner_prefix(owner)).size());
}

/// The comment behind the number in the file.
std::string provenance(const FittedSteps& steps, const FittedNumber& n) {
  return fmt::format("calibrate steps: {}, {} rows, {}", steps.files, n.rows, error_text(n));
}

void put(dsl::Node& map, const std::string& path, dsl::Node value) {
  map.kind = dsl::Node::Kind::map;
  const size_t dot = path.find('.');
  const std::string key = path.substr(0, dot);
  auto same = [&](const dsl::Entry& e) { return e.key == key; };
  auto at = std::find_if(map.entries.begin(), map.entries.end(), same);
  if (at == map.entries.end()) at = map.entries.insert(at, {key, {}, {}});
  if (dot == std::string::npos) at->value = std::move(value);
  else put(at->value, path.substr(dot + 1), std::move(value));
}

/// A catalogue file that holds fitted numbers.
struct FittedFile {
  Owner owner;
  std::string name;
  auto operator<=>(const FittedFile&) const = default;
};

std::map<FittedFile, dsl::Node> fragments(const FittedSteps& steps) {
  std::map<FittedFile, dsl::Node> files;
  for (const FittedNumber& n : steps.fit.numbers) {
    dsl::Node value = number_node(n.fitted, n.dim);
    value.comment = provenance(steps, n);
    for (const std::string& path : n.paths) put(files[{n.owner, n.owner_name}], below_owner(path, n.owner), value);
  }
  return files;
}

/// {"software": {NAME: {...}}, ...}
Data steps_profile(const FittedSteps& steps) {
  Data::Object out;
  for (const auto& [file, node] : fragments(steps)) {
    const char* owner = planner::name(file.owner);
    if (out.empty() || out.back().name != owner) out.push_back({owner, Data::Object{}});
    std::get<Data::Object>(out.back().value.v).push_back({file.name, node_data(node)});
  }
  return out;
}

// ---- the page

/// "a, b and 3 more".
std::string joined(const std::vector<std::string>& groups, size_t most) {
  std::string out;
  for (size_t i = 0; i < groups.size() && i < most; ++i)
    out += (i ? ", " : "") + (groups[i].empty() ? "(no group)" : groups[i]);
  if (groups.size() > most) out += fmt::format(" and {} more", groups.size() - most);
  return out;
}

RowFields<FittedNumber> parameter_fields() {
  return {{"owner", [](const FittedNumber& n) { return planner::name(n.owner); }},
          {"name", &FittedNumber::owner_name},
          {"path", &FittedNumber::path},
          {"shipped", &FittedNumber::shipped, Unit::number},
          {"fitted", &FittedNumber::fitted, Unit::number},
          {"standard_error", [](const FittedNumber& n) { return n.at_bound ? Data() : Data(n.error); }, Unit::number},
          {"moved", &FittedNumber::moved},
          {"rows", &FittedNumber::rows, Unit::count},
          {"groups", &FittedNumber::groups}};
}

std::string short_path(const FittedNumber& n) { return below_owner(n.path, n.owner); }

/// As people read them.
RowFields<FittedNumber> number_texts() {
  return {{"of", &FittedNumber::owner_name},
          {"number", short_path},
          {"shipped", [](const FittedNumber& n) { return number_text(n.shipped, n.dim); }},
          {"fitted", [](const FittedNumber& n) { return number_text(n.fitted, n.dim); }},
          {"error", error_text},
          {"moved", [](const FittedNumber& n) { return n.moved ? "yes" : "no"; }, Unit::text, "", 1}};
}

/// Which rows determined them.
RowFields<FittedNumber> group_shares() {
  return {{"of", &FittedNumber::owner_name},
          {"number", short_path},
          {"rows", &FittedNumber::rows, Unit::count},
          {"groups", [](const FittedNumber& n) { return joined(n.groups, kMostNamed); }}};
}

/// A group, or all of them.
struct GroupErrorsRow {
  std::string name;
  Errors before, after, left_out;
};

RowFields<GroupErrorsRow> group_fields() {
  using Row = GroupErrorsRow;
  return {{"group", &Row::name, Unit::text, ""},
          {"rows", [](const Row& r) { return r.before.rows; }, Unit::count, ""},
          {"shipped_error", [](const Row& r) { return r.before.geomean; }, Unit::fraction, "", 0, "shipped"},
          {"fitted_error", [](const Row& r) { return r.after.geomean; }, Unit::fraction, "", 0, "fitted"},
          {"left_out_error", [](const Row& r) { return r.left_out.geomean; }, Unit::fraction, "", 0, "left out"}};
}

std::vector<GroupErrorsRow> group_rows(const planner::StepsFit& fit) {
  std::vector<GroupErrorsRow> rows;
  for (const GroupResult& g : fit.groups)
    rows.push_back(
        {(g.group.empty() ? "(no group)" : g.group) + (g.memory ? " (memory)" : ""), g.before, g.after, g.left_out});
  return rows;
}

Table group_text(const planner::StepsFit& fit) {
  std::vector<GroupErrorsRow> rows = group_rows(fit);
  rows.push_back({"all times", fit.before, fit.after, fit.left_out});
  rows.push_back({"all memory", fit.memory_before, fit.memory_after, fit.memory_left_out});
  std::erase_if(rows, [](const GroupErrorsRow& r) { return r.before.rows <= 0; });
  return group_fields().page("Geomean errors", rows);
}

Data holdout(const std::vector<GroupErrorsRow>& groups) {
  const RowFields<GroupErrorsRow> fields{{"left_out", &GroupErrorsRow::name},
                                         {"geomean_error", [](const auto& r) { return r.left_out.geomean; }}};
  return fields.list(groups);
}

RowFields<OwnerCount> budget_fields() {
  return {{"owner", [](const OwnerCount& c) { return planner::name(c.owner); }},
          {"name", &OwnerCount::name},
          {"numbers", &OwnerCount::count},
          {"most", [](const OwnerCount& c) { return planner::budget(c.owner); }}};
}

/// As people read them.
RowFields<OwnerCount> budget_texts() {
  return {{"of", [](const OwnerCount& c) { return fmt::format("{} {}", planner::name(c.owner), c.name); }},
          {"numbers", &OwnerCount::count, Unit::count},
          {"at most", [](const OwnerCount& c) { return planner::budget(c.owner); }, Unit::count}};
}

Data left_alone(const FittedSteps& steps) {
  return list_of(steps.fit.choice.left_alone, [&](const planner::LeftAlone& l) {
    const planner::Instance& i = steps.problem->instances()[l.instance];
    return Data::Object{{"owner", planner::name(i.parameter->owner)},
                        {"name", i.owner},
                        {"path", i.path},
                        {"reason", planner::text_of(l.reason)}};
  });
}

std::string left_alone_text(const planner::StepsFit& fit) {
  std::map<planner::Reason, int> counts;
  for (const planner::LeftAlone& l : fit.choice.left_alone) ++counts[l.reason];
  std::string out;
  for (const auto& [reason, count] : counts)
    out += fmt::format("{}{}: {}", out.empty() ? "left as shipped - " : "; ", count, planner::text_of(reason));
  return out;
}

std::vector<Block> blocks(const FittedSteps& steps) {
  const planner::StepsFit& fit = steps.fit;
  std::vector<Block> out{fmt::format("{} numbers fitted to {} rows of {}; +-: one standard error", fit.numbers.size(),
                                     steps.problem->rows().size(), steps.files)};
  if (!fit.choice.left_alone.empty()) out.emplace_back(left_alone_text(fit));
  if (!fit.numbers.empty()) {
    out.emplace_back(number_texts().table(fit.numbers, "Numbers"));
    out.emplace_back(group_shares().table(fit.numbers, "Determined by (groups that hold 80 % of what the rows say)"));
    out.emplace_back(budget_texts().table(fit.counts, "Budgets"));
  }
  out.emplace_back(group_text(fit));
  return out;
}

}  // namespace

Report steps_report(const FittedSteps& steps) {
  const planner::StepsFit& fit = steps.fit;
  Report report{.format = "trainplan.calibrate/1",
                .document = {},
                .key = "parameters",
                .table = parameter_fields().table(fit.numbers),
                .text = blocks(steps)};
  const std::vector<GroupErrorsRow> groups = group_rows(fit);
  report.document = {{"profile", steps_profile(steps)},
                     {"rows", static_cast<int64_t>(steps.problem->rows().size())},
                     {"residual_error", fit.after.rows > 0 ? fit.after.residual : fit.memory_after.residual},
                     {"holdout", holdout(groups)},
                     {"warnings", field_data(steps.warnings)},
                     {"parameters", {}},
                     {"groups", group_fields().list(groups)},
                     {"budgets", budget_fields().list(fit.counts)},
                     {"left_alone", left_alone(steps)}};
  return report;
}

std::string steps_fragments(const FittedSteps& steps) {
  std::string out;
  for (const auto& [file, node] : fragments(steps))
    out += fmt::format("{}# {} {}\n{}", out.empty() ? "" : "\n", planner::name(file.owner), file.name,
                       dsl::write_yaml(node));
  return out;
}

std::vector<std::pair<std::string, std::string>> steps_files(const FittedSteps& steps) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [file, node] : fragments(steps)) {
    const std::string folder = planner::vocabulary().folder_of(planner::name(file.owner));
    out.emplace_back(folder + "/" + file.name + ".yaml",
                     fmt::format("extends: {}\n{}", file.name, dsl::write_yaml(node)));
  }
  return out;
}

}  // namespace cli
