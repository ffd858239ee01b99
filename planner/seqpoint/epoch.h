// One epoch of a run whose iterations differ in sequence length (SL), as SeqPoint sees it: iterations of one length are
// equivalent (Pati 2024, key observation 3.5), so their run times are averaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planner::seqpoint {

/// This is longer than any sequence, in any unit; products with a number of bins stay exact.
inline constexpr int64_t kMostLength = 1'000'000'000;

struct Iteration {
  int64_t length = 0;
  double seconds = 0;
};

struct LengthTime {
  int64_t length = 0, iterations = 0;
  double seconds = 0;  // of one iteration, the mean
};

struct Epoch {
  std::vector<LengthTime> lengths;  // ascending, each once
  std::vector<size_t> order;        // of each iteration, in the order of the run: position in `lengths`

  int64_t iterations() const { return static_cast<int64_t>(order.size()); }
  std::vector<double> times() const;  // seconds by length
};

/// Groups the iterations of a run by length. Their order changes nothing but `order`, not a bit of a mean.
Epoch epoch_of(const std::vector<Iteration>& run);

/// Returns the mean of each length's iterations. `values` has one for each iteration, in the order of the run.
std::vector<double> means_by_length(const Epoch& epoch, const std::vector<double>& values);

/// Returns the seconds (or what else is counted) of all iterations where those of each length take `times`.
double total_seconds(const Epoch& epoch, const std::vector<double>& times);

}  // namespace planner::seqpoint
