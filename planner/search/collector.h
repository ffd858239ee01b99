// The state of one walk over a space: counts, the best plans, the Pareto front.
#pragma once

#include <set>

#include "planner/search/search_result.h"

namespace planner {

/// Makes a number that several threads lower the smaller of itself and `value`.
void lower(std::atomic<double>& least, double value);

class Collector {
 public:
  /// REQUIRES: `options` outlives it, and so does `reached`: an objective that as many candidates of the walk reach as
  /// are kept, whichever thread found them; null: unknown.
  explicit Collector(const SearchOptions& options, std::atomic<double>* reached = nullptr)
      : options_(&options), reached_(reached) {}
  Collector(const Collector& o)
      : result(o.result), options_(o.options_), plans_(o.plans_), usual_(o.usual_), throughput_(o.throughput_) {}
  Collector(Collector&&) = default;  // what `counts_` points to moves along
  Collector& operator=(Collector&&) = default;

  /// Counts candidates that were refused before they were costed. REQUIRES: `rule` lives as long as the program.
  void reject(const char* rule, int64_t many) { result.candidates += many, count_of(rule) += many; }
  /// Counts refused candidates under the place that refused them: a position in `valueless` or `unmet`.
  static void count(std::vector<int64_t>& by_place, size_t place, int64_t many);
  /// Counts candidates that were costed, and refused for what came out.
  void reject_costed(const char* rule, int64_t many = 1) { result.evaluated += many, reject(rule, many); }
  /// Counts a feasible candidate; returns whether it would be kept.
  bool wanted(const Results& results, double objective, const Position& position, bool uncertain = false,
              const Departures& departures = {});
  void keep(const Found& found);
  /// Returns whether a feasible candidate with these results or worse ones would be kept, or would improve the record
  /// of the fewest GPUs. REQUIRES: no front.
  bool may_keep(const Results& best, double objective, const Position& position) const;
  /// Includes tokens per second and GPU, by number of GPUs, of some feasible candidates that the walk reaches.
  void note(const std::map<int64_t, double>& throughput);
  /// Counts feasible candidates that are not kept.
  void pass_feasible(int64_t gpus, int64_t many = 1, bool uncertain = false);
  /// Returns whether a refused candidate would be the nearest miss; never if any candidate is feasible.
  bool nearer(const Excess& excess, const Position& position) const;
  /// Returns whether none with such an excess, or a larger one, can be it.
  bool is_far(const Excess& excess) const;
  void keep(Miss miss) { result.nearest = std::move(miss); }
  /// Includes another walk over other parts of the same space.
  void merge(const Collector& other);
  /// Includes the result of such a walk. REQUIRES: it kept as many plans, and the same axes.
  void merge(const SearchResult& other);
  /// Returns tokens per second and GPU of the best candidate on the fewest GPUs; 0 if there is none.
  double base_throughput() const;
  /// Returns the smallest objective; infinity if nothing was kept.
  double best() const;
  /// Maps the number of GPUs of feasible candidates to the best tokens per second and GPU.
  const std::map<int64_t, double>& throughput() const { return throughput_; }

  struct IsBetter {
    bool operator()(const Found& a, const Found& b) const { return a.rank() < b.rank(); }
  };
  using TopPlans = std::set<Found, IsBetter>;
  const TopPlans& plans() const { return plans_; }
  /// Moves the plans out of it.
  std::vector<Found> take_plans();

  SearchResult result;  // but for its plans

 private:
  int64_t& count_of(const char* rule);
  bool in_top(const Results& results, double objective, const Position& position) const;
  bool on_front(const Results& results, const Position& position) const;
  void keep_on_front(const Found& found);
  void keep_in_top(const Found& found);
  bool is_near(double objective, double seconds) const;
  bool is_usual(double objective, double seconds, const Departures& departs, const Position& position) const;
  bool may_be_usual(double objective, double seconds, const Departures& departs) const;
  void keep_usual(const Found& found);
  void note_throughput(int64_t gpus, double throughput);

  const SearchOptions* options_;
  std::atomic<double>* reached_ = nullptr;
  std::vector<std::pair<const char*, int64_t*>> counts_;  // places in `result.rejected`
  TopPlans plans_;
  std::vector<Found> usual_;              // the front of goal and departures, within the window
  std::map<int64_t, double> throughput_;  // best tokens per second and GPU, by number of GPUs
};

}  // namespace planner
