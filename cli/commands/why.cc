#include "cli/commands/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/interrupt.h"
#include "cli/commands/open.h"
#include "planner/resolve/read.h"
#include "planner/search/rank_plans.h"
#include "planner/studies/whatif/obstacles.h"

namespace cli {
namespace {

bool is_field(const std::string& path) {
  return std::ranges::any_of(planner::scenario_schema(), [&](const dsl::Field& f) { return f.path == path; });
}

/// {"parallelism.tp", "8"} of "tp=8", added to `sets`: a field by its path, or by the last part of one of the layout.
/// Nothing is added where it is neither (diagnosed).
void add_set(const std::string& set, planner::Sets& sets, dsl::Diagnostics& diagnostics) {
  const size_t equals = set.find('=');
  const std::string name = set.substr(0, equals), of_layout = "parallelism." + name;
  if (equals == std::string::npos)
    return diagnostics.error({}, fmt::format("--why: '{}' sets nothing", set),
                             "write a field and its value: tp=8,pp=4");
  for (const std::string& path : {of_layout, name})
    if (is_field(path)) return void(sets.emplace_back(path, set.substr(equals + 1)));
  std::vector<std::string> known;
  for (const dsl::Field& f : planner::scenario_schema())
    if (f.path.starts_with("parallelism.")) known.push_back(f.path.substr(of_layout.size() - name.size()));
  diagnostics.error({}, fmt::format("--why: unknown field '{}'", name), dsl::did_you_mean(name, known));
}

/// "12 candidates have tp=8,pp=4: none is feasible".
std::string why_line(const LayoutReason& why) {
  const int64_t all = why.result.candidates, feasible = why.result.feasible;
  return fmt::format("{} candidate{} {} {}: {}", all, all == 1 ? "" : "s", all == 1 ? "has" : "have", why.layout,
                     feasible == 0     ? "none is feasible"
                     : feasible == all ? "all are feasible"
                                       : fmt::format("{} are feasible", feasible));
}

}  // namespace

std::optional<LayoutReason> ask_why(const std::vector<std::string>& layout, const ScenarioFlags& written,
                                    Session& session) {
  LayoutReason why{
      .layout = fmt::format("{}", fmt::join(layout, ",")), .flags = written, .open = std::nullopt, .reason = ""};
  for (const std::string& set : layout) add_set(set, why.flags.chosen, session.diagnostics);
  if (session.diagnostics.has_errors()) return std::nullopt;
  dsl::Diagnostics found;
  auto open = reopen(why.flags, session, found);
  if (!open) {
    why.reason = found.first_error();
    return why;
  }
  planner::SearchOptions options{.top = 1, .pareto = {}};
  options.stop = &interrupted();
  why.result = planner::ranked_search(*open, options);
  why.open.emplace(*std::move(open));
  return why;
}

void add_why(const LayoutReason& why, const EndedSearch& whole, Session& session, Report& report) {
  Report inside{.format = "", .document = {}};
  if (!why.open) {
    inside.text.emplace_back(fmt::format("{}: {}", why.layout, why.reason));
    inside.document.push_back({"reason", why.reason});
  } else {
    const EndedSearch part{why.result, planner::choice_names(why.open->space), reread(why.flags, session)};
    inside.text.emplace_back(why_line(why));
    if (why.result.feasible > 0) add_explanation(worse_than(why.layout, part, whole), inside);
    else add_nearest(nearest(part), planner::obstacles(*why.open, why.result), inside);
  }
  Data::Object member{{"layout", why.layout}, {"candidates", why.result.candidates}, {"feasible", why.result.feasible}};
  std::ranges::move(inside.document, std::back_inserter(member));
  report.document.push_back({"why", std::move(member)});
  std::ranges::move(inside.text, std::back_inserter(report.text));
}

}  // namespace cli
