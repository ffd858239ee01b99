#include "planner/trace/collective_kinds.h"

#include <array>
#include <string>

#include "planner/trace/kernel_names.h"

namespace planner::trace {
namespace {

struct CollectiveKindRow {
  std::string_view word;  // small letters and digits alone
  CollectiveKind kind;
};
// The first word that a name holds counts: longer words stand before those that are part of them.
constexpr std::array kWords{
    CollectiveKindRow{"allreduce", CollectiveKind::all_reduce},
    CollectiveKindRow{"crossdevicereduce", CollectiveKind::all_reduce},  // vLLM's
    CollectiveKindRow{"allgather", CollectiveKind::all_gather},
    CollectiveKindRow{"reducescatter", CollectiveKind::reduce_scatter},
    CollectiveKindRow{"alltoall", CollectiveKind::all_to_all},
    CollectiveKindRow{"all2all", CollectiveKind::all_to_all},
    CollectiveKindRow{"broadcast", CollectiveKind::broadcast},
    CollectiveKindRow{"barrier", CollectiveKind::barrier},
    CollectiveKindRow{"sendrecv", CollectiveKind::send_recv},
    CollectiveKindRow{"reduce", CollectiveKind::reduce},
    CollectiveKindRow{"gather", CollectiveKind::gather},
    CollectiveKindRow{"scatter", CollectiveKind::scatter},
    CollectiveKindRow{"send", CollectiveKind::send_recv},
    CollectiveKindRow{"recv", CollectiveKind::send_recv},
};

constexpr std::array kNames{"",       "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
                            "reduce", "gather",     "scatter",    "send-recv",      "barrier",    "push-pull"};

}  // namespace

const char* name_of(CollectiveKind kind) { return kNames[static_cast<size_t>(kind)]; }

CollectiveKind kind_of_collective(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const CollectiveKindRow& row : kWords)
    if (letters.find(row.word) != std::string::npos) return row.kind;
  return CollectiveKind::unknown;
}

}  // namespace planner::trace
