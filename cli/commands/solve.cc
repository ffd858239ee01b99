#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/interrupt.h"
#include "cli/commands/open.h"
#include "cli/commands/search_flags.h"
#include "cli/input/solve_path.h"
#include "cli/pages/search_report.h"
#include "planner/resolve/lengths.h"
#include "planner/search/shortfall.h"

namespace cli {
namespace {

using planner::Trial;

using ByName = std::map<std::string, dsl::Value>;

ByName by_name(const planner::Results& results) {
  const std::vector<dsl::Value> values = planner::result_values(results);
  ByName out;
  for (size_t i = 0; i < values.size(); ++i) out[planner::result_rows()[i].name] = values[i];
  return out;
}

/// A condition over fields and results, checked with results of any value; nullopt: diagnosed.
std::optional<dsl::Expression> read_condition(const dsl::Source& source, const planner::OpenScenario& open,
                                              dsl::Diagnostics& diagnostics) {
  const dsl::Span place{&source, 1, 1, static_cast<int>(source.text.size())};
  dsl::Expression condition{dsl::parse_expression(source.text, place, diagnostics), source.text, place};
  if (!condition.tree) return std::nullopt;
  ByName any;
  for (const planner::ResultRow& row : planner::result_rows()) any[row.name] = {dsl::Number{1, row.scale.dim}};
  const auto value = dsl::evaluate(condition, open.space.record(), any, diagnostics);
  if (!value) return std::nullopt;
  if (std::holds_alternative<bool>(value->v)) return condition;
  diagnostics.error(place, "expected a condition for --until, such as 'mfu >= 0.45'");
  return std::nullopt;
}

std::optional<dsl::Number> number(const std::optional<dsl::Value>& value) {
  const dsl::Number* x = value ? std::get_if<dsl::Number>(&value->v) : nullptr;
  return x ? std::optional(*x) : std::nullopt;
}

ScenarioFlags with_value(ScenarioFlags flags, const SolvePath& path, const Trial& trial) {
  flags.set.push_back(path.path + "=" + trial.text);
  return flags;
}

/// Searches the space with one value of the field after the other.
class Searcher {
 public:
  Searcher(const ScenarioFlags& kept, const planner::SearchOptions& search, Session& session, const SolvePath& path,
           const dsl::Expression& condition)
      : kept_(kept),
        search_(search),
        session_(session),
        path_(path),
        condition_(condition),
        sides_(planner::comparison_of(condition)) {
    search_.top = 1;
    search_.pareto.clear();
  }

  Trial operator()(double value) {
    const dsl::Dim dim = path_.field->type == dsl::Type::quantity ? path_.field->dim : dsl::kNone;
    Trial trial{.value = value, .text = dsl::to_text({dsl::Number{value, dim}}), .left = {}, .right = {}, .best = {}};
    if (lacking_.has_errors() || (search_.stop && search_.stop->load())) return trial;
    const ScenarioFlags with = with_value(kept_, path_, trial);
    dsl::Diagnostics unasked;  // a value that the scenario cannot have has no layouts
    const auto open = reopen(with, session_, unasked);
    if (!open) return trial;
    trial.choices = planner::choice_names(open->space);
    planner::SearchResult result = planner::search(*open, search_);
    trial.layouts = result.evaluated > 0;
    if (result.plans.empty()) return trial;
    judge(trial, result.plans.front(), *open, with);
    trial.best = std::move(result.plans.front());
    return trial;
  }

  /// What the condition lacks in a plan: days without tokens.
  const dsl::Diagnostics& lacking() const { return lacking_; }

 private:
  void judge(Trial& trial, const planner::Found& best, const planner::OpenScenario& open, const ScenarioFlags& with) {
    const auto loaded =
        reads_open(open.space) ? reread(with, session_)(choice_sets(trial.choices, best.choices)) : std::nullopt;
    const dsl::Record& record = loaded ? loaded->record : open.space.record();
    const ByName results = by_name(best.results);
    const auto value = [&](const dsl::Expression& e) { return dsl::evaluate(e, record, results, lacking_); };
    const auto holds = value(condition_);
    trial.holds = holds && std::get_if<bool>(&holds->v) && std::get<bool>(holds->v);
    if (!sides_) return;
    trial.left = number(value(sides_->left));
    trial.right = number(value(sides_->right));
  }

