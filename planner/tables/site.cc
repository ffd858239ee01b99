#include "planner/tables/site.h"

namespace planner::tables {

double collective_seconds(const Site& site, operator_models::CollectiveKind kind, double bytes) {
  if (!(bytes > 0) || site.group.ranks < 2) return 0;
  const operator_models::Collective op{.kind = kind, .bytes = {bytes}, .group = site.group};
  return operator_models::cost(op, site.device, site.models).seconds.value + site.skew_seconds;
}

}  // namespace planner::tables
