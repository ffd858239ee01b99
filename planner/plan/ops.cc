#include "planner/plan/ops.h"

#include <variant>

#include "planner/plan/anatomy.h"
#include "planner/plan/dram.h"
#include "planner/plan/step.h"
#include "planner/plan/violations.h"

namespace planner {
namespace {

using namespace operator_models;
using ShapeList = std::vector<std::pair<std::string, double>>;

template <class... F> struct Overload : F... { using F::operator()...; };
template <class... F> Overload(F...) -> Overload<F...>;

double d(int64_t n) { return static_cast<double>(n); }

ShapeList shape_of(const Gemm& g) { return {{"batch", d(g.batch)}, {"m", d(g.m)}, {"n", d(g.n)}, {"k", d(g.k)}}; }
ShapeList shape_of(const Attention& a) {
  return {{"batch", d(a.batch)},     {"heads", d(a.heads)}, {"kv_heads", d(a.kv_heads)},
          {"queries", d(a.queries)}, {"keys", d(a.keys)},   {"head_dim", d(a.head_dim)}};
}
ShapeList shape_of(const Scan& s) {
  return {{"batch", d(s.batch)},   {"heads", d(s.heads)},     {"key_heads", d(s.key_heads)},
          {"length", d(s.length)}, {"key_dim", d(s.key_dim)}, {"value_dim", d(s.value_dim)},
          {"chunk", d(s.chunk)}};
}
ShapeList shape_of(const Selection& s) {
  return {{"batch", d(s.batch)}, {"heads", d(s.heads)},       {"queries", d(s.queries)},
          {"keys", d(s.keys)},   {"head_dim", d(s.head_dim)}, {"top_k", d(s.top_k)}};
}
ShapeList shape_of(const Vector& v) { return {{"elements", v.elements}}; }
ShapeList shape_of(const Lookup& l) { return {{"rows", d(l.rows)}, {"width", d(l.width)}}; }
ShapeList shape_of(const Update& u) { return {{"parameters", u.parameters}}; }
ShapeList shape_of(const HostUpdate& h) { return shape_of(h.update); }
ShapeList shape_of(const NearUpdate& n) { return shape_of(n.update); }
ShapeList shape_of(const Collective& c) { return {{"bytes", c.bytes.value}, {"ranks", d(c.group.ranks)}}; }
ShapeList shape_of(const SendRecv& r) { return {{"bytes", r.bytes.value}}; }
ShapeList shape_of(const HostCopy& h) { return {{"bytes", h.bytes.value}}; }
ShapeList shape_of(const ConcurrentGemms& c) { return {{"at_once", d(c.at_once)}}; }

// The classes in which Pati 2024, chapter 4, groups the operators of a layer.
const char* class_of(const WorkOp& w) {
  return std::visit(
      Overload{[&](const Gemm&) {
                 return is_core_attention(w.role)     ? "attention-gemm"
                        : w.sublayer == Sublayer::mlp ? "fc-gemm"
                                                      : "linear-gemm";
               },
               [](const Attention&) { return "attention"; }, [](const Vector&) { return "vector"; },
               [](const Lookup&) { return "embedding"; }, [](const Update&) { return "optimizer"; },
               [](const HostUpdate&) { return "optimizer"; }, [](const NearUpdate&) { return "optimizer"; },
               [](const ConcurrentGemms&) { return "linear-gemm"; }, [](const Collective&) { return "communication"; },
               [](const SendRecv&) { return "communication"; }, [](const HostCopy&) { return "communication"; },
               [](const Scan&) { return "attention"; }, [](const Selection&) { return "attention"; }},
      w.op);
}

const char* kind_name(const Operator& op) {
  if (const auto* v = std::get_if<Vector>(&op)) return operator_models::name(v->kind);
  if (const auto* c = std::get_if<Collective>(&op)) return operator_models::name(c->kind);
  return kind_of(op);
}

OperatorRow row_of(const CostedOp& op, const DramBytes& dram, const std::string& layer, double count) {
  OperatorRow r;
  const Cost& c = op.cost;
  r.name = op.work->name;
  r.phase = name(op.work->phase);
  r.layer = layer;
  r.sublayer = name(op.work->sublayer);
  r.kind = kind_name(op.work->op);
  r.op_class = class_of(*op.work);
  r.part = part_of(*op.work);
  r.shape = std::visit([](const auto& each) { return shape_of(each); }, op.work->op);
  r.count = count * op.work->count;
  if (const auto* update = std::get_if<operator_models::Update>(&op.work->op))
    r.launches = static_cast<double>(update->kernels);
  r.flops = c.flops;
  r.bytes_read = c.bytes_read;
  r.bytes_written = c.bytes_written;
  r.near_bytes = c.near_bytes;
  r.at_once = c.at_once;
  r.gain = c.gain;
  const double bytes = c.bytes_read + c.bytes_written;
  r.intensity = bytes > 0 ? c.flops / bytes : 0;
  r.seconds = c.seconds.value;
  r.waited = op.communication ? op.exposed : r.seconds;
  r.fused = op.work->hide == Hide::fused;
  r.dram_read = dram.read;
  r.dram_written = dram.written;
  r.bound = operator_models::name(c.bound);
  r.model = c.model;
  r.provenance = operator_models::name(c.provenance);
  r.relative_error = c.relative_error;
  return r;
}

void add_rows(std::vector<OperatorRow>& rows, const Scenario& s, const std::vector<CostedOp>& ops,
              const std::string& layer, double count) {
  const std::vector<DramBytes> dram = dram_of(s, ops);
  for (size_t i = 0; i < ops.size(); ++i) rows.push_back(row_of(ops[i], dram[i], layer, count));
}

}  // namespace

std::vector<OperatorRow> operator_rows(const Scenario& s) {
  if (!layout_violations(s).empty()) return {};
  const TimedStep t = time_step(s);
  const CostedWorkload& c = t.costed;
  const double m = static_cast<double>(c.workload.microbatches);
  std::vector<OperatorRow> rows;
  const Chunk held = t.stage().total();
  for (size_t i = 0; i < c.blocks.size(); ++i) {
    const Block& block = c.workload.blocks[i];
    const bool end = !block.is_layer();
    if (end || held[i] > 0)
      add_rows(rows, s, c.blocks[i].ops, block.name, m * (end ? 1 : static_cast<double>(held[i])));
  }
  if (c.workload.boundary.bytes.value > 0) {
    const WorkOp crossing{.name = "pipeline.activation", .sublayer = Sublayer::pipeline, .op = c.workload.boundary};
    const CostedOp op{
        .work = &crossing, .cost = c.boundary, .exposed = c.boundary.seconds.value, .communication = true};
    const DramBytes dram{op.cost.bytes_read, op.cost.bytes_written};
    rows.push_back(row_of(op, dram, "boundary",
                          (s.job.phase == Phase::train ? 2 : 1) * m * static_cast<double>(s.parallelism.interleave)));
  }
  add_rows(rows, s, c.classes[t.pipeline.stage_class].step_ops, "step", 1);
  double sum = 0;
  for (const OperatorRow& r : rows) sum += r.count * r.seconds;
  for (OperatorRow& r : rows) r.share = sum > 0 ? r.count * r.seconds / sum : 0;
  return rows;
}

}  // namespace planner
