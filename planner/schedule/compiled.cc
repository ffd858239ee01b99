#include "planner/schedule/compiled.h"

#include <algorithm>
#include <cassert>

#include "planner/schedule/kept.h"

namespace planner {

namespace {

constexpr int64_t kWorks = 3;
constexpr int32_t kAbsent = -1;  // of a level

/// Where a pass of a part gets its input and sends its result: columns; -1: nowhere else than on its stage.
struct Places {
  int64_t input = -1, output = -1, link = -1;
};

Places places_of(PartOrder order, int64_t stages, int64_t parts, int64_t part, Work work) {
  Places places;
  if (work == Work::weight_gradient) return places;
  const int64_t stage = stage_of(order, part, stages), ahead = work == Work::forward ? 1 : -1;
  const int64_t base = work == Work::forward ? 0 : parts;
  const auto elsewhere = [&](int64_t other) {
    return other >= 0 && other < parts && stage_of(order, other, stages) != stage;
  };
  if (elsewhere(part - ahead)) places.input = base + part;
  if (!elsewhere(part + ahead)) return places;
  places.output = base + part + ahead;
  places.link = 2 * stage + (stage_of(order, part + ahead, stages) < stage ? 1 : 0);
  return places;
}

class Compiler {
 public:
  Compiler(Compiled& made, PartOrder order, int64_t chunks)
      : made_(made),
        order_(order),
        stages_(made.stages),
        chunks_(chunks),
        parts_(made.stages * chunks),
        programs_(programs_of(made.program, made.stages).of_stage) {}

  void run() {
    made_.outside = programs_.front().outside;
    made_.columns = static_cast<uint32_t>(2 * parts_ + 2);
    used_.assign(static_cast<size_t>(2 * parts_), 0);
    done_.assign(static_cast<size_t>(parts_ * kWorks), 0);
    if (made_.microbatches < made_.outside) return run_short();
    count_used();
    made_.rows = made_.first_row + static_cast<uint32_t>(made_.outside) + 2;
    levels_.assign(static_cast<size_t>(made_.rows) * made_.columns, kAbsent);
    made_.warm_up = compile(lists(&StageProgram::warm_up));
    note_pending();
    const auto levels = levels_;
    const auto done = done_;
    made_.lap = compile(lists(&StageProgram::lap));
    levels_ = levels;
    done_ = done;
    made_.drain = compile(lists(&StageProgram::drain));
  }

 private:
  using Lists = std::vector<Operations>;

  void run_short() {
    made_.rows = static_cast<uint32_t>(made_.microbatches) + 1;
    levels_.assign(static_cast<size_t>(made_.rows) * made_.columns, kAbsent);
    Lists whole(static_cast<size_t>(stages_));
    for (size_t r = 0; r < whole.size(); ++r)
      for_each(programs_[r], made_.microbatches, [&](const Operation& each, int64_t) { whole[r].push_back(each); });
    made_.warm_up = compile(whole);
  }

  Lists lists(Operations StageProgram::*list) const {
    Lists all;
    for (const StageProgram& program : programs_) all.push_back(program.*list);
    return all;
  }

  int64_t part(int64_t stage, const Operation& each) const { return part_at(order_, each.chunk, stage, stages_); }
  Places places(int64_t stage, const Operation& each) const {
    return places_of(order_, stages_, parts_, part(stage, each), each.work);
  }

  // Arrivals that are used before the first lap, by column: so that each lap uses the same row of all.
  void count_used() {
    for (int64_t r = 0; r < stages_; ++r)
      for (const Operation& each : programs_[static_cast<size_t>(r)].warm_up)
        if (const int64_t input = places(r, each).input; input >= 0) ++used_[static_cast<size_t>(input)];
    made_.first_row = static_cast<uint32_t>(*std::max_element(used_.begin(), used_.end()));
  }

  void note_pending() {
    const auto column = [&](size_t place) { return place % made_.columns; };
    for (size_t at = 0; at < levels_.size(); ++at)
      if (levels_[at] != kAbsent && at / made_.columns >= made_.first_row && column(at) < made_.nothing())
        made_.pending.push_back(static_cast<uint32_t>(at));
    const uint32_t last = made_.pending.empty() ? 0 : made_.pending.back() / made_.columns + 1;
    made_.lap_rows = std::max(last, made_.first_row + 1) - made_.first_row;
  }

  uint32_t place(int64_t column, int64_t microbatch) const {
    const int64_t row = microbatch - used_[static_cast<size_t>(column)] + made_.first_row;
    return static_cast<uint32_t>(row * made_.columns + column);
  }

  uint32_t time_of(const std::vector<uint32_t>& numbers) {
    if (numbers.size() == 1) return numbers[0];
    assert(numbers.size() <= 3 && "a step has at most three operations");
    made_.joins = true;
    std::array<uint32_t, 3> sum;
    sum.fill(made_.times() - 1);
    std::copy(numbers.begin(), numbers.end(), sum.begin());
    const auto at = std::find(made_.joined.begin(), made_.joined.end(), sum);
    const auto number = static_cast<uint32_t>(at - made_.joined.begin());
    if (at == made_.joined.end()) made_.joined.push_back(sum);
    return made_.times() + number;
  }

