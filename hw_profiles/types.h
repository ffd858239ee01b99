// The description of a machine. Every figure comes from a catalogue file (hw_profiles/accelerators/,
// hw_profiles/clusters/), with its source as the comment on its line.
//
// Bandwidths are per direction and per GPU (datasheets often print both directions summed).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/fields.h"
#include "dsl/quantity.h"

namespace hw_profiles {

enum class Precision { fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4 };
inline constexpr std::array kPrecisionNames{"fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"};
inline std::span<const char* const> words(Precision) { return kPrecisionNames; }
inline const char* name(Precision p) { return kPrecisionNames[static_cast<size_t>(p)]; }

/// Dense matrix peaks (no sparsity). A precision without a figure does not exist on the device.
struct Peaks {
  std::optional<dsl::FlopsPerSecond> fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4;
  std::optional<dsl::FlopsPerSecond> at(Precision p) const;
};

/// The stack that compiles and launches kernels. Software depends on it: kernels that a compiler fuses on one are eager
/// on another (scenarios/software/ddp-apex.yaml).
enum class Platform { cuda, rocm, synapse, xla };
inline constexpr std::array kPlatformNames{"cuda", "rocm", "synapse", "xla"};
inline std::span<const char* const> words(Platform) { return kPlatformNames; }

/// Compute units next to the banks of the device's memory (Pati 2024, section 6.2.2). Each processes a column of its
/// bank, or of its registers, at a time, by commands that all banks of all channels get at once. No channels: there are
/// no such units.
struct NearMemory {
  int64_t channels = 0;     // pseudo-channels of the whole device
  int64_t banks = 0;        // of one channel, each with a unit
  dsl::Bytes column;        // that a bank reads or writes by one command: the unit's width
  dsl::Seconds command;     // from one command to a bank to the next (tCCD_L)
  dsl::Seconds row_switch;  // a row closed and another opened (tRP + tRCD)
  int64_t registers = 0;    // columns that a unit keeps while another row is opened

  // An update of a store adds to memory in place (section 8.3.3): column delay after an update, over a store's; 0:
  // unsupported.
  double op_and_store = 0;

