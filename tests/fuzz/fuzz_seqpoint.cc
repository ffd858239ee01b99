// libFuzzer: any bytes as a log of seqpoint; the first byte selects its name and how a data set becomes batches. They
// must give SeqPoints that represent every iteration, or messages with places.
#include <cmath>
#include <iterator>

#include "planner/studies/seqpoints/project.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace seqpoint = planner::seqpoint;

constexpr const char* kNames[] = {"log.csv", "log.gz", "noname"};

using fuzz::require;

void check(const seqpoint::Projection& projection) {
  const int64_t iterations = projection.epoch.iterations();
  // `prior` is left out of a run that it would see whole.
  require(iterations > 0 && projection.samples.size() == (iterations > seqpoint::kPriorIterations ? 6U : 5U));
  int64_t weights = 0;
  for (const seqpoint::Point& p : projection.selection.sample.points) weights += p.weight;
  require(weights == iterations);
  const std::vector<double> times = projection.epoch.times();
  for (const seqpoint::Sample& sample : projection.samples) {
    require(!sample.points.empty() && sample.runs > 0);
    for (const seqpoint::Point& p : sample.points) require(p.at < projection.epoch.lengths.size() && p.weight > 0);
    require(std::isfinite(seqpoint::projection_error(projection.epoch, sample, times)));
  }
}

/// A log with times as it is; a data set's batches without a machine to time them.
void use(const seqpoint::Log& log, const dsl::Source& file, unsigned choice, dsl::Diagnostics& diagnostics) {
  const seqpoint::ProjectionOptions options{.select = {.threshold = choice % 2 ? 0.001 : 0}, .warmup = choice % 64};
  if (!log.seconds.empty()) {
    const auto projection = seqpoint::project_run(log, file, nullptr, options, diagnostics);
    require(projection.has_value() != diagnostics.has_errors());
    if (projection) check(*projection);
    return;
  }
  seqpoint::Batching batching{.batch = 1 + choice % 3,
                              .order = static_cast<seqpoint::Order>(choice % seqpoint::kOrderNames.size()),
                              .divide = 1 + choice % 5,
                              .quantum = 1 + choice % 7};
  if (log.lengths.size() < static_cast<size_t>(batching.batch)) return;
  const std::vector<int64_t> lengths = seqpoint::batch_lengths(log.lengths, batching);
  require(lengths.size() == log.lengths.size() / static_cast<size_t>(batching.batch));
  for (const int64_t length : lengths) require(length >= 1 && length % batching.quantum == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  sources.push_back(
      {.name = kNames[data[0] % std::size(kNames)], .text = fuzz::text_of(data + 1, size - 1), .directory = "."});
  const dsl::Source& file = sources.front();
  const auto log = seqpoint::read_log(file, sources, diagnostics);
  require(log.has_value() != diagnostics.has_errors());
  if (log) {
    require(!log->lengths.empty() && (log->seconds.empty() || log->seconds.size() == log->lengths.size()));
    use(*log, file, data[0], diagnostics);
  }
  fuzz::require_places(diagnostics, fuzz::Places::where_known);
  return 0;
}
