#include "cli/commands/pick.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "cli/commands/limit.h"
#include "cli/commands/open.h"
#include "cli/commands/reread.h"
#include "planner/search/search.h"
#include "planner/search/sweep.h"

namespace cli {
namespace {

/// Choices of the first candidate that can be costed, else of the first whose values are all ones that a plan reads;
/// absent: there is none.
std::optional<std::vector<dsl::Value>> first_candidate(const planner::OpenScenario& open, size_t choices) {
  const auto is_of_value = [](const std::string& rule) { return rule == "divisibility" || rule == "value"; };
  std::optional<std::vector<dsl::Value>> first;
  planner::sweep(open, [&](const planner::Swept& swept) {
    const bool readable =
        swept.choices.size() == choices && std::none_of(swept.broken.begin(), swept.broken.end(), is_of_value);
    if (swept.found || (readable && !first)) first = swept.choices;
    return !swept.found;
  });
  return first;
}

/// The row of a search that --pick names; absent: neither `best` nor a number from 1.
std::optional<size_t> picked_rank(const std::string& pick) {
  if (pick == "best") return 1;
  size_t rank = 0;
  const auto [end, error] = std::from_chars(pick.data(), pick.data() + pick.size(), rank);
  return error == std::errc() && end == pick.data() + pick.size() && rank > 0 ? std::optional(rank) : std::nullopt;
}

/// Sets every choice as row `rank` of a search has it. kNotFeasible: there is none, and for the first they are those of
/// a candidate that shows why; `found` is then whether there is one.
int set_best(const CommonFlags& common, planner::Opens opens, size_t rank, ScenarioFlags& flags, Streams& streams,
             bool& found) {
  Session session;
  const Opened opened = load_open(common, flags, streams, session, kDefaultLimit, opens);
  const std::optional<planner::OpenScenario>& open = opened.scenario;
  if (int status = report_diagnostics(common, streams, session)) return status;
  keep_lengths(open->sample.lengths, flags);
  const std::vector<std::string> names = planner::choice_names(open->space);
  found = true;
  if (names.empty() && rank == 1) return kDone;
  planner::SearchOptions search{.top = rank, .pareto = {}};
  search.threads = thread_count(flags, opened.candidates);
  const planner::SearchResult result = planner::search(*open, search);
  if (rank > 1 && result.plans.size() < rank) {
    streams.err << fmt::format("trainplan: --pick {}: {} plans are feasible\n", rank, result.plans.size());
    found = false;
    return kNotFeasible;
  }
  const auto choices = result.plans.empty() ? first_candidate(*open, names.size()) : result.plans[rank - 1].choices;
  found = choices.has_value();
  if (result.plans.empty())
    streams.err << fmt::format("trainplan: none of {} candidates is feasible (trainplan search says why){}\n",
                               result.candidates, found ? "; this is the first that can be planned" : "");
  if (found)
    for (std::string& text : sets_of(names, *choices)) flags.set.push_back(std::move(text));
  return result.plans.empty() ? kNotFeasible : kDone;
}

}  // namespace

int with_picked(const CommonFlags& common, const ScenarioFlags& flags, planner::Opens opens, Streams& streams,
                const std::function<int(const ScenarioFlags&, Streams&)>& command) {
  if (flags.pick.empty() || flags.pick == "first") return command(flags, streams);
  const std::optional<size_t> rank = picked_rank(flags.pick);
  if (!rank) {
    streams.err << fmt::format("trainplan: --pick: '{}' is none of first, best and the number of a row\n", flags.pick);
    return kWrongUsage;
  }
  // Read twice: for the search, and for its best plan. As much of standard input as a scenario may have.
  std::string text(common.inputs.at(0) == "-" ? dsl::ParseLimits{}.bytes + 1 : 0, '\0');
  streams.in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(streams.in.gcount()));
  std::istringstream input(text);
  Streams again{.in = input,
                .out = streams.out,
                .err = streams.err,
                .color = streams.color,
                .width = streams.width,
                .line = streams.line};
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
