#include "planner/workload/model_view.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "operator_models/models.h"

namespace planner {
namespace {

using operator_models::Gemm;

// Between kernels that the host launches one by one the device waits a little longer than inside a graph.
dsl::Seconds launch_with_gap(const Scenario& s) {
  const bool gaps = s.software.gap.value > 0 && s.software.graphs != Graphs::step;
  return gaps ? s.calibration.launch + s.software.gap : dsl::Seconds{};
}

// Whether rows of A, B or C, in all of which features lie side by side, are no multiple of 16 bytes: in a weight
// gradient it is the tokens that are summed over, elsewhere they are the columns (m, n, k as a workload has them).
bool is_unaligned(const Gemm& g) {
  if (g.precision == hw_profiles::Precision::fp32) return false;  // vector units load single elements
  const auto elements = static_cast<int64_t>(16 / operator_models::operand_bytes(g.precision));
  const int64_t other = g.pass == operator_models::GemmPass::wgrad ? g.n : g.k;
  return g.m % elements != 0 || other % elements != 0;
}

}  // namespace

operator_models::Operator oriented(const operator_models::Operator& op) {
  if (const auto* g = std::get_if<Gemm>(&op)) {
    Gemm turned = *g;
    std::swap(turned.m, turned.n);
    std::swap(turned.a_bytes, turned.b_bytes);
    turned.unaligned = is_unaligned(*g);
    return turned;
  }
  return op;
}

operator_models::Device device_of(const Scenario& s) {
  operator_models::Device device{.gpu = &s.cluster.gpu,
                                 .network = &s.cluster.network,
                                 .calibration = &s.calibration,
                                 .launch = launch_with_gap(s),
                                 .slowdown = s.software.vector_slowdown,
                                 .host = &s.cluster.host,
                                 .gpus_per_host = std::min(s.cluster.gpus, s.cluster.gpus_per_node)};
  if (!s.fitted.empty()) device.fitted = fitted_slots(s);
  return device;
}

}  // namespace planner
