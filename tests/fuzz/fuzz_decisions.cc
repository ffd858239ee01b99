// libFuzzer: any bytes as a file of `replay --apply`. They must end in buckets that hold each gradient at most once, or
// in messages with places.
#include <cmath>

#include "cli/files/decisions.h"
#include "tests/fuzz/fuzz.h"

namespace {

void check(const planner::replay::Decisions& decisions) {
  std::vector<bool> has(decisions.gradients);
  size_t last = 0;
  for (const planner::replay::DecidedBucket& bucket : decisions.buckets) {
    fuzz::require(!bucket.gradients.empty() && bucket.partitions >= 1 && bucket.bytes >= 0 && bucket.wait_seconds >= 0);
    for (const size_t gradient : bucket.gradients) {
      fuzz::require(gradient < has.size() && !has[gradient]);
      has[gradient] = true;
    }
    fuzz::require(bucket.gradients.back() >= last);
    last = bucket.gradients.back();
    const double seconds =
        decisions.seconds_per_partition * bucket.partitions + decisions.seconds_per_byte * bucket.bytes;
    fuzz::require(std::isfinite(seconds) && seconds >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"decisions.json", fuzz::text_of(data, size), ""};
  dsl::Diagnostics diagnostics;
  const std::optional<cli::ReadDecisions> read = cli::read_decisions(source, diagnostics);
  fuzz::require_places(diagnostics);
  fuzz::require_value_or_error(read, diagnostics);
  if (read) check(read->decisions);
  return 0;
}