  /// Columns that all units work on in step.
  double units() const { return static_cast<double>(channels) * static_cast<double>(banks); }
};

struct Accelerator {
  std::string name;
  std::string family;      // product line, the same for all sizes of memory: h100, gb200
  std::string generation;  // of the compute units, the same for all its products: hopper, blackwell
  std::string vendor;      // who makes it: nvidia, amd
  Platform platform = Platform::cuda;
  Peaks flops;                       // matrix engines
  dsl::FlopsPerSecond vector_flops;  // fp32 outside the matrix engines
  int64_t compute_units = 0;         // SMs, CUs, cores
  dsl::Hertz clock;                  // boost
  dsl::Hertz clock_cap;              // no faster (nvidia-smi -lgc)
  dsl::Bytes memory;                 // as the driver shows it
  dsl::BytesPerSecond memory_bandwidth;
  dsl::Bytes cache;        // last level
  dsl::Bytes local_store;  // of a compute unit, shared by its workgroups (LDS, shared memory); 0: unknown
  NearMemory near_memory;
  dsl::Watts power;      // board limit, at which rates were published and measured
  dsl::Watts power_cap;  // no more (nvidia-smi -pl)
  double speedup = 1;    // kernels take 1/speedup of their models' time: compute of a hypothetical machine
};

/// Returns the share of its rates at which a device computes under its caps; memory and links keep theirs.
///
///     share = min(clock_cap / clock, (power_cap / power)^(1/4), 1)
///
/// The power: A100 PCIe (300 W) runs 183 training GEMMs at 0.93 of what A100 SXM (400 W), the same chip at the same
/// boost clock, takes for them (simumax a100_pcie_matmul; 0.75^(1/4) = 0.93).
double compute_share(const Accelerator& gpu);
/// Returns the board's power under load with its caps: power x share^4.
dsl::Watts capped_power(const Accelerator& gpu);

/// A ring runs at the tier's bandwidth. A switch that adds lifts all-reduce above it, by the factor of the device's
/// calibration. half-bytes: switches of a hypothetical machine add on every path, so that an all-reduce sends half the
/// bytes of a ring (Pati 2024, section 5.4.4).
enum class InNetwork { none, all_reduce, half_bytes };
inline constexpr std::array kInNetworkNames{"none", "all-reduce", "half-bytes"};
inline std::span<const char* const> words(InNetwork) { return kInNetworkNames; }

/// How GPUs below one switch reach each other. ring: whatever they are wired by, collectives take N - 1 steps from one
/// to the next. fully-connected: each has a link to each other one, which have its bandwidth together, and sums and
/// gathers go straight to who owns them (Pati 2024, section 8.6.1).
enum class Wiring { ring, fully_connected };
inline constexpr std::array kWiringNames{"ring", "fully-connected"};
inline std::span<const char* const> words(Wiring) { return kWiringNames; }

/// One level of the network, innermost first: GPUs of one node, of one rack, all.
struct Tier {
  std::string name;               // nvlink, infiniband, ...
  int64_t size = 0;               // GPUs below one switch of this tier; 0: all of them
  dsl::BytesPerSecond bandwidth;  // per GPU and direction
  dsl::Seconds latency;           // one hop
  double oversubscription = 1;    // divides the bandwidth between domains of this tier
  InNetwork reduction = InNetwork::none;
  Wiring wiring = Wiring::ring;
};

/// Which analysis of checkpointing and failures (planner/plan/run_cost.cc).
enum class CheckpointFormula { young, daly };
inline constexpr std::array kCheckpointFormulaNames{"young", "daly"};
inline std::span<const char* const> words(CheckpointFormula) { return kCheckpointFormulaNames; }

struct Checkpoint {
  dsl::Seconds save;                     // blocking part of one save
  dsl::Seconds background;               // the rest of it, parallel to training
  std::optional<dsl::Seconds> interval;  // from save to save; absent: the best by `formula`
  dsl::Seconds detect, restart;
  dsl::Seconds repair;  // until a node that failed, or another one, is there
  CheckpointFormula formula = CheckpointFormula::young;
};

/// Machines that the user owns. Neither price: they are rented.
struct Purchase {
  std::optional<dsl::Usd> gpu_price, node_price;
  dsl::Seconds amortisation;
  double utilisation = 0.83;  // share of that time in which the machine earns its price
};

/// The kind of a rent; a user's own price does not inherit it.
struct PriceTerms {
  std::string contract;      // on-demand, reserved, spot, list, average, assumed
  std::string date, region;  // "2025-06", "us-east-1"
};

/// The host side of a node: where offloaded tensors live, and the link to it. No bandwidth: nothing can be offloaded.
struct Host {
  dsl::BytesPerSecond bandwidth;         // link of one GPU, per direction
  dsl::Bytes memory;                     // of a node
  dsl::BytesPerSecond memory_bandwidth;  // of a node
  double launch = 1;                     // time of a launch, over that of a current x86 server
};

/// Much is unknown about an owned machine. The fields' defaults assume the rest: a node draws 1.8 times its GPUs (DGX
/// A100 2.0, H100 1.82, B200 1.79); a GPU and its share fail once in 50,000 h (Llama 3: 50,700 h); a save blocks for a
/// minute; PyTorch's default time-out notices a failure.
struct Cluster {
  std::string name;
  std::string provider;  // who rents it out: aws, google; "": whoever builds such machines
  int64_t gpus = 0;      // accelerators of this job
  int64_t gpus_per_node = 0;
  Accelerator gpu;
  std::vector<Tier> network;  // innermost first
  Host host;
  dsl::Seconds skew;  // a blocking collective waits so long for its last rank, per doubling of ranks: of this machine
  dsl::Watts node_power;     // a whole node under load
  dsl::Watts network_power;  // switches and optics, per GPU
  dsl::Watts node_idle_power;
  double pue = 1.2;
  std::optional<dsl::UsdPerSecond> price;  // rent, per GPU
  PriceTerms price_terms;
  Purchase purchase;
  std::optional<dsl::UsdPerJoule> power_price;
  std::optional<double> carbon;             // kg of CO2 per kWh of the grid
  dsl::Seconds mtbf;                        // per GPU, with its share of node, NIC and switch
  std::optional<dsl::Hertz> node_failures;  // share of the nodes that fail per time: in place of `mtbf`
  int64_t spares = 0;                       // standby nodes, in addition to those of `gpus`
  Checkpoint checkpoint;
};

/// Cost of a GPU per unit of time, rented or owned; nullopt: unknown.
std::optional<dsl::UsdPerSecond> hourly_price(const Cluster& cluster);
/// Mean time between failures of one GPU and its share of the rest. A node fails where one of its GPUs does.
dsl::Seconds time_between_failures(const Cluster& cluster);

template <class V> void fields(V& v, Peaks& p) {
  v("fp32", p.fp32, {.least = 1, .doc = "dense fp32 matrix peak"});
  v("tf32", p.tf32, {.least = 1, .doc = "dense tf32 peak"});
  v("fp16", p.fp16, {.least = 1, .doc = "dense fp16 peak"});
  v("bf16", p.bf16, {.least = 1, .doc = "dense bf16 peak"});
  v("fp8", p.fp8, {.least = 1, .doc = "dense fp8 peak"});
  v("mxfp8", p.mxfp8, {.least = 1, .doc = "dense block-scaled fp8 peak"});
  v("nvfp4", p.nvfp4, {.least = 1, .doc = "dense 4-bit peak"});
}
template <class V> void fields(V& v, NearMemory& n) {
  v("channels", n.channels, {.least = 0, .most = 1e6, .doc = "pseudo-channels of the device; 0: no units near memory"});
  v("banks", n.banks, {.least = 0, .most = 1e6, .doc = "of a channel, each with a compute unit"});
  v("column", n.column, {.least = 0, .most = 1e6, .doc = "that a bank reads by one command"});
  v("command", n.command, {.least = 0, .most = 1, .doc = "from one command to a bank to the next"});
  v("row_switch", n.row_switch, {.least = 0, .most = 1, .doc = "a row of a bank closed and another opened"});
  v("registers", n.registers,
    {.least = 0, .most = 1e6, .doc = "columns that a unit keeps while another row is opened"});
  v("op_and_store", n.op_and_store,
    {.least = 0,
     .most = 100,
     .doc = "column delay behind an update that adds to what is stored, over a store's; 0: the memory cannot"});
}
template <class V> void fields(V& v, Accelerator& a) {
  v("name", a.name, {.doc = "catalogue name"});
  v("family", a.family, {.doc = "product line, the same for all sizes of memory: h100, gb200"});
  v("generation", a.generation, {.doc = "of the compute units: hopper, blackwell"});
  v("vendor", a.vendor, {.doc = "who makes it: nvidia, amd, google, intel, aws"});
  v("platform", a.platform, {.doc = "stack that compiles and launches kernels"});
  v.section("flops", a.flops);
  v("vector_flops", a.vector_flops, {.required = true, .least = 1, .doc = "fp32 rate outside the matrix engines"});
  v("compute_units", a.compute_units, {.required = true, .least = 1, .doc = "SMs, CUs or cores"});
  v("clock", a.clock, {.required = true, .least = 1, .doc = "boost clock"});
  v("clock_cap", a.clock_cap,
    {.otherwise = "cluster.gpu.clock", .least = 1, .doc = "the clock is held below it: compute rates fall alike"});
  v("memory", a.memory, {.required = true, .least = 1, .doc = "device memory that the driver shows"});
  v("memory_bandwidth", a.memory_bandwidth, {.required = true, .least = 1, .doc = "peak memory bandwidth"});
  v("cache", a.cache, {.required = true, .least = 1, .doc = "last-level cache"});
  v("local_store", a.local_store, {.least = 0, .doc = "of a compute unit, that its workgroups share; 0 B: not said"});
  v.section("near_memory", a.near_memory);
  v("power", a.power, {.required = true, .least = 0, .doc = "board power limit, at which its rates hold"});
  v("power_cap", a.power_cap,
    {.otherwise = "cluster.gpu.power",
     .least = 1,
     .doc = "the board is held below it: compute rates fall with its fourth root"});
  v("speedup", a.speedup, {.least = 1e-6, .most = 1e6, .doc = "of all kernels over what their models say"});
}
template <class V> void fields(V& v, Tier& t) {
  v("name", t.name, {.required = true, .doc = "name of the tier"});
  v("size", t.size, {.least = 0, .doc = "GPUs below one switch; 0: all"});
  v("bandwidth", t.bandwidth, {.required = true, .least = 1, .doc = "per GPU and direction"});
  v("latency", t.latency, {.required = true, .least = 0, .most = 1, .doc = "of one hop"});
  v("oversubscription", t.oversubscription, {.least = 1, .doc = "divides the bandwidth"});
  v("reduction", t.reduction, {.doc = "what the switches add"});
  v("wiring", t.wiring, {.doc = "ring, or of the innermost tier fully-connected: a link to each other GPU"});
}
inline constexpr double kMonth = 2'592'000;  // seconds of 30 days: no checkpoint and no failure takes longer
template <class V> void fields(V& v, Checkpoint& c) {
  v("save", c.save, {.otherwise = "60 s", .least = 0, .most = kMonth, .doc = "blocking part of one save"});
  v("background", c.background, {.least = 0, .most = kMonth, .doc = "the rest of a save, beside training"});
  v("interval", c.interval, {.least = 1, .most = 12 * kMonth, .doc = "from save to save; absent: the best"});
  v("detect", c.detect, {.otherwise = "10 min", .least = 0, .most = kMonth, .doc = "until a failure is noticed"});
  v("restart", c.restart, {.otherwise = "15 min", .least = 0, .most = kMonth, .doc = "until the job runs again"});
  v("repair", c.repair, {.least = 0, .most = 12 * kMonth, .doc = "until a failed node is back or replaced"});
  v("formula", c.formula, {.doc = "analysis of failures"});
}
template <class V> void fields(V& v, Purchase& p) {
  v("gpu_price", p.gpu_price, {.least = 0, .doc = "to buy a GPU, with its share of the rest"});
  v("node_price", p.node_price, {.least = 0, .doc = "to buy a node, with its share of the network"});
  v("amortisation", p.amortisation,
    {.otherwise = "1461 d", .least = 1, .most = 1e10, .doc = "time in which it is paid off"});
  v("utilisation", p.utilisation, {.least = 0.01, .most = 1, .doc = "share of that time in use"});
}
template <class V> void fields(V& v, PriceTerms& p) {
  v("contract", p.contract, {.doc = "on-demand, reserved, spot, list, average, assumed"});
  v("date", p.date, {.doc = "when it was asked for"});
  v("region", p.region, {.doc = "where it was asked for"});
}
template <class V> void fields(V& v, Host& h) {
  v("bandwidth", h.bandwidth, {.least = 0, .doc = "link of one GPU to the host, per direction"});
  v("memory", h.memory, {.least = 0, .doc = "host memory of a node"});
  v("memory_bandwidth", h.memory_bandwidth, {.least = 0, .doc = "of the host memory of a node"});
  v("launch", h.launch, {.least = 0.1, .most = 100, .doc = "time of a launch, over an x86 server's"});
}
template <class V> void fields(V& v, Cluster& c) {
  v("name", c.name, {.doc = "catalogue name"});
  v("provider", c.provider, {.doc = "who rents it out: aws, google, azure, oracle"});
  v("gpus", c.gpus, {.required = true, .least = 1, .most = 1e9, .doc = "accelerators of this job"});
  v("gpus_per_node", c.gpus_per_node, {.required = true, .least = 1, .most = 1e6, .doc = "accelerators in one node"});
  v.section("gpu", c.gpu);
  v.list("network", c.network);
  v.section("host", c.host);
  v("skew", c.skew,
    {.least = 0,
     .most = 1,
     .doc = "a blocking collective waits so long for its last rank on this machine, per doubling of ranks"});
  v("node_power", c.node_power,
    {.otherwise = "1.8 * cluster.gpus_per_node * cluster.gpu.power", .least = 0, .doc = "draw of one node under load"});
  v("node_idle_power", c.node_idle_power,
    {.otherwise = "0.3 * cluster.node_power", .least = 0, .doc = "draw of a node that stands by"});
  v("network_power", c.network_power, {.least = 0, .doc = "switches and optics, per GPU"});
  v("pue", c.pue, {.least = 1, .doc = "facility power over IT power"});
  v("price", c.price, {.least = 0, .doc = "rent, per GPU and time"});
  v.section("price_terms", c.price_terms);
  v.section("purchase", c.purchase);
  v("power_price", c.power_price, {.least = 0, .doc = "per energy"});
  v("carbon", c.carbon, {.least = 0, .most = 10, .doc = "kg of CO2 per kWh of the grid"});
  v("mtbf", c.mtbf,
    {.otherwise = "50000 h",
     .least = 1,
     .most = 1e15,
     .doc = "mean time between failures of one GPU and its share of the rest"});
  v("node_failures", c.node_failures,
    {.least = 1e-15, .most = 1, .doc = "share of the nodes that fail per time, such as 2 %/week, in place of mtbf"});
  v("spares", c.spares, {.least = 0, .most = 1e6, .doc = "nodes that stand by"});
  v.section("checkpoint", c.checkpoint);
}

}  // namespace hw_profiles
