// The lists of all stages as one: nothing is lost, and nothing comes before what it needs.
#include "planner/schedule/compiled.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

#include "planner/schedule/kept.h"
#include "tests/planner/schedule/pipelines.h"

using namespace pipelines;
using planner::compiled;
using planner::CompiledProgram;
using planner::StageMove;
using planner::StageMoves;

namespace {

std::vector<const ScheduleRow*> split_rows() {
  std::vector<const ScheduleRow*> rows;
  for (const ScheduleRow& row : schedules())
    if (row.splits_backward) rows.push_back(&row);
  return rows;
}

const CompiledProgram& compiled_of(const ScheduleRow& row, int64_t stages, int64_t microbatches) {
  return compiled(row.program, row.order, stages, chunks_of(row, 1), microbatches);
}

/// Operations of a list, by how often each time is taken.
std::map<uint32_t, int64_t> operations_of(const CompiledProgram& all, const StageMoves& moves) {
  std::map<uint32_t, int64_t> count;
  const auto add = [&](uint32_t time) {
    if (time < all.times()) return void(++count[time]);
    for (const uint32_t each : all.joined[time - all.times()]) ++count[each];
  };
  for (const StageMove& move : moves) add(move.held), add(move.behind);
  count.erase(all.times() - 1);
  return count;
}

/// Arrivals that a list leaves, `laps` rows on from those that it found. CHECKs that each is there before it is used.
std::set<uint32_t> play(const CompiledProgram& all, const StageMoves& moves, std::set<uint32_t> there, uint32_t laps) {
  for (const StageMove& move : moves) {
    if (move.input % all.columns < all.nothing()) CHECK(there.erase(move.input) == 1);
    if (move.output % all.columns < all.nothing()) CHECK(there.insert(move.output).second);
  }
  std::set<uint32_t> left;
  for (const uint32_t place : there) left.insert(place - laps * all.columns);
  return left;
}

}  // namespace

TEST_CASE("a compiled program runs each operation once, behind what it needs, and laps repeat") {
  for (const ScheduleRow* row : split_rows()) {
    const std::string_view name = row->name;
    CAPTURE(name);
    for (int64_t p : {2, 3, 4, 7}) {
      const CompiledProgram all = compiled_of(*row, p, 1000);
      const std::set<uint32_t> pending(all.pending.begin(), all.pending.end());
      CHECK(play(all, all.warm_up, {}, 0) == pending);
      CHECK(play(all, all.lap, pending, 1) == pending);
      CHECK(play(all, all.drain, pending, 0).empty());
      auto count = operations_of(all, all.warm_up);
      for (const auto& [time, times] : operations_of(all, all.drain)) count[time] += times;
      const auto parts = static_cast<size_t>(p * chunks_of(*row, 1));
      CHECK(count.size() == 3 * parts);
      for (const auto& [time, times] : count) CHECK(times == all.outside);
      for (const auto& [time, times] : operations_of(all, all.lap)) CHECK(times == 1);
    }
  }
}

TEST_CASE("a compiled step too short for a lap has all of its microbatches") {
  for (const ScheduleRow* row : split_rows())
    for (int64_t m : {1, 2, 3}) {
      const CompiledProgram all = compiled_of(*row, 5, m);
      CHECK(play(all, all.warm_up, {}, 0).empty());
      for (const auto& [time, times] : operations_of(all, all.warm_up)) CHECK(times == m);
    }
}

TEST_CASE("steps whose laps never repeat take what their timeline takes, also past the rows that are kept") {
  CHECK(rc::check("long", [] {
    const auto rows = split_rows();
    const ScheduleRow& row = *rows[*rc::gen::inRange<size_t>(0, rows.size())];
    PipelineShape shape = wild_shape(row);
    shape.microbatches = *rc::gen::inRange(100, 260);
    RC_ASSERT(row.time(shape).seconds == doctest::Approx(simulate(shape, row.name).seconds).epsilon(1e-9));
  }));
}

TEST_CASE("what is kept by program is made once, until others need its room") {
  planner::KeptByProgram<int64_t> kept(3);
  int made = 0;
  const auto of = [&](int64_t stages) {
    return kept.at(
        {planner::zb_v, stages}, [&] { return ++made, 10 * stages; }, [](int64_t) { return int64_t{1}; });
  };
  for (int64_t stages : {2, 3, 4, 4, 2, 3}) CHECK(of(stages) == 10 * stages);
  CHECK(made == 3);
  CHECK(of(5) == 50);
  CHECK(of(2) == 20);
  CHECK(made == 5);
}
