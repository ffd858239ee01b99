// Prices the operator that docs/adding.md adds: "KIND MODEL SECONDS". Sixteen ranks, a network of 1.5 us.
#include <cstdio>

#include "operator_models/cost.h"

int main() {
  const std::vector<hw_profiles::Tier> network{{.name = "wires", .size = 0, .bandwidth = {1e9}, .latency = {1.5e-6}}};
  const operator_models::Device device{.network = &network};
  const operator_models::Operator op = operator_models::Barrier{{.ranks = 16, .inside = {16}}};
  const operator_models::Cost cost = operator_models::cost(op, device, {}, {});
  std::printf("%s %s %g\n", operator_models::kind_of(op), cost.model, cost.seconds.value);
}
