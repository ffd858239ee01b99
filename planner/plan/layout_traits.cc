#include "planner/plan/layout_traits.h"

#include <cmath>

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
    {"any", &ChangeErrors::any, [](const Parallelism&, const Parallelism&) { return 1.0; }},
    {"ranks", &ChangeErrors::ranks, of_ranks},
    {"tp", &ChangeErrors::tp, doublings_of<&Parallelism::tp>},
    {"pp", &ChangeErrors::pp, doublings_of<&Parallelism::pp>},
    {"cp", &ChangeErrors::cp, doublings_of<&Parallelism::cp>},
    {"ep", &ChangeErrors::ep, doublings_of<&Parallelism::ep>},
    {"etp", &ChangeErrors::etp, doublings_of<&Parallelism::etp>},
    {"microbatch", &ChangeErrors::microbatch, doublings_of<&Parallelism::microbatch>},
    {"interleave", &ChangeErrors::interleave, doublings_of<&Parallelism::interleave>},
    {"recompute", &ChangeErrors::recompute, differ<&Parallelism::recompute>},
    {"zero", &ChangeErrors::zero, differ<&Parallelism::zero>},
};

}  // namespace

std::span<const LayoutTrait> layout_traits() { return kTraits; }

double change_variance(const ChangeErrors& errors, const Parallelism& a, const Parallelism& b) {
  double variance = 0;
  for (const LayoutTrait& trait : kTraits) variance += errors.*trait.sd * (errors.*trait.sd) * trait.apart(a, b);
  return variance;
}

}  // namespace planner
