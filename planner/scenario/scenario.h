// A scenario: model, job, cluster, software and layout, every default filled in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "dsl/fields.h"
#include "dsl/space.h"
#include "hw_profiles/types.h"
#include "operator_models/cost.h"
#include "planner/scenario/degrees.h"
#include "planner/scenario/fitted.h"
#include "planner/scenario/model.h"
#include "planner/scenario/optimizers.h"
#include "planner/scenario/software.h"

namespace planner {

using hw_profiles::Precision;

enum class Phase { train, forward };

/// How tokens reach the experts of a mixture.
struct Routing {
  double capacity = 0;  // an expert takes this times its even share, the rest is dropped; 0: dropless
  double skew = 1;      // tokens of the fullest rank over the mean
};

/// The weights with a low-rank adapter. qkv: those that make queries, keys and values. attention: these and attention's
/// output projection. all: every linear layer's. qv: those of queries and values. mlp: the MLP's and the experts'.
enum class LoraTargets { qkv, attention, all, qv, mlp };

/// Low-rank adapters (Hu et al. 2021, arXiv:2106.09685): the base weights are frozen.
struct Lora {
  int64_t rank = 0;  // 0: all weights are trained
  LoraTargets targets = LoraTargets::attention;
  BaseType base = BaseType::none;  // how the linear layers' frozen weights are held
};

/// What is trained: all weights from scratch, all weights of a trained model, or adapters on frozen weights - which may
/// be quantised (QLoRA).
enum class Task { pretrain, sft, lora, qlora };

struct Job {
  int64_t sequence = 0;           // tokens in one sequence
  int64_t global_batch = 0;       // sequences per optimizer step
  int64_t document = 0;           // tokens of one document where several are packed into a sequence
  std::optional<int64_t> tokens;  // the whole run
  Precision precision = Precision::bf16;
  Optimizer optimizer = Optimizer::adam;
  Muon muon;
  Phase phase = Phase::train;
  Task task = Task::pretrain;
  Routing routing;
  Lora lora;
};

enum class Recompute { none, selective, full };
inline constexpr auto& kRecomputeNames = dsl::kEnumWords<Recompute>;

/// Modules whose activations go to host memory (planner/workload/passes/offload_modules.cc has their tensors). Tensors
/// are kept for a norm, for the projections of queries, keys and values, for attention's core and its output
/// projection; for the first matrix and the activation of routed experts, and for all of their MLP.
enum class OffloadModule {
  attention_norm,
  qkv,
  core_attention,
  attention_output,
  mlp_norm,
  expert_input,
  expert_activation,
  expert_mlp
};

/// Shares that live in host memory and travel over the host link.
struct Offload {
  double optimizer = 0;                // states; the host updates their parameters
  double weights = 0;                  // fetched for forward and again for backward
  double activations = 0;              // stored in forward, fetched for backward
  std::vector<OffloadModule> modules;  // whose activations are offloaded by that share; empty: all that a layer keeps
};

/// How layers are divided among the parts of a pipeline without `stages`: like the software does, or such that the
/// slowest part is as fast as possible (plan/balance.h).
enum class Balance { software, cost };

struct Parallelism : Degrees {
  int64_t interleave = 1, microbatch = 1;
  bool sequence_parallel = false;
  int64_t zero = 0, zero_group = 1;
  int64_t expert_zero_group = 0;  // of routed experts; 0: as many of their copies as lie among the zero_group ranks
  Recompute recompute = Recompute::none;
  int64_t recompute_every = 1;   // full recompute: layers per checkpoint
  int64_t recompute_layers = 0;  // full recompute: this many layers of the model; 0: all of them
  std::string schedule;          // 1f1b, gpipe; interleaved if interleave > 1
  Offload offload;
  int64_t cp_inner = 0;         // context ranks that exchange heads, of all-to-all-ring; the others form rings
  int64_t servers = 0;          // parameter servers that sum gradients; 0: collectives do
  std::string order;            // which group is nearest, left to right
  std::vector<int64_t> stages;  // layers per stage where uneven; empty: as even as possible
  Balance balance = Balance::software;
};

/// Steps of one sequence length among those of several.
struct LengthShare {
  int64_t length = 0;
  double weight = 0;                                     // steps that it represents
  std::vector<std::pair<std::string, dsl::Value>> sets;  // differences from the longest, by path; includes the length
};

/// A run whose steps differ in sequence length, at a few of them (SeqPoints: Pati 2024, section 3.3).
struct Lengths {
  std::vector<LengthShare> shares;  // ascending; empty: all steps are alike. The last is the longest of the run
  // Of the run that they were found for; 0: they were given.
  int64_t distinct = 0, steps = 0;
  int64_t left_over = 0;  // sequences of a data set behind the last full batch
  bool batched = false;   // out of a data set, by job.global_batch
  double error = 0;       // of the epoch's projection on the scenario that they were found with
  double padding = 0;     // share of the tokens that fills sequences up to the longest of their batch
};

struct Goal {
  std::optional<dsl::Expression> minimize, maximize;  // at most one of the two
  std::optional<dsl::Seconds> deadline;
  std::optional<dsl::Usd> budget;
  double fit = 0.5;  // least probability that a candidate's memory fits
};

struct Scenario {
  Model model;
  Job job;
  hw_profiles::Cluster cluster;
  Software software;
  Parallelism parallelism;
  operator_models::Calibration calibration;  // cluster.gpu.calibration
  operator_models::ModelChoice operator_models;
  FittedModels fitted;                                // not a field: the models named under operator_models
  std::vector<dsl::Expression> program_rules, where;  // the first is the field kProgramRules
  Goal goal;
  std::vector<dsl::Expression> assertions;  // the key `assert`
  Lengths lengths;                          // job.sequence as a map (lengths.h); all else is then at the longest

