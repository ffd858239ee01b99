#include "cli/pages/calibrate_steps_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cli {
namespace {

using operator_models::Errors;
using planner::FittedNumber;
using planner::GroupResult;

constexpr size_t kMostNamed = 4;  // groups behind a number, in text

/// "a, b and 3 more".
std::string joined(const std::vector<std::string>& groups, size_t most) {
  std::string out;
  for (size_t i = 0; i < groups.size() && i < most; ++i)
    out += (i ? ", " : "") + (groups[i].empty() ? "(no group)" : groups[i]);
  if (groups.size() > most) out += fmt::format(" and {} more", groups.size() - most);
  return out;
}

/// The rows of csv, and of JSON's "parameters".
Table parameter_rows(const planner::StepsFit& fit) {
  Table t{.columns = {{.name = "owner"},
                      {.name = "name"},
                      {.name = "path"},
                      {.name = "shipped", .unit = Unit::number},
                      {.name = "fitted", .unit = Unit::number},
                      {.name = "standard_error", .unit = Unit::number},
                      {.name = "moved"},
                      {.name = "rows", .unit = Unit::count},
                      {.name = "groups"}}};
  for (const FittedNumber& n : fit.numbers) {
    Data::List groups(n.groups.begin(), n.groups.end());
    t.rows.push_back({planner::name(n.owner), n.owner_name, n.path, n.shipped, n.fitted,
                      n.at_bound ? Data() : Data(n.error), n.moved, n.rows, std::move(groups)});
  }
  return t;
}

Table parameter_text(const planner::StepsFit& fit) {
  Table t{.title = "Numbers",
          .columns = {{.name = "of"},
                      {.name = "number"},
                      {.name = "shipped"},
                      {.name = "fitted"},
                      {.name = "error"},
                      {.name = "moved", .rank = 1}}};
  for (const FittedNumber& n : fit.numbers)
    t.rows.push_back({n.owner_name, below_owner(n.path, n.owner), number_text(n.shipped, n.dim),
                      number_text(n.fitted, n.dim), error_text(n), n.moved ? "yes" : "no"});
  return t;
}

/// Which rows determined them.
Table group_share_text(const planner::StepsFit& fit) {
  Table t{.title = "Determined by (groups that hold 80 % of what the rows say)",
          .columns = {{.name = "of"}, {.name = "number"}, {.name = "rows", .unit = Unit::count}, {.name = "groups"}}};
  for (const FittedNumber& n : fit.numbers)
    t.rows.push_back({n.owner_name, below_owner(n.path, n.owner), n.rows, joined(n.groups, kMostNamed)});
  return t;
}

std::string group_name(const GroupResult& g) {
  return (g.group.empty() ? "(no group)" : g.group) + (g.memory ? " (memory)" : "");
}

Table group_text(const planner::StepsFit& fit) {
  Table t{.title = "Geomean errors",
          .columns = {{.name = "group"},
                      {.name = "rows", .unit = Unit::count},
                      {.name = "shipped", .unit = Unit::fraction},
                      {.name = "fitted", .unit = Unit::fraction},
                      {.name = "left out", .unit = Unit::fraction}}};
  auto add = [&](const std::string& name, const Errors& before, const Errors& after, const Errors& left_out) {
    if (before.rows > 0) t.rows.push_back({name, before.rows, before.geomean, after.geomean, left_out.geomean});
  };
  for (const GroupResult& g : fit.groups) add(group_name(g), g.before, g.after, g.left_out);
  add("all times", fit.before, fit.after, fit.left_out);
  add("all memory", fit.memory_before, fit.memory_after, fit.memory_left_out);
  return t;
}

Table count_text(const planner::StepsFit& fit) {
  Table t{
      .title = "Budgets",
      .columns = {{.name = "of"}, {.name = "numbers", .unit = Unit::count}, {.name = "at most", .unit = Unit::count}}};
  for (const planner::OwnerCount& c : fit.counts)
    t.rows.push_back({fmt::format("{} {}", planner::name(c.owner), c.name), c.count, planner::budget(c.owner)});
  return t;
}

Data::List left_alone(const FittedSteps& steps) {
  Data::List out;
  for (const planner::LeftAlone& l : steps.fit.choice.left_alone) {
    const planner::Instance& i = steps.problem->instances()[l.instance];
    out.push_back(Data::Object{{"owner", planner::name(i.parameter->owner)},
                               {"name", i.owner},
                               {"path", i.path},
                               {"reason", planner::text_of(l.reason)}});
  }
  return out;
}

std::string left_alone_text(const planner::StepsFit& fit) {
  std::map<planner::Reason, int> counts;
  for (const planner::LeftAlone& l : fit.choice.left_alone) ++counts[l.reason];
  std::string out;
  for (const auto& [reason, count] : counts)
    out += fmt::format("{}{}: {}", out.empty() ? "left as shipped - " : "; ", count, planner::text_of(reason));
  return out;
}

Data::List group_members(const planner::StepsFit& fit) {
  Data::List out;
  for (const GroupResult& g : fit.groups)
    out.push_back(Data::Object{{"group", group_name(g)},
                               {"rows", g.before.rows},
                               {"shipped_error", g.before.geomean},
                               {"fitted_error", g.after.geomean},
                               {"left_out_error", g.left_out.geomean}});
  return out;
}

Data::List holdout(const planner::StepsFit& fit) {
  Data::List out;
  for (const GroupResult& g : fit.groups)
    out.push_back(Data::Object{{"left_out", group_name(g)}, {"geomean_error", g.left_out.geomean}});
  return out;
}

Data::List budgets(const planner::StepsFit& fit) {
  Data::List out;
  for (const planner::OwnerCount& c : fit.counts)
    out.push_back(Data::Object{
        {"owner", planner::name(c.owner)}, {"name", c.name}, {"numbers", c.count}, {"most", planner::budget(c.owner)}});
  return out;
}

std::vector<Block> blocks(const FittedSteps& steps) {
  const planner::StepsFit& fit = steps.fit;
  std::vector<Block> out{fmt::format("{} numbers fitted to {} rows of {}; +-: one standard error", fit.numbers.size(),
                                     steps.problem->rows().size(), steps.files)};
  if (!fit.choice.left_alone.empty()) out.emplace_back(left_alone_text(fit));
  if (!fit.numbers.empty()) {
    out.emplace_back(parameter_text(fit));
    out.emplace_back(group_share_text(fit));
    out.emplace_back(count_text(fit));
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
                .table = parameter_rows(fit),
                .text = blocks(steps)};
  Data::List parameters, warnings;
  for (size_t i = 0; i < report.table.rows.size(); ++i) parameters.push_back(row_object(report.table, i));
  for (const std::string& warning : steps.warnings) warnings.push_back(warning);
  report.document = {{"profile", steps_profile(steps)},
                     {"rows", static_cast<int64_t>(steps.problem->rows().size())},
                     {"residual_error", fit.after.rows > 0 ? fit.after.residual : fit.memory_after.residual},
                     {"holdout", holdout(fit)},
                     {"warnings", std::move(warnings)},
                     {"parameters", std::move(parameters)},
                     {"groups", group_members(fit)},
                     {"budgets", budgets(fit)},
                     {"left_alone", left_alone(steps)}};
  return report;
}

}  // namespace cli
