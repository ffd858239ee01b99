#include "planner/seqpoint/epoch.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace planner::seqpoint {

std::vector<double> Epoch::times() const {
  std::vector<double> out;
  for (const LengthTime& l : lengths) out.push_back(l.seconds);
  return out;
}

Epoch epoch_of(const std::vector<Iteration>& run) {
  std::map<int64_t, std::vector<double>> by_length;
  for (const Iteration& i : run) by_length[i.length].push_back(i.seconds);
  Epoch epoch;
  std::map<int64_t, size_t> position;
  for (auto& [length, seconds] : by_length) {
    std::sort(seconds.begin(), seconds.end());  // a sum in one order, whatever that of the run
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    position[length] = epoch.lengths.size();
    epoch.lengths.push_back({length, static_cast<int64_t>(seconds.size()), sum / static_cast<double>(seconds.size())});
  }
  for (const Iteration& i : run) epoch.order.push_back(position[i.length]);
  return epoch;
}

std::vector<double> means_by_length(const Epoch& epoch, const std::vector<double>& values) {
  std::vector<std::vector<double>> by_length(epoch.lengths.size());
  for (size_t i = 0; i < values.size(); ++i) by_length[epoch.order[i]].push_back(values[i]);
  std::vector<double> means;
  for (std::vector<double>& of : by_length) {
    std::sort(of.begin(), of.end());  // as above
    means.push_back(std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size()));
  }
  return means;
}

double total_seconds(const Epoch& epoch, const std::vector<double>& times) {
  double sum = 0;
  for (size_t i = 0; i < epoch.lengths.size(); ++i) sum += static_cast<double>(epoch.lengths[i].iterations) * times[i];
  return sum;
}

}  // namespace planner::seqpoint