  Move empty(int64_t stage) const {
    Move move{.stage = static_cast<uint32_t>(stage), .behind = made_.times() - 1};
    move.inputs.fill(made_.nothing());
    move.outputs.fill(made_.nothing() + 1);
    move.links.fill(static_cast<uint32_t>(2 * stages_));
    return move;
  }

  /// The step that begins at `at`, which is moved behind it; nullopt, and nothing is moved, where an input is missing.
  bool take(int64_t stage, const Operations& list, size_t& at, Move& move, int32_t& level) {
    std::vector<uint32_t> numbers;
    size_t end = at, inputs = 0, outputs = 0;
    move = empty(stage);
    for (bool more = true; more; ++end) {
      const Operation& each = list[end];
      const int64_t kind = part(stage, each) * kWorks + static_cast<int64_t>(each.work);
      const auto [input, output, link] = places(stage, each);
      const int64_t microbatch = done_[static_cast<size_t>(kind)];
      numbers.push_back(static_cast<uint32_t>(kind));
      if (input >= 0) {
        move.inputs[inputs] = place(input, microbatch);
        const int32_t before = levels_[move.inputs[inputs++]];
        if (before == kAbsent) return false;
        level = std::max(level, before);
      }
      if (output >= 0) {
        move.links[outputs] = static_cast<uint32_t>(link);
        move.outputs[outputs++] = place(output, microbatch);
      }
      more = each.joined;
    }
    for (; at < end; ++at)
      ++done_[static_cast<size_t>(part(stage, list[at]) * kWorks + static_cast<int64_t>(list[at].work))];
    move.held = time_of(numbers);
    return true;
  }

  /// Whether the step is a weight gradient that runs behind another step at once.
  static bool follows(const Operations& list, size_t at) {
    return at > 0 && list[at].work == Work::weight_gradient && !list[at].joined && !list[at - 1].joined;
  }

  struct Levelled {
    int32_t level;
    Move move;
  };

  /// As far as the inputs reach; true if that is to the end.
  bool run_list(int64_t stage, const Operations& list, size_t& at, int32_t& level, std::vector<Levelled>& moves) {
    while (at < list.size()) {
      Move move;
      int32_t least = level;
      if (!take(stage, list, at, move, least)) return false;
      level = least + 1;
      if (at < list.size() && follows(list, at)) {
        Move behind;
        take(stage, list, at, behind, least);
        move.behind = behind.held;
      }
      for (const uint32_t output : move.outputs)
        if (output % made_.columns < made_.nothing()) levels_[output] = level;
      moves.push_back({level, move});
    }
    return true;
  }

  /// One list of every stage.
  Moves compile(const Lists& lists) {
    std::vector<Levelled> moves;
    std::vector<size_t> at(lists.size());
    std::vector<int32_t> level(lists.size());
    for (int32_t& each : levels_) each = std::min<int32_t>(each, 0);
    for (bool done = false, down = false; !done;) {
      done = true;
      down = !down;
      [[maybe_unused]] const size_t before = moves.size();
      for (size_t i = 0; i < lists.size(); ++i) {
        const size_t r = down ? lists.size() - 1 - i : i;
        done = run_list(static_cast<int64_t>(r), lists[r], at[r], level[r], moves) && done;
      }
      assert((done || down || moves.size() != before) && "a program cannot deadlock");
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Levelled& a, const Levelled& b) { return a.level < b.level; });
    Moves list;
    for (const Levelled& each : moves) list.push_back(each.move);
    return list;
  }

  Compiled& made_;
  PartOrder order_;
  int64_t stages_, chunks_, parts_;
  const std::vector<StageProgram>& programs_;
  std::vector<int64_t> used_;    // by column
  std::vector<int64_t> done_;    // by part and work
  std::vector<int32_t> levels_;  // by place: of the step that fills it; 0: one of an earlier list
};

int64_t moves_of(const Compiled& made) {
  return static_cast<int64_t>(made.warm_up.size() + made.lap.size() + made.drain.size());
}

}  // namespace

const Compiled& compiled(ProgramOf program, PartOrder order, int64_t stages, int64_t chunks, int64_t microbatches) {
  thread_local KeptByProgram<Compiled> kept(1 << 18);  // moves: some 10 MB
  const int64_t outside = programs_of(program, stages).of_stage.front().outside;
  const auto make = [&] {
    Compiled made;
    made.program = program;
    made.stages = stages;
    made.microbatches = std::min(microbatches, outside);
    Compiler(made, order, chunks).run();
    return made;
  };
  return kept.at({program, stages, std::min(microbatches, outside)}, make, moves_of);
}

}  // namespace planner
