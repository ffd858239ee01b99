// The result of a search.
#pragma once

#include "cli/report/report.h"
#include "planner/search/rank_plans.h"
#include "planner/search/search.h"

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

/// The last part of a path, "tp"; for an entry of the catalogue its kind: "cluster" of cluster.use.
std::string last_name(const std::string& path);
/// A choice's value as the language writes it; "" where a plan has no such choice.
std::string value_text(const dsl::Value& value);

/// Numbers of the `choices` in which the plans differ.
std::vector<size_t> differing(size_t choices, const std::vector<const planner::Found*>& plans);

/// A choice's value in JSON: numbers and flags as such, a quantity as a text with its unit.
Data value_data(const dsl::Value& value);

/// "tp8 pp4 dp16": the degrees above one, those that meet in layers first.
std::string short_layout(const planner::Degrees& degrees);

/// The layout of a plan, an object.
Data parallelism_data(const planner::Parallelism& parallelism);

}  // namespace cli
