// A small language of its own for the tests of dsl/: every type of field, a list and a table of
// structs, a catalogue of four entries, and the way from text to record or messages.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "dsl/fields.h"

namespace sample {

enum class Precision { fp32, bf16, fp8 };
inline constexpr std::array kPrecisions{"fp32", "bf16", "fp8"};
std::span<const char* const> words(Precision);

enum class Order { near_first, far_first };
inline constexpr std::array kOrders{"tp-cp-dp", "dp-cp-tp"};
std::span<const char* const> words(Order);

struct Model {
  std::string name;
  int64_t layers = 0, heads = 0;
  bool gated = false;
};
struct Job {
  int64_t sequence = 0, batch = 0;
  std::optional<int64_t> tokens;
  Precision precision = Precision::bf16;
  double dropout = 0;
};
struct Tier {
  std::string name;
  dsl::BytesPerSecond bandwidth;
  dsl::Seconds latency;
};
struct Kernel {
  double forward = 0;
  std::optional<double> backward;
};
struct Gpu {
  dsl::Bytes memory;
  std::map<std::string, Kernel> kernels;
};
struct Cluster {
  int64_t gpus = 0;
  Gpu gpu;
  std::vector<Tier> network;
  std::optional<dsl::UsdPerSecond> price;
};
struct Parallelism {
  int64_t tp = 1, pp = 1, dp = 1;
  bool sequence_parallel = false;
  Order order = Order::near_first;
  std::vector<int64_t> stages;
};
struct Goal {
  std::optional<dsl::Expression> minimize;
  std::optional<dsl::Seconds> deadline;
};
struct Scenario {
  Model model;
  Job job;
  Cluster cluster;
  Parallelism parallelism;
  std::vector<dsl::Expression> where;
  Goal goal;
};

template <class V> void fields(V& v, Model& m) {
  v("name", m.name, {.otherwise = "", .doc = "name"});
  v("layers", m.layers, {.required = true, .least = 1, .doc = "layers"});
  v("heads", m.heads, {.required = true, .least = 1, .doc = "heads"});
  v("gated", m.gated, {.otherwise = "false", .doc = "gated MLP"});
}
template <class V> void fields(V& v, Job& j) {
  v("sequence", j.sequence, {.required = true, .least = 1, .doc = "tokens in one sequence"});
  v("batch", j.batch, {.required = true, .least = 1, .doc = "sequences per step"});
  v("tokens", j.tokens, {.least = 1, .doc = "of the run"});
  v("precision", j.precision, {.otherwise = "bf16", .doc = "of the GEMMs"});
  v("dropout", j.dropout, {.otherwise = "0.1", .least = 0, .most = 1, .doc = "rate"});
}
template <class V> void fields(V& v, Tier& t) {
  v("name", t.name, {.required = true, .doc = "name"});
  v("bandwidth", t.bandwidth, {.required = true, .least = 1, .doc = "per GPU"});
  v("latency", t.latency, {.otherwise = "1 us", .least = 0, .doc = "of a hop"});
}
template <class V> void fields(V& v, Kernel& k) {
  v("forward", k.forward, {.required = true, .least = 0, .most = 1, .doc = "efficiency"});
  v("backward", k.backward, {.least = 0, .most = 1, .doc = "efficiency"});
}
template <class V> void fields(V& v, Gpu& g) {
  v("memory", g.memory, {.required = true, .least = 1, .doc = "of the device"});
  v.table("kernels", g.kernels);
}
template <class V> void fields(V& v, Cluster& c) {
  v("gpus", c.gpus, {.required = true, .least = 1, .doc = "in the job"});
  v.section("gpu", c.gpu);
  v.list("network", c.network);
  v("price", c.price, {.least = 0, .doc = "per GPU"});
}
template <class V> void fields(V& v, Parallelism& p) {
  v("tp", p.tp, {.otherwise = "1", .least = 1, .doc = "tensor", .bare = true});
  v("pp", p.pp, {.otherwise = "1", .least = 1, .doc = "pipeline", .bare = true});
  v("dp", p.dp, {.otherwise = "cluster.gpus / (tp * pp)", .least = 1, .doc = "data", .bare = true});
  v("sequence_parallel", p.sequence_parallel, {.otherwise = "tp > 1", .doc = "split norms"});
  v("order", p.order, {.otherwise = "tp-cp-dp", .doc = "nearest first"});
  v("stages", p.stages, {.least = 1, .doc = "layers of each stage"});
}
template <class V> void fields(V& v, Goal& g) {
  v("minimize", g.minimize, {.doc = "what is made small"});
  v("deadline", g.deadline, {.least = 0, .doc = "of the run"});
}
template <class V> void fields(V& v, Scenario& s) {
  v.section("model", s.model);
  v.section("job", s.job);
  v.section("cluster", s.cluster);
  v.section("parallelism", s.parallelism);
  v("where", s.where, {.doc = "conditions"});
  v.section("goal", s.goal);
}

const dsl::Schema& schema();

inline constexpr dsl::BuiltinFile kFiles[] = {
    {"model", "gpt", "name: gpt\nlayers: 96\nheads: 96\n"},
    {"model", "gpt-wide", "extends: gpt\nheads: 128\n"},
    {"accelerator", "a100", "memory: 80 GiB  # datasheet\nkernels:\n  flash: {forward: 0.7, backward: 0.55}\n"},
    {"cluster", "dgx",
     "gpu: {use: a100}\nnetwork:\n  - {name: nvlink, bandwidth: 300 GB/s}\n"
     "  - {name: infiniband, bandwidth: 25 GB/s, latency: 5 us}\n"},
    {"scenario", "base", "model: {use: gpt}\njob: {sequence: 2048, batch: 8}\ncluster: {use: dgx, gpus: 8}\n"},
};
inline constexpr dsl::FileKind kKinds[] = {
    {"model", "models"}, {"cluster", "clusters"}, {"accelerator", "accelerators"}, {"scenario", "scenarios"}};
inline constexpr const char* kSections[] = {"job", "model", "parallelism"};
inline constexpr const char* kOtherKeys[] = {"study", "roadmap"};
inline constexpr dsl::OtherName kOtherNames[] = {
    {"cost", "usd"}, {"memory", "memory.peak"}, {"global_batch", "job.batch"}, {"half", "bf16", "job.precision"}};
inline constexpr dsl::Vocabulary kVocabulary{.kinds = kKinds,
                                             .main_kind = "scenario",
                                             .main_sections = kSections,
                                             .other_keys = kOtherKeys,
                                             .other_names = kOtherNames,
                                             .override_example = "job.global_batch=2048",
                                             .condition_example = "memory.peak <= 70 GB"};
inline constexpr dsl::BuiltinCatalog kCatalog{kFiles, kVocabulary};
/// Another format of models, "hf:": {"depth": 12, "heads": 8}.
dsl::Node convert_model(const dsl::Node& file, dsl::Diagnostics& diagnostics);
const std::vector<dsl::Pull>& pulls();
dsl::EvaluateOptions options();

/// A text on its whole way. The sources stay, because spans point into them.
struct Run {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Node tree;
  dsl::Record record;

