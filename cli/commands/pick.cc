#include "cli/commands/pick.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/args/words.h"
#include "cli/commands/limit.h"
#include "cli/commands/search_flags.h"
#include "planner/search/rank_plans.h"
#include "planner/search/search.h"
#include "planner/search/sweep.h"
#include "planner/studies/entries/entries.h"

namespace cli {
namespace {

/// The row of a search that --pick names; absent: neither `best` nor a number from 1.
std::optional<size_t> picked_rank(const std::string& pick) {
  if (pick == "best") return 1;
  const auto rank = number_in<size_t>(pick);
  return rank && *rank > 0 ? rank : std::nullopt;
}

/// That a search has no such row; false.
bool tell_too_few(size_t rank, size_t plans, Streams& streams) {
  streams.err << fmt::format("trainplan: --pick {}: {} plans are feasible\n", rank, plans);
  return false;
}

/// If `use` is a list, sets the entries of row `rank` of a search (of its nearest miss if nothing is feasible). Makes
/// `rank` the row's among those of these entries. False: there is no such row (reported).
bool set_entries(const CommonFlags& common, const dsl::Source& text, Session& session, Streams& streams,
                 ScenarioFlags& flags, size_t& rank) {
  const std::vector<planner::UsedEntries> entries = entries_of(text, flags, session);
  if (entries.empty() || entries.front().uses.empty()) return true;
  const std::vector<dsl::Override> overrides = set_overrides(flags);
  const planner::ScenarioText read{text, overrides, session.catalog, session.sources};
  planner::SearchOptions search{.top = rank, .pareto = {}};
  double candidates = 0;
  const auto spaces = entry_spaces(read, entries, search, kDefaultLimit, candidates, session.diagnostics);
  if (!spaces) return !report_diagnostics(common, streams, session);
  search.threads = thread_count(flags, candidates);
  const planner::TieLaw law = planner::tie_law(spaces->spaces.front().read.scenario);
  search.window = law.window();
  planner::SearchResult found = planner::search(*spaces, search).all;
  std::vector<planner::Found>& plans = found.plans;
  planner::rank_plans(plans, law, rank);
  if (rank > 1 && plans.size() < rank) return tell_too_few(rank, plans.size(), streams);
  const auto space = [](const planner::Found& plan) { return plan.position.at.front(); };
  const uint32_t near = found.nearest ? found.nearest->position.at.front() : 0;
  const uint32_t best = plans.empty() ? near : space(plans[rank - 1]);
  if (!plans.empty()) rank = static_cast<size_t>(std::ranges::count(plans, best, space));
  else
    streams.err << fmt::format("trainplan: none of {} candidates of {} entries is feasible\n", found.candidates,
                               spaces->spaces.size());
  for (const dsl::Override& use : spaces->spaces[best].entries.uses) flags.set.push_back(use.text);
  session.diagnostics.list.clear();  // warnings, reported again
  return true;
}

/// That no candidate meets the goal, and which one is taken; `found`: there is one.
std::string missed_text(const planner::SearchResult& result, bool found) {
  const char* taken = !found                             ? ""
                      : !result.nearest                  ? "; this is the first that can be planned"
                      : result.nearest->excess.overflows ? "; this one is nearest to its memory"
                                                         : "; this one fits, and is nearest to the goal";
  return fmt::format("trainplan: none of {} candidates is feasible (trainplan search says why){}\n", result.candidates,
                     taken);
}

/// Sets every choice as in row `rank` of a search. kNotFeasible: there is no such row. For the first row the choices
/// are then those of a candidate that shows why; `found` is whether there is one.
int set_best(const CommonFlags& common, planner::Opens opens, size_t rank, ScenarioFlags& flags, Streams& streams,
             bool& found) {
  Session session;
  const dsl::Source* text = open_text(common, streams, session, opens);
  if (text && !session.diagnostics.has_errors() && !set_entries(common, *text, session, streams, flags, rank))
    return session.diagnostics.has_errors() ? kInvalidInput : kNotFeasible;
  const Opened opened = load_open(text, flags, session, kDefaultLimit, opens);
  const std::optional<planner::OpenScenario>& open = opened.scenario;
  if (int status = report_diagnostics(common, streams, session)) return status;
  keep_lengths(open->sample.lengths, flags);
  const std::vector<std::string> names = planner::choice_names(open->space);
  found = true;
  if (names.empty() && rank == 1) return kDone;
  planner::SearchOptions search{.top = rank, .pareto = {}};
  search.threads = thread_count(flags, opened.candidates);
  const planner::SearchResult result = planner::ranked_search(*open, search);
  if (rank > 1 && result.plans.size() < rank) {
    found = tell_too_few(rank, result.plans.size(), streams);
    return kNotFeasible;
  }
  std::optional<std::vector<dsl::Value>> choices;
  if (!result.plans.empty()) choices = result.plans[rank - 1].choices;
  else choices = result.nearest ? result.nearest->choices : planner::first_choices(*open);
  found = choices.has_value();
  if (result.plans.empty()) streams.err << missed_text(result, found);
  if (found) flags.chosen = choice_sets(names, *choices);
  return result.plans.empty() ? kNotFeasible : kDone;
}

}  // namespace

int with_picked(const CommonFlags& common, const ScenarioFlags& flags, planner::Opens opens, Streams& streams,
                const std::function<int(const ScenarioFlags&, Streams&)>& command) {
  if (flags.pick.empty() || flags.pick == "first") return command(flags, streams);
  const std::optional<size_t> rank = picked_rank(flags.pick);
  if (!rank) {
    streams.err << fmt::format("trainplan: --pick: '{}' is not first, best or the number of a row\n", flags.pick);
    return kWrongUsage;
  }
  // Read twice: for the search, and for its best plan. As much of standard input as a scenario may have.
  std::string text(common.inputs.at(0) == "-" ? dsl::ParseLimits{}.bytes + 1 : 0, '\0');
  streams.in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(streams.in.gcount()));
  std::istringstream input(text);
  Streams again = streams.reading(input);
  ScenarioFlags best = flags;
  bool found = false;
  const int picked = set_best(common, opens, *rank, best, again, found);
  if (!found) return picked;
  input.clear();
  input.seekg(0);
  const int status = command(best, again);
  return status == kDone ? picked : status;
}

}  // namespace cli
