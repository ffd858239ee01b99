#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/interrupt.h"
#include "cli/commands/limit.h"
#include "cli/commands/open.h"
#include "cli/pages/candidate_rows.h"
#include "cli/pages/plan_report.h"
#include "cli/pages/sweep_report.h"
#include "cli/render/render.h"

namespace cli {
namespace {

struct SweepFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string limit;  // combinations at most, "1e9"
  std::vector<std::string> axes;
};

constexpr std::array kSweepRows{
    kLimitRow<&SweepFlags::limit>,
    flag<&SweepFlags::axes>(
        {"--axes", "X,Y", "axes of the picture: two columns of numbers (step_seconds,peak_bytes)", Takes::list})};
constexpr auto kSweepFlags = scenario_flags(kSweepRows);

// Rows that are kept until all are there; each takes up to 10 kB while it is printed.
constexpr size_t kMostRows = 100'000;

/// How many rows are kept: the first of them, where no sorting may put others before these.
size_t rows_kept(const CommonFlags& common) {
  const bool first = common.top && common.sort.empty();
  return first ? static_cast<size_t>(*common.top) : std::numeric_limits<size_t>::max();
}

/// Returns "" or the mistake in --axes.
std::string wrong_axes(const std::vector<std::string>& axes) {
  const std::vector<std::string> known = sweep_axes();
  for (const std::string& axis : axes)
    if (std::ranges::find(known, axis) == known.end())
      return fmt::format("--axes: no column of numbers is called '{}'; there are {}", axis, fmt::join(known, ", "));
  return axes.empty() || axes.size() == 2 ? "" : fmt::format("--axes: expected two columns, got {}", axes.size());
}

int refuse_rows(const CommonFlags& common, Streams& streams, Session& session) {
  session.diagnostics.list.clear();  // reported
  session.diagnostics.error({}, fmt::format("the sweep has more than {} rows to print at once", kMostRows),
                            "--format ndjson or csv without --sort prints each as it is made; --top N without --sort "
                            "keeps the first N");
  return report_diagnostics(common, streams, session);
}

bool is_streamed(const CommonFlags& common) {
  return common.sort.empty() && (common.format == "ndjson" || row_style(common.format, common.crlf));
}

/// Prints rows as they are made, a piece of lines at a time.
class Printed {
 public:
  Printed(const std::vector<std::string>& names, const CommonFlags& common, Streams& streams)
      : names_(names), common_(common), streams_(streams), lines_(names) {
    if (const auto style = row_style(common.format, common.crlf)) table_.emplace(names, common.columns, *style);
  }

  /// Returns whether there is anybody who reads on.
  bool add(const planner::Swept& swept) {
    if (!std::exchange(any_, true) && !has_columns(swept)) return false;
    if (table_) table_->add(swept);
    else if (common_.columns.empty()) lines_.add(swept);
    else return print_row(swept, streams_) && streams_.out.good();
    return text().size() < kPiece || flush();
  }
  /// Prints the remainder. Without any rows, a table has its header.
  void finish() {
    if (any_) flush();
    else if (table_) status_ = print(sweep_report(), common_, streams_, "sweep");
  }
  /// A last line behind rows that have left: more were to come.
  int interrupt() {
    if (table_) table_->close("interrupted");
    else streams_.out << "{\"format\":\"" << sweep_report().format << "\",\"interrupted\":true}\n";
    if (table_) flush();
    return tell_interrupted(common_, streams_, "sweep");
  }
  /// Status of the output.
  int status() const { return status_; }

 private:
  static constexpr size_t kPiece = 1 << 15;  // bytes: half of what a pipe holds, so that its reader works beside

  std::string_view text() const { return table_ ? table_->text() : lines_.text(); }
  bool flush() {
    streams_.out.write(text().data(), static_cast<std::streamsize>(text().size()));
    if (table_) table_->clear();
    else lines_.clear();
    return streams_.out.good();
  }

  bool print_row(const planner::Swept& swept, Streams& streams) {
    Report report = sweep_report();
    report.table.rows.push_back(sweep_cells(names_, swept));
    status_ = print(std::move(report), common_, streams, "sweep");
    return status_ == kDone;
  }
  /// Whether a row has the columns of --columns; if not, reports that.
  bool has_columns(const planner::Swept& swept) {
    if (common_.columns.empty()) return true;
    std::ostringstream unread;
    Streams told{.in = streams_.in, .out = unread, .err = streams_.err};
    return print_row(swept, told);
  }

  const std::vector<std::string>& names_;
  const CommonFlags& common_;
  Streams& streams_;
  std::optional<SweepTable> table_;  // of csv and tsv; else lines of JSON
  SweepLines lines_;
  bool any_ = false;
  int status_ = kDone;
};

int run_sweep(const SweepFlags& given, Streams& streams) {
  SweepFlags options = given;
  name_candidate_columns(options.common.columns, options.common.sort);
  Session session;
  double limit = kDefaultLimit;
  for (const std::string& wrong : {read_limit(options.limit, limit), wrong_axes(options.axes)})
    if (!wrong.empty()) return refuse_usage("sweep", wrong, streams);
  // Lines leave as they are made, unless a sorting needs all of them.
  const bool streamed = is_streamed(options.common);
  if (streamed && options.common.top && static_cast<double>(*options.common.top) <= limit)
    limit = std::numeric_limits<double>::infinity();  // --top ends the walk
  const auto open = load_open(options.common, options.scenario, streams, session, limit, planner::Opens::said).scenario;
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const std::vector<std::string> names = planner::choice_names(open->space);
  Report report = sweep_report();
  report.title = scenario_title(open->sample) + ": every combination of the choices";
  report.picture = [&] { return sweep_picture(scenario_title(open->sample), report.table, options.axes); };
  const size_t most = rows_kept(options.common);
  if (!streamed && most > kMostRows && exact_candidates(*open).value_or(0) > static_cast<double>(kMostRows))
    return refuse_rows(options.common, streams, session);
  bool any = false, cut = false, stopped = false;  // cut: by --top, before it was known whether any is feasible
  const Interruptible guard;
  Printed printed(names, options.common, streams);
  planner::sweep(*open, [&](const planner::Swept& swept) {
    any |= swept.broken.empty();
    stopped = interrupted();
    if (streamed) {
      cut = swept.index + 1 == options.common.top;
      return printed.add(swept) && !cut && !stopped;
    }
    if (report.table.rows.size() < most) report.table.rows.push_back(sweep_cells(names, swept));
    return report.table.rows.size() <= kMostRows && !(any && report.table.rows.size() == most) && !stopped;
  });
  if (streamed) printed.finish();
  int status = printed.status();
  if (report.table.rows.size() > kMostRows) return refuse_rows(options.common, streams, session);
  if (stopped && status == kDone)
    return streamed ? printed.interrupt() : print_found(std::move(report), options.common, true, streams, "sweep");
  if (!streamed) status = print(report, options.common, streams, "sweep");
  if (status != kDone) return status;
  return any || cut ? kDone : kNotFeasible;
}

constexpr Example kSweepExamples[] = {
    {"every layout as a table for other programs",
     "trainplan sweep example:gpt3-175b-search --format csv --columns choices,step_seconds,feasible"},
    {"all of them as points over two columns",
     "trainplan sweep example:gpt3-175b-search --format svg --axes exposed_comm,mfu"},
};

}  // namespace

Command sweep_command() {
  return command_of<kSweepFlags, run_sweep>({.name = "sweep",
                                             .summary = "one row per combination of the choices, in order",
                                             .argument = "SCENARIO",
                                             .examples = kSweepExamples,
                                             .pictures = true});
}

}  // namespace cli