  explicit Run(const std::string& text, const std::vector<dsl::Override>& overrides = {},
               dsl::EvaluateOptions options = sample::options(), const std::string& name = "a.yaml",
               const std::string& directory = "/nowhere", const std::vector<std::string>& catalogs = {}) {
    const dsl::Source& source = sources.emplace_back(dsl::Source{name, text, directory});
    const dsl::Catalog catalog{kCatalog, catalogs};
    tree = dsl::load(source, overrides, pulls(), catalog, sources, diagnostics);
    record = dsl::evaluate(tree, schema(), options, diagnostics);
  }
  Run(const Run&) = delete;

  std::string errors() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += dsl::render(d);
    return out;
  }
  /// The first message alone, with its place: "4:9: unknown field ...".
  std::string first() const {
    if (diagnostics.list.empty()) return "";
    const dsl::Diagnostic& d = diagnostics.list[0];
    return std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + ": " + d.message;
  }
  /// A value as text, "none" if there is no such field.
  std::string at(const std::string& path) const {
    const dsl::Slot* slot = record.find(path);
    return slot ? dsl::to_text(slot->value) : "none";
  }
};

/// A complete scenario, to which tests add lines.
std::string complete(const std::string& more = "");

/// The tree as a YAML text: flow style, strings in double quotes.
std::string write(const dsl::Node& node);

}  // namespace sample
