#include "cli/commands/missing.h"

#include <algorithm>

#include "cli/commands/shard.h"

namespace cli {
namespace {

std::vector<int64_t> missing_of(const std::vector<Partial>& found) {
  std::vector<bool> whole(static_cast<size_t>(found.front().options.shards));
  for (const Partial& partial : found)
    if (!partial.result.unfinished) whole[static_cast<size_t>(partial.options.shard)] = true;
  std::vector<int64_t> missing;
  for (size_t i = 0; i < whole.size(); ++i)
    if (!whole[i]) missing.push_back(static_cast<int64_t>(i) + 1);
  return missing;
}

}  // namespace

int print_missing(const std::vector<Partial>& found, const CommonFlags& common, Streams& streams) {
  const std::vector<int64_t> missing = missing_of(found);
  const std::string list = number_list(missing);
  if (common.format == "table") {
    if (!list.empty()) streams.out << list << '\n';
    return kDone;
  }
  Report report{.format = "trainplan.missing/1",
                .document = {{"shards", found.front().options.shards},
                             {"missing", Data::List(missing.begin(), missing.end())},
                             {"list", list}},
                .key = {},
                .table = {},
                .text = {}};
  return print(std::move(report), common, streams, "merge");
}

}  // namespace cli
