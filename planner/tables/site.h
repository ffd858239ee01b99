// The site of tables: the ranks of a machine, and the requirements of one step on them.
#pragma once

#include "operator_models/cost.h"

namespace planner::tables {

struct Site {
  operator_models::Device device;       // its references outlive the site
  operator_models::ModelChoice models;  // of collectives and optimizers; lookups are priced by `lookup: reuse`
  operator_models::Group group;         // of all ranks
  double batch = 0;                     // samples of a step, of all ranks
  double table_bytes = 4;               // an element of a table
  double exchange_bytes = 4;            // an element of a message
  double memory_bytes = 0;              // of one rank, that tables may take
  double skew_seconds = 0;              // a blocking collective waits so long for its last rank
  double dense_seconds = 0;             // of a step without tables
};

/// Seconds of a collective of all ranks, as the models of the site price it; nothing moves: 0.
inline double collective_seconds(const Site& site, operator_models::CollectiveKind kind, double bytes) {
  if (!(bytes > 0) || site.group.ranks < 2) return 0;
  const operator_models::Collective op{.kind = kind, .bytes = {bytes}, .group = site.group};
  return operator_models::cost(op, site.device, site.models).seconds.value + site.skew_seconds;
}

}  // namespace planner::tables
