// The page of a search:
//
//     gpt3-175b on 512 x a100-sxm-80gb: 11,520 candidates, 2,304 costed, 1,210 feasible
//
//     #  tp  pp  microbatch  step       MFU      run      cost       ...  tied with
//     1  8   8   1           12.34 s    ...
//     all have zero 1
//
//     Rejected
//     rule          candidates  ...
#include "cli/pages/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/pages/candidate_rows.h"
#include "cli/pages/lengths_report.h"
#include "dsl/unit_sizes.h"
#include "planner/search/goal.h"

namespace cli {
namespace {

using planner::Found;
using planner::SearchResult;

// ---- JSON and rows

std::vector<Data> row_cells(size_t rank, const std::vector<std::string>& names, const Found& found) {
  Cells cells;
  use_plan(rank, names, found, cells);
  return std::move(cells.cells);
}

Table rows_table(const std::vector<std::string>& names, const std::vector<Found>& rows) {
  Headings headings;
  use_plan(0, {}, {}, headings);
  Table table{.columns = std::move(headings.columns)};
  for (size_t i = 0; i < rows.size(); ++i) table.rows.push_back(row_cells(i + 1, names, rows[i]));
  return table;
}

Data::List objects(const Table& table) {
  Data::List list;
  for (size_t i = 0; i < table.rows.size(); ++i) list.push_back(row_object(table, i));
  return list;
}

Data space(const SearchHead& head, const SearchResult& r) {
  Data::List opened;
  for (const std::string& path : head.opened) opened.emplace_back(path);
  Data::Object rejected;
  for (const auto& [rule, count] : r.rejected) rejected.push_back({rule, count});
  return Data::Object{{"candidates", r.candidates},
                      {"evaluated", r.evaluated},
                      {"feasible", r.feasible},
                      {"rejected", std::move(rejected)},
                      {"opened", std::move(opened)}};
}

// ---- the page

std::vector<size_t> differing(size_t choices, const std::vector<Found>& rows) {
  std::vector<const Found*> plans;
  for (const Found& f : rows) plans.push_back(&f);
  return cli::differing(choices, plans);
}

/// "all have zero 1, sequence_parallel true": the choices that no row makes differently.
std::string common(const std::vector<std::string>& names, const std::vector<Found>& rows) {
  const std::vector<size_t> differ = differing(names.size(), rows);
  std::string line;
  for (size_t i = 0; i < names.size(); ++i)
    if (std::find(differ.begin(), differ.end(), i) == differ.end())
      line += fmt::format("{}{} {}", line.empty() ? "all have " : ", ", last_name(names[i]),
                          dsl::to_text(rows.front().choices[i]));
  return line;
}

/// What matters of the results, with the order in which a narrow page drops it.
struct PageColumn {
  const char *name, *of;  // the second as rows and JSON have it
  Unit unit;
  int rank;
  Data (*cell)(const Found&);
};
constexpr std::array kPageColumns{
    PageColumn{"gpus", "gpus", Unit::count, 5, [](const Found& f) { return Data(f.results.gpus); }},
    PageColumn{"dp", "parallelism.dp", Unit::count, 6, [](const Found& f) { return Data(f.parallelism.dp); }},
    PageColumn{"step", "step_seconds", Unit::seconds, 0, [](const Found& f) { return Data(f.results.step.seconds); }},
    PageColumn{"low", "low_seconds", Unit::seconds, 8, [](const Found& f) { return Data(f.results.step.low_seconds); }},
    PageColumn{"high", "high_seconds", Unit::seconds, 8,
               [](const Found& f) { return Data(f.results.step.high_seconds); }},
    PageColumn{"bubble", "bubble", Unit::seconds, 10, [](const Found& f) { return Data(f.results.bubble); }},
    PageColumn{"MFU", "mfu", Unit::fraction, 2, [](const Found& f) { return Data(f.results.mfu); }},
    PageColumn{"memory", "peak_bytes", Unit::memory, 4, [](const Found& f) { return Data(f.results.peak_bytes); }},
    PageColumn{"run", "days", Unit::days, 3, [](const Found& f) { return Data(f.results.days); }},
    PageColumn{"cost", "usd", Unit::usd, 1, [](const Found& f) { return Data(f.results.usd); }},
};

/// The choices that differ a column each, then the results.
Table page_table(const std::string& title, const std::vector<std::string>& names, const std::vector<Found>& rows) {
  Table t{.title = title, .columns = {{.name = "rank", .unit = Unit::count, .heading = "#"}}};
  const std::vector<size_t> differ = differing(names.size(), rows);
  const bool tied = std::any_of(rows.begin(), rows.end(), [](const Found& f) { return !f.tied_with.empty(); });
  for (size_t i : differ)
    t.columns.push_back({.name = names[i], .heading = last_name(names[i]), .of = names[i]});
  for (const PageColumn& c : kPageColumns)
    t.columns.push_back({.name = c.name, .unit = c.unit, .rank = c.rank, .of = c.of});
  if (tied) t.columns.push_back({.name = "tied_with", .rank = 7, .heading = "tied with"});
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<Data> cells{static_cast<int64_t>(i + 1)};
    for (size_t choice : differ) cells.push_back(value_data(rows[i].choices[choice]));
    for (const PageColumn& c : kPageColumns) cells.push_back(c.cell(rows[i]));
    if (tied) cells.push_back(ranks_data(rows[i].tied_with));
    t.rows.push_back(std::move(cells));
  }
  return t;
}

void add_rows(std::vector<Block>& blocks, const char* title, const std::vector<std::string>& names,
              const std::vector<Found>& rows) {
  if (rows.empty()) return;
  blocks.emplace_back(page_table(title, names, rows));
  if (const std::string line = common(names, rows); !line.empty()) blocks.emplace_back(line);
}

std::string search_headline(const std::string& title, const SearchResult& r) {
  return fmt::format("{}: {} candidates, {} costed, {} feasible", title, figure(Data(r.candidates), Unit::count),
                     figure(Data(r.evaluated), Unit::count), figure(Data(r.feasible), Unit::count));
}

bool is_open(const planner::OpenScenario& open, std::string_view path) {
  const auto& items = open.space.items();
  return std::any_of(items.begin(), items.end(), [&](const dsl::OpenItem& item) { return item.path == path; });
}

std::string goal_line(const planner::OpenScenario& open) {
  const planner::Goal& goal = open.sample.goal;
  std::string line = goal.maximize   ? "goal: largest " + goal.maximize->text
                     : goal.minimize ? "goal: smallest " + goal.minimize->text
                                     : "goal: smallest step (the scenario names none)";
  if (is_open(open, "goal.deadline")) line += ", within an open deadline";
  else if (goal.deadline) line += ", within " + figure(Data(goal.deadline->value / dsl::kDay), Unit::days);
  if (is_open(open, "goal.budget")) line += ", within an open budget";
  else if (goal.budget) line += ", for at most " + figure(Data(goal.budget->value), Unit::usd);
  return line;
}

Table rejected_table(const SearchResult& r) {
  Table t{.title = "Rejected", .columns = {{.name = "rule"}, {.name = "candidates", .unit = Unit::count}}};
  for (const auto& [rule, count] : r.rejected) t.rows.push_back({rule, count});
  std::stable_sort(t.rows.begin(), t.rows.end(),
                   [](const auto& a, const auto& b) { return a[1].number() > b[1].number(); });
  return t;
}

std::string opened_line(const std::vector<std::string>& paths) {
  std::string line;
  for (const std::string& path : paths)
    if (path.starts_with("parallelism.")) line += (line.empty() ? "" : ", ") + last_name(path);
  return "left to the search, as nothing is written for them: " + line + " (trainplan show layout-policy)";
}

std::vector<Block> page(const SearchHead& head, const SearchResult& r) {
  std::vector<Block> blocks{search_headline(head.title, r), head.goal};
  if (!head.lengths.shares.empty()) blocks.emplace_back("lengths: " + lengths_line(head.lengths));
  if (!head.opened.empty()) blocks.emplace_back(opened_line(head.opened));
  if (r.feasible == 0) blocks.emplace_back("nothing is feasible");
  else if (r.fewest_gpus != r.most_gpus)
    blocks.emplace_back(fmt::format("feasible from {} to {} GPUs", r.fewest_gpus, r.most_gpus));
  add_rows(blocks, "Best plans", head.choices, r.plans);
  add_rows(blocks, "Pareto front", head.choices, r.pareto);
  if (!r.rejected.empty()) blocks.emplace_back(rejected_table(r));
  return blocks;
}

}  // namespace

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::vector<size_t> differing(size_t choices, const std::vector<const Found*>& plans) {
  std::vector<size_t> out;
  for (size_t i = 0; i < choices; ++i)
    if (std::any_of(plans.begin(), plans.end(),
                    [&](const Found* f) { return f->choices[i] != plans.front()->choices[i]; }))
      out.push_back(i);
  return out;
}

