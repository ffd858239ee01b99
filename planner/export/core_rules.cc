// What Megatron-Core means by a field, whatever a target calls the setting.
#include "planner/export/core_rules.h"

#include <algorithm>
#include <cmath>

#include "planner/import/megatron_table.h"
#include "planner/workload/partition.h"

namespace planner::exporting {
namespace {

/// Bytes that the precision-aware optimizer keeps of a master weight: beside bf16 the other half of fp32 is enough, but
/// scaled weights have their masters apart (megatron/core/optimizer/optimizer_config.py).
double master_bytes(const Scenario& s) {
  const bool delayed = s.job.precision == Precision::fp8 && s.software.scaling == Scaling::delayed;
  return s.job.precision == Precision::bf16 || delayed ? 2 : 4;
}

}  // namespace

void put_context(Writer& w, const std::string& name) { put_word_of(w, name, megatron::kContexts); }

void put_dispatch(Writer& w, const std::string& name, const std::string& backend) {
  put_word_of(w, name, megatron::kDispatchers);
  if (w.s.software.experts.dispatch == Dispatch::hybrid) w.put_word(backend, "hybridep");
}

void put_scaling(Writer& w, const std::string& name) { put_word_of(w, name, megatron::kRecipes); }

void put_adam_or_sgd(Writer& w, const std::string& name) {
  constexpr ExportWord kOptimizers[] = {{"adam", "adam"}, {"sgd", "sgd"}};
  put_word_of(w, name, kOptimizers);
}

std::string attention_backend(Writer& w) {
  const std::string backend = word_of(w, megatron::kBackends);
  return backend == "auto" ? "" : backend;
}

void put_dropout(Writer& w, const std::string& hidden, const std::string& attention) {
  w.put(hidden, w.value());
  w.put(attention, w.value());
}

void put_mapping(Writer& w, const std::string& name) {
  if (w.value() == "tp-cp-ep-pp-dp") w.put(name, "true");
  else if (w.value() != kDefaultOrder) w.refuse();
}

void put_wide_reduction(Writer& w, const std::string& name) {
  const double bytes = w.s.software.reduce_bytes;
  if (bytes != 2 && bytes != 4) return w.refuse("gradients have 2 or 4 bytes");
  w.put(name, bytes == 4 ? "true" : "false");
}

void refuse_schedules(Writer& w) {
  const std::string name = schedule_name(w.s);
  if (name != "1f1b" && name != "interleaved") w.refuse_at(schedule_field(w.s), "it has 1f1b, plain or interleaved");
}

bool has_states_of_its_own(const Scenario& s) {
  return shards(s) && is_plain(s) && s.job.optimizer == Optimizer::adam && s.job.precision > Precision::tf32;
}

std::optional<NarrowStates> narrow_states(const Scenario& s) {
  constexpr struct {
    double bytes;
    const char *first, *second;
  } kMoments[] = {{8, "", ""}, {6, "bf16", ""}, {4, "bf16", "bf16"}, {2, "fp8", "fp8"}};
  const double bytes = s.software.memory.optimizer, master = master_bytes(s);
  for (const auto& row : kMoments)
    if (bytes == master + row.bytes && bytes != 12)
      return NarrowStates{row.first, row.second, s.software.memory.gradient == 2 && s.job.precision != Precision::fp16};
  return std::nullopt;
}

void put_copies_of_shards(Writer& w, const std::string& name) {
  const Parallelism& p = w.s.parallelism;
  const int64_t copies = data_ranks(p) / p.zero_group;
  if (copies > 1 && p.zero > 1) return w.refuse("its FSDP shards over all data-parallel ranks");
  if (copies > 1) w.put(name, copies);
}

namespace {

/// What the words of a list are in the target, one after the other; empty: refused.
std::vector<std::string> their_modules(Writer& w, std::span<const ExportWord> rows) {
  std::vector<std::string> modules;
  std::string known;
  for (const ExportWord& row : rows) known += (known.empty() ? "it knows " : ", ") + std::string(row.ours);
  for (const dsl::Value& item : std::get<dsl::List>(w.slot().value.v)) {
    const auto row = std::ranges::find_if(rows, [&](const ExportWord& r) { return dsl::to_text(item) == r.ours; });
    if (row == rows.end()) return w.refuse("", known), std::vector<std::string>();
    modules.emplace_back(row->theirs);
  }
  return modules;
}

}  // namespace

std::vector<std::string> recomputed_modules(Writer& w) {
  std::vector<ExportWord> rows(std::begin(megatron::kRecomputedModules), std::end(megatron::kRecomputedModules));
  rows.push_back({"latent-up-and-cheap", ""});  // a set: norms inside, and activations of dense MLPs, too
  std::vector<std::string> modules = their_modules(w, rows);
  const auto set = std::ranges::find(modules, "");
  if (set == modules.end()) return modules;
  modules.erase(set);
  for (const char* module : {"mla_up_proj", "layernorm", "moe_act"}) modules.emplace_back(module);
  return modules;
}

std::vector<std::string> offloaded_modules(Writer& w) { return their_modules(w, megatron::kOffloadedModules); }

std::string ring_of_heads(const Scenario& s, const char* between) {
  return std::to_string(s.parallelism.cp_inner) + between + std::to_string(s.parallelism.cp / s.parallelism.cp_inner);
}

void put_recomputed_layers(Writer& w, const char* method, const char* layers) {
  const Parallelism& p = w.s.parallelism;
  const int64_t chunks = p.pp * p.interleave;
  w.put_word(method, p.recompute_layers > 0 ? "block" : "uniform");
  w.put(layers, p.recompute_layers > 0 ? (p.recompute_layers + chunks - 1) / chunks : p.recompute_every);
}

int64_t offloaded_layers(Writer& w) {
  const double layers = w.s.parallelism.offload.activations * static_cast<double>(w.s.model.layers) /
                        static_cast<double>(w.s.parallelism.pp);
  if (layers == std::floor(layers)) return static_cast<int64_t>(layers);
  w.refuse("it offloads whole layers of a stage");
  return 0;
}

}  // namespace planner::exporting
