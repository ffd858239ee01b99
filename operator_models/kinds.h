// The kinds of operators: a row for each alternative of `Operator`.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "operator_models/operators.h"

namespace operator_models {

struct KindRow {
  size_t alternative;         // of `Operator`
  const char* name;           // in scenarios (`operator_models: {gemm: wave}`) and in the registry
  bool communicates = false;  // between devices, or between one and its host: may hide under something
  bool multiplies = false;    // matrices: what MFU counts
  bool on_host = false;       // the host computes it
  bool calibrated = false;    // a calibration may name the model that its figures are for
};

/// The number of an alternative of `Operator`.
template <class Op, size_t I = 0> constexpr size_t alternative() {
  if constexpr (std::is_same_v<Op, std::variant_alternative_t<I, Operator>>) return I;
  else return alternative<Op, I + 1>();
}

inline constexpr std::array<KindRow, std::variant_size_v<Operator>> kKinds{{
    {.alternative = alternative<Gemm>(), .name = "gemm", .multiplies = true, .calibrated = true},
    {.alternative = alternative<Attention>(), .name = "attention", .multiplies = true, .calibrated = true},
    {.alternative = alternative<Vector>(), .name = "vector", .calibrated = true},
    {.alternative = alternative<Lookup>(), .name = "lookup"},
    {.alternative = alternative<Update>(), .name = "update"},
    {.alternative = alternative<Collective>(), .name = "collective", .communicates = true, .calibrated = true},
    {.alternative = alternative<SendRecv>(), .name = "send-recv", .communicates = true},
    {.alternative = alternative<HostCopy>(), .name = "host-copy", .communicates = true},
    {.alternative = alternative<HostUpdate>(), .name = "host-update", .on_host = true},
    {.alternative = alternative<NearUpdate>(), .name = "near-update"},
    {.alternative = alternative<ConcurrentGemms>(), .name = "concurrent-gemm", .multiplies = true},
    {.alternative = alternative<Scan>(), .name = "scan", .multiplies = true},
    {.alternative = alternative<Selection>(), .name = "selection", .multiplies = true},
}};
static_assert(
    [] {
      for (size_t i = 0; i < kKinds.size(); ++i)
        if (!kKinds[i].name || kKinds[i].alternative != i) return false;
      return true;
    }(),
    "each alternative of Operator has its row, in their order");

inline const KindRow& kind(const Operator& op) { return kKinds[op.index()]; }

/// Their names alone.
inline constexpr std::array<const char*, kKinds.size()> kKindNames = [] {
  std::array<const char*, kKinds.size()> names{};
  std::ranges::transform(kKinds, names.begin(), &KindRow::name);
  return names;
}();

/// Single collectives, in the order of CollectiveKind: the model of one goes before that of `collective`.
inline constexpr std::array kCollectiveKinds{"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"};
static_assert(kCollectiveKinds.size() == kCollectiveNames.size());

}  // namespace operator_models
