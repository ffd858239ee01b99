// What measured steps may move: one row per parameter. Adding one is adding its row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/enum_words.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// The owner of a number: the kind of catalogue file that holds it.
enum class Owner { software, calibration, cluster };
inline const char* name(Owner o) { return dsl::word_of(o); }

/// Largest number of fitted numbers per owner; for a calibration, per precision.
inline constexpr std::array<int, 3> kBudgets{8, 6, 3};
inline int budget(Owner o) { return kBudgets[static_cast<size_t>(o)]; }

/// A prior's standard error is one of ln(value / shipped), or of value - shipped in SI units (for what may be shipped
/// as 0).
enum class PriorPull { ratio, difference };

struct FitParameter {
  /// Is the path as `--set` writes it. PRECISION: the calibration's row for the job's GEMMs; KERNEL: its row for the
  /// attention kernel; OUTER: name of the last tier of a network of several; *: all entries of a table, as one number.
  const char* path;
  Owner owner;
  PriorPull pull;
  double error;  // of the prior, one standard error
  bool memory;   // explains measured memory; false: step times
};
std::span<const FitParameter> fit_parameters();

/// Returns the path for one scenario; nullopt where it has no such thing (one tier, unfused attention).
std::optional<std::string> path_in(const FitParameter& parameter, const Scenario& scenario);
/// Returns the precision, such as "bf16", where the path is of one precision only, else "".
std::string precision_of(const FitParameter& parameter, const Scenario& scenario);
/// Returns the catalogue name of the owner's file.
const std::string& owner_name(Owner owner, const Scenario& scenario);
/// Returns the path of the owner's file in a scenario, with the dot: "software.", "cluster.gpu.calibration.",
/// "cluster.".
const char* owner_prefix(Owner owner);

/// The pointer is valid while the scenario lives and no table of it changes.
struct ScenarioNumber {
  std::string path;
  double* value = nullptr;  // SI units
  dsl::Dim dim;
  double least = 0, most = 0;  // the language's bounds
};
/// Returns the numbers at a path: one, or none; with '*', one of each entry of the table.
std::vector<ScenarioNumber> numbers_at(Scenario& scenario, const std::string& path);

}  // namespace planner
