#include "operator_models/features.h"

#include <algorithm>

#include "operator_models/attention_shape.h"
#include "operator_models/calibration.h"
#include "operator_models/scan_work.h"

namespace operator_models {
namespace {

/// A figure of one alternative as one of the variant. REQUIRES: the row's kind is the operator's.
template <class Op, auto figure> double of(const Operator& op) { return static_cast<double>(figure(std::get<Op>(op))); }

double gemm_bytes(const Gemm& g) {
  const double m = real(g.m), n = real(g.n), k = real(g.k);
  return real(g.batch) * (m * k * g.a_bytes + k * n * g.b_bytes + m * n * g.c_bytes * (g.accumulate ? 2 : 1));
}

// Pairs under the mask, no block of a kernel rounded up.
double attention_flops(const Attention& a) {
  const double heads = real(a.batch) * real(a.heads);
  return 4 * heads * head_width(a) * executed_pairs(a, 0) * (a.backward ? kBackwardGemms : 1);
}

double scan_flops(const Scan& s) {
  const ScanWork work = scan_work(s);
  return work.matrix_flops + work.vector_flops;
}

double scan_bytes(const Scan& s) {
  const ScanWork work = scan_work(s);
  return work.read_bytes + work.written_bytes;
}

double lookup_bytes(const Lookup& l) { return real(l.rows) * real(l.width) * l.bytes_per_element; }

double update_bytes(const Update& u) { return u.parameters * (u.read_bytes + u.written_bytes); }

constexpr OperatorFeature kRows[] = {
    {"gemm", "m", "rows of A and C: tokens", of<Gemm, [](const Gemm& g) { return g.m; }>},
    {"gemm", "n", "columns of B and C: width of the output", of<Gemm, [](const Gemm& g) { return g.n; }>},
    {"gemm", "k", "columns of A: width that is summed over", of<Gemm, [](const Gemm& g) { return g.k; }>},
    {"gemm", "batch", "products of one call", of<Gemm, [](const Gemm& g) { return g.batch; }>},
    {"gemm", "flops", "2 * batch * m * n * k", of<Gemm, gemm_flops>},
    {"gemm", "bytes", "operands and result", of<Gemm, gemm_bytes>},
    {"attention", "batch", "sequences", of<Attention, [](const Attention& a) { return a.batch; }>},
    {"attention", "heads", "query heads", of<Attention, [](const Attention& a) { return a.heads; }>},
    {"attention", "kv_heads", "heads of keys and values", of<Attention, [](const Attention& a) { return a.kv_heads; }>},
    {"attention", "queries", "of one sequence", of<Attention, [](const Attention& a) { return a.queries; }>},
    {"attention", "keys", "of one sequence", of<Attention, [](const Attention& a) { return a.keys; }>},
    {"attention", "head_dim", "width of a head", of<Attention, [](const Attention& a) { return a.head_dim; }>},
    {"attention", "flops", "under the mask; of a backward kernel 2.5 times the forward one's",
     of<Attention, attention_flops>},
    {"scan", "batch", "sequences", of<Scan, [](const Scan& s) { return s.batch; }>},
    {"scan", "heads", "states of one token", of<Scan, [](const Scan& s) { return s.heads; }>},
    {"scan", "length", "of one sequence", of<Scan, [](const Scan& s) { return s.length; }>},
    {"scan", "flops", "on matrices and on the vector unit", of<Scan, scan_flops>},
    {"scan", "bytes", "read and written", of<Scan, scan_bytes>},
    {"selection", "batch", "sequences", of<Selection, [](const Selection& s) { return s.batch; }>},
    {"selection", "queries", "of one sequence", of<Selection, [](const Selection& s) { return s.queries; }>},
    {"selection", "keys", "of one sequence", of<Selection, [](const Selection& s) { return s.keys; }>},
    {"vector", "elements", "of the largest operand", of<Vector, [](const Vector& v) { return v.elements; }>},
    {"vector", "bytes", "read and written", of<Vector, [](const Vector& v) { return (v.read + v.written).value; }>},
    {"lookup", "rows", "gathered or added", of<Lookup, [](const Lookup& l) { return l.rows; }>},
    {"lookup", "width", "elements of a row", of<Lookup, [](const Lookup& l) { return l.width; }>},
    {"lookup", "bytes", "of the rows, once", of<Lookup, lookup_bytes>},
    {"update", "parameters", "that the GPU updates", of<Update, [](const Update& u) { return u.parameters; }>},
    {"update", "bytes", "read and written", of<Update, update_bytes>},
    {"collective", "bytes", "the whole message, as nccl-tests counts its size",
     of<Collective, [](const Collective& c) { return c.bytes.value; }>},
    {"collective", "ranks", "of the group", of<Collective, [](const Collective& c) { return c.group.ranks; }>},
    {"send-recv", "bytes", "of the message", of<SendRecv, [](const SendRecv& r) { return r.bytes.value; }>},
    {"send-recv", "peers", "that it is dealt to", of<SendRecv, [](const SendRecv& r) { return r.peers; }>},
    {"host-copy", "bytes", "one direction", of<HostCopy, [](const HostCopy& h) { return h.bytes.value; }>},
    {"host-update", "parameters", "that the host updates for a GPU",
     of<HostUpdate, [](const HostUpdate& h) { return h.update.parameters; }>},
    {"host-update", "bytes", "read and written",
     of<HostUpdate, [](const HostUpdate& h) { return update_bytes(h.update); }>},
    {"near-update", "parameters", "that units near memory update",
     of<NearUpdate, [](const NearUpdate& n) { return n.update.parameters; }>},
    {"near-update", "bytes", "read and written near memory",
     of<NearUpdate, [](const NearUpdate& n) { return update_bytes(n.update); }>},
    {"concurrent-gemm", "flops", "2 * batch * m * n * k of each",
     of<ConcurrentGemms, [](const ConcurrentGemms& c) { return gemm_flops(c.gemm); }>},
    {"concurrent-gemm", "at_once", "GEMMs that start together",
     of<ConcurrentGemms, [](const ConcurrentGemms& c) { return c.at_once; }>},
};

/// Single collectives have the features of all.
std::string_view family_of(std::string_view kind) {
  const bool single = std::ranges::find(kCollectiveKinds, kind) != kCollectiveKinds.end();
  return single ? "collective" : kind;
}

}  // namespace

std::span<const OperatorFeature> operator_features() { return kRows; }

std::vector<std::string> feature_names(std::string_view kind) {
  std::vector<std::string> names;
  for (const OperatorFeature& row : kRows)
    if (row.kind == family_of(kind)) names.emplace_back(row.name);
  return names;
}

size_t feature_row(std::string_view kind, std::string_view name) {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].kind == family_of(kind) && kRows[i].name == name) return i;
  return std::string::npos;
}

}  // namespace operator_models
