#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

#include "operator_models/collective.h"
#include "operator_models/fitted.h"
#include "operator_models/models.h"
#include "operator_models/standard_error.h"

namespace operator_models {
namespace {

/// A model of one operator as a row's function. REQUIRES: the row's kind is the operator's.
template <class Op, Cost (*model)(const Op&, const Device&, const Share&)>
Cost row(const Operator& op, const Device& device, const Share& share) {
  const Op* mine = std::get_if<Op>(&op);
  assert(mine && "a row of the registry got an operator of another kind");
  return mine ? model(*mine, device, share) : Cost{};
}

/// The model that the device holds for the operator; the default one where it holds none.
Cost fitted(const Operator& op, const Device& device, const Share& share);

constexpr const char* kFitted =
    "pmnf(FILE): a model fitted to measurements, over the operator's features (Calotoiu et al., SC13, eq. 1)";

// The first row of a kind is its default.
constexpr ModelRow kRows[] = {
    {"gemm", "table",
     "corrections of `wave` measured on a grid of m, n and k, interpolated in their logarithms; `wave` outside it",
     row<Gemm, gemm_table>},
    {"gemm", "wave",
     "tiles in waves over the compute units, split-K; fitted to measured tables (NVIDIA matrix multiplication guide)",
     row<Gemm, gemm_wave>},
    {"gemm", "roofline", "max(flop/(e*peak), bytes/(b*bandwidth)) (Williams et al., CACM 2009)",
     row<Gemm, gemm_roofline>},
    {"gemm", "proportional", "flop/(e*peak) at every size: no memory, tiles or waves (Pati 2024, section 5.3.2)",
     row<Gemm, gemm_proportional>},
    {"gemm", "baseline", "a measured GEMM of a base iteration times FLOP over its FLOP (Pati 2024, section 5.3.2)",
     row<Gemm, gemm_baseline>},
    {"gemm", "pmnf", kFitted, fitted},
    {"attention", "table",
     "efficiency by head width, keys and work as measured; fused where nothing was (aiconfigurator tables)",
     row<Attention, attention_table>},
    {"attention", "fused",
     "executed FLOPs at the kernel's share of the peak (FlashAttention-1/2/3 papers, measured tables)",
     row<Attention, fused_attention>},
    {"attention", "proportional", "executed FLOPs at one share of the peak at every size (Pati 2024, section 5.3.2)",
     row<Attention, attention_proportional>},
    {"attention", "pmnf", kFitted, fitted},
    {"scan", "chunks",
     "matrices, vector unit and memory of chunks, or the pass over states (arXiv:2405.21060, 2412.06464)",
     row<Scan, scan>},
    {"scan", "pmnf", kFitted, fitted},
    {"selection", "scores", "scores of narrow heads, then the largest of each query (DeepSeek-V3.2, arXiv:2512.02556)",
     row<Selection, selection>},
    {"selection", "pmnf", kFitted, fitted},
    {"vector", "streaming",
     "launch + bytes/(efficiency*bandwidth) per kind of kernel (LLMCompass, NeuSight, Vidur tables)",
     row<Vector, vector_kernel>},
    {"vector", "baseline", "a measured kernel of a base iteration times the ratio of their streaming costs (Pati 2024)",
     row<Vector, vector_baseline>},
    {"vector", "pmnf", kFitted, fitted},
    {"lookup", "streaming", "rows of a table: launch + bytes/(efficiency*bandwidth)", row<Lookup, lookup>},
    {"lookup", "reuse", "distinct rows once, the others as far as the cache lacks them (Lin et al. 2024, III-E)",
     row<Lookup, lookup_reuse>},
    {"lookup", "baseline", "a measured lookup of a base iteration times the ratio of their streaming costs (Pati 2024)",
     row<Lookup, lookup_baseline>},
    {"lookup", "pmnf", kFitted, fitted},
    {"update", "streaming", "optimizer: kernels*launch + bytes/(efficiency*bandwidth)", row<Update, update>},
    {"update", "pmnf", kFitted, fitted},
    {"collective", "table", "inside a node as measured by size and ranks, else alpha-beta (nccl-tests tables)",
     row<Collective, collective_table>},
    {"collective", "alpha-beta", "ring, tree, in-switch, hierarchical over tiers (Thakur et al. 2005; nccl-tests)",
     row<Collective, collective_alpha_beta>},
    {"collective", "baseline", "a measured collective times the ratio of their alpha-beta costs (Pati 2024)",
     row<Collective, collective_baseline>},
    {"collective", "three_region", "latency, sigmoid, bandwidth; eight numbers per group (Lin et al. 2024, IV-A)",
     row<Collective, collective_three_region>},
    {"collective", "pmnf", kFitted, fitted},
    {"send-recv", "table", "one message as measured by size, else alpha-beta (nccl-tests tables)",
     row<SendRecv, send_recv_table>},
    {"send-recv", "alpha-beta", "one message: base + latency + bytes/(efficiency*bandwidth) (nccl-tests)",
     row<SendRecv, send_recv>},
    {"send-recv", "three_region", "latency, sigmoid, bandwidth; eight numbers (Lin et al. 2024, IV-A)",
     row<SendRecv, send_recv_three_region>},
    {"send-recv", "pmnf", kFitted, fitted},
    {"host-copy", "link", "one direction of the host link: base + bytes/(efficiency*bandwidth) (nvbandwidth)",
     row<HostCopy, host_copy>},
    {"host-copy", "pmnf", kFitted, fitted},
    {"host-update", "streaming",
     "optimizer on the host: bytes/(efficiency*bandwidth) (Ren et al., ZeRO-Offload, ATC 2021)",
     row<HostUpdate, host_update>},
    {"host-update", "pmnf", kFitted, fitted},
    {"near-update", "banks", "optimizer by units at the banks of memory: commands of the DRAM (Pati 2024, section 6.3)",
     row<NearUpdate, near_update>},
    {"near-update", "pmnf", kFitted, fitted},
    {"concurrent-gemm", "default", "GEMMs alike at once, with kernels that are best alone (Pati 2024, section 7.4.5)",
     row<ConcurrentGemms, gemms_by_default>},
    {"concurrent-gemm", "go",
     "GEMMs alike at once, with kernels that are best among so many (Pati 2024, section 7.3.2)",
     row<ConcurrentGemms, gemms_tuned>},
    {"concurrent-gemm", "oracle", "GEMMs alike, as many at once as is best (Pati 2024, section 7.4.5)",
     row<ConcurrentGemms, gemms_by_oracle>},
    {"concurrent-gemm", "pmnf", kFitted, fitted},
};

/// The first row of each kind.
constexpr std::array kFirst = [] {
  std::array<size_t, kKinds.size()> first{};
  for (size_t i = std::size(kRows); i-- > 0;)
    for (const KindRow& kind : kKinds)
      if (kRows[i].kind == kind.name) first[kind.alternative] = i;
  return first;
}();
static_assert(std::ranges::all_of(kKinds, [](const KindRow& k) { return kRows[kFirst[k.alternative]].kind == k.name; }),
              "each alternative of Operator has a name and a row");

const ModelRow& default_row(const Operator& op) { return kRows[kFirst[op.index()]]; }

/// REQUIRES: known_model(kind, name); an empty name means the default.
const ModelRow& row_of(const Operator& op, std::string_view name) {
  const ModelRow& usual = default_row(op);
  auto matches = [&](const ModelRow& r) { return r.kind == usual.kind && r.name == name; };
  auto found = name.empty() ? &usual : std::find_if(&usual, std::end(kRows), matches);
  assert(found != std::end(kRows) && "names are checked by known_model");
  return found == std::end(kRows) ? usual : *found;
}

}  // namespace

std::span<const ModelRow> registry() { return kRows; }

const char* kind_of(const Operator& op) { return kind(op).name; }

bool known_model(std::string_view kind, std::string_view name) {
  return std::any_of(std::begin(kRows), std::end(kRows),
                     [&](const ModelRow& r) { return r.kind == kind && r.name == name; });
}

namespace {

Cost fitted(const Operator& op, const Device& device, const Share& share) {
  const Cost analytical = default_row(op).function(op, device, share);
  const FittedModel* model = device.fitted[fitted_slot(op)];
  return model ? fitted_cost(*model, op, analytical) : analytical;
}

}  // namespace

/// A single collective's model goes before that of all.
static const ModelRow& chosen_row(const Operator& op, const ModelChoice& choice) {
  if (choice.empty()) return default_row(op);
  auto chosen = choice.end();
  if (const auto* collective = std::get_if<Collective>(&op))
    chosen = choice.find(kCollectiveKinds[static_cast<size_t>(collective->kind)]);
  if (chosen == choice.end() || chosen->second.empty()) chosen = choice.find(kind_of(op));
  return chosen == choice.end() ? default_row(op) : row_of(op, chosen->second);
}

const ModelRow& ChosenModels::of(const Operator& op) {
  const ModelRow*& row = rows_[fitted_slot(op)];
  return row ? *row : *(row = &chosen_row(op, choice_));
}

/// The same in rings of half the bytes, that no calibrated switch shortens a second time.
static Cost halved(const ModelRow& row, Collective op, const Device& device, const Share& share) {
  std::vector<hw_profiles::Tier> rings = *device.network;
  for (hw_profiles::Tier& tier : rings) tier.reduction = hw_profiles::InNetwork::none;
  Device plain = device;
  plain.network = &rings;
  op.bytes = op.bytes / 2;
  return row.function(op, plain, share);
}

/// `row`: null where the device holds a fitted model, with whatever the network does.
static Cost cost_by(const ModelRow* row, const Operator& op, const Device& device, const Share& share) {
  Cost c = row ? row->function(op, device, share) : fitted(op, device, share);
  if (const auto* collective = std::get_if<Collective>(&op); row && collective && adds_everywhere(*collective, device))
    if (const Cost less = halved(*row, *collective, device, share); less.seconds < c.seconds) c = less;
  if (!(c.relative_error > 0)) c.relative_error = standard_error(c.provenance);
  return c;
}

Cost cost(const Operator& op, const Device& device, const ModelChoice& choice, const Share& share) {
  return cost_by(device.fitted[fitted_slot(op)] ? nullptr : &chosen_row(op, choice), op, device, share);
}

Cost cost(const Operator& op, const Device& device, ChosenModels& models, const Share& share) {
  return cost_by(device.fitted[fitted_slot(op)] ? nullptr : &models.of(op), op, device, share);
}

}  // namespace operator_models
