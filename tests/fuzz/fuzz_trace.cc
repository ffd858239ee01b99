// libFuzzer: any bytes as two ranks' traces, the first byte telling how they are read. They must end in events that
// hold together, in steps and collectives whose times add up, or in messages.
#include "planner/trace/collectives.h"
#include "planner/trace/readers.h"
#include "planner/trace/steps.h"
#include "tests/fuzz/traces.h"
#include "tests/planner/trace/read_rank.h"

namespace {

using namespace planner::trace;
using fuzz::pieces;
using fuzz::require;

void check(const RankTrace& trace) {
  fuzz::check_events(trace);
  for (const Step& step : steps_of(trace)) {
    const Busy& busy = step.launched;
    require(busy.idle_ns() >= 0 && busy.overlap_ns <= busy.communication_ns && busy.exposed_ns >= 0);
    require(busy.busy_ns <= busy.compute_ns + busy.communication_ns + busy.memory_ns);
  }
  for (const StreamBusy& stream : streams_of(trace)) require(stream.busy_ns <= stream.sum_ns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string_view texts[] = {all.substr(0, all.find('\0')), all.substr(std::min(all.size(), all.find('\0')))};
  std::vector<RankTrace> ranks;
  for (const std::string_view text : texts) {
    dsl::Diagnostics diagnostics;
    auto rank = read_rank({"a.json", pieces(text, data[0] % 2 ? 7 : 4096)}, data[0] % 4 >= 2, diagnostics);
    fuzz::require_value_or_error(rank, diagnostics);
    if (!rank) continue;
    check(*rank);
    ranks.push_back(*std::move(rank));
  }
  dsl::Diagnostics diagnostics;
  const auto trace = order_ranks(std::move(ranks), diagnostics);
  fuzz::require_value_or_error(trace, diagnostics);
  if (!trace) return 0;
  const Matched matched = match_collectives(*trace);
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts)
      require(part.wait_ns >= 0 && part.wait_ns <= (*trace)[part.rank].events[part.event].duration_ns);
  return 0;
}
