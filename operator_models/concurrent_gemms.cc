// GEMMs that start together: the time of one (measured, or by its own model) times their number, divided by their gain
// (concurrency.h).
#include "operator_models/concurrent_gemms.h"

#include <algorithm>

#include "operator_models/gemm.h"

namespace operator_models {
namespace {

/// The GEMM of the operator, or the mean of both gradients.
Cost of_one(const ConcurrentGemms& op, const Device& device, const Share& share) {
  Cost c = gemm_table(op.gemm, device, share);
  if (!op.both_gradients) return c;
  const Cost other = gemm_table(wgrad_beside(op.gemm), device, share);
  c.seconds = 0.5 * (c.seconds + other.seconds);
  c.launch = 0.5 * (c.launch + other.launch);
  c.flops = 0.5 * (c.flops + other.flops);
  c.bytes_read = 0.5 * (c.bytes_read + other.bytes_read);
  c.bytes_written = 0.5 * (c.bytes_written + other.bytes_written);
  return c;
}

Cost at_once(const ConcurrentGemms& op, Concurrency policy, const Device& device, const Share& share) {
  Cost c = of_one(op, device, share);
  set_source(c, kConcurrencyNames[static_cast<size_t>(policy)], device.calibration->concurrency);
  if (no_work(op.gemm) || op.at_once <= 1) return c;
  const Concurrent run =
      run_concurrently(gemms_of(op), policy, device, op.back_to_back ? StreamEnds::back_to_back : StreamEnds::joined);
  const auto all = real(op.at_once);
  const double alone = op.alone_seconds > 0 ? op.alone_seconds : c.seconds.value;
  c.seconds = dsl::Seconds{seconds_together(device.calibration->concurrency, run, all, alone, c.launch.value)};
  c.launch *= real(run.rounds);
  c.flops *= all;
  c.bytes_read *= all;
  c.bytes_written *= all;
  c.at_once = run.degree;
  c.gain = all * alone / c.seconds.value;
  return c;
}

}  // namespace

Gemm wgrad_beside(const Gemm& dgrad) {
  Gemm wgrad = dgrad;
  wgrad.m = dgrad.k;
  wgrad.k = dgrad.m;
  wgrad.pass = GemmPass::wgrad;
  return wgrad;
}

std::vector<Gemm> gemms_of(const ConcurrentGemms& op) {
  std::vector<Gemm> gemms(static_cast<size_t>(op.at_once), op.gemm);
  if (op.both_gradients) std::fill(gemms.begin() + op.at_once / 2, gemms.end(), wgrad_beside(op.gemm));
  return gemms;
}

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
