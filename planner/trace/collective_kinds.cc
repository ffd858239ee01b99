#include "planner/trace/collective_kinds.h"

#include <array>
#include <cctype>
#include <string>

namespace planner::trace {
namespace {

struct KindRow {
  std::string_view word;  // small letters and digits alone
  CollectiveKind kind;
};
// The first word that a name holds counts: longer words stand before those that are part of them.
constexpr std::array kWords{
    KindRow{"allreduce", CollectiveKind::all_reduce},
    KindRow{"crossdevicereduce", CollectiveKind::all_reduce},  // vLLM's
    KindRow{"allgather", CollectiveKind::all_gather},
    KindRow{"reducescatter", CollectiveKind::reduce_scatter},
    KindRow{"alltoall", CollectiveKind::all_to_all},
    KindRow{"all2all", CollectiveKind::all_to_all},
    KindRow{"broadcast", CollectiveKind::broadcast},
    KindRow{"barrier", CollectiveKind::barrier},
    KindRow{"sendrecv", CollectiveKind::send_recv},
    KindRow{"reduce", CollectiveKind::reduce},
    KindRow{"gather", CollectiveKind::gather},
    KindRow{"scatter", CollectiveKind::scatter},
    KindRow{"send", CollectiveKind::send_recv},
    KindRow{"recv", CollectiveKind::send_recv},
};

constexpr std::array kNames{"",       "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
                            "reduce", "gather",     "scatter",    "send-recv",      "barrier",    "push-pull"};

}  // namespace

const char* name_of(CollectiveKind kind) { return kNames[static_cast<size_t>(kind)]; }

CollectiveKind kind_of_collective(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const KindRow& row : kWords)
    if (plain.find(row.word) != std::string::npos) return row.kind;
  return CollectiveKind::unknown;
}

}  // namespace planner::trace
