// Settings that the published recipes of a framework's release use: the rules of a software profile.
//
//     recipes:                                  # in scenarios/software/NAME.yaml
//       - when: model.family == "deepseek-v3" and cluster.gpu.family == "h100"
//         from: 25.09
//         until: 26.01
//         source: Megatron-Bridge scripts/performance/configs/deepseek
//         set:
//           software.experts.overlap: true
//
// and what its program requires of a layout; a layout that breaks such a rule is invalid:
//
//     rules:
//       - when: parallelism.pp > 1
//         needs: parallelism.microbatch == 1
//         from: 25.09
//         source: Megatron-Bridge config.py, ConfigContainer.validate
//
// A rule applies if its condition holds and `software.release` lies between its ends; without `when` the condition
// always holds. A later rule overrides an earlier one. In the value of a field, the field's own name is its value
// without the rule.
//
// Releases of training frameworks, as `software.release` and the recipes of a profile write them.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// "25.09" is {25, 9, 0}; "26.02.01" has a patch; "24.x" is a release of 2024 with an unknown month: {24, 0, 0}.
struct Release {
  int year = 0, month = 0, patch = 0;
  bool has_patch = false;
  friend auto operator<=>(const Release& a, const Release& b) {
    return a.year != b.year ? a.year <=> b.year : a.month != b.month ? a.month <=> b.month : a.patch <=> b.patch;
  }
  friend bool operator==(const Release& a, const Release& b) { return (a <=> b) == 0; }
};

/// The release that applies the recipes of no release in particular.
inline constexpr std::string_view kAnyRelease = "any";

inline constexpr const char* kReleaseForms =
    "write year and month, such as 25.09 or 26.02.01, 24.x for some month of a year, or any";

/// nullopt: `text` has another form.
std::optional<Release> parse_release(std::string_view text);

/// Releases from one to another. An end is as exact as it is written: `until: 25.09` holds for 25.09.01 too,
/// `until: 24.x` for all of 2024.
struct ReleaseRange {
  std::optional<Release> from, until;
  /// `release` empty: the range has to be open at both ends.
  bool holds(const std::optional<Release>& release) const;
  /// Whether it ends before it begins.
  bool is_empty() const { return from && !ReleaseRange{{}, until}.holds(*from); }
  /// For a year without a month: whether it holds in each month. A program's refusal must be certain.
  bool surely_holds(const Release& release) const;
};

/// One field that one rule sets.
struct RecipeSet {
  std::string field;
  dsl::Node value;     // an expression, or a word of the field
  std::string source;  // of the line, else of the rule
};

/// One rule, as its file writes it.
struct Recipe {
  dsl::Node when;           // null: always
  std::string from, until;  // as written; empty: open
  ReleaseRange releases;
  std::vector<RecipeSet> sets;
  dsl::Node needs;     // of a program's requirement: the condition; null: the rule sets fields
  std::string source;  // of that
};

/// Whose expressions are tried, which takes longer than all the rest: all, or not those of the catalogue, which tests
/// try.
enum class Checks { all, own };

/// Takes the rules out of the tree, where they are `software.recipes`. Diagnosed at their places: a malformed rule, an
/// unknown field or one that no rule may set, an invalid condition, a missing source, an end that is not a release.
std::vector<Recipe> take_recipes(dsl::Node& tree, dsl::Diagnostics& diagnostics, Checks checks = Checks::all);
/// Takes the program's requirements on a layout out of the tree, where they are `software.rules`. A bare condition is
/// allowed, too. `own` leaves out rules about features that the scenario lacks, whatever its layout.
std::vector<Recipe> take_program_rules(dsl::Node& tree, dsl::Diagnostics& diagnostics, Checks checks = Checks::all);

/// The row of a field that a rule may set: one value of the model, the job, the software or the layout that an
/// expression can give; null for others.
const dsl::Field* recipe_field(const std::string& path);

}  // namespace planner
