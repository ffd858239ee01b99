#include "planner/plan/at_length.h"

#include "planner/scenario/field_setter.h"

namespace planner {

Scenario at_length(const Scenario& scenario, const LengthShare& share) {
  Scenario s = scenario;
  s.lengths = {};
  for (const auto& [path, value] : share.sets) field_setter(s, path)(value);
  return s;
}

std::vector<double> length_shares(const Scenario& s) {
  double sum = 0;
  for (const LengthShare& share : s.lengths.shares) sum += share.weight;
  std::vector<double> shares;
  for (const LengthShare& share : s.lengths.shares) shares.push_back(share.weight / sum);
  return shares;
}

}  // namespace planner
