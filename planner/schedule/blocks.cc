// Schedules that repeat a building block (Qi et al. 2024, arXiv:2405.15362): the passes of a microbatch have fixed
// slots, the next microbatch has the same ones six slots later, weight gradients take the slots left over, and the
// order of the slots is the list of a stage.
#include <deque>

#include "planner/schedule/program.h"

namespace planner {

namespace {

constexpr int64_t kInterval = 6;  // slots: three passes of two chunks

/// Slots from a pass of chunk 0 to that of the next stage on its way down, and from a pass of chunk 1 on its way up
/// (backward: chunk 1 goes down, chunk 0 up). Also slots of the turns: forward to forward, to backward, backward to
/// backward.
struct SlotPattern {
  int64_t down, up, forward_turn, loss_turn, backward_turn;
};

struct PassSlot {
  int64_t first;  // of microbatch 0
  Operation operation;
};
std::vector<PassSlot> slots_of(const SlotPattern& block, int64_t stage, int64_t stages) {
  const int64_t after = stages - 1 - stage, last = stages - 1;
  const int64_t second = block.down * last + block.forward_turn;
  const int64_t back = second + block.up * last + block.loss_turn;
  const int64_t home = back + block.down * last + block.backward_turn;
  return {{block.down * stage, {Work::forward, 0}},
          {second + block.up * after, {Work::forward, 1}},
          {back + block.down * stage, {Work::backward, 1}},
          {home + block.up * after, {Work::backward, 0}}};
}

/// The operation in a slot: a pass of one of `microbatches`, or else the weight gradient that is due first.
void fill_slot(int64_t slot, const std::vector<PassSlot>& slots, int64_t microbatches, std::deque<Operation>& due,
               Operations& list) {
  for (const auto& [first, operation] : slots) {
    const int64_t since = slot - first;
    if (since < 0 || since % kInterval != 0 || since / kInterval >= microbatches) continue;
    list.push_back(operation);
    if (operation.work == Work::backward) due.push_back({Work::weight_gradient, operation.chunk});
    return;
  }
  if (due.empty()) return;
  list.push_back(due.front());
  due.pop_front();
}

/// Laps are intervals of slots in which every stage is at work, so no pass waits for a later lap. The first interval
/// with all passes still fills the queue of weight gradients.
StageProgram repeat(const SlotPattern& block, int64_t stage, int64_t stages) {
  const int64_t outside = slots_of(block, 0, stages).back().first / kInterval + 2;
  const int64_t lap_begin = outside * kInterval, lap_end = lap_begin + kInterval;
  const std::vector<PassSlot> slots = slots_of(block, stage, stages);
  const int64_t microbatches = outside + 1, end = slots.back().first + microbatches * kInterval;
  StageProgram program{.outside = outside};
  std::deque<Operation> due;
  for (int64_t slot = 0; slot < end || !due.empty(); ++slot) {
    Operations& list = slot < lap_begin ? program.warm_up : slot < lap_end ? program.lap : program.drain;
    fill_slot(slot, slots, microbatches, due, list);
  }
  return program;
}

}  // namespace

// The turn to the backward keeps the passes of a stage out of each other's slots.
StageProgram v_half(int64_t stage, int64_t stages) {
  return repeat({2, 1, 1, stages % 2 == 0 ? 4 : 1, 2}, stage, stages);
}

StageProgram v_min(int64_t stage, int64_t stages) {
  return repeat({1, 1, 1, stages % 3 == 0 ? 3 : 1, 1}, stage, stages);
}

}  // namespace planner
