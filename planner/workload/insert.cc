#include "planner/workload/insert.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <variant>

namespace planner {
namespace {

bool contains(const Numbers& list, int number) { return std::ranges::find(list, number) != list.end(); }

bool reads_any(const WorkOp& op, const Numbers& writers) {
  return std::ranges::any_of(op.inputs, [&](int input) { return contains(writers, input); });
}

/// Every edge of the operator by a new index; -1 takes the place of an operator that is gone.
void renumber(WorkOp& op, const std::vector<int>& index) {
  for (int& input : op.inputs)
    if (input >= 0) input = index[static_cast<size_t>(input)];
  if (op.cover >= 0) op.cover = index[static_cast<size_t>(op.cover)];
  if (op.forward >= 0) op.forward = index[static_cast<size_t>(op.forward)];
}

}  // namespace

bool ends_in_weights(const WorkOp& op) {
  if (op.phase != StepPhase::backward || op.widens) return false;
  const auto* v = std::get_if<operator_models::Vector>(&op.op);
  const bool sums = v && v->kind == operator_models::VectorKind::reduction;
  return op.weight_gradient || op.of_weights || sums || std::holds_alternative<operator_models::Lookup>(op.op);
}

void add_once(Numbers& list, int number) {
  if (!contains(list, number)) list.push_back(number);
}

size_t Inserter::slot_of(int number) const {
  const auto at = static_cast<size_t>(number);
  return at < old_ ? 3 * at + 1 : slots_[at - old_];
}

int Inserter::put(WorkOp&& op, int neighbour, size_t side) {
  const int number = size();
  slots_.push_back(neighbour == kLast ? 3 * old_ : slot_of(neighbour) / 3 * 3 + side);
  block_.ops.push_back(std::move(op));
  return number;
}

int Inserter::add(WorkOp op, int neighbour) { return put(std::move(op), neighbour, 2); }

int Inserter::before(const Numbers& readers, WorkOp op, int neighbour) {
  op.inputs.clear();
  const int number = put(std::move(op), neighbour, 0);
  for (int reader : readers) {
    Numbers kept;
    for (int input : (*this)[reader].inputs) {
      if (input >= 0 && (*this)[input].of_weights) kept.push_back(input);
      else read_also(number, input);
    }
    kept.push_back(number);
    (*this)[reader].inputs = std::move(kept);
  }
  return number;
}

int Inserter::after(const Numbers& writers, WorkOp op, int neighbour) {
  const Numbers readers = readers_of(writers, op.phase);
  op.inputs = writers;
  const int number = put(std::move(op), neighbour, 2);
  replace(readers, writers, number);
  return number;
}

void Inserter::replace(const Numbers& readers, const Numbers& writers, int by) {
  for (int writer : writers) (*this)[by].result |= std::exchange((*this)[writer].result, false);
  for (int reader : readers) {
    Numbers& inputs = (*this)[reader].inputs;
    dsl::erase_if(inputs, [&](int input) { return contains(writers, input); });
    inputs.push_back(by);
  }
}

void Inserter::read_also(int reader, int writer) { planner::read_also((*this)[reader], writer); }

int Inserter::add_first(WorkOp op) {
  const bool forward = op.phase == StepPhase::forward;
  const int old = size(), number = add(std::move(op));
  for (int i = 0; i < old; ++i) {
    const WorkOp& reader = (*this)[i];
    if (reader.phase == StepPhase::optimizer || (reader.phase == StepPhase::forward) != forward) continue;
    const bool casts_weight = forward && reader.of_weights;
    if (casts_weight || contains(reader.inputs, kInput) || contains(reader.inputs, kKept)) read_also(i, number);
  }
  return number;
}

void Inserter::before_each(const Numbers& readers, std::vector<WorkOp> ops) {
  const int first = before(readers, std::move(ops.front()));
  for (size_t i = 1; i < ops.size(); ++i) {
    ops[i].inputs = (*this)[first].inputs;
    const int next = add(std::move(ops[i]));
    for (int reader : readers) read_also(reader, next);
  }
}

void Inserter::after_each(const Numbers& writers, std::vector<WorkOp> ops) {
  const int first = after(writers, std::move(ops.front()));
  const Numbers readers = readers_of({first}, (*this)[first].phase);
  for (size_t i = 1; i < ops.size(); ++i) {
    ops[i].inputs = writers;
    ops[i].result = (*this)[first].result;
    const int next = add(std::move(ops[i]));
    for (int reader : readers) read_also(reader, next);
  }
}

Numbers Inserter::readers_of(const Numbers& writers, StepPhase phase) const {
  Numbers readers;
  for (int i = 0; i < size(); ++i) {
    const WorkOp& op = block_.ops[static_cast<size_t>(i)];
    if (op.phase == phase && reads_any(op, writers)) readers.push_back(i);
  }
  return readers;
}

void Inserter::finish() {
  if (slots_.empty()) return;
  // The old ones are in order: only the new ones are sorted, and those behind the first make room.
  std::vector<size_t> fresh(slots_.size());
  std::iota(fresh.begin(), fresh.end(), size_t{0});
  std::ranges::stable_sort(fresh, {}, [&](size_t i) { return slots_[i]; });
  std::vector<WorkOp> put(std::make_move_iterator(block_.ops.begin() + static_cast<std::ptrdiff_t>(old_)),
                          std::make_move_iterator(block_.ops.end()));
  std::vector<int> index(block_.ops.size());
  size_t old = old_, left = fresh.size();
  while (left > 0) {
    const size_t i = fresh[left - 1], to = old + left - 1;
    if (old > 0 && 3 * (old - 1) + 1 > slots_[i]) {
      index[--old] = static_cast<int>(to);
      block_.ops[to] = std::move(block_.ops[old]);
    } else {
      index[old_ + i] = static_cast<int>(to);
      block_.ops[to] = std::move(put[i]);
      --left;
    }
  }
  std::iota(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(old), 0);
  for (WorkOp& op : block_.ops) renumber(op, index);
}

void remove_ops(Block& block, const std::vector<bool>& gone) {
  // The replacement of a removed operator: its input, or the replacement of that.
  auto read = [&](auto&& self, const WorkOp& op, Numbers& inputs) -> void {
    for (int input : op.inputs) {
      if (input >= 0 && gone[static_cast<size_t>(input)]) self(self, block.ops[static_cast<size_t>(input)], inputs);
      else add_once(inputs, input);
    }
  };
  std::vector<int> index(block.ops.size(), -1);
  std::vector<Numbers> inputs(block.ops.size());
  int count = 0;
  for (size_t i = 0; i < block.ops.size(); ++i) {
    if (gone[i]) continue;
    index[i] = count++;
    read(read, block.ops[i], inputs[i]);
  }
  std::vector<WorkOp> kept;
  for (size_t i = 0; i < block.ops.size(); ++i) {
    if (gone[i]) continue;
    block.ops[i].inputs = std::move(inputs[i]);
    renumber(block.ops[i], index);
    kept.push_back(std::move(block.ops[i]));
  }
  block.ops = std::move(kept);
}

}  // namespace planner
