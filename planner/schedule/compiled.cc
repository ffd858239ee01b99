#include "planner/schedule/compiled.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "planner/schedule/kept.h"

namespace planner {

namespace {

constexpr int64_t kWorks = 3;
constexpr int32_t kAbsent = -1;  // of a level

/// Where a pass of a part gets its input and sends its result: columns; -1: nowhere else than on its stage.
struct PassPlaces {
  int64_t input = -1, output = -1, link = -1;
};

PassPlaces places_of(PartOrder order, int64_t stages, int64_t parts, int64_t part, Work work) {
  PassPlaces places;
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
  Compiler(CompiledProgram& made, PartOrder order, int64_t chunks)
      : made_(made),
        order_(order),
        stages_(made.stages),
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
  using Lists = std::vector<const Operations*>;

  void run_short() {
    made_.rows = static_cast<uint32_t>(made_.microbatches) + 1;
    levels_.assign(static_cast<size_t>(made_.rows) * made_.columns, kAbsent);
    std::vector<Operations> whole(static_cast<size_t>(stages_));
    Lists lists;
    for (size_t r = 0; r < whole.size(); ++r) {
      for_each(programs_[r], made_.microbatches, [&](const Operation& each, int64_t) { whole[r].push_back(each); });
      lists.push_back(&whole[r]);
    }
    made_.warm_up = compile(lists);
  }

  Lists lists(Operations StageProgram::*list) const {
    Lists all;
    for (const StageProgram& program : programs_) all.push_back(&(program.*list));
    return all;
  }

  int64_t part(int64_t stage, const Operation& each) const { return part_at(order_, each.chunk, stage, stages_); }
  PassPlaces places(int64_t stage, const Operation& each) const {
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

  uint16_t time_of(const std::vector<uint32_t>& numbers) {
    if (numbers.size() == 1) return static_cast<uint16_t>(numbers[0]);
    assert(numbers.size() <= 3 && "a step has at most three operations");
    std::array<uint32_t, 3> sum;
    sum.fill(made_.times() - 1);
    std::copy(numbers.begin(), numbers.end(), sum.begin());
    const auto [at, is_new] = sums_.try_emplace(sum, static_cast<uint16_t>(made_.times() + made_.joined.size()));
    if (is_new) made_.joined.push_back(sum);
    return at->second;
  }

  StageMove empty(int64_t stage) const {
    const auto none = static_cast<uint16_t>(made_.times() - 1);
    return {.stage = static_cast<uint16_t>(stage),
            .held = none,
            .behind = none,
            .link = static_cast<uint16_t>(2 * stages_),
            .input = made_.nothing(),
            .output = made_.nothing() + 1};
  }

  /// A step as one move, or more where it has several inputs or outputs.
  struct CompiledStep {
    std::vector<uint32_t> times;
    std::vector<uint32_t> inputs;
    std::vector<std::pair<uint32_t, uint16_t>> outputs;  // and their links
    size_t end = 0;                                      // in the list
    uint16_t behind = 0;
  };

  /// The step that begins there.
  const CompiledStep& step_at(int64_t stage, const Operations& list, size_t at) {
    step_.times.clear(), step_.inputs.clear(), step_.outputs.clear();
    step_.behind = static_cast<uint16_t>(made_.times() - 1);
    for (bool more = true; more; ++at) {
      const auto [input, output, link] = places(stage, list[at]);
      const int64_t kind = kind_of(stage, list[at]), microbatch = done_[static_cast<size_t>(kind)];
      step_.times.push_back(static_cast<uint32_t>(kind));
      if (input >= 0) step_.inputs.push_back(place(input, microbatch));
      if (output >= 0) step_.outputs.emplace_back(place(output, microbatch), static_cast<uint16_t>(link));
      more = list[at].joined;
    }
    step_.end = at;
    return step_;
  }

  int64_t kind_of(int64_t stage, const Operation& each) const {
    return part(stage, each) * kWorks + static_cast<int64_t>(each.work);
  }

  void count_done(int64_t stage, const Operations& list, size_t begin, size_t end) {
    for (; begin < end; ++begin) ++done_[static_cast<size_t>(kind_of(stage, list[begin]))];
  }

  /// Whether the step is a weight gradient that runs behind another step at once.
  static bool follows(const Operations& list, size_t at) {
    return at < list.size() && list[at].work == Work::weight_gradient && !list[at].joined;
  }

  void add(const StageMove& move, int32_t level) {
    moves_.push_back(move);
    levels_of_moves_.push_back(level);
  }

  void add(int64_t stage, const CompiledStep& step, int32_t level) {
    const StageMove none = empty(stage);
    for (size_t i = 0; i + 1 < step.inputs.size(); ++i) {
      StageMove wait = none;
      wait.input = step.inputs[i];
      add(wait, level);
    }
    StageMove move = none;
    move.held = time_of(step.times);
    if (!step.inputs.empty()) move.input = step.inputs.back();
    for (const auto& [place, link] : step.outputs) {
      levels_[place] = level;
      move.output = place;
      move.link = link;
      if (place == step.outputs.back().first) break;
      add(move, level);
      move = none;
    }
    move.behind = step.behind;
    add(move, level);
  }

  /// As far as the inputs reach; true if that is to the end.
  bool run_list(int64_t stage, const Operations& list, size_t& at, int32_t& level) {
    while (at < list.size()) {
      step_at(stage, list, at);
      int32_t before = level;
      for (const uint32_t input : step_.inputs) {
        if (levels_[input] == kAbsent) return false;
        before = std::max(before, levels_[input]);
      }
      level = before + 1;
      count_done(stage, list, at, step_.end);
      at = step_.end;
      if (follows(list, at)) {
        step_.behind = static_cast<uint16_t>(kind_of(stage, list[at]));
        count_done(stage, list, at, at + 1);
        ++at;
      }
      add(stage, step_, level);
    }
    return true;
  }

  /// One list of every stage.
  StageMoves compile(const Lists& lists) {
    moves_.clear(), levels_of_moves_.clear();
    std::vector<size_t> at(lists.size());
    std::vector<int32_t> level(lists.size());
    for (int32_t& each : levels_) each = std::min<int32_t>(each, 0);
    for (bool done = false, down = false; !done;) {
      done = true;
      down = !down;
      [[maybe_unused]] const size_t before = moves_.size();
      for (size_t i = 0; i < lists.size(); ++i) {
        const size_t r = down ? lists.size() - 1 - i : i;
        done = run_list(static_cast<int64_t>(r), *lists[r], at[r], level[r]) && done;
      }
      assert((done || down || moves_.size() != before) && "a program cannot deadlock");
    }
    return by_level();
  }

  /// The moves in the order of their levels, those of one level as they are.
  StageMoves by_level() const {
    std::vector<size_t> next;
    for (const int32_t level : levels_of_moves_) {
      next.resize(std::max(next.size(), static_cast<size_t>(level) + 2));
      ++next[static_cast<size_t>(level) + 1];
    }
    for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    StageMoves sorted(moves_.size());
    for (size_t i = 0; i < moves_.size(); ++i) sorted[next[static_cast<size_t>(levels_of_moves_[i])]++] = moves_[i];
    return sorted;
  }

  CompiledProgram& made_;
  PartOrder order_;
  int64_t stages_, parts_;
  const std::vector<StageProgram>& programs_;
  std::vector<int64_t> used_;                         // by column
  std::vector<int64_t> done_;                         // by part and work
  std::vector<int32_t> levels_;                       // by place: of the step that fills it; 0: one of an earlier list
  std::map<std::array<uint32_t, 3>, uint16_t> sums_;  // of times, and their numbers
  CompiledStep step_;
  StageMoves moves_;  // of the list that is compiled, and their levels
  std::vector<int32_t> levels_of_moves_;
};

int64_t moves_of(const CompiledProgram& made) {
  return static_cast<int64_t>(made.warm_up.size() + made.lap.size() + made.drain.size());
}

}  // namespace

const CompiledProgram& compiled(ProgramOf program, PartOrder order, int64_t stages, int64_t chunks,
                                int64_t microbatches) {
  thread_local KeptByProgram<CompiledProgram> kept(1 << 18);  // moves: some 10 MB
  const int64_t outside = programs_of(program, stages).of_stage.front().outside;
  const auto make = [&] {
    CompiledProgram made;
    made.program = program;
    made.stages = stages;
    made.microbatches = std::min(microbatches, outside);
    Compiler(made, order, chunks).run();
    return made;
  };
  return kept.at({program, stages, std::min(microbatches, outside)}, make, moves_of);
}

}  // namespace planner
