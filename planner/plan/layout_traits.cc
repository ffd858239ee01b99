#include "planner/plan/layout_traits.h"

#include <cmath>
#include <iterator>

namespace planner {
namespace {

double doublings(int64_t a, int64_t b) {
  return std::fabs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

template <auto degree> double doublings_of(const Parallelism& a, const Parallelism& b) {
  return doublings(a.*degree, b.*degree);
}

template <auto member> double differ(const Parallelism& a, const Parallelism& b) {
  return a.*member == b.*member ? 0 : 1;
}

double of_ranks(const Parallelism& a, const Parallelism& b) {
  return doublings(a.tp * a.cp * a.pp * a.dp, b.tp * b.cp * b.pp * b.dp);
}

constexpr LayoutTrait kTraits[] = {
    {"any", [](const Parallelism&, const Parallelism&) { return 1.0; }},
    {"ranks", of_ranks},
    {"tp", doublings_of<&Parallelism::tp>},
    {"pp", doublings_of<&Parallelism::pp>},
    {"cp", doublings_of<&Parallelism::cp>},
    {"ep", doublings_of<&Parallelism::ep>},
    {"etp", doublings_of<&Parallelism::etp>},
    {"microbatch", doublings_of<&Parallelism::microbatch>},
    {"interleave", doublings_of<&Parallelism::interleave>},
    {"recompute", differ<&Parallelism::recompute>},
    {"zero", differ<&Parallelism::zero>},
};

}  // namespace

std::span<const LayoutTrait> layout_traits() { return kTraits; }

double change_variance(std::span<const double> deviations, const Parallelism& a, const Parallelism& b) {
  double variance = 0;
  for (size_t i = 0; i < std::size(kTraits); ++i) {
    const double deviation = i < deviations.size() ? deviations[i] : kUnknownChange;
    variance += deviation * deviation * kTraits[i].apart(a, b);
  }
  return variance;
}

}  // namespace planner
