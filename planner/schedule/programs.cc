// The lists of zb-h1, zb-v and dualpipe-v: docs/models-schedule.md has the sources.
#include "planner/schedule/kept.h"
#include "planner/schedule/program.h"

namespace planner {

namespace {

constexpr Operation F0{Work::forward, 0}, F1{Work::forward, 1};
constexpr Operation B0{Work::backward, 0}, B1{Work::backward, 1};
constexpr Operation W0{Work::weight_gradient, 0}, W1{Work::weight_gradient, 1};

constexpr Operation join(Operation operation) {
  operation.joined = true;
  return operation;
}

void append(Operations& list, int64_t times, const Operations& what) {
  for (int64_t i = 0; i < times; ++i) list.insert(list.end(), what.begin(), what.end());
}

/// The second half of the 2(r+1) backwards that alternate between the chunks is split, and so are the p-1-r backwards
/// of chunk 0 that follow; the weight gradients come in the order in which they fall due.
void drain_dualpipe(Operations& list, int64_t stage, int64_t stages) {
  Operations due;
  for (int64_t i = 0; i < 2 * (stage + 1); ++i) {
    const bool whole = i <= stage;
    const Operation backward = i % 2 == 0 ? B1 : B0, weights = i % 2 == 0 ? W1 : W0;
    list.push_back(whole ? join(backward) : backward);
    (whole ? list : due).push_back(weights);
  }
  append(due, stages - 1 - stage, {W0});
  for (int64_t i = 0; i < stages - 1 - stage; ++i) {
    list.push_back(due[static_cast<size_t>(i)]);
    list.push_back(B0);
  }
  list.insert(list.end(), due.begin() + (stages - 1 - stage), due.end());
}

}  // namespace

double peak_in_flight(const StageProgram& program, int64_t microbatches, Work end) {
  int64_t now = 0, peak = 0;
  // Every lap is as full as the first.
  for_each(program, std::min(microbatches, program.outside + 1), [&](const Operation& operation, int64_t) {
    if (operation.work == Work::forward) peak = std::max(peak, ++now);
    if (operation.work == end) --now;
  });
  return static_cast<double>(peak);
}

double peak_in_flight(ProgramOf program, int64_t stage, int64_t stages, int64_t microbatches, Work end) {
  thread_local KeptByProgram<std::vector<double>> kept(1 << 16);  // stages: half a MB
  const std::vector<StageProgram>& programs = programs_of(program, stages).of_stage;
  const int64_t counted = std::min(microbatches, programs.front().outside + 1);  // every lap is as full as the first
  const auto make = [&] {
    std::vector<double> peaks;
    for (const StageProgram& each : programs) peaks.push_back(peak_in_flight(each, counted, end));
    return peaks;
  };
  const auto size_of = [](const std::vector<double>& peaks) { return static_cast<int64_t>(peaks.size()); };
  return kept.at({program, stages, counted, end}, make, size_of)[static_cast<size_t>(stage)];
}

ProgramEnds ends_of(const StageProgram& program) {
  Operations list = program.warm_up;
  append(list, 1, program.lap);
  append(list, 1, program.drain);
  const auto begins_step = [&](auto at) { return at == list.begin() || !std::prev(at)->joined; };
  const auto is_backward = [](const Operation& each) { return each.work == Work::backward; };
  ProgramEnds ends;
  auto first = std::find_if(list.begin(), list.end(), is_backward);
  ends.first_backward = first->chunk;
  while (!begins_step(first)) --first;
  for (auto at = list.begin(); at != first; ++at)
    if (at->work == Work::forward) ++ends.forwards[static_cast<size_t>(at->chunk)];
  auto last = std::find_if(list.rbegin(), list.rend(), [](const Operation& each) {
                return each.work == Work::backward && each.chunk == 0;
              }).base();
  while (last != list.end() && !begins_step(last)) ++last;
  for (; last != list.end(); ++last)
    if (last->work == Work::weight_gradient) ++ends.weights[static_cast<size_t>(last->chunk)];
  return ends;
}

const StagePrograms& programs_of(ProgramOf program, int64_t stages) {
  // Stages times stages, to which the operations of a pipeline are in proportion: some 10 MB.
  thread_local KeptByProgram<StagePrograms> kept(1 << 16);
  const auto make = [&] {
    StagePrograms programs;
    for (int64_t r = 0; r < stages; ++r) {
      programs.of_stage.push_back(program(r, stages));
      programs.ends.push_back(ends_of(programs.of_stage.back()));
    }
    return programs;
  };
  return kept.at({program, stages}, make, [&](const StagePrograms&) { return stages * stages; });
}

StageProgram zb_h1(int64_t stage, int64_t stages) {
  const int64_t after = stages - 1 - stage;
  StageProgram program{stages - 1, {}, {F0, B0, W0}, {}};
  append(program.warm_up, after, {F0});
  append(program.warm_up, stage, {F0, B0});
  append(program.drain, after, {B0, W0});
  append(program.drain, stage, {W0});
  return program;
}

StageProgram zb_v(int64_t stage, int64_t stages) {
  const int64_t after = stages - 1 - stage;
  StageProgram program{2 * stages - 1, {}, {F0, B0, W0, F1, B1, W1}, {}};
  append(program.warm_up, 2 * after + 1, {F0});
  append(program.warm_up, stage, {F1, F0});
  append(program.warm_up, after + 1, {F1, B1, W1});
  append(program.drain, stage, program.lap);
  append(program.drain, after, {B0, W0, F1, B1, W1});
  append(program.drain, stage, {B0, B1});
  append(program.drain, after + 1, {B0, W0});
  append(program.drain, stage, {W1});
  append(program.drain, stage, {W0});
  return program;
}

StageProgram dualpipe_v(int64_t stage, int64_t stages) {
  const int64_t after = stages - 1 - stage;
  const Operations pairs = {join(F0), join(B1), W1, join(F1), join(B0), W0};
  StageProgram program{2 * stages, {}, pairs, {}};
  append(program.warm_up, 2 * after, {F0});
  append(program.warm_up, stage + 1, {F0, F1});
  append(program.warm_up, after, {B1, W1, F1});
  append(program.warm_up, 1, pairs);
  // The last stage does not join its first pair: its forward comes back as the other chunk's.
  if (after == 0) program.warm_up[program.warm_up.size() - pairs.size()] = F0;
  append(program.drain, stage, pairs);
  append(program.drain, after, {join(B1), W1, join(F1), join(B0), W0});
  drain_dualpipe(program.drain, stage, stages);
  return program;
}

}  // namespace planner
