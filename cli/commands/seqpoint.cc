#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/pages/study_pages.h"
#include "planner/resolve/read.h"
#include "planner/studies/seqpoints/project.h"
#include "planner/unpack/gzip.h"

namespace cli {
namespace {

struct SeqpointFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string timed;                                     // file of the scenario that times lengths
  std::string on;                                        // road map of machines to project to
  std::string order;                                     // corpus, sorted, bucketed, shuffled
  std::optional<int64_t> seed, divide, quantum, warmup;  // of batches; of the alternative `prior`
  std::optional<double> threshold;                       // error of the projection
  std::string truth;                                     // log of times that the choice does not see
  std::vector<std::string> truth_set;                    // fields of a scenario whose times it does not see
  std::vector<std::string> statistics;                   // columns of the log beside the times
  std::string by;                                        // one of them: what SeqPoints are chosen by
  std::string picture;                                   // what --format svg shows
};

constexpr std::array kSeqpointRows{
    flag<&SeqpointFlags::timed>({"--scenario", "FILE", "model and machine that time lengths, and are projected from"}),
    flag<&SeqpointFlags::on>(naming(
        "roadmap",
        {"--on", "ROADMAP",
         "other machines to project to: the name of a roadmap, or its steps as a scenario's `roadmap` lists them"})),
    flag<&SeqpointFlags::order>({"--order", "corpus|sorted|bucketed|shuffled",
                                 "order of a data set's sequences or batches (corpus)", Takes::word}),
    flag<&SeqpointFlags::seed>({"--seed", "N", "seed of the orders bucketed and shuffled (1)"}),
    flag<&SeqpointFlags::divide>(
        {"--divide", "N", "units of the data in one of job.sequence: 160 samples in a frame (1)"}),
    flag<&SeqpointFlags::quantum>(
        {"--quantum", "N", "batches are padded to a multiple of N units of job.sequence (1)"}),
    flag<&SeqpointFlags::threshold>(
        {"--threshold", "X", "largest error of the projection, a fraction (0.001)", Takes::number}),
    flag<&SeqpointFlags::warmup>(
        {"--warmup", "N", "iterations that the alternative 'prior' skips before it takes 50 (50)", Takes::whole}),
    flag<&SeqpointFlags::truth>(
        {"--truth", "LOG", "measured times of the same lengths: they judge the choice, which does not use them"}),
    flag<&SeqpointFlags::truth_set>({"--truth-set", "PATH=EXPR",
                                     "the same from the scenario with other fields, such as operator_models.gemm=wave; "
                                     "repeatable"}),
    flag<&SeqpointFlags::statistics>({"--statistic", "A,B",
                                      "columns of the log whose sums are projected too: counters, bytes, kernels",
                                      Takes::list}),
    flag<&SeqpointFlags::by>({"--by", "COLUMN", "choose SeqPoints by this column of --statistic, not by time"}),
    flag<&SeqpointFlags::picture>(
        {"--picture", "seconds|histogram|COLUMN",
         "with --format svg, draw time or a statistic by length, or how often each length occurs "
         "(seconds)"}),
};
constexpr auto kSeqpointFlags = scenario_flags(kSeqpointRows);

namespace seqpoint = planner::seqpoint;

/// Returns "" or the mistake in the flags for this log.
std::string wrong_flags(const seqpoint::Log& log, const SeqpointFlags& o) {
  if (o.timed.empty()) {
    if (log.seconds.empty())
      return "the log has no times: --scenario FILE says the machine and the model that give them";
    if (!o.scenario.prices.empty()) return "--prices changes a scenario: --scenario FILE names it";
    if (!o.scenario.set.empty() || !o.on.empty()) return "--set and --on change a scenario: --scenario FILE names it";
  }
  const auto is_statistic = [&](const std::string& name) {
    return std::ranges::find(o.statistics, name) != o.statistics.end();
  };
  if (!o.by.empty() && !is_statistic(o.by)) return "--by takes a column of --statistic";
  const bool drawn =
      o.picture.empty() || o.picture == kHistogram || o.picture == kSecondsPicture || is_statistic(o.picture);
  if (!drawn) return "--picture takes seconds, histogram or a column of --statistic";
  if (!o.truth.empty() && !o.truth_set.empty()) return "--truth and --truth-set are two truths: one of them";
  if (o.timed.empty() && !o.truth_set.empty()) return "--truth-set changes a scenario: --scenario FILE names it";
  const bool batching = !o.order.empty() || o.seed || o.divide || o.quantum;
  if (batching && !log.sequences)
    return "--order, --seed, --divide and --quantum make batches of a data set; this log has its iterations";
  return "";
}

seqpoint::ProjectionOptions projection_options(const SeqpointFlags& o) {
  seqpoint::ProjectionOptions out;
  for (size_t i = 0; i < seqpoint::kOrderNames.size(); ++i)
    if (o.order == seqpoint::kOrderNames[i]) out.batching.order = static_cast<seqpoint::Order>(i);
  out.batching.seed = static_cast<uint64_t>(o.seed.value_or(1));
  out.batching.divide = o.divide.value_or(1);
  out.batching.quantum = o.quantum.value_or(1);
  if (o.threshold) out.select.threshold = *o.threshold;
  out.by = o.by;
  if (o.warmup) out.warmup = *o.warmup;
  for (const std::string& set : o.truth_set) out.truth_sets.push_back({set});
  return out;
}

/// The log of the truth, which must have times; nullopt: diagnosed.
std::optional<seqpoint::Log> truth_of(const dsl::Source& file, Session& session) {
  auto log = seqpoint::read_log(file, session.sources, session.diagnostics);
  if (!log || !log->seconds.empty()) return log;
  session.diagnostics.error({&file, 1, 1, 0}, "a truth has times, and this log has none",
                            "columns are length and seconds (or time_us)");
  return std::nullopt;
}

/// Returns "" or the flag value that is invalid.
std::string wrong_value(const SeqpointFlags& o) {
  if (o.threshold && !(*o.threshold >= 0)) return "--threshold takes a fraction of 0 and more (0.001)";
  if (o.warmup.value_or(0) < 0) return "--warmup takes a number of iterations, 0 and more";
  if (std::max(o.divide.value_or(1), o.quantum.value_or(1)) > seqpoint::kMostLength)
    return fmt::format("--divide and --quantum take whole numbers to {}", seqpoint::kMostLength);
  return "";
}

std::optional<seqpoint::Projection> projection_of(const seqpoint::Log& log, const dsl::Source& file,
                                                  const SeqpointFlags& options, Streams& streams, Session& session) {
  seqpoint::ProjectionOptions how = projection_options(options);
  std::optional<seqpoint::Log> truth;
  if (!options.truth.empty()) {
    how.truth_file = read_input(options.truth, streams, session, seqpoint::kMostLogBytes);
    truth = how.truth_file ? truth_of(*how.truth_file, session) : std::nullopt;
    if (!truth) return std::nullopt;
    how.truth = &*truth;
  }
  if (options.timed.empty()) return project_run(log, file, nullptr, how, session.diagnostics);
  open_catalog(session, options.common.catalog);
  const dsl::Source* source = read_input(options.timed, streams, session);
  if (!source || session.diagnostics.has_errors()) return std::nullopt;
  std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  if (!options.on.empty()) overrides.push_back({"roadmap=" + options.on});
  const planner::ScenarioText text{*source, overrides, session.catalog, session.sources};
  return project_run(log, file, &text, how, session.diagnostics);
}

void warn_of_threshold(const seqpoint::Projection& projection, const SeqpointFlags& options, Session& session) {
  if (projection.selection.met) return;
  session.diagnostics.warning(
      {}, fmt::format("no number of bins up to that of lengths brings the error to {}; {} bins come nearest",
                      projection_options(options).select.threshold, projection.selection.bin_count));
}

int wrong_usage(const std::string& message, Streams& streams) {
  return refuse_usage("seqpoint", message + "; usage: trainplan seqpoint LOG [flags]", streams);
}

int run_seqpoint(const SeqpointFlags& options, Streams& streams) {
  if (const std::string wrong = wrong_value(options); !wrong.empty()) return wrong_usage(wrong, streams);
  Session session;
  const dsl::Source* file = read_input(options.common.inputs.at(0), streams, session, seqpoint::kMostLogBytes);
  const auto log =
      file ? seqpoint::read_log(*file, session.sources, session.diagnostics, options.statistics) : std::nullopt;
  if (!log) return report_diagnostics(options.common, streams, session);
  if (const std::string wrong = wrong_flags(*log, options); !wrong.empty()) return wrong_usage(wrong, streams);
  const auto projection = projection_of(*log, *file, options, streams, session);
  if (projection) warn_of_threshold(*projection, options, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const std::string picture = options.picture.empty() ? kSecondsPicture : options.picture;
  return print(seqpoint_report(*projection, picture), options.common, streams, "seqpoint");
}

constexpr Example kSeqpointExamples[] = {
    {"the lengths that stand for an epoch of a speech corpus",
     "trainplan seqpoint example:librispeech-dev-clean.samples16k.txt --scenario example:gnmt-vega-fe "
     "--divide 640"},
    {"the histogram of the lengths as a picture",
     "trainplan seqpoint example:librispeech-dev-clean.samples16k.txt --scenario example:gnmt-vega-fe "
     "--divide 640 --picture histogram --format svg"},
};

}  // namespace

Command seqpoint_command() {
  return command_of<kSeqpointFlags, run_seqpoint>(
      {.name = "seqpoint",
       .summary = "pick a few iterations that represent a run with varying sequence lengths",
       .argument = "LOG",
       .examples = kSeqpointExamples,
       .pictures = true});
}

}  // namespace cli
