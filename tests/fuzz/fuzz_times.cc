// libFuzzer: any bytes as a file of `replay --times`. They must end in means that are written and read back the same,
// or in messages with places.
#include <cmath>

#include "planner/replay/statistics.h"
#include "tests/fuzz/fuzz.h"

namespace {

using planner::replay::Statistics;

std::string text_of(const Statistics& times) {
  std::string text;
  planner::replay::write_statistics(times, [&](std::string_view piece) { text += piece; });
  return text;
}

/// Means are written to thousandths of a nanosecond, and doubles of an hour hold hardly more.
bool is_near(const Statistics::TimeSum& a, const Statistics::TimeSum& b) {
  const double x = a.ns / static_cast<double>(a.count), y = b.ns / static_cast<double>(b.count);
  return std::abs(x - y) <= 1e-3 + 1e-12 * std::abs(x);
}

void check(const Statistics& times) {
  dsl::Diagnostics diagnostics;
  const dsl::Source written{"written.csv", text_of(times), ""};
  Statistics again;
  planner::replay::read_statistics(written, again, diagnostics);
  fuzz::require_read(diagnostics);
  fuzz::require(again.sums().size() == times.sums().size());
  for (const auto& [moment, sum] : times.sums()) {
    const auto& [kind, t] = moment;
    fuzz::require(sum.count > 0 && std::isfinite(sum.ns));
    const Statistics::TimeSum& same = again.sums().at(moment);
    fuzz::require(same.count == sum.count && is_near(same, sum));
    fuzz::require(times.mean_ns({.kind = kind, .begin = t[0], .end = t[1], .before = t[2], .after = t[3]}).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"times.csv", fuzz::text_of(data, size), ""};
  dsl::Diagnostics diagnostics;
  Statistics times;
  planner::replay::read_statistics(source, times, diagnostics);
  fuzz::require_places(diagnostics);
  check(times);
  return 0;
}
