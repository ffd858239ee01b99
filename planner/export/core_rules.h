// Rules of Megatron-Core: the meaning of fields, and settings under the target's own names.
#pragma once

#include <optional>
#include <string>

#include "planner/export/table.h"

namespace planner::exporting {

void put_context(Writer& w, const std::string& name);
void put_dispatch(Writer& w, const std::string& name, const std::string& backend);
void put_scaling(Writer& w, const std::string& name);
void put_adam_or_sgd(Writer& w, const std::string& name);
void put_dropout(Writer& w, const std::string& hidden, const std::string& attention);
/// Puts the switch of the other order of ranks that it has.
void put_mapping(Writer& w, const std::string& name);
/// Puts whether gradients are reduced in fp32, and not in 2 bytes.
void put_wide_reduction(Writer& w, const std::string& name);
/// Refuses schedules that it has not.
void refuse_schedules(Writer& w);
/// Returns whether the bytes of the optimizer's states are a choice of the run.
bool has_states_of_its_own(const Scenario& s);
/// States narrower than the 12 bytes of fp32 masters and moments: types of the two moments ("" is fp32), and whether
/// gradients are bf16. nullopt: as wide, or a sum that no types have, which is a figure of the software.
struct NarrowStates {
  const char *first, *second;
  bool gradients;
};
std::optional<NarrowStates> narrow_states(const Scenario& s);
/// Puts how many times the shards lie among the data-parallel ranks, where that is more than once; refused where its
/// FSDP shards over all.
void put_copies_of_shards(Writer& w, const std::string& name);
/// Returns the member of its enumeration AttnBackend; "": it chooses, or refused.
std::string attention_backend(Writer& w);
/// Returns the modules to recompute, and those whose inputs are offloaded; nullopt: refused.
std::vector<std::string> recomputed_modules(Writer& w);
std::vector<std::string> offloaded_modules(Writer& w);
/// Returns how many context ranks exchange heads, and how many form a ring.
std::string ring_of_heads(const Scenario& s, const char* between);
/// Writes how full recompute divides layers, under the target's names of method and number: units of that many layers,
/// or that many layers of each chunk.
void put_recomputed_layers(Writer& w, const char* method, const char* layers);
/// Returns the layers of a stage whose activations are offloaded; 0: refused, no whole number.
int64_t offloaded_layers(Writer& w);

}  // namespace planner::exporting
