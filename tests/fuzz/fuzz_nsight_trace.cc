// libFuzzer: a database of SQLite as the events of a rank, the first byte telling how they are read. Bytes that are
// none are made into one (database.h). They must end in events that hold together, or in messages.
#include "planner/trace/readers.h"
#include "planner/trace/steps.h"
#include "tests/fuzz/database.h"
#include "tests/planner/trace/read_rank.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace planner::trace;
  if (size == 0) return 0;
  const std::string text = fuzz::text_of(data + 1, size - 1);
  const std::string bytes = text.starts_with("SQLite format 3") ? text : fuzz::database_of(text);
  std::string_view rest = bytes;
  const auto pieces = [&] {
    const std::string_view piece = rest.substr(0, data[0] % 2 ? 100 : 4096);
    rest.remove_prefix(piece.size());
    return piece;
  };
  dsl::Diagnostics diagnostics;
  const auto trace = read_rank({"a.sqlite", pieces}, data[0] % 4 >= 2, diagnostics);
  fuzz::require_value_or_error(trace, diagnostics);
  if (!trace) return 0;
  for (size_t i = 0; i < trace->events.size(); ++i) {
    const Event& event = trace->events[i];
    fuzz::require(event.duration_ns >= 0 && event.name < trace->names.size() && event.lane < trace->lanes.size());
    fuzz::require(i == 0 || trace->events[i - 1].start_ns <= event.start_ns);
  }
  for (const Step& step : steps_of(*trace)) fuzz::require(step.launched.idle_ns() >= 0);
  return 0;
}
