// GEMMs alike that start together: what one takes by its own model, times their number over what they gain
// (concurrency.h).
#include <vector>

#include "operator_models/concurrency.h"
#include "operator_models/gemm.h"

namespace operator_models {
namespace {

Cost at_once(const ConcurrentGemms& op, Concurrency policy, const Device& device, const Share& share) {
  Cost c = gemm_table(op.gemm, device, share);
  c.model = kConcurrencyNames[static_cast<size_t>(policy)];
  c.provenance = device.calibration->concurrency.provenance;
  c.relative_error = device.calibration->concurrency.relative_error;
  if (no_work(op.gemm) || op.at_once <= 1) return c;
  const std::vector<Gemm> alike(static_cast<size_t>(op.at_once), op.gemm);
  const Concurrent run = run_concurrently(alike, policy, device);
  const auto all = static_cast<double>(op.at_once);
  const dsl::Seconds one_by_one = all * c.seconds, kernels = all / run.gain * (c.seconds - c.launch);
  c.launch *= static_cast<double>(run.rounds);
  c.seconds = c.launch + kernels;
  c.flops *= all;
  c.bytes_read *= all;
  c.bytes_written *= all;
  c.at_once = run.degree;
  c.gain = one_by_one / c.seconds;
  return c;
}

}  // namespace

Cost gemms_by_default(const ConcurrentGemms& op, const Device& device, const Share& share) {
  return at_once(op, Concurrency::greedy, device, share);
}
Cost gemms_tuned(const ConcurrentGemms& op, const Device& device, const Share& share) {
  return at_once(op, Concurrency::go, device, share);
}
Cost gemms_by_oracle(const ConcurrentGemms& op, const Device& device, const Share& share) {
  return at_once(op, Concurrency::oracle, device, share);
}

}  // namespace operator_models
