#include "planner/schedule/operations.h"

namespace planner {

namespace {

using List = std::vector<Numbered>;

/// `warm_up` forwards, then one forward and one backward in turn, then the backwards left.
List warm_up_then_alternate(const List& forwards, const List& backwards, int64_t warm_up) {
  const int64_t count = static_cast<int64_t>(forwards.size());
  const int64_t ahead = std::min(warm_up, count);
  List list(forwards.begin(), forwards.begin() + ahead);
  for (int64_t next = 0; next < count; ++next) {
    if (next + ahead < count) list.push_back(forwards[static_cast<size_t>(next + ahead)]);
    list.push_back(backwards[static_cast<size_t>(next)]);
  }
  return list;
}

/// Groups of `group` microbatches, chunk by chunk; backward from the last chunk on.
List in_groups(int64_t chunks, int64_t microbatches, int64_t group, Work work) {
  List list;
  for (int64_t begin = 0; begin < microbatches; begin += group) {
    for (int64_t c = 0; c < chunks; ++c) {
      const int64_t chunk = work == Work::backward ? chunks - 1 - c : c;
      for (int64_t i = begin; i < begin + group; ++i) list.push_back({{work, static_cast<int32_t>(chunk)}, i});
    }
  }
  return list;
}

int64_t warm_up_of(const PipelineShape& shape, std::string_view schedule, int64_t stage) {
  if (schedule == "gpipe") return shape.microbatches;
  const int64_t after = shape.stages - 1 - stage;
  return schedule == "1f1b" ? after : 2 * after + (shape.chunks - 1) * shape.stages;
}

List by_program(const StageProgram& program, int64_t microbatches) {
  List list;
  for_each(program, microbatches, [&](const Operation& each, int64_t microbatch) {
    list.push_back({each, microbatch});
  });
  return list;
}

}  // namespace

List operations_of(const PipelineShape& shape, std::string_view schedule, int64_t stage) {
  if (const ProgramOf program = find_schedule(schedule)->program)
    return by_program(program(stage, shape.stages), shape.microbatches);
  const int64_t group = schedule == "interleaved" ? shape.stages : 1;
  return warm_up_then_alternate(in_groups(shape.chunks, shape.microbatches, group, Work::forward),
                                in_groups(shape.chunks, shape.microbatches, group, Work::backward),
                                warm_up_of(shape, schedule, stage));
}

}  // namespace planner
