#include "cli/commands/resume.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/common.h"
#include "cli/files/partial_input.h"
#include "dsl/units.h"

namespace cli {
namespace {

std::string shard_of(const planner::SearchOptions& options) {
  return options.shards == 1 ? "no --shard" : fmt::format("--shard {}/{}", options.shard + 1, options.shards);
}

/// Whether what it says of the space can be of this one.
bool fits(const Partial& before, const planner::OpenScenario& open) {
  const dsl::Space& space = open.space;
  return before.head.choices == planner::choice_names(space) &&
         before.result.valueless.size() <= space.items().size() &&
         before.result.unmet.size() <= space.conditions().size() + space.result_conditions().size();
}

/// Quantities, which JSON holds as texts, as the values of the space that print the same.
void restore(std::vector<dsl::Value>& choices, const planner::OpenScenario& open) {
  size_t choice = 0;
  for (const dsl::OpenItem& item : open.space.items()) {
    if (!item.is_choice) continue;
    dsl::Value& value = choices[choice++];
    const std::string* text = std::get_if<std::string>(&value.v);
    if (!text) continue;
    const auto same = std::ranges::find_if(item.values, [&](const dsl::Value& v) { return dsl::to_text(v) == *text; });
    const dsl::Scanned scanned = dsl::scan_number(*text);
    if (same != item.values.end()) value = *same;
    else if (scanned.length == text->size() && scanned.problem.empty()) value = {scanned.number};
  }
}

}  // namespace

void restore_choices(const planner::OpenScenario& open, planner::SearchResult& result) {
  for (std::vector<planner::Found>* rows : {&result.plans, &result.pareto})
    for (planner::Found& found : *rows) restore(found.choices, open);
  if (result.nearest) restore(result.nearest->choices, open);
}

std::optional<Partial> read_interrupted(const std::string& path, bool draws, Partial& search,
                                        const planner::OpenScenario& open, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(path, streams, session, kResultLimits.bytes);
  std::optional<Partial> before = source ? read_partial(*source, session.diagnostics) : std::nullopt;
  if (!before) return std::nullopt;
  if (draws) search.options.pareto = before->options.pareto;
  check_same(*before, search, "this search", session.diagnostics);
  if (!fits(*before, open))
    session.diagnostics.error(before->places.at("choices"), "the space of this search has other choices");
  const std::string theirs = shard_of(before->options), ours = shard_of(search.options);
  if (theirs != ours)
    session.diagnostics.error(before->places.at("shard"), "made with " + theirs + ", and this search with " + ours);
  if (!before->result.unfinished)
    session.diagnostics.error(before->places.at("unfinished"), "this shard is finished: nothing is left to resume");
  else if (!planner::may_be_left(open, *before->result.unfinished, search.options, kMostThreads))
    session.diagnostics.error(before->places.at("unfinished"), "the space of this search has no such parts");
  if (session.diagnostics.has_errors()) return std::nullopt;
  restore_choices(open, before->result);
  return before;
}

}  // namespace cli
