#include "planner/search/collector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace planner {
namespace {

// Smaller is better; undefined values are worst.
double along(const ResultRow& axis, const Results& results) {
  const std::optional<double> value = axis.value(results);
  if (!value) return std::numeric_limits<double>::infinity();
  return axis.about.more ? -*value : *value;
}

// At least as good on every axis, and better on one; of equals the first in the enumeration stays.
bool dominates(const std::vector<const ResultRow*>& axes, const Results& a, const Position& at, const Results& b,
               const Position& bt) {
  bool better = false;
  for (const ResultRow* axis : axes) {
    const double x = along(*axis, a), y = along(*axis, b);
    if (x > y) return false;
    better |= x < y;
  }
  return better || at < bt;
}

void add(std::vector<int64_t>& counts, const std::vector<int64_t>& more) {
  counts.resize(std::max(counts.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) counts[i] += more[i];
}

}  // namespace

void lower(std::atomic<double>& least, double value) {
  double now = least.load(std::memory_order_relaxed);
  while (value < now && !least.compare_exchange_weak(now, value, std::memory_order_relaxed)) continue;
}

std::vector<Found> Collector::take_plans() {
  for (Found& found : usual_)
    if (is_near(found.objective, found.results.step.seconds)) plans_.insert(std::move(found));
  std::vector<Found> plans;
  plans.reserve(plans_.size());
  while (!plans_.empty()) plans.push_back(std::move(plans_.extract(plans_.begin()).value()));
  return plans;
}

// Looking for a text by its letters would be slow.
int64_t& Collector::count_of(const char* rule) {
  for (const auto& [name, count] : counts_)
    if (name == rule) return *count;
  int64_t& count = result.rejected[rule];
  counts_.emplace_back(rule, &count);
  return count;
}

bool Collector::in_top(const Results& results, double objective, const Position& position) const {
  if (plans_.size() < options_->top) return true;
  if (plans_.empty()) return false;
  return std::tie(objective, results.step.seconds, position) < plans_.rbegin()->rank();
}

bool Collector::on_front(const Results& results, const Position& position) const {
  return !options_->pareto.empty() && std::none_of(result.pareto.begin(), result.pareto.end(), [&](const Found& other) {
    return dominates(options_->pareto, other.results, other.position, results, position);
  });
}

bool Collector::wanted(const Results& results, double objective, const Position& position, bool uncertain,
                       const Departures& departures) {
  ++result.candidates, ++result.evaluated, ++result.feasible, result.uncertain += uncertain;
  result.nearest.reset();
  note_throughput(results.gpus, results.tokens_per_second / static_cast<double>(results.gpus));
  return in_top(results, objective, position) || on_front(results, position) ||
         is_usual(objective, results.step.seconds, departures, position);
}

// Whether a plan may tie with the best one. Goals are negative where more is better.
bool Collector::is_near(double objective, double seconds) const {
  if (!options_->window) return false;
  if (plans_.empty()) return true;
  const Found& best = *plans_.begin();
  const double width = std::expm1(options_->window->width);
  if (options_->window->timed) return objective <= best.objective + std::fabs(best.objective) * width;
  if (objective != best.objective) return objective < best.objective;
  return seconds <= best.results.step.seconds * (1 + width);
}

// Better than each kept plan that departs as little.
bool Collector::is_usual(double objective, double seconds, const Departures& departs, const Position& position) const {
  return is_near(objective, seconds) && std::ranges::none_of(usual_, [&](const Found& other) {
           return other.rank() < std::tie(objective, seconds, position) && other.departures <= departs;
         });
}

// The same of a candidate whose numbers are known to be no less.
bool Collector::may_be_usual(double objective, double seconds, const Departures& departs) const {
  return is_near(objective, seconds) && std::ranges::none_of(usual_, [&](const Found& other) {
           return std::tie(other.objective, other.results.step.seconds) < std::tie(objective, seconds) &&
                  other.departures <= departs;
         });
}

bool Collector::may_keep(const Results& best, double objective, const Position& position) const {
  if (throughput_.empty() || best.gpus < throughput_.begin()->first) return true;
  const double throughput = best.tokens_per_second / static_cast<double>(best.gpus);
  if (best.gpus == throughput_.begin()->first && throughput > throughput_.begin()->second) return true;
  if (may_be_usual(objective, best.step.seconds, least_departures(best))) return true;
  if (reached_ && objective > reached_->load(std::memory_order_relaxed)) return false;
  return in_top(best, objective, position);
}

void Collector::note(const std::map<int64_t, double>& throughput) {
  for (const auto& [gpus, best] : throughput) note_throughput(gpus, best);
}

void Collector::pass_feasible(int64_t gpus, int64_t many, bool uncertain) {
  result.candidates += many, result.evaluated += many, result.feasible += many;
  if (uncertain) result.uncertain += many;
  note_throughput(gpus, 0);  // not better than the known value of the fewest
}

void Collector::keep_on_front(const Found& found) {
  if (!on_front(found.results, found.position)) return;
  std::erase_if(result.pareto, [&](const Found& other) {
    return dominates(options_->pareto, found.results, found.position, other.results, other.position);
  });
  const auto place = std::lower_bound(result.pareto.begin(), result.pareto.end(), found,
                                      [](const Found& a, const Found& b) { return a.position < b.position; });
  result.pareto.insert(place, found);
}

void Collector::keep_in_top(const Found& found) {
  plans_.erase(found);  // somebody scouted it
  if (!in_top(found.results, found.objective, found.position)) return;
  plans_.insert(found);
  if (plans_.size() > options_->top) plans_.erase(std::prev(plans_.end()));
  if (reached_ && plans_.size() == options_->top) lower(*reached_, plans_.rbegin()->objective);
}

void Collector::keep_usual(const Found& found) {
  if (!is_usual(found.objective, found.results.step.seconds, found.departures, found.position)) return;
  std::erase_if(usual_,
                [&](const Found& other) { return !IsBetter()(other, found) && found.departures <= other.departures; });
  usual_.push_back(found);
}

void Collector::keep(const Found& found) {
  keep_on_front(found);
  keep_in_top(found);
  keep_usual(found);
}

void Collector::note_throughput(int64_t gpus, double throughput) {
  auto [it, is_new] = throughput_.try_emplace(gpus, throughput);
  if (!is_new) it->second = std::max(it->second, throughput);
}

void Collector::count(std::vector<int64_t>& by_place, size_t place, int64_t many) {
  if (by_place.size() <= place) by_place.resize(place + 1);
  by_place[place] += many;
}

bool Collector::nearer(const Excess& excess, const Position& position) const {
  if (result.feasible > 0) return false;
  return !result.nearest || std::tie(excess, position) < std::tie(result.nearest->excess, result.nearest->position);
}

bool Collector::is_far(const Excess& excess) const {
  return result.feasible > 0 || (result.nearest && result.nearest->excess < excess);
}

void Collector::merge(const SearchResult& other) {
  result.candidates += other.candidates;
  result.evaluated += other.evaluated;
  result.feasible += other.feasible;
  result.uncertain += other.uncertain;
  result.bounded += other.bounded;
  for (const auto& [rule, count] : other.rejected) result.rejected[rule] += count;
  add(result.valueless, other.valueless);
  add(result.unmet, other.unmet);
  if (result.feasible > 0) result.nearest.reset();
  if (other.nearest && nearer(other.nearest->excess, other.nearest->position)) result.nearest = other.nearest;
  for (const Found& found : other.plans) keep_in_top(found), keep_usual(found);
  for (const Found& found : other.pareto) keep_on_front(found);
  // Speed matters on the fewest GPUs alone.
  for (const int64_t gpus : other.feasible_gpus)
    note_throughput(gpus, gpus == other.fewest_gpus() ? other.fewest_throughput : 0);
}

void Collector::merge(const Collector& other) {
  merge(other.result);
  for (const Found& found : other.plans_) keep_in_top(found), keep_usual(found);
  for (const Found& found : other.usual_) keep_usual(found);
  for (const auto& [gpus, throughput] : other.throughput_) note_throughput(gpus, throughput);
}

double Collector::best() const {
  return plans_.empty() ? std::numeric_limits<double>::infinity() : plans_.begin()->objective;
}

double Collector::base_throughput() const { return throughput_.empty() ? 0 : throughput_.begin()->second; }

}  // namespace planner
