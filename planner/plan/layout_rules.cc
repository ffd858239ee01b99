#include "planner/plan/layout_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

#include "planner/plan/fitted_use.h"
#include "planner/scenario/divisions.h"
#include "planner/scenario/lacks.h"
#include "planner/scenario/layer_check.h"
#include "planner/scenario/techniques.h"
#include "planner/schedule/program.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {

/// Is handed to each rule, which returns what it makes of its words.
class RuleWords {
  template <class Arg> static decltype(auto) spoken(const Arg& arg) {
    if constexpr (std::is_invocable_v<const Arg&>) return arg();
    else return (arg);
  }

 public:
  explicit constexpr RuleWords(bool in_words) : in_words_(in_words) {}

  /// Formats like `fmt::format`, if words are requested. An argument that is expensive is a function that returns it:
  /// it is called only for words.
  template <class... Args>
  Message operator()(fmt::format_string<decltype(spoken(std::declval<const Args&>()))...> words,
                     const Args&... args) const {
    return in_words_ ? fmt::format(words, spoken(args)...) : Message(std::in_place);
  }

 private:
  bool in_words_;
};

namespace {

Message ranks(const Scenario& s, RuleWords why) {
  const auto counts = [](const Degree& d) { return d.has_ranks(); };
  const double ranks = product<double>(s.parallelism, counts);  // degrees may be large enough to overflow
  if (ranks == static_cast<double>(s.cluster.gpus)) return {};
  return why(
      "{} = {:.0f} ranks, but the job has {} GPUs", [&] { return joined(s.parallelism, counts); }, ranks,
      s.cluster.gpus);
}
// The rows of the degrees' table that one rule holds; they stand together.
std::span<const Division> divisions_of(std::string_view rule) {
  const auto is_of = [&](const Division& d) { return d.rule == rule; };
  const auto all = divisions();
  return all.subspan(static_cast<size_t>(std::ranges::find_if(all, is_of) - all.begin()),
                     static_cast<size_t>(std::ranges::count_if(all, is_of)));
}
const std::span<const Division> kHeads = divisions_of("heads"), kWidth = divisions_of("width"),
                                kExperts = divisions_of("experts"), kSequence = divisions_of("sequence"),
                                kLora = divisions_of("lora");
// What a degree should divide and does not.
Message undivided(const Scenario& s, std::span<const Division> rows, RuleWords why) {
  for (const Division& d : rows) {
    const int64_t ranks = s.parallelism.*d.degree;
    if (d.extent(s) % ranks == 0) continue;
    return why(
        "{} not divisible by {} {}{}", [&] { return fmt::format(fmt::runtime(d.what), d.extent(s)); },
        degree_of(d.degree).name, ranks, d.note);
  }
  return {};
}
Message batch(const Scenario& s, RuleWords why) {
  const int64_t per_step = s.parallelism.dp * s.parallelism.microbatch;
  if (s.job.global_batch % per_step == 0) return {};
  return why("global batch {} is not a multiple of dp {} x microbatch {} = {}", s.job.global_batch, s.parallelism.dp,
             s.parallelism.microbatch, per_step);
}
Message heads(const Scenario& s, RuleWords why) {
  const int64_t tp = s.parallelism.tp, kv = s.model.latent.rank > 0 ? s.model.heads : s.model.kv_heads;
  if (Message message = undivided(s, kHeads, why)) return message;
  if (s.model.heads % kv != 0)
    return why("{} attention heads are not a multiple of {} key/value heads", s.model.heads, kv);
  if (kv % tp != 0 && tp % kv != 0) return why("{} key/value heads and tp {} do not divide each other", kv, tp);
  return {};
}
Message width(const Scenario& s, RuleWords why) { return undivided(s, kWidth, why); }
bool of_experts(const Degree& d) { return d.cut == Cut::experts; }
Message experts(const Scenario& s, RuleWords why) {
  const Experts& e = s.model.experts;
  const Parallelism& p = s.parallelism;
  if (e.count == 0) {
    if (expert_set_ranks<double>(p) == 1) return {};
    return why("{}: the model has no experts", [&] { return joined(p, of_experts); });
  }
  if (layer_kinds(s.model).size() == 1 && !layer_kinds(s.model).front().experts)
    return why("experts begin behind layer {}, the model has {} layers", e.first_dense + e.every - 1, s.model.layers);
  if (s.job.routing.skew > static_cast<double>(p.ep))
    return why("skew {}: of ep {} ranks none can hold more than {} times the mean", s.job.routing.skew, p.ep, p.ep);
  if (e.top_k > e.count) return why("{} experts per token, but the model has {}", e.top_k, e.count);
  if (e.count % e.groups != 0 || e.groups_per_token > e.groups)
    return why("{} experts do not fall into {} groups of which a token sees {}", e.count, e.groups, e.groups_per_token);
  if (e.top_k > e.count / e.groups * e.groups_per_token)
    return why("{} experts per token, but {} groups of {} hold {}", e.top_k, e.groups_per_token, e.count / e.groups,
               e.count / e.groups * e.groups_per_token);
  return undivided(s, kExperts, why);
}
Message expert_ranks(const Scenario& s, RuleWords why) {
  const Parallelism& p = s.parallelism;
  if (std::fmod(stage_ranks<double>(p), expert_set_ranks<double>(p)) == 0) return {};
  return why(
      "{} does not divide {}", [&] { return joined(p, of_experts); },
      [&] { return joined(p, [](const Degree& d) { return d.cut == Cut::common; }); });
}
Message expert_sequence(const Scenario& s, RuleWords why) {
  const Parallelism& p = s.parallelism;
  if (s.model.experts.count == 0 || p.sequence_parallel || p.tp == 1 || p.tp == p.etp) return {};
  return why("tensor ranks that share no experts (tp {}, etp {}) need sequence_parallel, or all see all tokens", p.tp,
             p.etp);
}
Message sequence(const Scenario& s, RuleWords why) { return undivided(s, kSequence, why); }
Message context(const Scenario& s, RuleWords why) {
  const Parallelism& p = s.parallelism;
  if (p.cp == 1) return {};
  // A rank holds an early and a late piece of the sequence where causal work is balanced.
  const int64_t pieces = s.software.balanced_context ? 2 : 1;
  if (s.job.sequence % (pieces * p.cp) != 0)
    return why("sequence {} does not divide into {}cp {} pieces", s.job.sequence, pieces == 2 ? "2 x " : "", p.cp);
  const bool both = s.software.context == Context::all_to_all_ring;
  if (both && (p.cp_inner == 0 || p.cp % p.cp_inner != 0))
    return why("all-to-all-ring needs parallelism.cp_inner, a divisor of cp {}; it is {}", p.cp, p.cp_inner);
  if (!both && p.cp_inner > 0)
    return why("cp_inner {} is of software.context all-to-all-ring, which is {}", p.cp_inner,
               kContextNames[static_cast<size_t>(s.software.context)]);
  const int64_t exchanging = exchanging_ranks(s);
  if (exchanging > 1 && s.model.heads % (p.tp * exchanging) != 0)
    return why("{} attention heads are not divisible by tp {} x {} {} (all-to-all)", s.model.heads, p.tp,
               both ? "cp_inner" : "cp", exchanging);
  return {};
}
Message layers(const Scenario& s, RuleWords why) {
  if (!s.model.pattern.empty() || !s.model.mtp_pattern.empty() || !s.model.kinds.empty())
    if (const std::vector<LayerMistake> wrong = layer_mistakes(s.model); !wrong.empty())
      return why("{}", wrong.front().message);
  const int64_t parts = s.parallelism.pp * s.parallelism.interleave;
  const std::vector<int64_t>& stages = s.parallelism.stages;
  if (!stages.empty()) {
    const int64_t sum = std::accumulate(stages.begin(), stages.end(), int64_t{0});
    if (static_cast<int64_t>(stages.size()) != parts)
      return why("parallelism.stages lists {} parts, pp {} x interleave {} need {}", stages.size(), s.parallelism.pp,
                 s.parallelism.interleave, parts);
    if (sum != s.model.layers) return why("parallelism.stages holds {} layers, the model has {}", sum, s.model.layers);
    return {};
  }
  if (parts <= s.model.layers || parts == s.model.layers + 2) return {};  // embedding and head may fill a part each
  return why("{} layers cannot fill pp {} x interleave {} = {} parts", s.model.layers, s.parallelism.pp,
             s.parallelism.interleave, parts);
}
// "tp, cp, ep"
template <class Rows, class Name> std::string joined_names(const Rows& rows, Name name) {
  std::string text;
  for (const auto& row : rows) text += std::string(text.empty() ? "" : ", ") + std::invoke(name, row);
  return text;
}
std::string names_of_schedules() { return joined_names(schedules(), &ScheduleRow::name); }
Message schedule(const Scenario& s, RuleWords why) {
  const std::string name = schedule_name(s);
  if (!find_schedule(name)) return why("unknown pipeline schedule '{}'; known: {}", name, names_of_schedules);
  const int64_t chunks = find_schedule(name)->chunks, interleave = s.parallelism.interleave;
  if (name == "interleaved" && interleave == 1)
    return why("schedule 'interleaved' needs two chunks per stage or more; interleave is 1");
  if (chunks > 0 && interleave != chunks)
    return why("schedule '{}' needs {} chunks per stage; interleave is {}", name, chunks, interleave);
  if (chunks == 0 && interleave > 1 && name != "interleaved")
    return why("schedule '{}' does not interleave; interleave is {}", name, interleave);
  if (find_schedule(name)->program && s.parallelism.pp > kMostStages)
    return why("schedule '{}' is given as a list of operations for each stage, of {} stages at most; pp is {}", name,
               kMostStages, s.parallelism.pp);
  if (find_schedule(name)->splits_backward && s.job.phase == Phase::forward)
    return why("schedule '{}' splits a backward pass, the job is forward only", name);
  return {};
}
Message interleave(const Scenario& s, RuleWords why) {
  const Parallelism& p = s.parallelism;
  if (p.interleave == 1) return {};
  if (p.pp == 1) return why("interleave {} needs a pipeline, pp is 1", p.interleave);
  const int64_t per_step = p.dp * p.microbatch;
  const int64_t m = s.job.global_batch / per_step;
  if (schedule_name(s) == "dualpipe-v" && m < 2 * p.pp)
    return why("dualpipe-v needs 2 x pp = {} microbatches, the step has {}", 2 * p.pp, m);
  if (schedule_name(s) == "interleaved" && s.job.global_batch % per_step == 0 && m % p.pp != 0)
    return why("interleaving needs a multiple of pp {} microbatches, the step has {}", p.pp, m);
  return {};
}
Message zero_group(const Scenario& s, RuleWords why) {
  const int64_t data = data_ranks(s.parallelism), group = s.parallelism.zero_group;
  const int64_t experts = s.parallelism.expert_zero_group;
  if (s.parallelism.zero == 0) return {};
  if (data % group != 0)
    return why(
        "ZeRO group {} does not divide {} = {}", group, [] { return default_shard_group(" x "); }, data);
  if (experts > 0 && (s.model.experts.count == 0 || expert_copies(s) % experts != 0))
    return why("expert_zero_group {} does not divide the {} ranks that hold the same experts", experts,
               s.model.experts.count == 0 ? 0 : expert_copies(s));
  return {};
}
Message zero_pipeline(const Scenario& s, RuleWords why) {
  if (s.parallelism.zero < 3 || s.parallelism.pp == 1 || s.software.fsdp) return {};
  return why("ZeRO-3 of '{}' does not work with a pipeline (pp {})", s.software.name, s.parallelism.pp);
}
Message zero_fsdp(const Scenario& s, RuleWords why) {
  if (!s.software.fsdp || s.parallelism.zero != 1) return {};
  return why("'{}' shards gradients too (zero 2) or everything (zero 3), not states alone", s.software.name);
}
Message topology(const Scenario& s, RuleWords why) {
  if (s.cluster.network.empty()) return why("the cluster has no network tier");
  if (s.cluster.network.size() > kMostTiers)
    return why("the cluster has {} network tiers, of which at most {} can be told apart", s.cluster.network.size(),
               kMostTiers);
  const int64_t widest = s.cluster.network.back().size;
  if (widest == 0 || s.cluster.gpus <= widest) return {};
  return why("the widest tier '{}' joins {} GPUs, the job has {}", s.cluster.network.back().name, widest,
             s.cluster.gpus);
}
std::string words_of_orders() {
  const DegreeOrder order = parse_order(kDefaultOrder);
  return joined_names(order, &Degree::name);
}
bool is_nearer(const DegreeOrder& order, int64_t Degrees::*a, int64_t Degrees::*b) {
  const auto first = std::ranges::find_if(order, [&](const Degree* d) { return d->value == a || d->value == b; });
  return first != order.end() && (*first)->value == a;
}
Message order(const Scenario& s, RuleWords why) {
  if (!parse_order(s.parallelism.order).empty()) return {};
  return why("parallelism.order '{}' must name each of {} once, joined by '-'", s.parallelism.order, words_of_orders);
}
Message order_ranks(const Scenario& s, RuleWords why) {
  const Parallelism& p = s.parallelism;
  const bool mixed = s.model.experts.count > 0;
  if (s.software.inner_pipeline == InnerPipeline::free || p.pp == 1) return {};
  const bool alike = mixed ? p.ep * p.etp == p.tp * p.cp : p.cp == 1;
  const bool named = s.software.inner_pipeline != InnerPipeline::tensor_only || (p.cp == 1 && p.ep == 1);
  if ((alike && named) || !is_nearer(parse_order(p.order), &Degrees::pp, &Degrees::dp)) return {};
  if (!named) return why("{} takes order {} without cp and ep", s.software.name, p.order);
  return why("{} takes order {} with as many data-parallel ranks of experts as of the rest: {}", s.software.name,
             p.order, mixed ? "ep x etp must be tp x cp" : "cp must be 1");
}
Message precision(const Scenario& s, RuleWords why) {
  if (s.cluster.gpu.flops.at(s.job.precision)) return {};
  return why("{} has no {} peak", s.cluster.gpu.name, hw_profiles::name(s.job.precision));
}
Message host_link(const Scenario& s, RuleWords why) {
  const Offload share = offloaded(s);
  if (share.optimizer + share.weights + share.activations == 0) return {};
  if (s.cluster.host.bandwidth.value <= 0)
    return why("offloading needs a link to the host; cluster '{}' gives no host.bandwidth", s.cluster.name);
  if (share.optimizer > 0 && s.cluster.host.memory_bandwidth.value <= 0)
    return why("the host updates offloaded states; cluster '{}' gives no host.memory_bandwidth", s.cluster.name);
  return {};
}
Message concurrency(const Scenario& s, RuleWords why) {
  if (s.software.instances > 1 && s.job.phase == Phase::train)
    return why("{} instances of a job on a GPU run forward only, and this one trains", s.software.instances);
  const bool is_concurrent = s.software.concurrency != operator_models::Concurrency::sequential;
  if (!is_concurrent || !find_schedule(schedule_name(s))->splits_backward) return {};
  return why("schedule '{}' splits the backward pass: software.concurrency must be sequential", schedule_name(s));
}
// What the machine or the job lacks, as others find it.
template <std::optional<Lack> (*find)(const Scenario&)> Message lacks(const Scenario& s, RuleWords why) {
  const std::optional<Lack> lack = find(s);
  return lack ? why("{}", lack->message) : Message();
}
Message servers(const Scenario& s, RuleWords why) {
  if (s.parallelism.servers == 0) return {};
  if (s.parallelism.zero > 0)
    return why("parameter servers hold all states: zero {} has nothing to shard, it must be 0", s.parallelism.zero);
  if (s.parallelism.offload.optimizer > 0)
    return why("parameter servers hold all states: offload.optimizer has nothing to move, it must be 0");
  return {};
}
Message unsupported(const Scenario& s, RuleWords why) {
  if (s.parallelism.cp > 1 && attends_unfused(s))
    return why("context parallelism (cp {}) needs a fused attention kernel", s.parallelism.cp);
  return {};
}
Message document(const Scenario& s, RuleWords why) {
  if (!s.model.operators.empty() && s.job.document != s.job.sequence)
    return why("the shapes of a fixed operator list do not depend on job.document, which is {}", s.job.document);
  if (s.job.document <= s.job.sequence) return {};
  return why("documents of {} tokens do not fit into a sequence of {}", s.job.document, s.job.sequence);
}
Message lora(const Scenario& s, RuleWords why) {
  const int64_t rank = s.job.lora.rank;
  if (rank == 0) return {};
  if (s.job.phase == Phase::forward) return why("adapters of rank {} are trained, but the job runs forward only", rank);
  if (rank > s.model.hidden)
    return why("adapters of rank {} are no low rank of the hidden width {}", rank, s.model.hidden);
  return undivided(s, kLora, why);
}
Message checkpoint(const Scenario& s, RuleWords why) {
  const hw_profiles::Checkpoint& c = s.cluster.checkpoint;
  const double whole = c.save.value + c.background.value;
  if (!c.interval || c.interval->value >= whole) return {};
  return why("a checkpoint takes {} s, with its background part; it cannot be saved every {} s", whole,
             c.interval->value);
}

Message fixed(const Scenario& s, RuleWords why) {
  const Parallelism& p = s.parallelism;
  // Those that would split a layer or a list of layers.
  const auto splits = [&](const Degree& d) { return !d.rest && p.*d.value > 1; };
  if (std::ranges::any_of(degrees(), splits))
    return why(
        "a fixed operator list is data parallel only: {} would not split its operators; leave such degrees at 1, and "
        "dp takes all {} GPUs",
        [&] { return joined(p, splits, ", "); }, s.cluster.gpus);
  if (s.model.experts.count > 0 || s.model.mtp > 0 || s.job.lora.rank > 0)
    return why("a fixed operator list has no experts, prediction layers or adapters");
  if (!s.model.pattern.empty() || !s.model.mtp_pattern.empty() || !s.model.kinds.empty())
    return why("a fixed operator list has no kinds of layers");
  if (s.model.layers != 1) return why("a fixed operator list is one layer, not {}", s.model.layers);
  if (!p.stages.empty() && p.stages != std::vector<int64_t>{1})
    return why("a fixed operator list is one part; parallelism.stages lists {}",
               [&] { return fmt::format("{}", fmt::join(p.stages, ", ")); });
  const bool sequences = std::ranges::any_of(s.model.operators, is_of_sequences, &FixedOperator::kind);
  if (!sequences && s.job.sequence != 1)
    return why("a sample of fixed operators is a sequence of 1, not {}", s.job.sequence);
  for (const FixedOperator& o : s.model.operators) {
    if (o.in == 0 && std::ranges::count(fields_of(o.kind).needs, "in") > 0)
      return why("operator '{}' needs 'in'", o.name);
    if (o.kind == FixedKind::lookup && o.tables.empty()) return why("operator '{}' needs 'tables'", o.name);
    if (o.kind == FixedKind::lookup && p.zero > 0)
      return why("ZeRO {} cannot shard '{}': tables are dealt to the data ranks already", p.zero, o.name);
  }
  return {};
}

Message fitted(const Scenario& s, RuleWords) { return unpriced_step(s); }

bool is_transformer(const Scenario& s) { return s.model.operators.empty(); }
bool is_fixed_list(const Scenario& s) { return !s.model.operators.empty(); }
bool has_fitted_models(const Scenario& s) { return !s.fitted.empty(); }

constexpr LayoutRule kRules[] = {
    {"ranks", ranks, rule_reads::kDegrees},
    {"batch", batch, rule_reads::kOfBatch},
    {"heads", heads, rule_reads::kOfTensor, is_transformer},
    {"width", width, rule_reads::kOfTensors, is_transformer},
    {"experts", experts, rule_reads::kOfExperts, is_transformer},
    {"expert-ranks", expert_ranks, rule_reads::kDegrees, is_transformer},
    {"expert-sequence", expert_sequence, rule_reads::kOfExpertSequence, is_transformer},
    {"sequence", sequence, rule_reads::kOfSequence, is_transformer},
    {"context", context, rule_reads::kOfContext, is_transformer},
    {"layers", layers, rule_reads::kOfLayers, is_transformer},
    {"schedule", schedule, rule_reads::kOfSchedule},
    {"interleave", interleave, rule_reads::kOfInterleave},
    {"zero-group", zero_group, rule_reads::kOfZeroGroup},
    {"zero-pipeline", zero_pipeline, rule_reads::kOfZeroPipeline},
    {"zero-fsdp", zero_fsdp, rule_reads::kOfFsdp},
    {"topology", topology, rule_reads::kOfTopology},
    {"order", order, rule_reads::kOfOrder},
    {"order-ranks", order_ranks, rule_reads::kOfOrderRanks, is_transformer, rule_reads::kOfDenseOrder},
    {"precision", precision, rule_reads::kOfPrecision},
    {"host-link", host_link, rule_reads::kOfHost},
    {"concurrency", concurrency, rule_reads::kOfConcurrency},
    {"technique", lacks<lack_of>, rule_reads::kOfTechnique},
    {"servers", servers, rule_reads::kOfServers},
    {"unsupported", unsupported, rule_reads::kOfUnsupported, is_transformer},
    {"document", document, rule_reads::kOfDocument},
    {"lora", lora, rule_reads::kOfLora},
    {"update", lacks<update_lack>, rule_reads::kOfUpdate},
    {"checkpoint", checkpoint, rule_reads::kOfCheckpoint},
    {"fixed", fixed, rule_reads::kOfFixed, is_fixed_list},
    {kFittedRule, fitted, rule_reads::kOfAll, has_fitted_models},
};

}  // namespace

Message LayoutRule::message(const Scenario& s, bool in_words) const {
  return applies(s) ? broken(s, RuleWords(in_words)) : Message{};
}

std::span<const LayoutRule> layout_rules() { return kRules; }

}  // namespace planner
