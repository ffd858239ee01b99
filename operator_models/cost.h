// The cost of one operator on one machine.
//
//     cost(op, device, share) -> Cost
//
// The models are rows of one constant table (registry.h): {kind, name, summary with source, function}.
// The first row of a kind is its default; a scenario overrides by name (`operator_models: {gemm: wave}`).
// Their parameters are catalogue data (`Calibration`), never constants in code.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "dsl/enum_words.h"
#include "hw_profiles/types.h"
#include "operator_models/calibration.h"
#include "operator_models/kinds.h"
#include "operator_models/operators.h"

namespace operator_models {

/// The limit of an operator's speed.
enum class Bound { compute, memory, network, launch };
inline const char* name(Bound b) { return dsl::word_of(b); }

struct Cost {
  dsl::Seconds seconds;                      // launch included
  double flops = 0;                          // executed
  double bytes_read = 0, bytes_written = 0;  // that pass between memory and compute units
  double near_bytes = 0;                     // that units near memory read and write, and nothing else sees
  dsl::Seconds launch;                       // its part of `seconds`
  double workgroups = 0, waves = 0, occupancy = 1;
  int64_t at_once = 1;  // GEMMs that run side by side, itself among them (concurrency.h)
  double gain = 1;      // of its seconds alone over those among them
  Bound bound = Bound::compute;
  const char* model = "";  // row of the registry
  Provenance provenance = Provenance::assumed;
  double relative_error = 0;  // one standard error
  bool priced = true;         // false: its fitted model is not above zero here, the time is the default model's
};

/// Sets the model of a cost, and its row of the calibration; not `exact`: the row is another one's.
template <class Row> void set_source(Cost& c, const char* model, const Row& row, bool exact = true) {
  c.model = model;
  c.provenance = exact ? row.provenance : Provenance::assumed;
  c.relative_error = row.relative_error;
}

/// The limit of a kernel that keeps the device busy for `busy`. `computes`: compute takes at least the time of memory.
inline Bound bound_of(double busy, bool computes, dsl::Seconds launch) {
  if (busy < launch.value) return Bound::launch;
  return computes ? Bound::compute : Bound::memory;
}

/// The share of the device that an operator may use.
struct Share {
  double compute_units = 1, cache = 1, bandwidth = 1;
};

/// Rows of the calibration by tier and collective, each looked up once; copies and threads may share it.
/// REQUIRES: network and calibration do not change while a device is in use.
struct CollectiveRows {
  static constexpr size_t kTiers = 4, kParts = 9;
  mutable std::array<const CollectiveCalibration*, kTiers * kParts> found{};
};

/// Likewise the rows of kernels bound by memory.
struct VectorRows {
  mutable std::array<const VectorCalibration*, kVectorKindNames.size()> found{};
};

struct PreparedGemm;  // gemm.h

/// Values that the models of a GEMM derive from the calibration's rows, by precision, computed on first use; threads
/// may share it. A copy starts empty. REQUIRES: gpu and calibration do not change while a device is in use.
class GemmRows {
 public:
  GemmRows() = default;
  GemmRows(const GemmRows&) noexcept {}
  GemmRows& operator=(const GemmRows&) noexcept;
  ~GemmRows();
  const PreparedGemm& of(const struct Device& device, Precision precision) const;

 private:
  mutable std::array<std::atomic<const PreparedGemm*>, hw_profiles::kPrecisionNames.size()> made_{};
};

/// The name of its kind.
const char* kind_of(const Operator& op);

struct FittedModel;  // fitted.h

/// A GPU in its network, and its host where something is offloaded. All outlive the device.
struct Device {
  const hw_profiles::Accelerator* gpu = nullptr;
  const std::vector<hw_profiles::Tier>* network = nullptr;
  const Calibration* calibration = nullptr;
  dsl::Seconds launch;  // per kernel; the software profile's (CUDA graphs, compile ...)
  bool bursts = false;  // GEMMs as single kernels run, not as a training step sustains them
  double slowdown = 1;  // software profile: factor on vector kernels (unfused eager frameworks); 1 = none
  const hw_profiles::Host* host = nullptr;
  int64_t gpus_per_host = 1;
  CollectiveRows collective_rows = {};
  VectorRows vector_rows = {};
  GemmRows gemm_rows = {};
  bool casts = false;  // GEMMs together with the cast of A, as tables of narrow operands time them
  // In place of the registry's rows, by `fitted_slot`; null: none.
  std::array<const FittedModel*, kKindNames.size() + kCollectiveNames.size()> fitted = {};
};

/// Each kind of operator has a slot for a fitted model; each kind of collective has its own.
inline size_t fitted_slot(const Operator& op) {
  const auto* collective = std::get_if<Collective>(&op);
  return collective ? kKindNames.size() + static_cast<size_t>(collective->kind) : op.index();
}

/// Kind of operator, or of collective (kCollectiveKinds) -> model name, where not the default ("gemm" -> "wave"). Names
/// are checked by `known_model`.
using ModelChoice = std::map<std::string, std::string>;

Cost cost(const Operator& op, const Device& device, const ModelChoice& choice = {}, const Share& share = {});

struct ModelRow {
  std::string_view kind, name;
  const char* summary;  // one line with the source
  Cost (*function)(const Operator&, const Device&, const Share&);
};

/// The rows of a choice, each looked up once for many operators. REQUIRES: the choice outlives it and stays as it is.
class ChosenModels {
 public:
  explicit ChosenModels(const ModelChoice& choice) : choice_(choice) {}
  const ModelRow& of(const Operator& op);

 private:
  const ModelChoice& choice_;
  std::array<const ModelRow*, kKindNames.size() + kCollectiveNames.size()> rows_{};
};
Cost cost(const Operator& op, const Device& device, ChosenModels& models, const Share& share = {});

std::span<const ModelRow> registry();
bool known_model(std::string_view kind, std::string_view name);

}  // namespace operator_models
