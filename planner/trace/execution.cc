#include "planner/trace/execution.h"

#include <array>

namespace planner::trace {
namespace {

constexpr std::array<const char*, 8> kTypes{"invalid", "metadata", "memory load", "memory store",
                                            "compute", "send",     "receive",     "collective"};
constexpr std::array<const char*, 10> kCollectives{
    "all-reduce", "reduce",         "all-gather",           "gather", "scatter", "broadcast",
    "all-to-all", "reduce-scatter", "reduce-scatter-block", "barrier"};

}  // namespace

const char* name_of(NodeType type) { return kTypes[static_cast<size_t>(type)]; }

const char* collective_name(int64_t number) {
  return number >= 0 && number < static_cast<int64_t>(kCollectives.size()) ? kCollectives[static_cast<size_t>(number)]
                                                                           : "";
}

}  // namespace planner::trace