std::string short_layout(const planner::Degrees& degrees) {
  std::string out;
  for (const planner::Meets meets : {planner::Meets::in_blocks, planner::Meets::beside_blocks})
    for (const planner::Degree& degree : planner::degrees())
      if (const int64_t ranks = degrees.*degree.value; ranks > 1 && degree.meets == meets)
        out += fmt::format("{}{}{}", out.empty() ? "" : " ", degree.name, ranks);
  return out;
}

Data parallelism_data(const planner::Parallelism& p) {
  Data::Object out;
  out.reserve(16);
  each_member(p, [&](const char* name, const Cell& value) { out.push_back({name, data_of(value)}); });
  return out;
}

Data value_data(const dsl::Value& value) {
  Data data;
  with_cell(value, [&](const Cell& cell) { data = data_of(cell); });
  return data;
}

SearchHead search_head(const planner::OpenScenario& open, std::vector<std::string> opened) {
  const planner::Scenario& s = open.sample;
  return {.title = fmt::format("{} on {}", s.model.name.empty() ? "a model" : s.model.name,
                               s.cluster.gpu.name.empty() ? "GPUs" : s.cluster.gpu.name),
          .goal = goal_line(open),
          .timed = planner::GoalCheck(open, true).timed(),
          .choices = planner::choice_names(open.space),
          .lengths = s.lengths,
          .opened = std::move(opened)};
}

Report search_report(const SearchHead& head, const planner::SearchOptions& options, const SearchResult& result) {
  const std::vector<std::string>& names = head.choices;
  Report report{.format = "trainplan.search/1",
                .document = {{"space", space(head, result)}, {"plans", Data::List{}}},
                .key = "plans",
                .table = rows_table(names, result.plans),
                .text = page(head, result)};
  if (!options.pareto.empty()) report.document.push_back({"pareto", objects(rows_table(names, result.pareto))});
  add_lengths(head.lengths, report.document);
  return report;
}

}  // namespace cli
