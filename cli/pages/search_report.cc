// The page of a search:
//
//     gpt3-175b on a100-sxm-80gb: 38.69 d, 855.7 kUSD with 512 GPUs, tp8 pp16 dp4
//
//     11,520 candidates, 2,304 costed, 1,210 feasible
//
//     #    tp  pp  order                   step       MFU      run      cost       ...  tied with
//     run  4   8   tp-cp-ep-dp-pp          13.02 s    ...
//     1-2  8   8   tp-cp-ep-dp-pp, tp-...  12.34 s    ...
//     all have zero 1
//
//     Rejected
//     rule          candidates  ...
#include "cli/pages/search_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/candidate_rows.h"
#include "cli/pages/plan_basis.h"
#include "cli/pages/run_figures.h"
#include "dsl/unit_sizes.h"
#include "planner/plan/missing_price.h"
#include "planner/search/goal.h"

namespace cli {
namespace {

using planner::Found;
using planner::SearchResult;

// ---- JSON and rows

/// `rank`: of the first row.
Table rows_table(const std::vector<std::string>& names, const std::vector<Found>& rows, size_t rank = 1) {
  Headings headings;
  use_plan(0, {}, {}, headings);
  Table table{.columns = std::move(headings.columns)};
  for (const Found& found : rows) {
    Cells cells;
    use_plan(rank++, names, found, cells);
    table.rows.push_back(std::move(cells.cells));
  }
  return table;
}

/// Of a result, or of the part of an entry.
template <class Counted> Data::Object counts_of(const Counted& counted) {
  return {{"candidates", counted.candidates},
          {"evaluated", counted.evaluated},
          {"feasible", counted.feasible},
          {"uncertain", counted.uncertain},
          {"rejected", members_of(counted.rejected)}};
}

Data space(const SearchHead& head, const SearchResult& r) {
  Data::Object out = counts_of(r);
  out.push_back({"opened", Data::List(head.opened.begin(), head.opened.end())});
  if (head.parts.empty()) return out;
  const auto entry = [](const EntryPart& part) { return joined({{"entries", part.entries}}, counts_of(part)); };
  out.push_back({"entries", list_of(head.parts, entry)});
  return out;
}

// ---- plans that are alike

AlikePlans united(const std::vector<Found>& rows, size_t first, size_t count) {
  AlikePlans plans{first, count, {}};
  plans.choices.resize(rows[first].choices.size());
  for (size_t row = first; row < first + count; ++row)
    for (size_t i = 0; i < plans.choices.size(); ++i) {
      std::vector<dsl::Value>& seen = plans.choices[i];
      const dsl::Value& value = rows[row].choices[i];
      if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
    }
  return plans;
}

/// Candidates of a search differ from each other: as many as there are combinations are all of them.
bool has_every_combination(const AlikePlans& plans) {
  size_t combinations = 1;
  for (const auto& values : plans.choices) combinations *= values.size();
  return combinations == plans.count;
}

// ---- the page

/// "all have zero 1, sequence_parallel true": the choices that no row makes differently.
std::string common(const std::vector<std::string>& names, const std::vector<Found>& rows) {
  const std::vector<size_t> differ = differing(names.size(), rows);
  std::string line;
  for (size_t i = 0; i < names.size(); ++i)
    if (std::find(differ.begin(), differ.end(), i) == differ.end() && !rows.front().choices[i].is_null())
      line += fmt::format("{}{} {}", line.empty() ? "all have " : ", ", last_name(names[i]),
                          dsl::to_text(rows.front().choices[i]));
  return line;
}

constexpr size_t kWidestValues = 20;  // characters
/// What a page shows of a plan, with the order in which a narrow page drops it: GPUs, replicas, and the figures that
/// have a heading.
const std::vector<RowField<Found>>& page_figures() {
  static const std::vector<RowField<Found>> figures = [] {
    std::vector<RowField<Found>> all{
        {"gpus", [](const Found& f) { return f.results.gpus; }, Unit::count, "", 5},
        {"parallelism.dp", [](const Found& f) { return f.parallelism.dp; }, Unit::count, "", 6, "dp"}};
    for (const planner::ResultRow& row : planner::column_figures())
      if (row.about.heading)
        all.push_back({row.about.column, [&row](const Found& f) { return data_of(figure_cell(row, f.results)); },
                       row.about.unit, "", row.about.rank, row.about.heading});
    return all;
  }();
  return figures;
}

/// Equal in every figure that a page may show.
bool shown_alike(const Found& a, const Found& b) {
  return std::ranges::all_of(page_figures(), [&](const RowField<Found>& f) {
    return figure(f.value(a), f.unit) == figure(f.value(b), f.unit);
  });
}

/// "run", 1, "2-5".
Data ranks_of(const AlikePlans& plans, const SearchHead& head) {
  if (head.run && plans.first == 0) return "run";
  const size_t rank = plans.first + (head.run ? 0 : 1);
  return plans.count == 1 ? Data(static_cast<int64_t>(rank)) : Data(fmt::format("{}-{}", rank, rank + plans.count - 1));
}

/// A value, or the values that make no difference: "none, selective"; "any of 5" where they would fill the page.
Data values_data(const std::vector<dsl::Value>& values) {
  if (values.size() == 1) return value_data(values.front());
  const std::string text = text_list(values, value_text);
  return text.size() <= kWidestValues ? text : fmt::format("any of {}", values.size());
}

/// Whether the goal is about a figure: no page leaves it out.
bool is_asked(const planner::Goal& goal, const std::string& column) {
  const auto& aim = goal.minimize ? goal.minimize : goal.maximize;
  return (aim && aim->text.find(column) != std::string::npos) || (goal.deadline && column == "days") ||
         (goal.budget && column == "usd");
}

/// The choices that differ a column each, then the results.
Table page_table(const std::string& title, const SearchHead& head, const std::vector<Found>& rows) {
  const std::vector<size_t> differ = differing(head.choices.size(), rows);
  RowFields<AlikePlans> fields{{"rank", [&](auto& plans) { return ranks_of(plans, head); }, Unit::count, "#"}};
  for (const size_t i : differ)
    fields.add({head.choices[i].c_str(), [i](auto& plans) { return values_data(plans.choices[i]); }, Unit::text,
                last_name(head.choices[i])});
  std::vector<std::string> of(1 + differ.size());  // as rows and JSON have it
  for (const RowField<Found>& f : page_figures()) {
    const auto is_choice = [&](size_t i) { return last_name(head.choices[i]) == f.page_name; };
    if (std::ranges::any_of(differ, is_choice)) continue;  // the page has it already
    fields.add({f.page_name, [&, value = f.value](auto& plans) { return value(rows[plans.first]); }, f.unit, "",
                is_asked(head.limits, f.name) ? 0 : f.rank});
    of.push_back(f.name);
  }
  const auto tied = [](const Found& f) { return f.tied > 0 ? std::optional(f.tied) : std::nullopt; };
  if (std::ranges::any_of(rows, [](const Found& f) { return f.tied > 0; }))
    fields.add({"tied", [&](auto& plans) { return tied(rows[plans.first]); }, Unit::count, "", 7});
  // The run is a row of its own, whatever it is equal to.
  const auto alike = [&](const Found& a, const Found& b) {
    return !(head.run && &a == rows.data()) && shown_alike(a, b);
  };
  Table table = fields.page(title, alike_plans(rows, alike));
  for (size_t i = 1; i < of.size(); ++i) table.columns[i].of = of[i];
  return table;
}

/// "plan 1 ties with 14 others; chosen for less memory".
std::string best_line(const planner::BestChoice& best) {
  std::string line = fmt::format("plan 1 ties with {} other{}", best.ties, best.ties == 1 ? "" : "s");
  if (!best.less.empty()) line += fmt::format("; chosen for less {}", fmt::join(best.less, ", less "));
  return line;
}

/// `first`: of the first of them.
void add_rows(std::vector<Block>& blocks, const char* title, RowTone first, const SearchHead& head,
              std::vector<Found> rows) {
  if (rows.empty()) return;
  if (head.run) rows.insert(rows.begin(), *head.run);
  Table table = page_table(title, head, rows);
  if (const size_t at = head.run ? 1 : 0; at < table.rows.size()) set_tone(table, at, first);
  blocks.emplace_back(std::move(table));
  if (const std::string line = common(head.choices, rows); !line.empty()) blocks.emplace_back(line);
}

/// Whether what a goal lacks is a price, by its head and result or an entry of both: no layout is to blame then.
template <class Head, class Counted> bool is_unpriced(const Head& head, const Counted& r) {
  return !head.unpriced.empty() && (r.rejected.contains("goal") || r.rejected.contains("budget"));
}

/// "gpt3-175b on a100-sxm-80gb: 38.69 d, 855.7 kUSD with 512 GPUs, tp8 pp16 dp4"; where nothing is feasible, that.
std::string search_headline(const SearchHead& head, const SearchResult& r) {
  if (r.feasible == 0) return head.title + (is_unpriced(head, r) ? ": " + head.unpriced : ": nothing is feasible");
  if (r.plans.empty()) return fmt::format("{}: {} feasible", head.title, figure(r.feasible, Unit::count));
  const Found& best = r.plans.front();
  const std::string layout = short_layout(best.parallelism);
  return fmt::format("{}: {} with {} GPUs{}{}", head.title, run_text(best.results), best.results.gpus,
                     layout.empty() ? "" : ", ", layout);
}

std::string counts_line(const SearchResult& r) {
  std::string line = fmt::format("{} candidates, {} costed, {} feasible", figure(r.candidates, Unit::count),
                                 figure(r.evaluated, Unit::count), figure(r.feasible, Unit::count));
  if (r.uncertain > 0) line += fmt::format(" ({} of them may not fit)", figure(r.uncertain, Unit::count));
  return line;
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
  else if (goal.deadline) line += ", within " + figure(goal.deadline->value / dsl::kDay, Unit::days);
  if (is_open(open, "goal.budget")) line += ", within an open budget";
  else if (goal.budget) line += ", for at most " + figure(goal.budget->value, Unit::usd);
  return line;
}

/// The goal without limits that the search leaves open.
planner::Goal limits_of(const planner::OpenScenario& open) {
  planner::Goal limits = open.sample.goal;
  if (is_open(open, "goal.deadline")) limits.deadline.reset();
  if (is_open(open, "goal.budget")) limits.budget.reset();
  return limits;
}

/// All results in dollars have them in their names.
bool wants_dollars(const planner::Goal& goal) {
  const auto& aim = goal.minimize ? goal.minimize : goal.maximize;
  return goal.budget || (aim && aim->text.find("usd") != std::string::npos);
}

Table rejected_table(const SearchResult& r) {
  Table t{.title = "Rejected", .columns = {{.name = "rule"}, {.name = "candidates", .unit = Unit::count}}};
  for (const auto& [rule, count] : r.rejected) t.rows.push_back({rule, count});
  std::stable_sort(t.rows.begin(), t.rows.end(),
                   [](const auto& a, const auto& b) { return a[1].number() > b[1].number(); });
  return t;
}

std::string opened_line(const SearchHead& head) {
  std::vector<std::string> layout = head.opened;
  std::erase_if(layout, [](const std::string& path) { return path.starts_with("goal."); });
  const std::string line = text_list(layout, last_name);
  const char* why =
      head.run ? "left to the search, whatever the run has: " : "left to the search, as nothing is written for them: ";
  return why + line + " (trainplan show layout-policy)";
}

/// "dgx-a100-80gb: nothing is feasible: memory 120, goal 3"; of an entry that has a plan nothing.
void add_empty_parts(const SearchHead& head, std::vector<Block>& blocks) {
  for (const EntryPart& part : head.parts) {
    if (part.feasible > 0) continue;
    const std::string rules =
        text_list(part.rejected, [](const auto& rule) { return fmt::format("{} {}", rule.first, rule.second); });
    blocks.emplace_back(is_unpriced(part, part) ? fmt::format("{}: {}", part.entries, part.unpriced)
                                                : fmt::format("{}: nothing is feasible: {}", part.entries, rules));
  }
}

std::vector<Block> page(const SearchHead& head, const SearchResult& r) {
  std::vector<Block> blocks{search_headline(head, r), counts_line(r), head.goal};
  if (!head.lengths.shares.empty()) blocks.emplace_back("lengths: " + lengths_line(head.lengths));
  if (!head.opened.empty()) blocks.emplace_back(opened_line(head));
  if (r.feasible > 0 && r.fewest_gpus() != r.most_gpus())
    blocks.emplace_back(fmt::format("feasible from {} to {} GPUs", r.fewest_gpus(), r.most_gpus()));
  add_empty_parts(head, blocks);
  add_rows(blocks, "Best plans", RowTone::best, head, r.plans);
  if (head.best.ties > 0 && !r.plans.empty()) blocks.emplace_back(best_line(head.best));
  add_rows(blocks, "Pareto front", RowTone::plain, head, r.pareto);
  if (!r.rejected.empty()) blocks.emplace_back(rejected_table(r));
  return blocks;
}

}  // namespace

std::string last_name(const std::string& path) {
  const std::string of = path.ends_with(".use") ? path.substr(0, path.rfind('.')) : path;
  return of.substr(of.rfind('.') + 1);
}

std::string value_text(const dsl::Value& value) { return value.is_null() ? "" : dsl::to_text(value); }

std::vector<size_t> differing(size_t choices, const std::vector<Found>& plans) {
  std::vector<size_t> out;
  for (size_t i = 0; i < choices; ++i)
    if (std::ranges::any_of(plans, [&](const Found& f) { return f.choices[i] != plans.front().choices[i]; }))
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

Data choices_data(const std::vector<std::pair<std::string, dsl::Value>>& choices) {
  Data::Object object;
  for (const auto& [path, value] : choices) {
    const auto same = std::ranges::find(object, path, &Member::name);
    if (same == object.end()) object.push_back({path, value_data(value)});
    else same->value = value_data(value);
  }
  return object;
}

SearchHead search_head(const planner::OpenScenario& open, std::vector<std::string> opened) {
  const planner::Scenario& s = open.sample;
  return {.title = fmt::format("{} on {}", s.model.name.empty() ? "a model" : s.model.name,
                               s.cluster.gpu.name.empty() ? "GPUs" : s.cluster.gpu.name),
          .goal = goal_line(open),
          .limits = limits_of(open),
          .timed = planner::GoalCheck(open, true).timed(),
          .choices = planner::choice_names(open.space),
          .unpriced = wants_dollars(s.goal) ? planner::missing_price(s) : "",
          .lengths = s.lengths,
          .opened = std::move(opened)};
}

Report search_report(const SearchHead& head, const planner::SearchOptions& options, const SearchResult& result) {
  using planner::BestChoice;
  const RowFields<BestChoice> best{{"ties", &BestChoice::ties}, {"less", &BestChoice::less}};
  const std::vector<std::string>& names = head.choices;
  Report report{.format = "trainplan.search/1",
                .document = {{"space", space(head, result)}, {"best", best.object(head.best)}, {"plans", Data::List{}}},
                .key = "plans",
                .table = rows_table(names, result.plans),
                .text = page(head, result)};
  if (!result.plans.empty()) report.key_figures = run_key_figures(result.plans.front().results);
  if (!options.pareto.empty()) report.document.push_back({"pareto", rows_of(rows_table(names, result.pareto))});
  if (head.run) report.document.push_back({"run", row_object(rows_table(names, {*head.run}, 0), 0)});
  add_lengths(head.lengths, report.document);
  return report;
}

std::vector<AlikePlans> alike_plans(const std::vector<Found>& rows,
                                    const std::function<bool(const Found&, const Found&)>& alike) {
  std::vector<AlikePlans> out;
  for (size_t first = 0; first < rows.size(); first += out.back().count) {
    size_t count = 1;
    while (first + count < rows.size() && alike(rows[first], rows[first + count])) ++count;
    AlikePlans plans = united(rows, first, count);
    while (!has_every_combination(plans)) plans = united(rows, first, --count);
    out.push_back(std::move(plans));
  }
  return out;
}

}  // namespace cli
