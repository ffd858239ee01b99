// What recompute policies drop and run again, by role; and which roles rebuild what is dropped.
#pragma once

#include <span>

#include "planner/scenario/scenario.h"
#include "planner/workload/workload.h"

namespace planner {

/// A part of a layer that is dropped and rebuilt by itself. Policies of more than one are made of several.
struct RecomputeModule {
  Selective policy;
  std::span<const SavedRole> drops;
  std::span<const Role> repeats;
  enum class Of { all, latents, routed, unrouted } of = Of::all;  // models with latents; of routed experts, or not
};
std::span<const RecomputeModule> recompute_modules();

/// An operator of role `maker` has a part in making the kept tensor `saved`: one row for each such pair. A kept tensor
/// that some policy drops and no row names cannot be rebuilt (a test asks every policy of every model).
struct MakerRow {
  SavedRole saved;
  Role maker;
};
std::span<const MakerRow> makers();

}  // namespace planner