  /// Fields that differ between candidates have no value before one is chosen.
  bool reads_open(const dsl::Space& space) const {
    return std::any_of(space.items().begin(), space.items().end(), [&](const dsl::OpenItem& item) {
      const std::string_view path = item.path;
      return dsl::reads(*condition_.tree, path) || dsl::reads(*condition_.tree, path.substr(path.rfind('.') + 1));
    });
  }

  const ScenarioFlags& kept_;
  planner::SearchOptions search_;
  Session& session_;
  const SolvePath& path_;
  const dsl::Expression& condition_;
  std::optional<planner::Comparison> sides_;
  dsl::Diagnostics lacking_;
};

/// The search at the value that was found; where none was, the scenario's own.
Report searched(const ScenarioFlags& kept, const std::vector<std::string>& by_policy,
                const planner::SearchOptions& search, Session& session, const SolvePath& path,
                const planner::Solved& solved, bool& feasible) {
  dsl::Diagnostics unasked;
  const auto open =
      reopen(solved.holds ? with_value(kept, path, solved.trials[*solved.holds]) : kept, session, unasked);
  const planner::SearchResult result = planner::search(*open, search);
  feasible = result.feasible > 0;
  const SearchHead head = search_head(*open, by_policy);
  Report report = search_report(head, search, result);
  report.picture = [=] { return search_picture(head, search, result); };
  return report;
}

void warn(const planner::Solved& solved, const SolvePath& path, const SearchFlags& options, Streams& streams) {
  if (solved.exceptions.empty() || options.common.quiet) return;
  streams.err << fmt::format(
      "warning: {} does not act one way only: at {} the condition {}; other values may be break-even too\n", path.path,
      solved.trials[solved.exceptions.front()].text,
      solved.trials[solved.exceptions.front()].holds ? "holds" : "does not hold");
}

}  // namespace

int run_solve(const SearchFlags& given, const planner::SearchOptions& search, Streams& streams) {
  SearchFlags options = given;
  Session session = open_session(options.common);
  const bool readable = read_input(options.common.inputs.at(0), streams, session) && !session.diagnostics.has_errors();
  const auto read = readable
                        ? open_layout(session.sources.front(), planner::Opens::unwritten, options.scenario, session)
                        : std::nullopt;
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  session.diagnostics.list.clear();
  const planner::OpenScenario* open = &read->scenario;
  const dsl::Source& path_text = session.sources.emplace_back(dsl::Source{"--solve", options.solve, ""});
  const dsl::Source& until = session.sources.emplace_back(dsl::Source{"--until", options.until, ""});
  const auto path = solve_path(path_text, *open, session.diagnostics);
  const auto condition = read_condition(until, *open, session.diagnostics);
  const planner::Lengths& lengths = open->sample.lengths;
  const bool found_for_one =
      path && !lengths.shares.empty() &&
      (path->path == planner::kSequence || (path->path == "job.global_batch" && lengths.batched));
  if (found_for_one)
    session.diagnostics.error({&path_text, 1, 1, static_cast<int>(path_text.text.size())},
                              fmt::format("the lengths of this run stand for one value of {}", path->path));
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  ScenarioFlags kept = options.scenario;
  keep_lengths(lengths, kept);
  Searcher searcher(kept, search, session, *path, *condition);
  const planner::Solved solved = planner::solve(path->range, std::ref(searcher));
  if (searcher.lacking().has_errors()) {
    session.diagnostics.list.push_back(searcher.lacking().list.front());
    return report_diagnostics(options.common, streams, session);
  }
  bool feasible = false;
  Report report = searched(kept, read->opened, search, session, *path, solved, feasible);
  add_solved(*path, *condition, solved, report);
  warn(solved, *path, options, streams);
  CommonFlags shown = options.common;
  shown.top.reset();
  const bool stopped = search.stop && search.stop->load();
  if (int status = print_found(std::move(report), shown, stopped, streams, "search")) return status;
  return solved.holds || (solved.at_start && feasible) ? kDone : kNotFeasible;
}

}  // namespace cli
