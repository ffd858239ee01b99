#include "planner/tuning/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "planner/plan/step.h"
#include "planner/tuning/backward_order.h"
#include "planner/workload/overlap.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner::tuning {
namespace {

/// The backward pass of one block, once.
class BlockPieces {
 public:
  BlockPieces(const Scenario& s, const CostedBlock& costed, const Block& block) : block_(block) {
    for (const CostedOp& op : costed.ops)
      if (op.work->phase == StepPhase::recompute) add(s, op);
    for (const int op : backward_order(block)) add(s, costed.ops[static_cast<size_t>(op)]);
    scale_to(costed.backward.total() + costed.recompute.total());
    add_other_gradients(block.trained(ends_together(s)).sum() * s.software.reduce_bytes);
  }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  // Calls that repeat are pieces of their own: each may have its gradient.
  void add(const Scenario& s, const CostedOp& op) {
    const bool hides = op.communication && op.work->hide != Hide::nothing;
    const double whole = std::floor(op.work->count), calls = std::max(1.0, whole);
    Piece piece{.name = std::string(op.work->name),
                .seconds = op.work->count / calls * (hides ? op.exposed : op.cost.seconds.value),
                .joined_saves_seconds = op.work->count / calls * saved_behind(op),
                .within_saves_seconds = 0,
                .gradient_bytes = 0};
    if (const auto* gemm = std::get_if<Gemm>(&op.work->op); gemm && op.work->weight_gradient)
      piece.gradient_bytes =
          op.work->count / calls * static_cast<double>(gemm->batch * gemm->m * gemm->n) * s.software.reduce_bytes;
    pieces_.insert(pieces_.end(), static_cast<size_t>(calls), piece);
    before_ = op.communication ? nullptr : &op;
  }

  // Its launch, and what it reads of what the one before wrote.
  double saved_behind(const CostedOp& op) const {
    const auto* vector = std::get_if<operator_models::Vector>(&op.work->op);
    if (!before_ || !vector || vector->joined) return 0;
    const double moved = op.cost.bytes_read + op.cost.bytes_written;
    const double passed_on = std::min(before_->cost.bytes_written, op.cost.bytes_read);
    const double running = op.cost.seconds.value - op.cost.launch.value;
    return op.cost.launch.value + (moved > 0 ? running * passed_on / moved : 0);
  }

  // The time of the block knows of hosts that launch slower than devices compute.
  void scale_to(double seconds) {
    double sum = 0;
    for (const Piece& piece : pieces_) sum += piece.seconds;
    if (sum <= 0) return;
    for (Piece& piece : pieces_) {
      piece.seconds *= seconds / sum;
      piece.joined_saves_seconds *= seconds / sum;
    }
  }

  // Those of norms, biases and tables come with the last operator.
  void add_other_gradients(double all_bytes) {
    double bytes = 0;
    for (const Piece& piece : pieces_) bytes += piece.gradient_bytes;
    if (bytes > all_bytes)  // matrices that are not trained, or held a second time
      for (Piece& piece : pieces_) piece.gradient_bytes *= all_bytes / bytes;
    else if (!pieces_.empty()) pieces_.back().gradient_bytes += all_bytes - bytes;
  }

  const Block& block_;
  const CostedOp* before_ = nullptr;
  std::vector<Piece> pieces_;
};

/// Names pieces by their block, and by its number where a stage holds several: "layer 3.mlp.fc1.wgrad".
void append(const Block& block, int64_t number, int64_t of, const std::vector<Piece>& more,
            std::vector<Piece>& pieces) {
  const std::string prefix =
      of > 1 ? fmt::format("{} {}.", std::string(block.name), number) : std::string(block.name) + ".";
  for (const Piece& piece : more) {
    pieces.push_back(piece);
    pieces.back().name = prefix + piece.name;
  }
}

// From the end of the stage to its begin.
std::vector<Piece> pieces_of(const Scenario& s, const CostedWorkload& costed, size_t stage_class) {
  std::vector<BlockPieces> blocks;
  for (size_t i = 0; i < costed.blocks.size(); ++i) blocks.emplace_back(s, costed.blocks[i], costed.workload.blocks[i]);
  std::vector<Piece> pieces;
  const StageClass& stage = costed.workload.classes[stage_class];
  const Chunk all = stage.total();
  Chunk left = all;
  for (auto chunk = stage.chunks.rbegin(); chunk != stage.chunks.rend(); ++chunk)
    for (size_t i = blocks.size(); i-- > 0;)
      for (int64_t layer = 0; layer < (*chunk)[i]; ++layer)
        append(costed.workload.blocks[i], left[i]--, all[i], blocks[i].pieces(), pieces);
  return pieces;
}

// Of servers what comes back, too.
bool reduces(const Scenario& s, const CostedOp& op) {
  return op.work->purpose == Purpose::dp && (op.work->phase == StepPhase::backward || s.parallelism.servers > 0);
}

operator_models::Operator with_share(operator_models::Operator op, double share) {
  if (auto* collective = std::get_if<Collective>(&op)) collective->bytes.value *= share;
  if (auto* message = std::get_if<SendRecv>(&op)) message->bytes.value *= share;
  return op;
}

/// The reduction of a step's gradients: consecutive collectives, or a sum in a node that is sent to servers and back.
struct PlannedReduction {
  std::shared_ptr<const Scenario> scenario;
  operator_models::Device device;
  std::vector<WorkOp> ops;
  double bytes = 0;  // of all gradients

