// Measured parameters of the operator models on one accelerator
// (operator_models/calibrations/NAME.yaml; the source of each figure is the comment on its line).
//
// A row says where it comes from (`provenance`); what a device has no row for is priced with
// the defaults of the structs below, provenance "assumed". Which model uses a parameter, and the
// equation: docs/models-operators.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/fields.h"
#include "hw_profiles/types.h"
#include "operator_models/calibration_rows.h"
#include "operator_models/kinds.h"
#include "operator_models/provenance.h"

namespace operator_models {

using hw_profiles::Precision;

/// Parameters of the `table`, `wave` and `roofline` GEMM models for one precision.
struct GemmCalibration {
  std::optional<Precision> like;      // the row of another precision: only what holds under power is this row's own
  double compute_efficiency = 0.75;   // of the matrix peak: full waves of the best tile
  double roofline_efficiency = 0.65;  // of the matrix peak: one figure for all sizes (model `roofline`)
  double memory_efficiency = 0.8;     // of the memory bandwidth
  std::vector<int64_t> tile_m = {128}, tile_n = {128};  // tiles the library picks from (pairs)
  std::vector<double> tile_efficiency = {1.0};          // of compute_efficiency, per tile
  int64_t cluster = 1;                                  // compute units that work on one tile together
  double k_overhead = 128;                              // prologue and epilogue of a tile, in elements of k
  double tail = 0.7;              // share of a partial last wave that is paid for (1: as a full one)
  double overlap = 3;             // memory and compute times are joined by this norm (large: max of the two)
  dsl::Seconds split = {1.5e-6};  // adding up the parts of a GEMM split in k
  double dgrad = 1, wgrad = 1;    // time of the gradients' layouts over the forward pass's
  // Time of rows that are not a multiple of 16 bytes over that of rows that are. nanoGPT's vocabulary of 50257 in place
  // of 50304 takes 26 ms more per batch on A100 (pytorch.org/blog/accelerating-large-language-models: 113 and 87 ms).
  // The three GEMMs of its head account for it.
  double unaligned = 3.1;
  // Of A into the precision, where a table timed it together with the kernel: once, for each row at least, and for each
  // element. Only such tables pay it, a training step has casts of its own.
  dsl::Seconds cast_base, cast_row, cast;
  std::vector<int64_t> table_m, table_n, table_k;  // nodes of the table, ascending
  std::vector<double> table;                       // corrections of the waves at the nodes, k fastest; empty: none
  double sustained = 1;       // share of the burst rate in a step: power, another library than the table's
  double relative_error = 0;  // one standard error on the rows of the fit; 0: that of its provenance
  Provenance provenance = Provenance::assumed;
};

/// Model `table`: what a fused attention kernel was measured to reach at one head width. The share of the peak is
/// efficiency(keys per query) * share(workgroups per compute unit), each between neighbours on a logarithmic axis and
/// level outside; both lists start where they were measured (attention_table.cc).
struct AttentionCut {
  int64_t head_dim = 128;
  double block = 128;              // queries of one workgroup; query heads of one KV head share it
  dsl::Seconds base = {2e-6};      // in addition to the launch
  double tail = 0.5;               // share of a partial last wave that is paid for
  double memory_efficiency = 0.8;  // of the memory bandwidth, whole blocks of keys read
  double cache_efficiency = 0.8;   // of the memory bandwidth, writing K and V into a cache
  dsl::Seconds cache_token;        // the same, for each key of a sequence
  std::vector<double> keys = {128}, efficiency = {0.5};
  std::vector<double> work = {1}, share = {1};
};

/// Share of the matrix peak that a fused attention kernel reaches on the FLOPs it executes.
struct AttentionCalibration {
  double forward = 0.5, backward = 0.4;  // long sequences, head_dim 128
  double small_head = 0.85;              // factor on both at head_dim 64; geometric between 64 and 128
  double half_length = 200;              // keys per query at which half of it is reached: eff * s / (s + half_length)
  double backward_half_length = 300;     // the same of the backward kernel
  double narrow = 0.8;                   // factor where the operands have eight bits, whose peak is twice as high
  double block = 128;                    // queries of one workgroup: masked work executed on the diagonal
  std::vector<AttentionCut> table;       // by head width, ascending; none: model `fused` is used
  double scale = 1;                      // factor on the table's efficiencies (another board of the same chip)
  double relative_error = 0;
  Provenance provenance = Provenance::assumed;
};

/// Kernels bound by memory: launch + bytes / (efficiency * bandwidth).
/// A kernel whose row width is known takes its efficiency from `widths`, between neighbours on a logarithmic axis.
struct VectorCalibration {
  double efficiency = 0.75;
  std::vector<double> widths, efficiencies;  // elements of a row -> of the memory bandwidth
  double backward = 1;                       // factor on the efficiency of backward kernels
  dsl::Seconds call_base;   // overhead of one call of an eager framework, timed alone, in addition to its traffic,
  dsl::Seconds call_least;  // and at least. Only tables of such calls pay it, a training step its own launches
  double relative_error = 0;
  Provenance provenance = Provenance::assumed;
};

/// One collective on one tier. A ring of n ranks takes
/// base + steps(n) * (step + tier latency) + bytes * factor(n) / B * (1 + sqrt(half_size / bytes)),
/// B = efficiency * (1 - (1 - pair) * (2/n)^2) * tier bandwidth; see collective.cc.
///
/// `table` and `region` hold the same collective as measured, each for some numbers of ranks (collective_table.cc,
/// collective_region.cc); where they hold nothing, the row above prices it.
struct CollectiveCalibration {
  double efficiency = 0.8;           // of the tier's bandwidth, bus bandwidth of large messages and groups
  double pair = 1;                   // factor on it for two ranks, which cannot use every link at once
  double adapters = 1e9;             // ranks of one node whose bandwidth one group adds up (outer tiers)
  double join = 4;                   // norm joining this tier's time per byte with the inner tier's (large: the slower)
  dsl::Seconds base = {10e-6};       // launch of a collective on this tier
  dsl::Seconds step = {2e-6};        // per ring step, on top of the tier's latency
  dsl::Seconds tree_step = {10e-6};  // per level of a tree, up or down (all-reduce): passing one chunk on
  dsl::Bytes tree_chunk;             // message at which half of tree_step is paid
  dsl::Bytes half_size;              // message at which half the bandwidth is reached
  dsl::Bytes inner_half_size;        // part of a message in one domain at which the inner tier is at half its bandwidth
  double integers = 1.07;            // factor on the part that grows with the message if the ranks add integers
  double reduction = 0;              // of the memory bandwidth, adding up the last chunk; 0: in the figures above
  int64_t least_ranks = 2;           // smaller groups do not use this row (in-switch reduction)
  std::vector<int64_t> table_ranks;  // groups that `table_us` holds, ascending
  int64_t table_octave = 9;          // log2 of its first message in bytes; each next one is twice as large
  std::vector<double> table_us;      // microseconds: all messages of the first group, then of the next
  std::vector<int64_t> region_ranks;  // groups that `region` holds, ascending
  std::vector<double> region;         // eight numbers for each: see CollectiveCurve in collective.h
  // Of the tier while table and regions were measured; 0: as the tier's.
  dsl::BytesPerSecond measured_bandwidth;
  dsl::Seconds measured_latency;
  double relative_error = 0;
  Provenance provenance = Provenance::assumed;
};

/// The link between a GPU and its host, and the host's own memory. Copies from pinned memory: 25.1 of 31.5 GB/s on PCIe
/// 4.0 (nvbandwidth issue 42), 52.8 of 63 on 5.0 (issue 24). Updates: CPU-Adam takes 2.57 s for 10 billion parameters
/// of 28 bytes on a DGX-2 (ZeRO-Offload, its table of Adam latencies), whose two sockets read 256 GB/s.
struct HostCalibration {
  double copy_efficiency = 0.8;      // of the link's bandwidth, one direction
  dsl::Seconds copy_base = {10e-6};  // start of one copy
  double update_efficiency = 0.43;   // of the host's memory bandwidth
  double relative_error = 0.25;
  Provenance provenance = Provenance::assumed;
};

/// One operator of a measured iteration: its kind, its shape, its time (model `baseline`).
enum class BaselineKind { gemm, vector, lookup, collective };
inline constexpr auto& kBaselineKindNames = dsl::kEnumWords<BaselineKind>;
struct BaselineOperator {
  BaselineKind kind = BaselineKind::gemm;
  std::string part;                        // of a vector kernel or a collective: which ("normalization", "all-reduce")
  int64_t batch = 1, m = 0, n = 0, k = 0;  // gemm
  int64_t ranks = 0;                       // collective
  dsl::Bytes bytes;                        // vector and lookup: read and written; collective: the message
  int64_t width = 0;                       // vector: elements of a row that is reduced; 0: unknown
  bool backward = false;                   // vector: a kernel of the backward pass
  bool called = false;                     // vector: timed as a single call of an eager framework
  dsl::Seconds seconds;
  bool operator==(const BaselineOperator&) const = default;
};

/// A measured iteration at base hyper-parameters, and its resources. Each operator is projected by its work, and to
/// another device by the ratio of its limiting resource (baseline.cc).
struct BaselineCalibration {
  dsl::FlopsPerSecond flops;      // matrix peak that its GEMMs ran against
  dsl::BytesPerSecond bandwidth;  // of the memory
  dsl::BytesPerSecond network;    // per GPU, of the tier that its collectives crossed
  double relative_error = 0.2;
  std::map<std::string, BaselineOperator> operators;  // by name; none: the model falls back to the default one
};

/// Two resources that work at the same time slow each other down while both are busy.
struct ContentionCalibration {
  double slowdown = 1;
  Provenance provenance = Provenance::assumed;
};

struct Calibration {
  std::string name;
  std::map<std::string, std::string> models;          // kind -> model that its figures are for; "": the kind's default
  dsl::Seconds launch = {4e-6};                       // one kernel, back to back
  dsl::Seconds empty_kernel = {2e-6};                 // duration of a kernel that does nothing, as profilers time it
  std::map<std::string, GemmCalibration> gemm;        // by precision name
  std::map<std::string, GroupedCalibration> grouped;  // likewise; none: `gemm` in batches
  std::map<std::string, AttentionCalibration> attention;  // by kernel name, and "default"
  std::map<std::string, ScanCalibration> scan;            // by ScanRule name
  std::map<std::string, SelectionCalibration> selection;  // "default": a table without rows costs a plan nothing
  std::map<std::string, VectorCalibration> vector;        // by VectorKind name, "lookup", and "default"
  std::map<std::string, CollectiveCalibration>
      collective;  // "TIER-KIND", "TIER-in-switch", "TIER-send-recv", "TIER", "default"
  std::map<std::string, ContentionCalibration> contention;  // "compute+TIER", "default"
  FusedCalibration fused;
  double update_efficiency = 0.8;  // optimizer kernels, of the memory bandwidth
  HostCalibration host;
  BaselineCalibration baseline;
  ConcurrencyCalibration concurrency;

