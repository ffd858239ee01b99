// The content of a profile's name: app.p4.n100.r1.mpi0.sqlite is repetition 1 of the run with p = 4 and n = 100,
// recorded by its rank 0. Without `r` it is repetition 1, without `mpi` rank 0; a comma in a value is its decimal
// point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostic.h"

namespace planner::scaling {

struct ProfileName {
  std::string app;
  std::vector<std::string> parameters;
  std::vector<double> values;  // one for each parameter
  long repetition = 1, rank = 0;
};

/// Reads the name of the file that is the text of `source`; nullopt: diagnosed, with the place in the name.
std::optional<ProfileName> read_profile_name(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace planner::scaling
