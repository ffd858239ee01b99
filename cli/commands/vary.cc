#include "cli/commands/vary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/args/words.h"
#include "cli/commands/open.h"
#include "cli/report/row_fields.h"
#include "dsl/units.h"
#include "planner/plan/goals.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

/// A word for a field; twice the failures are half the time between them.
struct VariedWord {
  const char *name, *path, *change;
  const char* value_path;  // the field that a figure with a unit sets
};
constexpr VariedWord kWords[] = {{"price", "cluster.price", "*=", "cluster.price"},
                                 {"tokens", "job.tokens", "*=", "job.tokens"},
                                 {"failures", "cluster.mtbf", "/=", "cluster.node_failures"}};
constexpr VariedWord kNodeFailures{"failures", "cluster.node_failures", "*=", "cluster.node_failures"};

/// nullopt: a name that is neither a word nor the path of a field.
std::optional<VariedWord> word_of(const std::string& name, const hw_profiles::Cluster& cluster) {
  if (name == kNodeFailures.name && cluster.node_failures) return kNodeFailures;
  for (const VariedWord& word : kWords)
    if (name == word.name) return word;
  if (name.find('.') == std::string::npos) return std::nullopt;
  return VariedWord{name.c_str(), name.c_str(), "*=", name.c_str()};
}

constexpr double kMostFactor = 1000;  // what is more was meant as the value

/// "2 %/week", "1.5 USD/h": a figure with its unit.
bool has_unit(const std::string& text) {
  const dsl::Scanned read = dsl::scan_number(text);
  return !text.empty() && read.length == text.size() && read.problem.empty();
}

/// A plain number, or "80 %".
std::optional<double> factor_in(const std::string& text) {
  const dsl::Scanned read = dsl::scan_number(text);
  const bool is_share = has_unit(text) && read.number.dim == dsl::kNone;
  return is_share ? std::optional(read.number.value) : number_in<double>(text);
}

/// Returns "cluster.price*=0.8" of "price=0.8", "cluster.price=1.5 USD/h" of "price=1.5 USD/h", or "" for text that is
/// not a change (diagnosed).
std::string set_of(const std::string& change, const hw_profiles::Cluster& cluster, dsl::Diagnostics& diagnostics) {
  const size_t equals = change.find('=');
  const std::string name = change.substr(0, equals), by = equals < change.size() ? change.substr(equals + 1) : "";
  const std::optional<double> factor = factor_in(by);
  if (factor ? *factor <= 0 || *factor > kMostFactor : !has_unit(by)) {
    diagnostics.error({}, fmt::format("--vary: '{}' is not a change", change),
                      "write a name and a factor up to 1000, or a figure with its unit: price=0.8,failures=2%/week; "
                      "--set job.tokens=... gives a number");
    return "";
  }
  if (const std::optional<VariedWord> word = word_of(name, cluster))
    return factor ? fmt::format("{}{}{}", word->path, word->change, by) : fmt::format("{}={}", word->value_path, by);
  diagnostics.error({}, fmt::format("--vary: '{}' does not name a field", name),
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
                                     const hw_profiles::Cluster& cluster, const ScenarioFlags& flags,
                                     Session& session) {
  if (changes.empty()) return {};
  std::vector<VariedPlan> rows{row_of("none", plan)};
  std::vector<std::string> all;
  for (const std::string& change : changes) all.push_back(set_of(change, cluster, session.diagnostics));
  if (session.diagnostics.has_errors()) return {};
  const auto add = [&](std::string change, const std::vector<std::string>& sets) {
    if (const auto varied = plan_with(sets, flags, session)) rows.push_back(row_of(std::move(change), *varied));
  };
  for (size_t i = 0; i < all.size(); ++i) add(changes[i], {all[i]});
  if (all.size() > 1 && !session.diagnostics.has_errors()) add("all of them", all);
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
