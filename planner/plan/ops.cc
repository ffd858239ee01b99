#include "planner/plan/ops.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <span>
#include <variant>

#include "operator_models/collective.h"
#include "planner/plan/step.h"
#include "planner/plan/violations.h"
#include "planner/workload/fused_cost.h"
#include "planner/workload/overlap.h"

namespace planner {
namespace {

/// Members of a part of the step.
template <class Of> struct PartMembers {
  const char* part;
  std::initializer_list<Of> members;
};

// Sublayers that are one part, whatever their operators do; of the others the role says it.
constexpr PartMembers<Sublayer> kSublayers[] = {
    {"embedding", {Sublayer::embedding}},
    {"output", {Sublayer::head}},
    {"optimizer", {Sublayer::optimizer, Sublayer::data_parallel, Sublayer::offload}},
    {"experts", {Sublayer::experts}},
    {"recurrence", {Sublayer::mixer}},
    {"fixed", {Sublayer::fixed}},
    {"communication", {Sublayer::pipeline}},
};

// Roles of attention, of a dense MLP and of the residual stream. Where nothing is fused, the second bias of a sublayer
// is a kernel between its GEMM and the dropout, and of the GEMM's role. Projections of attention have no row: linear.
constexpr PartMembers<Role> kRoles[] = {
    {"attention-gemm", {Role::score, Role::weighted_values, Role::fused_attention}},
    {"softmax", {Role::scale, Role::mask, Role::softmax, Role::probability_dropout}},
    {"heads",
     {Role::split_heads, Role::join_heads, Role::rotary, Role::join_parts, Role::head_norm, Role::query_latent_norm,
      Role::key_value_latent_norm}},
    {"fc", {Role::fc1, Role::fc2}},
    {"activation", {Role::activation, Role::gate}},
    {"residual",
     {Role::attention_norm, Role::attention_post_norm, Role::attention_residual, Role::mlp_norm, Role::mlp_post_norm,
      Role::mlp_residual, Role::prediction_embedding_norm, Role::prediction_hidden_norm, Role::prediction_projection}},
};

template <class Of> const char* find_part(std::span<const PartMembers<Of>> rows, Of member) {
  for (const PartMembers<Of>& row : rows)
    if (std::ranges::find(row.members, member) != row.members.end()) return row.part;
  return nullptr;
}

using operator_models::DramBytes;
using operator_models::Forwarded;
using operator_models::MovedBy;

MovedBy mover_of(const Scenario& s, const operator_models::Device& device, const CostedOp& op, const Collective& c) {
  if (op.work->hide != Hide::fused || !sent_by_hardware(s)) return MovedBy::kernels;
  return operator_models::goes_straight(c, device) ? MovedBy::straight_stores : MovedBy::ring_of_stores;
}

/// GEMMs whose stores go to other ranks, and how.
std::map<const WorkOp*, Forwarded> forwarded(const Scenario& s, const operator_models::Device& device,
                                             const std::vector<CostedOp>& ops) {
  std::map<const WorkOp*, Forwarded> to;
  for (const CostedOp& op : ops) {
    const auto* c = std::get_if<Collective>(&op.work->op);
    const MovedBy by = c ? mover_of(s, device, op, *c) : MovedBy::kernels;
    if (by != MovedBy::kernels)
      to[ops[static_cast<size_t>(op.work->cover)].work] = {static_cast<double>(c->group.ranks),
                                                           by == MovedBy::straight_stores};
  }
  return to;
}

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

const char* part_of(const WorkOp& op) {
  if (is_communication(op.op)) return "communication";
  if (const char* part = find_part<Sublayer>(kSublayers, op.sublayer)) return part;
  const char* part = find_part<Role>(kRoles, op.role);
  return part ? part : "linear";
}

std::vector<DramBytes> dram_of(const Scenario& s, const std::vector<CostedOp>& ops) {
  const operator_models::Device device = device_of(s);
  const auto to = forwarded(s, device, ops);
  std::vector<DramBytes> all;
  for (const CostedOp& op : ops) {
    const auto* gemm = std::get_if<Gemm>(&op.work->op);
    const auto* collective = std::get_if<Collective>(&op.work->op);
    const auto found = to.find(op.work);
    if (gemm) all.push_back(operator_models::dram_of(*gemm, device, found == to.end() ? Forwarded{} : found->second));
    else if (collective) all.push_back(operator_models::dram_of(*collective, mover_of(s, device, op, *collective)));
    else all.push_back({op.cost.bytes_read, op.cost.bytes_written});
  }
  return all;
}

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
