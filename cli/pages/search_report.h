// The result of a search, its picture, and what its page says besides.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/solve_path.h"
#include "cli/report/report.h"
#include "cli/svg/front.h"
#include "planner/resolve/other_batches.h"
#include "planner/search/rank_plans.h"
#include "planner/search/search.h"
#include "planner/studies/whatif/nearest.h"
#include "planner/studies/whatif/obstacles.h"
#include "planner/studies/whatif/sensitivity.h"

namespace cli {

/// For a search over entries of the catalogue, the result with one of them.
struct EntryPart {
  std::string entries;
  int64_t candidates = 0, evaluated = 0, feasible = 0, uncertain = 0;
  std::map<std::string, int64_t> rejected;  // by rule
  std::string unpriced;                     // as below
};

/// The page's content in addition to the result.
struct SearchHead {
  std::string title;                       // "gpt3-175b on a100-sxm-80gb"
  std::string goal;                        // a line
  planner::Goal limits = {};               // deadline and budget, where they are not open
  bool timed = true;                       // planner::GoalCheck::timed
  std::vector<std::string> choices;        // names
  std::string unpriced = {};               // planner::missing_price, of a goal in dollars
  planner::Lengths lengths = {};           // of a run of several; shares without their settings
  std::vector<std::string> opened = {};    // paths that the layout policy opened
  std::optional<planner::Found> run = {};  // the run that --from names, with its values of the choices
  std::vector<EntryPart> parts = {};       // by entry, where `use` is a list
  planner::BestChoice best = {};           // why the first plan is the first
};
/// `opened`: paths that the layout policy opened.
SearchHead search_head(const planner::OpenScenario& open, std::vector<std::string> opened = {});

/// trainplan.search/1.
Report search_report(const SearchHead& head, const planner::SearchOptions& options,
                     const planner::SearchResult& result);

/// The default axes of a picture without --pareto: the days of the run (the step without job.tokens), and the cost of
/// the run if machines are open (GPUs without a price), else the memory.
std::vector<const planner::ResultRow*> picture_axes(const planner::OpenScenario& open);

/// The best plans and those of the front over the first two results of --pareto; without it, over those in which the
/// plans themselves differ.
svg::Front search_picture(const SearchHead& head, const planner::SearchOptions& options,
                          const planner::SearchResult& result);

// ---- members of its JSON, and their parts of the page

/// What --solve found: the member `solve`, and the head of the page.
void add_solved(const SolvePath& path, const dsl::Expression& until, const planner::Solved& solved, Report& report);

/// The candidate that is least beyond a limit.
struct Nearest {
  std::vector<std::pair<std::string, dsl::Value>> choices;  // by path
  double excess = 0;                                        // share of a limit; infinite if it cannot be computed
  planner::NearestMiss miss;
};
/// Adds the members `nearest` and `obstacles` of a search in which nothing is feasible.
void add_nearest(const std::optional<Nearest>& found, const std::vector<planner::Obstacle>& obstacles, Report& report);

/// The parameters on which the best plan depends: the member `sensitivity`, and a block where there are rows.
void add_sensitivity(const std::vector<planner::Sensitivity>& rows, Report& report);

/// Numbers of GPUs on which no layout works with the batch, and the batch with which one does: the member
/// `other_batches`, and a line for each. Adds nothing without such batches.
void add_other_batches(const planner::NamedBatches& batches, Report& report);

// ---- words that pages of many plans share

/// "--set cluster.use=dgx-h100".
std::string sets_text(const std::vector<dsl::Override>& uses);

/// The last part of a path, "tp"; for an entry of the catalogue its kind: "cluster" of cluster.use.
std::string last_name(const std::string& path);
/// A choice's value as the language writes it; "" where a plan has no such choice.
std::string value_text(const dsl::Value& value);

/// Numbers of the `choices` in which the plans differ.
std::vector<size_t> differing(size_t choices, const std::vector<planner::Found>& plans);

/// A choice's value in JSON: numbers and flags as such, a quantity as a text with its unit.
Data value_data(const dsl::Value& value);
/// Values by their paths, an object; of a path that comes again, the later value counts.
Data choices_data(const std::vector<std::pair<std::string, dsl::Value>>& choices);

/// "tp8 pp4 dp16": the degrees above one, those that meet in layers first.
std::string short_layout(const planner::Degrees& degrees);

/// The layout of a plan, an object.
Data parallelism_data(const planner::Parallelism& parallelism);

// ---- plans that differ on a page only in their choices, merged into one row: choices that do not matter
//
//     rows 1, 2, 3, 4: recompute none | selective, order a | b  ->  one of rank 1-4, "none, selective" and "a, b"

struct AlikePlans {
  size_t first = 0, count = 0;                   // rows
  std::vector<std::vector<dsl::Value>> choices;  // by choice: the values in the rows, in order
};

/// Returns the rows, in order. Neighbours are merged if they are `alike` and cover every combination of their values: a
/// merged row never claims a plan that does not exist.
std::vector<AlikePlans> alike_plans(const std::vector<planner::Found>& rows,
                                    const std::function<bool(const planner::Found&, const planner::Found&)>& alike);

}  // namespace cli
