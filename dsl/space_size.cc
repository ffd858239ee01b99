#include "dsl/space_size.h"

#include <algorithm>

#include "dsl/record_evaluator.h"

namespace dsl {
namespace {

// Steele, Lea, Flood 2014, Fast splittable pseudorandom number generators, figure 10 (SplitMix64).
size_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<size_t>(z ^ (z >> 31));
}

}  // namespace

SpaceSize size_of(const Space& space, int descents) {
  const std::vector<OpenItem>& items = space.items();
  RecordEvaluator evaluator(*space.evaluator_);
  SpaceSize size{.values = std::vector<double>(items.size())};
  std::vector<double> opened(items.size());
  double sum = 0, least = 0, most = 0;
  uint64_t random = 0;
  for (int n = 0; n < descents; ++n) {
    double product = 1;
    for (size_t i = 0; i < items.size(); ++i) {
      std::optional<List> computed;  // if they depend on a choice
      if (items[i].values.empty()) computed = evaluator.values_now(items[i].item);
      const List& values = computed ? *computed : items[i].values;
      if (values.empty()) break;  // counts once, whatever stands behind it
      if (!items[i].together) product *= static_cast<double>(values.size());
      size.values[i] += static_cast<double>(values.size());
      ++opened[i];
      evaluator.assign(items[i].item, values[next_random(random) % values.size()]);
    }
    sum += product;
    least = n == 0 ? product : std::min(least, product);
    most = std::max(most, product);
  }
  for (size_t i = 0; i < items.size(); ++i) size.values[i] = opened[i] > 0 ? size.values[i] / opened[i] : 1;
  size.candidates = sum / descents;
  size.exact = least == most;
  return size;
}

}  // namespace dsl