  // Not in every file that copies or drops one: they are much code.
  Calibration() = default;
  Calibration(const Calibration&);
  Calibration(Calibration&&) noexcept;
  Calibration& operator=(const Calibration&);
  Calibration& operator=(Calibration&&) noexcept;
  ~Calibration();
};

template <class V> void fields(V& v, GemmCalibration& g) {
  v("like", g.like, {.doc = "precision whose row this one is, but for sustained, relative_error and provenance"});
  v("compute_efficiency", g.compute_efficiency,
    {.otherwise = "0.75", .least = 0.01, .most = 1, .doc = "of the matrix peak, full waves of the best tile"});
  v("roofline_efficiency", g.roofline_efficiency,
    {.otherwise = "0.65", .least = 0.01, .most = 1, .doc = "of the matrix peak, for the roofline model"});
  v("memory_efficiency", g.memory_efficiency,
    {.otherwise = "0.8", .least = 0.01, .most = 1.5, .doc = "of the memory bandwidth"});
  v("tile_m", g.tile_m, {.least = 1, .doc = "rows of the tiles the library picks from"});
  v("tile_n", g.tile_n, {.least = 1, .doc = "columns of those tiles"});
  v("tile_efficiency", g.tile_efficiency, {.least = 0.01, .most = 1, .doc = "of compute_efficiency, per tile"});
  v("cluster", g.cluster,
    {.otherwise = "1", .least = 1, .most = 16, .doc = "compute units that work on one tile together"});
  v("k_overhead", g.k_overhead,
    {.otherwise = "128", .least = 0, .doc = "prologue and epilogue of a tile, in elements of k"});
  v("tail", g.tail,
    {.otherwise = "0.7", .least = 0, .most = 1, .doc = "share of a partial last wave that is paid for"});
  v("sustained", g.sustained,
    {.otherwise = "1", .least = 0.1, .most = 2, .doc = "of the burst rate, what holds in a step"});
  v("unaligned", g.unaligned,
    {.otherwise = "3.1", .least = 1, .most = 100, .doc = "factor on the time where a row is no multiple of 16 bytes"});
  v("overlap", g.overlap, {.otherwise = "3", .least = 1, .most = 50, .doc = "norm that joins memory and compute time"});
  v("split", g.split,
    {.otherwise = "1.5 us", .least = 0, .most = 1, .doc = "adding up the parts of a GEMM split in k"});
  v("dgrad", g.dgrad, {.otherwise = "1", .least = 0.1, .most = 10, .doc = "time of a data gradient over forward"});
  v("wgrad", g.wgrad, {.otherwise = "1", .least = 0.1, .most = 10, .doc = "time of a weight gradient over forward"});
  v("cast_base", g.cast_base,
    {.otherwise = "0 us", .least = 0, .most = 1, .doc = "cast of A timed together with the kernel"});
  v("cast_row", g.cast_row,
    {.otherwise = "0 us", .least = 0, .most = 1, .doc = "the same, for each row of A at least"});
  v("cast", g.cast, {.otherwise = "0 us", .least = 0, .most = 1, .doc = "the same, for each element of A"});
  v("table_m", g.table_m, {.least = 1, .doc = "rows at the nodes of the table, ascending"});
  v("table_n", g.table_n, {.least = 1, .doc = "columns at the nodes"});
  v("table_k", g.table_k, {.least = 1, .doc = "depths at the nodes"});
  v("table", g.table, {.least = 0.01, .most = 100, .doc = "corrections of the waves at the nodes, k fastest"});
  source_fields(v, g);
}
template <class V> void fields(V& v, AttentionCut& a) {
  v("head_dim", a.head_dim, {.required = true, .least = 1, .doc = "width of a head"});
  v("block", a.block, {.otherwise = "128", .least = 1, .doc = "queries of one workgroup"});
  v("base", a.base, {.otherwise = "2 us", .least = 0, .most = 1, .doc = "besides the launch"});
  v("tail", a.tail, {.otherwise = "0.5", .least = 0, .most = 1, .doc = "share of a partial last wave that is paid"});
  v("memory_efficiency", a.memory_efficiency,
    {.otherwise = "0.8", .least = 0.01, .most = 1.5, .doc = "of the memory bandwidth, whole blocks of keys"});
  v("cache_efficiency", a.cache_efficiency,
    {.otherwise = "0.8", .least = 0.01, .most = 4, .doc = "of the memory bandwidth, writing K and V into a cache"});
  v("cache_token", a.cache_token,
    {.otherwise = "0 us", .least = 0, .most = 1e-6, .doc = "the same, for each key of a sequence"});
  v("keys", a.keys, {.least = 1, .doc = "mean keys per query, ascending"});
  v("efficiency", a.efficiency, {.least = 0.001, .most = 2, .doc = "of the matrix peak at those keys"});
  v("work", a.work, {.least = 0.0001, .doc = "workgroups per compute unit, ascending"});
  v("share", a.share, {.least = 0.01, .most = 4, .doc = "factor on the efficiency at that work"});
}
template <class V> void fields(V& v, AttentionCalibration& a) {
  v("forward", a.forward, {.required = true, .least = 0.001, .most = 1, .doc = "of the matrix peak, executed FLOPs"});
  v("backward", a.backward, {.required = true, .least = 0.001, .most = 1, .doc = "of the matrix peak, executed FLOPs"});
  v("small_head", a.small_head, {.otherwise = "0.85", .least = 0.1, .most = 1, .doc = "factor at head_dim 64"});
  v("half_length", a.half_length,
    {.otherwise = "200", .least = 0, .doc = "keys per query at which half of it is reached"});
  v("backward_half_length", a.backward_half_length,
    {.otherwise = "300", .least = 0, .doc = "the same of the backward kernel"});
  v("narrow", a.narrow, {.otherwise = "0.8", .least = 0.1, .most = 1, .doc = "factor on both with 8-bit operands"});
  v("block", a.block, {.otherwise = "128", .least = 1, .doc = "queries of one workgroup"});
  v.list("table", a.table);
  v("scale", a.scale, {.otherwise = "1", .least = 0.1, .most = 2, .doc = "factor on the table's efficiencies"});
  source_fields(v, a);
}
template <class V> void fields(V& v, VectorCalibration& a) {
  v("efficiency", a.efficiency, {.required = true, .least = 0.01, .most = 1, .doc = "of the memory bandwidth"});
  v("widths", a.widths, {.least = 1, .doc = "elements of a row, ascending"});
  v("efficiencies", a.efficiencies, {.least = 0.01, .most = 1.5, .doc = "of the memory bandwidth at those widths"});
  v("backward", a.backward, {.otherwise = "1", .least = 0.1, .most = 3, .doc = "factor on it in backward kernels"});
  v("call_base", a.call_base,
    {.otherwise = "0 us", .least = 0, .most = 1, .doc = "one eager call timed by itself, besides its traffic"});
  v("call_least", a.call_least, {.otherwise = "0 us", .least = 0, .most = 1, .doc = "and at least"});
  source_fields(v, a);
}
template <class V> void fields(V& v, CollectiveCalibration& c) {
  v("efficiency", c.efficiency,
    {.required = true, .least = 0.01, .most = 3, .doc = "of the tier's bandwidth, large messages"});
  v("pair", c.pair, {.otherwise = "1", .least = 0.01, .most = 1, .doc = "factor on the efficiency for two ranks"});
  v("adapters", c.adapters,
    {.otherwise = "1e9", .least = 0.01, .doc = "ranks of one node whose bandwidth one group adds up"});
  v("join", c.join, {.otherwise = "4", .least = 1, .most = 50, .doc = "norm that joins two tiers' time per byte"});
  v("base", c.base, {.otherwise = "10 us", .least = 0, .most = 1, .doc = "launch of one collective"});
  v("step", c.step, {.otherwise = "2 us", .least = 0, .most = 1, .doc = "per ring step, besides the tier's latency"});
  v("tree_step", c.tree_step, {.otherwise = "10 us", .least = 0, .most = 1, .doc = "per level of a tree, up or down"});
  v("tree_chunk", c.tree_chunk, {.otherwise = "0 B", .least = 0, .doc = "message at which half of tree_step is paid"});
  v("half_size", c.half_size,
    {.otherwise = "0 B", .least = 0, .doc = "message at which half the bandwidth is reached"});
  v("inner_half_size", c.inner_half_size,
    {.otherwise = "0 B",
     .least = 0,
     .doc = "part of the message in one domain at which the inner tier reaches half its bandwidth, across domains"});
  // int8 over half in the tables of A100 and H100, all-reduce of 1 MiB and more over two: 1.065 and 1.070.
  v("integers", c.integers,
    {.otherwise = "1.07", .least = 0.5, .most = 5, .doc = "factor on what grows with the message, adding integers"});
  v("reduction", c.reduction,
    {.otherwise = "0",
     .least = 0,
     .most = 1,
     .doc = "of the memory bandwidth, adding up the last chunk of a reduce-scatter; 0: in the other figures"});
  v("least_ranks", c.least_ranks, {.otherwise = "2", .least = 2, .doc = "smaller groups do not use this row"});
  v("table_ranks", c.table_ranks, {.least = 2, .doc = "groups of the measured table, ascending"});
  v("table_octave", c.table_octave,
    {.otherwise = "9",
     .least = 0,
     .most = 60,
     .doc = "log2 of the table's first message in bytes; the next are doubles"});
  v("table_us", c.table_us, {.least = 0.001, .doc = "microseconds of every message, group by group"});
  v("region_ranks", c.region_ranks, {.least = 2, .doc = "groups of the three-region curves, ascending"});
  v("region", c.region,
    {.doc = "eight numbers of every curve: latency us, log2 of both boundaries, L, x0, k, b, GB/s"});
  v("measured_bandwidth", c.measured_bandwidth,
    {.otherwise = "0 B/s", .least = 0, .doc = "of the tier while table and curves were measured; 0: the tier's"});
  v("measured_latency", c.measured_latency,
    {.otherwise = "0 s", .least = 0, .most = 1, .doc = "of a hop while table and curves were measured; 0: the tier's"});
  source_fields(v, c);
}
template <class V> void fields(V& v, HostCalibration& h) {
  v("copy_efficiency", h.copy_efficiency,
    {.otherwise = "0.8", .least = 0.01, .most = 1, .doc = "of the host link's bandwidth, one direction"});
  v("copy_base", h.copy_base, {.otherwise = "10 us", .least = 0, .most = 1, .doc = "start of one copy"});
  v("update_efficiency", h.update_efficiency,
    {.otherwise = "0.43", .least = 0.01, .most = 1, .doc = "optimizer on the host, of its memory bandwidth"});
  v("relative_error", h.relative_error, {.otherwise = "0.25", .least = 0, .most = 10, .doc = "one standard error"});
  v("provenance", h.provenance, {.otherwise = "assumed", .doc = "where the figures come from"});
}
template <class V> void fields(V& v, BaselineOperator& o) {
  v("kind", o.kind, {.otherwise = "gemm", .doc = "what it is"});
  v("part", o.part, {.otherwise = "", .doc = "which vector kernel or collective"});
  v("batch", o.batch, {.otherwise = "1", .least = 1, .doc = "gemm: matrices"});
  v("m", o.m, {.otherwise = "0", .least = 0, .doc = "gemm: rows of the result"});
  v("n", o.n, {.otherwise = "0", .least = 0, .doc = "gemm: columns of the result"});
  v("k", o.k, {.otherwise = "0", .least = 0, .doc = "gemm: what is summed over"});
  v("ranks", o.ranks, {.otherwise = "0", .least = 0, .doc = "collective: ranks"});
  v("bytes", o.bytes, {.otherwise = "0 B", .least = 0, .doc = "moved through memory, or the message"});
  v("width", o.width, {.otherwise = "0", .least = 0, .doc = "vector: elements of a row that is reduced"});
  v("backward", o.backward, {.otherwise = "false", .doc = "vector: a kernel of the backward pass"});
  v("called", o.called, {.otherwise = "false", .doc = "vector: timed as a call of an eager framework by itself"});
  v("seconds", o.seconds, {.required = true, .least = 0, .most = 1e5, .doc = "measured"});
}
template <class V> void fields(V& v, BaselineCalibration& b) {
  v("flops", b.flops, {.otherwise = "0 FLOP/s", .least = 0, .doc = "matrix peak of the accelerator measured"});
  v("bandwidth", b.bandwidth, {.otherwise = "0 B/s", .least = 0, .doc = "its memory bandwidth"});
  v("network", b.network, {.otherwise = "0 B/s", .least = 0, .doc = "bandwidth of the tier its collectives crossed"});
  v("relative_error", b.relative_error, {.otherwise = "0.2", .least = 0, .most = 10, .doc = "one standard error"});
  v.table("operators", b.operators);
}
template <class V> void fields(V& v, ContentionCalibration& c) {
  v("slowdown", c.slowdown, {.required = true, .least = 1, .most = 10, .doc = "of both while both are busy"});
  v("provenance", c.provenance, {.otherwise = "measured", .doc = "where the figure comes from"});
}
template <class V> void fields(V& v, Calibration& c) {
  v("name", c.name, {.otherwise = "", .doc = "catalogue name"});
  for (const KindRow& kind : kKinds)
    if (kind.calibrated)
      v((std::string("models.") + kind.name).c_str(), c.models[kind.name],
        {.otherwise = "", .doc = "model that these figures are for, where a scenario picks none; empty: the default"});
  v("launch", c.launch, {.otherwise = "4 us", .least = 0, .most = 1, .doc = "one kernel"});
  v("empty_kernel", c.empty_kernel,
    {.otherwise = "2 us", .least = 0, .most = 1, .doc = "what a kernel that does nothing takes on the device"});
  v.table("gemm", c.gemm);
  v.table("grouped", c.grouped);
  v.table("attention", c.attention);
  v.table("scan", c.scan);
  v.table("selection", c.selection);
  v.table("vector", c.vector);
  v.table("collective", c.collective);
  v.table("contention", c.contention);
  v.section("fused", c.fused);
  v("update_efficiency", c.update_efficiency,
    {.otherwise = "0.8", .least = 0.01, .most = 1, .doc = "optimizer kernels, of the memory bandwidth"});
  v.section("host", c.host);
  v.section("baseline", c.baseline);
  v.section("concurrency", c.concurrency);
}

}  // namespace operator_models
