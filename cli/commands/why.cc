#include "cli/commands/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/interrupt.h"
#include "cli/commands/reread.h"
#include "planner/resolve/read.h"
#include "planner/studies/whatif/obstacles.h"

namespace cli {
namespace {

/// "parallelism.tp=8" of "tp=8": a field by its path, or by the last part of one of the layout.
std::string full_set(const std::string& set) {
  const std::string name = set.substr(0, set.find('='));
  const std::string path = "parallelism." + name;
  const bool is_layout =
      std::ranges::any_of(planner::scenario_schema(), [&](const dsl::Field& f) { return f.path == path; });
  return is_layout ? "parallelism." + set : set;
}

/// "12 candidates have tp=8,pp=4: none is feasible".
std::string why_line(const Why& why) {
  const int64_t all = why.result.candidates, feasible = why.result.feasible;
  return fmt::format("{} candidate{} {} {}: {}", all, all == 1 ? "" : "s", all == 1 ? "has" : "have", why.layout,
                     feasible == 0     ? "none is feasible"
                     : feasible == all ? "all are feasible"
                                       : fmt::format("{} are feasible", feasible));
}

}  // namespace

std::optional<Why> ask_why(const std::vector<std::string>& layout, const ScenarioFlags& written, Session& session) {
  ScenarioFlags flags = written;
  for (const std::string& set : layout) {
    if (set.find('=') == std::string::npos) {
      session.diagnostics.error({}, fmt::format("--why: '{}' sets nothing", set),
                                "write a field and its value: tp=8,pp=4");
      return std::nullopt;
    }
    flags.set.push_back(full_set(set));
  }
  auto open = reopen(flags, session, {}, session.diagnostics);
  if (!open) return std::nullopt;
  planner::SearchOptions options{.top = 1, .pareto = {}};
  options.stop = &interrupted();
  planner::SearchResult result = planner::search(*open, options);
  return Why{.layout = fmt::format("{}", fmt::join(layout, ",")),
             .flags = std::move(flags),
             .open = std::move(*open),
             .result = std::move(result)};
}

void add_why(const Why& why, const Ended& whole, Session& session, Report& report) {
  const Ended part{why.result, why.open, reread(why.flags, session)};
  Report inside{.format = "", .document = {}};
  inside.text.emplace_back(why_line(why));
  if (why.result.feasible > 0) add_explanation(worse_than(why.layout, part, whole), inside);
  else add_nearest(nearest(part), planner::obstacles(why.open, why.result), inside);
  Data::Object member{{"layout", why.layout}, {"candidates", why.result.candidates}, {"feasible", why.result.feasible}};
  std::ranges::move(inside.document, std::back_inserter(member));
  report.document.push_back({"why", std::move(member)});
  std::ranges::move(inside.text, std::back_inserter(report.text));
}

}  // namespace cli
