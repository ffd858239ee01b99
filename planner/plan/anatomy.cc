#include "planner/plan/anatomy.h"

#include <algorithm>
#include <string_view>

#include "planner/workload/overlap.h"

namespace planner {
namespace {

/// An operator of `sublayer` whose name begins with `name` and holds `holds`; the first row that fits counts.
struct PartRow {
  Sublayer sublayer;
  std::string_view name, holds;
  const char* part;
};
constexpr PartRow kRows[] = {
    {Sublayer::embedding, "", "", "embedding"},
    {Sublayer::head, "", "", "output"},
    {Sublayer::optimizer, "", "", "optimizer"},
    {Sublayer::data_parallel, "", "", "optimizer"},
    {Sublayer::offload, "", "", "optimizer"},
    {Sublayer::experts, "", "", "experts"},
    {Sublayer::fixed, "", "", "fixed"},
    {Sublayer::pipeline, "", "", "communication"},
    // Where nothing is fused, the second bias of a sublayer is a kernel between its GEMM and the dropout.
    {Sublayer::residual, "attention.bias", "", "linear"},
    {Sublayer::residual, "mlp.bias", "", "fc"},
    {Sublayer::residual, "", "", "residual"},
    {Sublayer::attention, "attention.score", "", "attention-gemm"},
    {Sublayer::attention, "attention.context", "", "attention-gemm"},
    {Sublayer::attention, "attention.fused", "", "attention-gemm"},
    {Sublayer::attention, "attention.scale", "", "softmax"},
    {Sublayer::attention, "attention.mask", "", "softmax"},
    {Sublayer::attention, "attention.softmax", "", "softmax"},
    {Sublayer::attention, "attention.dropout", "", "softmax"},
    {Sublayer::attention, "", "-heads", "heads"},
    {Sublayer::attention, "", "rope", "heads"},
    {Sublayer::attention, "", ".join", "heads"},
    {Sublayer::attention, "", "norm", "heads"},
    {Sublayer::attention, "", "", "linear"},
    {Sublayer::mlp, "", ".activation", "activation"},
    {Sublayer::mlp, "", ".gate", "activation"},
    {Sublayer::mlp, "", "", "fc"},
};

}  // namespace

const char* part_of(const WorkOp& op) {
  if (is_communication(op.op)) return "communication";
  const std::string_view name = op.name;
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const PartRow& r) {
    return r.sublayer == op.sublayer && name.starts_with(r.name) && name.find(r.holds) != name.npos;
  });
  return row->part;  // every sublayer has a row that any name fits
}

}  // namespace planner
