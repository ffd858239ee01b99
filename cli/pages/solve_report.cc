// The head of the page:
//
//     'mfu >= 0.45' holds for cluster.network[1].bandwidth from 12.345 GB/s up (25 GB/s in the scenario; 31 values
//     searched)
//
//     On both sides of it
//     value        holds  left side  step      MFU      run      cost
#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/search_report.h"
#include "cli/report/figure.h"
#include "dsl/unit_sizes.h"

namespace cli {
namespace {

using planner::Solved;
using planner::Trial;

const char* outcome(const Solved& solved) {
  if (solved.holds) return "found";
  return solved.at_start ? "always" : "never";
}

// ---- JSON

template <class Value> Data from_best(const Trial& trial, Value value) {
  return trial.best ? Data(value(*trial.best)) : Data();
}

Data number(const std::optional<dsl::Number>& x) { return x ? whole(x->value) : Data(); }

Data trial_data(const Trial& t) {
  Data::Object chosen;
  if (t.best)
    for (size_t i = 0; i < t.best->choices.size(); ++i)
      chosen.push_back({t.choices[i], value_data(t.best->choices[i])});
  return Data::Object{{"value", whole(t.value)},
                      {"text", t.text},
                      {"holds", t.holds},
                      {"left", number(t.left)},
                      {"right", number(t.right)},
                      {"layouts", t.layouts},
                      {"feasible", t.best.has_value()},
                      {"choices", std::move(chosen)},
                      {"step_seconds", from_best(t, [](const planner::Found& f) { return f.results.step.seconds; })},
                      {"mfu", from_best(t, [](const planner::Found& f) { return f.results.mfu; })},
                      {"days", from_best(t, [](const planner::Found& f) { return f.results.days; })},
                      {"usd", from_best(t, [](const planner::Found& f) { return f.results.usd; })}};
}

Data side(const Solved& solved, const std::optional<size_t>& at) {
  return at ? trial_data(solved.trials[*at]) : Data();
}

Data data(const SolvePath& path, const dsl::Expression& until, const Solved& solved) {
  Data::List trials, exceptions;
  for (const Trial& t : solved.trials) trials.push_back(trial_data(t));
  for (size_t i : solved.exceptions) exceptions.push_back(solved.trials[i].text);
  const Trial* found = solved.holds ? &solved.trials[*solved.holds] : nullptr;
  return Data::Object{{"field", path.path},
                      {"until", until.text},
                      {"outcome", outcome(solved)},
                      {"value", found ? whole(found->value) : Data()},
                      {"text", found ? Data(found->text) : Data()},
                      {"start", whole(path.range.start)},
                      {"holds", side(solved, solved.holds)},
                      {"fails", side(solved, solved.fails)},
                      {"evaluations", static_cast<int64_t>(solved.trials.size())},
                      {"exceptions", std::move(exceptions)},
                      {"trials", std::move(trials)}};
}

// ---- the page

std::string start_text(const SolvePath& path) {
  const dsl::Dim dim = path.field->type == dsl::Type::quantity ? path.field->dim : dsl::kNone;
  return dsl::to_text({dsl::Number{path.range.start, dim}});
}

std::string solve_headline(const SolvePath& path, const dsl::Expression& until, const Solved& solved) {
  const std::string tried =
      fmt::format("({} in the scenario; {} values searched)", start_text(path), solved.trials.size());
  const auto& all = solved.trials;
  if (!solved.holds)
    return fmt::format("'{}' {} from {} {} to {} {}", until.text,
                       solved.at_start ? "holds at every value that was tried," : "holds at no value that was tried,",
                       path.path, all.front().text, all.back().text, tried);
  const bool up = *solved.holds > *solved.fails;
  return fmt::format("'{}' holds for {} {} and {} {}", until.text, path.path, all[*solved.holds].text,
                     up ? "above" : "below", tried);
}

/// A side of the condition in the unit that suits it.
Data side_text(const std::optional<dsl::Number>& x) {
  if (!x) return {};
  Unit unit = Unit::number;
  if (x->dim == dsl::kTime) unit = x->value < dsl::kDay ? Unit::seconds : Unit::days;
  if (x->dim == dsl::kData) unit = Unit::memory;
  if (x->dim == dsl::kMoney) unit = Unit::usd;
  return figure(Data(unit == Unit::days ? x->value / dsl::kDay : x->value), unit);
}

Table sides_table(const Solved& solved, const std::string& title, const std::vector<size_t>& rows) {
  Table table{.title = title,
              .columns = {{.name = "value"},
                          {.name = "holds"},
                          {.name = "left", .rank = 1, .heading = "left side"},
                          {.name = "right", .rank = 4, .heading = "right side"},
                          {.name = "step", .unit = Unit::seconds},
                          {.name = "MFU", .unit = Unit::fraction, .rank = 2},
                          {.name = "run", .unit = Unit::days, .rank = 3},
                          {.name = "cost", .unit = Unit::usd, .rank = 2}}};
  for (size_t i : rows) {
    const Trial& t = solved.trials[i];
    std::vector<Data> cells{t.text, t.holds ? "yes" : "no", side_text(t.left), side_text(t.right), {}, {}, {}, {}};
    if (t.best) {
      const planner::Results& r = t.best->results;
      cells = {t.text, t.holds ? "yes" : "no", side_text(t.left), side_text(t.right), r.step.seconds, r.mfu, r.days,
               r.usd};
    } else {
      cells[1] = t.layouts ? "infeasible" : "no layout";
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// The smallest and the largest value at which anything was feasible: what the condition tends to.
std::vector<size_t> ends(const Solved& solved) {
  std::vector<size_t> out;
  for (size_t i = 0; i < solved.trials.size(); ++i) {
    if (!solved.trials[i].best) continue;
    if (out.size() < 2) out.push_back(i);
    else out.back() = i;
  }
  return out;
}

}  // namespace

void add_solved(const SolvePath& path, const dsl::Expression& until, const Solved& solved, Report& report) {
  report.document.push_back({"solve", data(path, until, solved)});
  std::vector<Block> head{solve_headline(path, until, solved)};
  if (solved.holds)
    head.emplace_back(sides_table(solved, "On both sides of it",
                                  {std::min(*solved.holds, *solved.fails), std::max(*solved.holds, *solved.fails)}));
  else if (const std::vector<size_t> rows = ends(solved); !rows.empty())
    head.emplace_back(sides_table(solved, "What it comes to at the ends", rows));
  else head.emplace_back("nothing is feasible at any of them");
  report.text.insert(report.text.begin(), head.begin(), head.end());
}

}  // namespace cli
