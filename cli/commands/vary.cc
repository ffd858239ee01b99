#include "cli/commands/vary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/args/words.h"
#include "cli/commands/open.h"
#include "cli/report/row_fields.h"
#include "planner/plan/goals.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

/// A word for a field; twice the failures are half the time between them.
struct VariedWord {
  const char *name, *path, *change;
};
constexpr VariedWord kWords[] = {
    {"price", "cluster.price", "*="}, {"tokens", "job.tokens", "*="}, {"failures", "cluster.mtbf", "/="}};

/// Returns "cluster.price*=0.8" of "price=0.8", or "" for text that is not a change (diagnosed).
std::string set_of(const std::string& change, dsl::Diagnostics& diagnostics) {
  const size_t equals = change.find('=');
  const std::string name = change.substr(0, equals), factor = equals < change.size() ? change.substr(equals + 1) : "";
  const std::optional<double> number = number_in<double>(factor);
  if (!number || *number <= 0) {
    diagnostics.error({}, fmt::format("--vary: '{}' is no change", change),
                      "write a name and a factor above 0: price=0.8,tokens=1.2; --set takes values");
    return "";
  }
  for (const VariedWord& word : kWords)
    if (name == word.name) return fmt::format("{}{}{}", word.path, word.change, factor);
  if (name.find('.') != std::string::npos) return fmt::format("{}*={}", name, factor);
  diagnostics.error({}, fmt::format("--vary: '{}' is no name of a field", name),
                    "price, tokens, failures, or a whole path: cluster.gpu.memory_bandwidth=2");
  return "";
}

VariedPlan row_of(std::string change, const planner::Plan& plan) {
  VariedPlan row{.change = std::move(change)};
  if (plan.step) row.step_seconds = plan.step->seconds, row.days = plan.cost->days, row.usd = plan.cost->usd;
  for (const planner::Violation& v : plan.violations) row.missed += (row.missed.empty() ? "" : ", ") + v.rule;
  return row;
}

/// nullopt: the scenario cannot be read with the changes (diagnosed).
std::optional<planner::Plan> plan_with(const std::vector<std::string>& sets, ScenarioFlags flags, Session& session) {
  flags.set.insert(flags.set.end(), sets.begin(), sets.end());
  std::vector<dsl::Override> overrides = set_overrides(flags);
  const auto loaded =
      planner::read_scenario(session.sources.front(), overrides, session.catalog, session.sources, session.diagnostics,
                             {.pick_first = flags.pick == "first", .chosen = flags.chosen});
  return loaded ? std::optional(planner::plan_with_goals(*loaded)) : std::nullopt;
}

}  // namespace

std::vector<VariedPlan> varied_plans(const std::vector<std::string>& changes, const planner::Plan& plan,
                                     const ScenarioFlags& flags, Session& session) {
  if (changes.empty()) return {};
  std::vector<VariedPlan> rows{row_of("none", plan)};
  std::vector<std::string> all;
  for (const std::string& change : changes) all.push_back(set_of(change, session.diagnostics));
  if (session.diagnostics.has_errors()) return {};
  const auto add = [&](std::string change, const std::vector<std::string>& sets) {
    if (const auto varied = plan_with(sets, flags, session)) rows.push_back(row_of(std::move(change), *varied));
  };
  for (size_t i = 0; i < all.size(); ++i) add(changes[i], {all[i]});
  if (all.size() > 1) add("all of them", all);
  return session.diagnostics.has_errors() ? std::vector<VariedPlan>{} : rows;
}

void add_varied(const std::vector<VariedPlan>& rows, Report& report) {
  if (rows.empty()) return;
  const auto over = [&](std::optional<double> VariedPlan::*of) {
    return [of, base = rows.front().*of](const VariedPlan& row) -> std::optional<double> {
      return base && row.*of ? std::optional(*(row.*of) - *base) : std::nullopt;
    };
  };
  const RowFields<VariedPlan> fields{{"change", &VariedPlan::change, Unit::text, ""},
                                     {"step_seconds", &VariedPlan::step_seconds, Unit::seconds, "step"},
                                     {"days", &VariedPlan::days, Unit::days, "run"},
                                     {"days_more", over(&VariedPlan::days), Unit::days, "more"},
                                     {"usd", &VariedPlan::usd, Unit::usd, "cost"},
                                     {"usd_more", over(&VariedPlan::usd), Unit::usd, "more cost"},
                                     {"missed", &VariedPlan::missed, Unit::text, "misses"}};
  report.text.emplace_back(fields.page("What if", rows));
  add_member(report, "varied", fields.list(rows));
}

}  // namespace cli
