#include "planner/workload/dimensions.h"

#include <variant>

namespace planner {
namespace {

using namespace operator_models;

struct Visitor {
  const WorkOp& w;
  // Forward m = out, n = tokens, k = in; data gradient m = in, k = out; weight gradient m = in, n = out, k = tokens.
  Dimensions operator()(Gemm& g) const {
    Dimensions d{.batch = &g.batch};
    d.tokens = w.weight_gradient ? &g.k : &g.n;
    d.in = w.phase == StepPhase::backward ? &g.m : &g.k;
    d.out = w.weight_gradient ? &g.n : w.phase == StepPhase::backward ? &g.k : &g.m;
    return d;
  }
  // Its queries and keys are not ordinary rows: context parallelism divides them itself.
  Dimensions operator()(Attention& a) const { return {.heads = {&a.heads, &a.kv_heads}}; }
  // Each rank walks through tokens of its own; that it waits for the state of those before is the pass's to say.
  Dimensions operator()(Scan& s) const { return {.tokens = &s.length, .heads = {&s.heads, &s.key_heads}}; }
  Dimensions operator()(Selection& s) const { return {.heads = {&s.heads, nullptr}}; }
  Dimensions operator()(Vector& v) const { return {.traffic = &v}; }
  Dimensions operator()(Lookup& l) const { return {.tokens = &l.rows}; }
  Dimensions operator()(Collective& c) const { return {.message = &c.bytes}; }
  Dimensions operator()(SendRecv& m) const { return {.message = &m.bytes}; }
  Dimensions operator()(HostCopy& h) const { return {.message = &h.bytes}; }
  // Parameters, which the passes of the optimizer count.
  Dimensions operator()(Update&) const { return {}; }
  Dimensions operator()(HostUpdate&) const { return {}; }
  Dimensions operator()(NearUpdate&) const { return {}; }
  Dimensions operator()(ConcurrentGemms&) const { return {}; }  // of measurements alone
};

}  // namespace

Dimensions dimensions_of(WorkOp& op) { return std::visit(Visitor{op}, op.op); }

void multiply(Vector& kernel, double by) {
  kernel.elements *= by;
  kernel.read = by * kernel.read;
  kernel.written = by * kernel.written;
}

void divide(Vector& kernel, double by) {
  kernel.elements /= by;
  kernel.read /= by;
  kernel.written /= by;
}

}  // namespace planner
