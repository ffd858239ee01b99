// libFuzzer: any bytes as the files of a parameter server and of a worker of BytePS, the first byte telling how they
// are read. They must end in events that hold together and in rounds whose waits and transfers add up, or in messages.
#include "planner/replay/build.h"
#include "planner/trace/byteps.h"
#include "planner/trace/collectives.h"
#include "planner/trace/readers.h"
#include "tests/fuzz/traces.h"

namespace {

using namespace planner::trace;
using fuzz::pieces;
using fuzz::require;

void check(const Trace& trace, const Matched& matched) {
  for (const Collective& round : matched.collectives) {
    const int64_t last = arrival_ns(trace, round.parts[round.last]);
    for (const Collective::Part& part : round.parts) {
      const Event& event = trace[part.rank].events[part.event];
      require(part.wait_ns >= 0 && part.wait_ns <= event.duration_ns && arrival_ns(trace, part) <= last);
      if (is_with_server(event.kind))
        require(part.push != kNone && round.transfer_ns >= event.duration_ns - part.wait_ns);
    }
    require(round.parts[round.last].wait_ns == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string_view texts[] = {all.substr(0, all.find('\0')), all.substr(std::min(all.size(), all.find('\0')))};
  std::vector<RankTrace> ranks;
  for (const std::string_view text : texts) {
    dsl::Diagnostics diagnostics;
    Read read = read_any({"a.json", pieces(text, data[0] % 2 ? 7 : 4096)}, data[0] % 4 >= 2, diagnostics);
    require(!read.ranks.empty() || read.execution || diagnostics.has_errors());
    for (RankTrace& rank : read.ranks) ranks.push_back(std::move(rank));
  }
  dsl::Diagnostics diagnostics;
  const auto trace = order_ranks(join_servers(std::move(ranks)), diagnostics);
  fuzz::require_value_or_error(trace, diagnostics);
  if (!trace) return 0;
  for (const RankTrace& rank : *trace) fuzz::check_events(rank);
  const Matched matched = match_collectives(*trace);
  check(*trace, matched);
  std::vector<std::vector<Step>> steps;
  for (const RankTrace& rank : *trace) steps.push_back(steps_of(rank));
  planner::replay::run(planner::replay::build_graph(*trace, steps, matched).graph);
  return 0;
}
