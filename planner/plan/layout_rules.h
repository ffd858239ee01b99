// The rules of layouts: a new rule is one function and one row.
//
// Fields that the layout rules read (layout_rules.cc), and sections for all fields inside.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "planner/scenario/scenario.h"

namespace planner {

using RuleReads = std::span<const std::string_view>;

/// Of the rules of these names.
namespace rule_reads {

template <size_t n> using Paths = std::array<std::string_view, n>;
inline constexpr Paths<7> kDegrees{"parallelism.tp", "parallelism.cp",  "parallelism.dp", "parallelism.pp",
                                   "parallelism.ep", "parallelism.etp", "cluster.gpus"};
inline constexpr Paths<3> kOfBatch{"parallelism.dp", "parallelism.microbatch", "job.global_batch"};
inline constexpr Paths<2> kOfTensor{"parallelism.tp", "model."};
inline constexpr Paths<3> kOfTensors{"parallelism.tp", "parallelism.etp", "model."};
inline constexpr Paths<4> kOfExperts{"parallelism.ep", "parallelism.etp", "model.", "job.routing"};
inline constexpr Paths<4> kOfExpertSequence{"parallelism.sequence_parallel", "parallelism.tp", "parallelism.etp",
                                            "model."};
inline constexpr Paths<4> kOfSequence{"parallelism.sequence_parallel", "parallelism.tp", "job.sequence", "model."};
inline constexpr Paths<7> kOfContext{
    "parallelism.cp", "parallelism.cp_inner", "parallelism.tp",           "job.sequence",
    "model.",         "software.context",     "software.balanced_context"};
inline constexpr Paths<4> kOfLayers{"parallelism.pp", "parallelism.interleave", "parallelism.stages", "model."};
inline constexpr Paths<5> kOfSchedule{"parallelism.schedule", "software.schedule", "parallelism.interleave",
                                      "parallelism.pp", "job.phase"};
inline constexpr Paths<8> kOfInterleave{"parallelism.interleave", "parallelism.pp",   "parallelism.dp",
                                        "parallelism.microbatch", "job.global_batch", "parallelism.schedule",
                                        "software.schedule",      "job.phase"};
inline constexpr Paths<9> kOfZeroGroup{
    "parallelism.zero", "parallelism.dp",  "parallelism.cp",         "parallelism.tp",
    "parallelism.ep",   "parallelism.etp", "parallelism.zero_group", "parallelism.expert_zero_group",
    "model.experts"};
inline constexpr Paths<3> kOfZeroPipeline{"parallelism.zero", "parallelism.pp", "software.fsdp"};
inline constexpr Paths<2> kOfFsdp{"parallelism.zero", "software.fsdp"};
inline constexpr Paths<2> kOfTopology{"cluster.network", "cluster.gpus"};
inline constexpr Paths<1> kOfOrder{"parallelism.order"};
inline constexpr Paths<6> kOfDenseOrder{"parallelism.order", "parallelism.pp",          "parallelism.cp",
                                        "model.experts",     "software.inner_pipeline", "software.name"};
inline constexpr Paths<9> kOfOrderRanks{"parallelism.order", "parallelism.pp",          "parallelism.cp",
                                        "parallelism.tp",    "parallelism.ep",          "parallelism.etp",
                                        "model.experts",     "software.inner_pipeline", "software.name"};
inline constexpr Paths<3> kOfPrecision{"job.precision", "cluster.gpu.flops", "cluster.gpu.name"};
inline constexpr Paths<3> kOfHost{"parallelism.offload", "cluster.host", "job.phase"};
inline constexpr Paths<6> kOfConcurrency{"software.concurrency", "software.instances",     "software.schedule",
                                         "parallelism.schedule", "parallelism.interleave", "job.phase"};
inline constexpr Paths<8> kOfTechnique{
    "software.optimizer_on",     "software.concurrency",    "software.fused_collectives", "software.collective_units",
    "cluster.gpu.compute_units", "cluster.gpu.calibration", "cluster.gpu.near_memory",    "cluster.gpu.name"};
inline constexpr Paths<3> kOfServers{"parallelism.servers", "parallelism.zero", "parallelism.offload.optimizer"};
inline constexpr Paths<4> kOfUnsupported{"parallelism.cp", "software.attention", "software.fused_latent", "model."};
inline constexpr Paths<3> kOfDocument{"job.document", "job.sequence", "model."};
inline constexpr Paths<5> kOfLora{"job.lora", "job.phase", "parallelism.tp", "parallelism.etp", "model."};
inline constexpr Paths<5> kOfUpdate{"job.task", "job.lora", "job.optimizer", "parallelism.offload.optimizer",
                                    "parallelism.servers"};
inline constexpr Paths<4> kOfFixed{"parallelism.", "model.", "job.sequence", "job.lora"};
inline constexpr Paths<1> kOfCheckpoint{"cluster.checkpoint"}, kOfAll{""};

}  // namespace rule_reads

/// Message of a rule for a layout that breaks it, empty if no words were requested; nullopt: the rule holds.
using Message = std::optional<std::string>;
class RuleWords;

struct LayoutRule {
  const char* name;
  Message (*broken)(const Scenario&, RuleWords);
  RuleReads reads;
  /// Rules about a Transformer's shape do not apply to a fixed operator list. Null: applies to all scenarios.
  bool (*is_about)(const Scenario&) = nullptr;
  RuleReads reads_dense = {};  // in place of `reads` where no candidate has experts; empty: the same

  bool applies(const Scenario& scenario) const { return !is_about || is_about(scenario); }
  /// `in_words`: false for a search, which needs only the verdict on each candidate.
  Message message(const Scenario& scenario, bool in_words = true) const;
};

/// Returns the rules in the order of evaluation.
std::span<const LayoutRule> layout_rules();

}  // namespace planner
