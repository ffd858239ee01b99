#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <string>

#include "cli/commands/commands.h"
#include "cli/commands/elapsed.h"
#include "cli/commands/flags.h"
#include "cli/commands/open.h"
#include "cli/commands/pick.h"
#include "cli/commands/replay_files.h"
#include "cli/commands/tune_traces.h"
#include "cli/pages/tune_report.h"
#include "planner/plan/violations.h"
#include "planner/studies/settings/tune_settings.h"
#include "planner/trace/readers.h"
#include "planner/tuning/planned.h"

namespace cli {
namespace {

namespace trace = planner::trace;
namespace tuning = planner::tuning;

/// A stream of which the first bytes are looked at before someone reads it from its begin.
class HeadFirst : private std::streambuf {
 public:
  /// It outlives this.
  explicit HeadFirst(std::istream& from) : from_(from), stream_(this) {}

  /// Returns up to `bytes` bytes, which the stream then returns once more.
  std::string head(size_t bytes) {
    take(bytes);
    return {gptr(), egptr()};
  }
  std::istream& stream() { return stream_; }

 private:
  static constexpr size_t kPiece = size_t{1} << 16;

  void take(size_t bytes) {
    piece_.resize(bytes);
    from_.read(piece_.data(), static_cast<std::streamsize>(bytes));
    setg(piece_.data(), piece_.data(), piece_.data() + from_.gcount());
  }
  int_type underflow() override {
    if (gptr() == egptr()) take(kPiece);
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

  std::istream& from_;
  std::string piece_;
  std::istream stream_;
};

constexpr int64_t kMostPartitions = 4096;
constexpr std::array kTuneRows{
    flag<&TuneFlags::most_partitions>({"--most-partitions", "N", "cut a bucket into no more partitions than that (64)",
                                       Takes::positive_whole, kMostPartitions}),
    flag<&TuneFlags::passes>(
        {"--passes",
         "recompute|gradient-accumulation|mixed-precision|operator-fusion|tensor-fusion|tensor-partition|none",
         "apply only these passes, joined by commas", Takes::words}),
    flag<&TuneFlags::memory>({"--memory", "BYTES", "memory budget of a device, such as '16 GB'"}),
    flag<&TuneFlags::write_decisions>({"--write-decisions", "FILE",
                                       "write what the passes chose for traces; replay --apply reads it",
                                       Takes::output}),
    flag<&TuneFlags::strategy>({"--strategy", "NAME", "write only the buckets of this row of the table"}),
};
constexpr auto kTuneFlags = scenario_flags(kPickRows<TuneFlags>, kTuneRows);

/// The strategies of a scenario's pass, or why there are none.
Report strategies_or_reason(const tuning::Tunable& pass, const TuneFlags& options) {
  if (pass.subject) return tune_report(*pass.subject, strategies_of(*pass.subject, options), Data());
  return {.format = {}, .document = {}, .text = {no_strategies(pass)}};
}

planner::AllowedPass allowed_passes(const TuneFlags& options) {
  return [&passes = options.passes](const planner::SettingPass& pass) {
    return passes.empty() || std::ranges::find(passes, pass.name) != passes.end();
  };
}

/// --memory is the budget of a scenario as well.
TuneFlags with_memory(TuneFlags options, Session& session) {
  if (const std::optional<double> bytes = memory_budget(options, session.diagnostics))
    options.scenario.set.push_back(fmt::format("cluster.gpu.memory={:.0f} B", *bytes));
  return options;
}

int run_one(const TuneFlags& given, Streams& streams) {
  Session session;
  const TuneFlags options = with_memory(given, session);
  if (!options.write_decisions.empty() || !options.strategy.empty())
    session.diagnostics.error({}, "--write-decisions and --strategy need traces, and this is a scenario");
  const auto loaded = load_one_length(options.common, options.scenario, "tune", streams, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const planner::Scenario& s = loaded->scenario;
  if (tell_violations(planner::layout_violations(s), streams)) return kNotFeasible;
  const planner::Reread again = reread(options.scenario, session);
  const planner::TunedSettings tuned = elapsed(options.common, streams, "trying settings",
                                               [&] { return planner::tune_settings(again, allowed_passes(options)); });
  const auto scenario = again(tuned.sets());
  const Report strategies = elapsed(options.common, streams, "trying buckets of gradients", [&] {
    return strategies_or_reason(tuning::planned_pass(scenario->scenario), options);
  });
  const int status = print(with_settings(tuned, strategies), options.common, streams, "tune");
  if (status != kDone || tuned.fits) return status;
  streams.err << "not feasible: memory: " << nearest_text(tuned) << "\n";
  return kNotFeasible;
}

int run_tune(const TuneFlags& options, Streams& streams) {
  const std::vector<std::string>& inputs = options.common.inputs;
  HeadFirst in(streams.in);
  const bool from_in = std::ranges::find(inputs, "-") != inputs.end();
  const std::string head = from_in ? in.head(trace::kHeadBytes) : "";
  Streams all = streams.reading(from_in ? in.stream() : streams.in);
  const auto is_one = [&](const std::string& path) { return path == "-" ? trace::is_trace(head) : is_trace(path); };
  if (std::ranges::any_of(inputs, is_one)) return tune_traces(options, all);
  if (inputs.size() == 1) return with_picked(options, all, run_one);
  return refuse_usage("tune", "one scenario, or the traces of one run", streams);
}

constexpr Example kTuneExamples[] = {
    {"which gradients to reduce together", "trainplan tune example:dpro-bert-base"},
    {"recomputation and accumulation under 8 GB of memory",
     "trainplan tune example:dpro-bert-base --set job.global_batch=1024 --set parallelism.microbatch=64 --set "
     "'cluster.gpu.memory=8 GB'"},
};

}  // namespace

Command tune_command() {
  return command_of<kTuneFlags, run_tune>(
      {.name = "tune",
       .summary = "make a step shorter or smaller: passes, buckets of gradients, a memory budget",
       .argument = "SCENARIO|TRACE...",
       .examples = kTuneExamples});
}

}  // namespace cli