  // Not in every file that copies or drops one: they are much code.
  Scenario() = default;
  Scenario(const Scenario&);
  Scenario(Scenario&&) noexcept;
  Scenario& operator=(const Scenario&);
  Scenario& operator=(Scenario&&) noexcept;
  ~Scenario();
};

template <class V> void fields(V& v, Routing& r) {
  v("capacity", r.capacity,
    {.least = 0, .most = 1000, .doc = "share of an even load that an expert takes; 0: dropless"});
  v("skew", r.skew, {.least = 1, .most = 1000, .doc = "tokens of the fullest rank over the mean", .descriptive = true});
}
template <class V> void fields(V& v, Lora& l) {
  v("rank", l.rank,
    {.otherwise = "if(job.task in [\"lora\", \"qlora\"], 16, 0)",
     .least = 0,
     .doc = "of the adapters; 0: all weights are trained"});
  v("targets", l.targets,
    {.doc = "layers with an adapter: queries, keys and values, all of attention's, all linear ones, or some of them"});
  v("base", l.base,
    {.doc =
         "type in which frozen weights of linear layers are held, and widened for each use; none: software.memory's"});
}
template <class V> void fields(V& v, Muon& m) {
  v("mode", m.mode, {.doc = "who orthogonalizes a matrix of which several ranks hold a shard each"});
  v("steps", m.steps, {.least = 1, .most = 100, .doc = "Newton-Schulz iterations"});
}
template <class V> void fields(V& v, Job& j) {
  v("sequence", j.sequence, {.required = true, .least = 1, .most = 1e9, .doc = "tokens in one sequence"});
  v("global_batch", j.global_batch, {.required = true, .least = 1, .most = 1e9, .doc = "sequences per optimizer step"});
  v("document", j.document,
    {.otherwise = "job.sequence", .least = 1, .doc = "tokens of a document where several share a sequence"});
  v("tokens", j.tokens, {.least = 1, .doc = "tokens of the whole run"});
  v("precision", j.precision, {.doc = "of the GEMMs"});
  v("optimizer", j.optimizer, {.doc = "optimizer"});
  v.section("muon", j.muon);
  v("phase", j.phase, {.doc = "training step, or forward only"});
  v("task", j.task, {.doc = "what recipes are chosen by; lora where job.lora.rank is written", .descriptive = true});
  v.section("routing", j.routing);
  v.section("lora", j.lora);
}
template <class V> void fields(V& v, Offload& o) {
  v("optimizer", o.optimizer, {.least = 0, .most = 1, .doc = "share of the optimizer states in host memory"});
  v("weights", o.weights, {.least = 0, .most = 1, .doc = "share of the weights in host memory"});
  v("activations", o.activations, {.least = 0, .most = 1, .doc = "share of the saved activations in host memory"});
  v("modules", o.modules, {.doc = "of whose inputs that share is; none: of all that is saved"});
}
template <class V> void fields(V& v, Parallelism& p) {
  for (const Degree& d : degrees())
    v(d.name, p.*d.value, {.otherwise = default_of(d), .least = 1, .most = 1e7, .doc = d.doc, .bare = true});
  v("interleave", p.interleave, {.least = 1, .most = 1e7, .doc = "model chunks per pipeline stage", .bare = true});
  v("microbatch", p.microbatch, {.least = 1, .most = 1e7, .doc = "sequences per microbatch and rank", .bare = true});
  v("sequence_parallel", p.sequence_parallel, {.doc = "norms and dropout split along the sequence"});
  v("zero", p.zero, {.least = 0, .most = 3, .doc = "ZeRO stage; 3: FSDP"});
  const std::string all_data = default_shard_group();
  v("zero_group", p.zero_group, {.otherwise = all_data.c_str(), .least = 1, .doc = "ranks of the shard group"});
  v("expert_zero_group", p.expert_zero_group,
    {.least = 0, .doc = "the same of routed experts; 0: their copies among the zero_group ranks"});
  v("recompute", p.recompute, {.doc = "activations computed again in backward"});
  v("recompute_every", p.recompute_every, {.least = 1, .doc = "layers per checkpoint of full recompute"});
  v("recompute_layers", p.recompute_layers,
    {.least = 0, .doc = "layers of the model that full recompute repeats, the others keep all; 0: all"});
  v("schedule", p.schedule, {.doc = "pipeline schedule; empty: the software's"});
  v.section("offload", p.offload);
  v("cp_inner", p.cp_inner,
    {.least = 0,
     .doc = "context ranks next to one another that exchange heads, the others form rings: of software.context "
            "all-to-all-ring, and 0 for others"});
  v("servers", p.servers,
    {.least = 0, .most = 1e7, .doc = "parameter servers; 0: gradients are summed by collectives"});
  v("order", p.order, {.otherwise = kDefaultOrder, .doc = "placement, nearest group first"});
  v("stages", p.stages, {.least = 0, .doc = "layers of each stage"});
  v("balance", p.balance,
    {.doc = "how layers are dealt to stages where none are listed: as the software does, or by cost"});
}
template <class V> void fields(V& v, Goal& g) {
  v("minimize", g.minimize, {.doc = "what a search makes small"});
  v("maximize", g.maximize, {.doc = "what a search makes large"});
  v("deadline", g.deadline, {.least = 0, .most = 1e10, .doc = "for the whole run"});
  v("budget", g.budget, {.least = 0, .doc = "for the whole run"});
  v("fit", g.fit,
    {.least = 0.05, .most = 0.9999, .doc = "least probability that the memory of what a search keeps fits"});
}
/// A program's requirements on a layout (resolve/recipe_rules.h).
inline constexpr const char* kProgramRules = "software.rules";
/// Order of the sections in a resolved scenario. The calibration is at cluster.gpu.calibration.
template <class V> void fields(V& v, Scenario& s) {
  v.section("model", s.model);
  v.section("job", s.job);
  v.section("cluster", s.cluster);
  v.section("cluster.gpu.calibration", s.calibration);
  v.section("software", s.software);
  v.section("parallelism", s.parallelism);
  const auto model = [&](const char* kind, const char* doc) {
    v((std::string("operator_models.") + kind).c_str(), s.operator_models[kind], {.doc = doc});
  };
  for (const char* kind : operator_models::kKindNames) model(kind, "cost model of this operator; empty: the default");
  for (const char* kind : operator_models::kCollectiveKinds)
    model(kind, "cost model of this collective; empty: that of collective");
  model(kWholeStep, "fitted model of the whole step, pmnf(FILE); empty: none");
  v(kProgramRules, s.program_rules,
    {.doc = "conditions that the program asks of a layout, each with its source behind it; a profile's also say since "
            "which release (docs/language.md)"});
  v("where", s.where, {.doc = "conditions every candidate must satisfy"});
  v.section("goal", s.goal);
  v("assert", s.assertions, {.doc = "conditions that must hold of the plan, or of the best one", .asserted = true});
}

/// The rows of every field, built once per process and read-only.
const dsl::Schema& scenario_schema();
/// Fields of a model read on its own, and the sequence that the rows of its operators may follow (there 1).
dsl::Schema model_schema();
/// The catalogue embedded in the binary.
dsl::BuiltinCatalog builtin_catalog();

/// A field that a published recipe of the software's release set (resolve/recipes.h).
struct RecipeField {
  std::string field, value;
  std::string source;
};

/// A scenario with the record it was read from (for messages, `where` and the resolved text).
struct LoadedScenario {
  dsl::Record record;
  Scenario scenario;
  std::vector<RecipeField> recipe = {};  // in the order of the fields
  bool software_assumed = false;         // the scenario names none, and got the default profile
  bool calibration_assumed = false;      // the accelerator names none, and got that of its class
};

/// Settings of a scenario and its software about layouts that a search may open (resolve/layout_policy.h reads both).
struct LayoutWords {
  std::optional<dsl::Node> automatic;  // at `parallelism.auto`
  std::optional<dsl::Node> software;   // at `software.layout`
};

/// A scenario whose choices are open; `sample` has one value for each of them, of the right type.
struct OpenScenario {
  dsl::Space space;
  Scenario sample;
  std::vector<std::string> ruled = {};    // fields that rules of the software's profile wrote
  std::optional<dsl::Node> roadmap = {};  // the section `roadmap:` (studies/roadmap_read.h)
  LayoutWords layout = {};
};

/// Binds a record to a scenario. REQUIRES: `apply_implied` was called for it.
Scenario bind_scenario(const dsl::Record& record);
/// Sets fields that follow from the precision of the job, and from a price to buy at, if the scenario leaves them open.
/// `ruled`: fields that rules of the software's profile wrote, which depend on the precision themselves.
void apply_implied(dsl::Record& record, std::span<const std::string> ruled);
/// Written in a file of the catalogue, not by the user.
bool is_of_catalogue(const dsl::Slot& slot);
inline constexpr const char* kRent = "cluster.price";
inline constexpr const char* kPurchase[] = {"cluster.purchase.gpu_price", "cluster.purchase.node_price"};
/// Bytes that fp32 and tf32 imply for a field that the scenario does not write; nullopt: they imply nothing for it.
std::optional<double> fp32_bytes(std::string_view path);
/// Whether they imply it.
bool follows_precision(std::string_view path);
/// Whether the host reads back how many tokens each expert has: where none are dropped, shapes are not known before.
inline bool waits_for_counts(const Scenario& s) {
  return s.software.experts.wait.value > 0 && s.job.routing.capacity == 0;
}
/// Whether scores, softmax and their product with the values are kernels of their own.
inline bool attends_unfused(const Scenario& s) {
  return s.software.attention == "unfused" || (s.model.latent.rank > 0 && !s.software.fused_latent);
}
inline bool is_narrow(Precision p) { return p >= Precision::fp8; }  // of 8 bits and fewer
inline bool has_no_narrow_copies(Precision p) { return p == Precision::fp32 || p == Precision::tf32; }

/// Sets the degree of the rest. A shard group that was all data ranks stays all of them.
void set_data_degree(Parallelism& p, int64_t dp);

/// The model of `kind` that a scenario has picked; null: it is not a fitted one.
const operator_models::FittedModel* fitted_of(const Scenario& scenario, std::string_view kind);
/// The fitted models of a device (operator_models::fitted_slot).
decltype(operator_models::Device::fitted) fitted_slots(const Scenario& scenario);

}  // namespace planner
