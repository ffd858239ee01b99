// The degrees of a layout: a member here and a row in degrees.cc for each. The row alone defines a degree: its name,
// its ranks, the group that they form, and what it divides. Fields, placement, layout rules, the keys of a search,
// reports and exports all walk the table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace planner {

/// How many ways each degree divides the work. A member without a row does not compile (degrees.cc).
struct Degrees {
  int64_t tp = 1, pp = 1, cp = 1, ep = 1, etp = 1, dp = 1;
};
using DegreeOf = int64_t Degrees::*;
inline constexpr size_t kMostDegrees = 16;

/// The purpose of a communication: the parallelism that causes it. fsdp: parameters gathered and gradients scattered
/// unit by unit; host: copies between a GPU and its host.
enum class Purpose { none, dp, tp, sp, pp, ep, cp, fsdp, host };
inline constexpr std::array kPurposeNames{"", "dp", "tp", "sp", "pp", "ep", "cp", "fsdp", "host"};
inline const char* name(Purpose p) { return kPurposeNames[static_cast<size_t>(p)]; }

/// The job's ranks are cut into groups twice: for the routed experts of a mixture, and for everything else.
enum class Cut {
  common,   // its groups take ranks of their own: a factor of a stage's ranks
  experts,  // takes no ranks: it divides the ranks of a stage separately, for routed experts alone
  both,     // a factor of the job's ranks in either cut
};

/// Where the ranks of a degree's group meet.
enum class Meets {
  in_blocks,      // inside a layer, embedding or head, in each microbatch: a search keeps blocks by these groups
  beside_blocks,  // once a step, or between stages
};

/// One degree. Omitted members have the values that most degrees need; an omission never makes a plan wrong.
struct Degree {
  const char* name;  // of the field, of the short name in expressions, and in messages
  DegreeOf value;
  const char* doc;  // of the field
  Cut cut = Cut::common;
  DegreeOf place = nullptr;  // takes the position of this degree in `parallelism.order`; null: it has its own word
  Meets meets = Meets::in_blocks;
  const char* otherwise = "1";  // its default
  bool rest = false;            // one degree's: by default it takes the ranks that the others leave
  bool same_weights = false;    // its ranks hold the same weights and see other data: gradients are summed over them
  bool always_shown = false;    // in the line of a layout; others where they are above 1

  bool has_ranks() const { return cut != Cut::experts; }
};

/// The rows, in the order in which layouts are written down.
std::span<const Degree> degrees();
/// Path of its field: "parallelism.tp".
std::string degree_path(const Degree& degree);
/// REQUIRES: a member.
const Degree& degree_of(DegreeOf value);
/// Used if `parallelism.order` is not written: nearest first. Each degree with its own word occurs once.
inline constexpr const char* kDefaultOrder = "tp-cp-ep-dp-pp";
/// Defaults of the fields as expressions: of a degree, and of the shard group (all ranks that hold the same weights).
const char* default_of(const Degree& degree);
std::string default_shard_group(const char* times = " * ");

/// The product of the degrees that `counts` picks, as a T: in double no product overflows.
template <class T = int64_t, class Counts> T product(const Degrees& d, Counts counts) {
  T product = 1;
  for (const Degree& row : degrees())
    if (counts(row)) product *= static_cast<T>(d.*row.value);
  return product;
}
/// Ranks of one stage.
template <class T = int64_t> T stage_ranks(const Degrees& d) {
  return product<T>(d, [](const Degree& row) { return row.cut == Cut::common; });
}
/// Ranks that one set of a layer's experts takes.
template <class T = int64_t> T expert_set_ranks(const Degrees& d) {
  return product<T>(d, [](const Degree& row) { return row.cut == Cut::experts; });
}
/// Ranks that hold the same weights.
int64_t data_ranks(const Degrees& d);

/// "tp 8 x pp 4", of the degrees that `counts` picks.
template <class Counts> std::string joined(const Degrees& d, Counts counts, const char* between = " x ") {
  std::string out;
  for (const Degree& row : degrees())
    if (counts(row)) out += (out.empty() ? "" : between) + std::string(row.name) + " " + std::to_string(d.*row.value);
  return out;
}
/// "tp 8 x pp 4 x dp 2": the degrees that are always shown; and with the others that are above 1.
std::string main_degrees_text(const Degrees& d);
std::string degrees_text(const Degrees& d);

}  // namespace planner
