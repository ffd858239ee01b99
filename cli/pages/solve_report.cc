// The head of the page:
//
//     'mfu >= 0.45' holds for cluster.network[1].bandwidth from 12.345 GB/s up (25 GB/s in the scenario; 31 values
//     searched)
//
//     On both sides of it
//     value        holds  left side  step      MFU      run      cost
#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/candidate_rows.h"
#include "cli/pages/search_report.h"
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

std::string side_text(const dsl::Number& x) {
  Unit unit = Unit::number;
  if (x.dim == dsl::kTime) unit = x.value < dsl::kDay ? Unit::seconds : Unit::days;
  if (x.dim == dsl::kData) unit = Unit::memory;
  if (x.dim == dsl::kMoney) unit = Unit::usd;
  return figure(unit == Unit::days ? x.value / dsl::kDay : x.value, unit);
}

Data chosen(const Trial& t) {
  Data::Object out;
  if (t.best)
    for (size_t i = 0; i < t.best->choices.size(); ++i) out.push_back({t.choices[i], value_data(t.best->choices[i])});
  return out;
}

const char* holds_text(const Trial& t) {
  if (!t.best) return t.layouts ? "infeasible" : "no layout";
  return t.holds ? "yes" : "no";
}

/// A side of the condition; a page has it in the unit that suits it.
RowField<Trial> side_field(const char* name, std::optional<dsl::Number> Trial::*of, const char* heading, int rank) {
  const auto number = [=](const Trial& t) { return t.*of ? whole((t.*of)->value) : Data(); };
  const auto text = [=](const Trial& t) { return t.*of ? Data(side_text(*(t.*of))) : Data(); };
  return RowField<Trial>{name, number, Unit::text, heading, rank}.shown_as(text);
}

std::optional<planner::Results> results(const Trial& t) {
  return t.best ? std::optional(t.best->results) : std::nullopt;
}

RowFields<Trial> trial_fields() {
  return {{"value", whole_of(&Trial::value)},
          {"text", &Trial::text, Unit::text, "", 0, "value"},
          RowField<Trial>{"holds", &Trial::holds, Unit::text, ""}.shown_as(holds_text),
          side_field("left", &Trial::left, "left side", 1),
          side_field("right", &Trial::right, "right side", 4),
          {"layouts", &Trial::layouts},
          {"feasible", [](const Trial& t) { return t.best.has_value(); }},
          {"choices", chosen},
          figure_field<Trial>("step_seconds", results, "", 0, "step"),
          figure_field<Trial>("mfu", results, "", 2, "MFU"),
          figure_field<Trial>("days", results, "", 3, "run"),
          figure_field<Trial>("usd", results, "", 2, "cost")};
}

Data side(const Solved& solved, const std::optional<size_t>& at) {
  return at ? Data(trial_fields().object(solved.trials[*at])) : Data();
}

Data data(const SolvePath& path, const dsl::Expression& until, const Solved& solved) {
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
                      {"exceptions", list_of(solved.exceptions, [&](size_t i) { return solved.trials[i].text; })},
                      {"trials", trial_fields().list(solved.trials)}};
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

Table sides_table(const Solved& solved, const std::string& title, const std::vector<size_t>& rows) {
  std::vector<Trial> trials;
  for (const size_t i : rows) trials.push_back(solved.trials[i]);
  return trial_fields().page(title, trials);
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
