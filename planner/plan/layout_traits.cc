#include "planner/plan/layout_traits.h"

#include <cmath>
#include <iterator>

namespace planner {
namespace {

template <auto degree> double doublings_of(const Parallelism& p) { return std::log2(static_cast<double>(p.*degree)); }
template <auto member> double number_of(const Parallelism& p) { return static_cast<double>(p.*member); }

double doublings_of_ranks(const Parallelism& p) { return std::log2(static_cast<double>(p.tp * p.cp * p.pp * p.dp)); }

constexpr LayoutTrait kTraits[] = {
    {"any", TraitKind::any, [](const Parallelism&) { return 0.0; }},
    {"ranks", TraitKind::degree, doublings_of_ranks},
    {"tp", TraitKind::degree, doublings_of<&Parallelism::tp>},
    {"pp", TraitKind::degree, doublings_of<&Parallelism::pp>},
    {"cp", TraitKind::degree, doublings_of<&Parallelism::cp>},
    {"ep", TraitKind::degree, doublings_of<&Parallelism::ep>},
    {"etp", TraitKind::degree, doublings_of<&Parallelism::etp>},
    {"microbatch", TraitKind::degree, doublings_of<&Parallelism::microbatch>},
    {"interleave", TraitKind::degree, doublings_of<&Parallelism::interleave>},
    {"recompute", TraitKind::word, number_of<&Parallelism::recompute>},
    {"zero", TraitKind::word, number_of<&Parallelism::zero>},
};

}  // namespace

double LayoutTrait::apart(const Parallelism& a, const Parallelism& b) const {
  if (kind == TraitKind::any) return 1;
  const double difference = std::fabs(level(a) - level(b));
  return kind == TraitKind::degree ? difference : difference > 0 ? 1 : 0;
}

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