  // Servers: the steps of the way work on different partitions, and on different tensors, at the same time. The slowest
  // step takes one after the other.
  double seconds(double of_bytes, int partitions) const {
    double slowest = 0, all = 0;
    for (const WorkOp& op : ops) {
      const bool is_sent = std::holds_alternative<SendRecv>(op.op);
      const double each =
          is_sent ? seconds_of(op, of_bytes, partitions) : partitions * seconds_of(op, of_bytes / partitions, 1);
      slowest = std::max(slowest, each);
      all += each;
    }
    return scenario->parallelism.servers > 0 ? slowest : all;
  }

  // The other steps of the way, for the last partition.
  double tail(double of_bytes, int partitions) const {
    double way = 0, slowest = 0;
    for (const WorkOp& op : ops) {
      const double one = seconds_of(op, of_bytes / partitions, 1);
      way += one;
      slowest = std::max(slowest, one);
    }
    return way - slowest;
  }

 private:
  double seconds_of(const WorkOp& op, double of_bytes, int messages) const {
    operator_models::ChosenModels models(scenario->operator_models);
    operator_models::Operator part = with_share(op.op, of_bytes / bytes);
    if (auto* sent = std::get_if<SendRecv>(&part)) sent->messages = messages;
    return operator_models::cost(part, device, models).seconds.value * contention_of(*scenario, op);
  }
};

std::string name_of(const Scenario& s, const WorkOp& op) {
  if (std::holds_alternative<SendRecv>(op.op)) return fmt::format("PUSH and PULL of {} servers", s.parallelism.servers);
  const Movement movement = movement_of(s, op.op);
  return fmt::format("{} of {} ranks", movement.kind, movement.ranks);
}

Tunable no(std::string why, std::string hint = "") { return {std::nullopt, std::move(why), std::move(hint)}; }

Tunable is_tunable(const Scenario& s) {
  if (s.job.phase != Phase::train) return no("only training reduces gradients");
  if (by_unit_sharding(s))
    return no("sharded units are reduced one by one, each by itself", "tune a layout of parallelism.zero below 3");
  if (s.model.experts.count > 0 && s.parallelism.ep > 1)
    return no("gradients of routed experts are reduced among other ranks than those beside them",
              "tune the layout with parallelism.ep 1");
  return {};
}

/// Everything that a stage reduces as one piece: tuning decides how to cut it.
std::shared_ptr<const Scenario> uncut(const Scenario& s) {
  Scenario whole = s;
  whole.software.bucket_bytes = whole.software.partition_bytes = {};
  return std::make_shared<const Scenario>(std::move(whole));
}

double planned_seconds(const Scenario& s) {
  CostedWorkload costed = cost_workload(s, build_workload(s));
  Pipelined pipeline = make_pipelined(s, costed);
  return make_step(s, costed, pipeline).breakdown.sum();
}

/// The step of a plan that is tuned.
class PlannedPass {
 public:
  explicit PlannedPass(const Scenario& s)
      : scenario_(uncut(s)),
        costed_(cost_workload(*scenario_, build_workload(*scenario_))),
        pipeline_(make_pipelined(*scenario_, costed_)),
        step_(make_step(*scenario_, costed_, pipeline_)) {}

  /// None where nothing is reduced.
  std::optional<Subject> subject() {
    Subject made;
    made.pass.after_seconds = step_.breakdown.optimizer;
    double covered = 0;  // what the pass says itself
    for (const CostedOp& op : costed_.classes[pipeline_.stage_class].step_ops) {
      if (!op.communication) continue;
      if (!reduces(*scenario_, op)) made.pass.after_seconds += op.exposed * op.work->count;
      else covered += op.exposed * op.work->count, ops_.push_back(*op.work);
    }
    if (ops_.empty()) return std::nullopt;
    made.reduction = name_of(*scenario_, ops_.front());
    made.pass.pieces = pieces_of(*scenario_, costed_, pipeline_.stage_class);
    for (const Piece& piece : made.pass.pieces) covered += piece.seconds;
    made.pass.before_seconds = std::max(0.0, step_.breakdown.sum() - covered - made.pass.after_seconds);
    const PlannedReduction all = reduction();
    made.sync = [all](double bytes, int partitions) { return all.seconds(bytes, partitions); };
    if (scenario_->parallelism.servers > 0)
      made.tail = [all](double bytes, int partitions) { return all.tail(bytes, partitions); };
    return made;
  }

 private:
  PlannedReduction reduction() const {
    const StageHoldings& holds = costed_.workload.classes[pipeline_.stage_class];
    return {.scenario = scenario_,
            .device = device_of(*scenario_),
            .ops = ops_,
            .bytes = holds.trained.sum() * scenario_->software.reduce_bytes};
  }

  std::shared_ptr<const Scenario> scenario_;
  CostedWorkload costed_;
  Pipelined pipeline_;
  Step step_;
  std::vector<WorkOp> ops_;  // that reduce
};

}  // namespace

Tunable uncoarsened_pass(const Scenario& s) {
  if (Tunable refused = is_tunable(s); !refused.why_not.empty()) return refused;
  std::optional<Subject> subject = PlannedPass(s).subject();
  if (!subject) return no("no gradients are reduced", "parallelism.dp is 1");
  subject->step_seconds = planned_seconds(s);
  return {.subject = std::move(subject)};
}

Tunable planned_pass(const Scenario& s) {
  Tunable tunable = uncoarsened_pass(s);
  if (tunable.subject) tunable.subject->pass.pieces = coarsened(tunable.subject->pass.pieces);
  return tunable;
}

}  // namespace planner::tuning
