#include "planner/plan/fitted_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/plan/fitted_step.h"

namespace planner {
namespace {

using operator_models::FittedModel;
using operator_models::Operator;
using operator_models::Prediction;

FittedUse& use_of(std::vector<FittedUse>& uses, const std::string& kind, const FittedModel& model) {
  for (FittedUse& use : uses)
    if (use.kind == kind) return use;
  uses.push_back({.kind = kind, .model = &model});
  return uses.back();
}

std::string place(const FittedModel& model, const std::vector<double>& x) {
  std::string out;
  for (size_t i = 0; i < x.size(); ++i)
    out += fmt::format("{}{} = {:.6g}", i == 0 ? "" : ", ", model.parameters[i].name, x[i]);
  return out;
}

void ask(FittedUse& use, const std::vector<double>& x) {
  const Prediction p = predict(*use.model, x);
  const bool first = use.asked.empty();
  use.asked.resize(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    use.asked[i] = first ? AskedParameter{x[i], x[i]}
                         : AskedParameter{std::min(use.asked[i].least, x[i]), std::max(use.asked[i].most, x[i])};
  use.reach = std::max(use.reach, p.reach);
  use.provenance = std::max(use.provenance, p.provenance);  // measured, interpolated, extrapolated
  if (!p.priced && !use.unpriced) use.unpriced = fmt::format("{:.4g} s at {}", p.seconds, place(*use.model, x));
}

/// The kind that has picked the model: a single collective, or its family.
std::string kind_of(const Scenario& s, const Operator& op) {
  if (const auto* c = std::get_if<operator_models::Collective>(&op))
    if (const char* single = operator_models::kCollectiveKinds[static_cast<size_t>(c->kind)]; fitted_of(s, single))
      return single;
  return operator_models::kind_of(op);
}

}  // namespace

std::vector<FittedUse> fitted_uses(const Scenario& s, const CostedWorkload& costed, double analytical_seconds) {
  std::vector<FittedUse> uses;
  const auto slots = fitted_slots(s);
  const auto visit = [&](const Operator& op, const operator_models::Cost& cost) {
    const FittedModel* model = slots[operator_models::fitted_slot(op)];
    if (model && cost.seconds.value > 0) ask(use_of(uses, kind_of(s, op), *model), values_at(*model, oriented(op)));
  };
  for (const CostedBlock& block : costed.blocks)
    for (const CostedOp& op : block.ops) visit(op.work->op, op.cost);
  if (costed.workload.boundary.bytes.value > 0) visit(costed.workload.boundary, costed.boundary);
  if (costed.workload.rejoin.bytes.value > 0) visit(costed.workload.rejoin, costed.boundary);
  for (const CostedStage& stage : costed.classes)
    for (const CostedOp& op : stage.step_ops) visit(op.work->op, op.cost);
  if (const FittedModel* model = fitted_of(s, kWholeStep)) {
    FittedUse& use = use_of(uses, kWholeStep, *model);
    ask(use, step_values(*model, s));
    use.analytical_seconds = analytical_seconds;
  }
  return uses;
}

void join_uses(const Scenario& s, const std::vector<FittedUse>& others, double share, std::vector<FittedUse>& uses) {
  for (const FittedUse& other : others) {
    FittedUse& use = use_of(uses, other.kind, *fitted_of(s, other.kind));
    if (use.asked.empty()) use.asked = other.asked;
    for (size_t i = 0; i < use.asked.size(); ++i)
      use.asked[i] = {std::min(use.asked[i].least, other.asked[i].least),
                      std::max(use.asked[i].most, other.asked[i].most)};
    use.reach = std::max(use.reach, other.reach);
    use.provenance = std::max(use.provenance, other.provenance);
    if (!use.unpriced) use.unpriced = other.unpriced;
    if (other.analytical_seconds)
      use.analytical_seconds = use.analytical_seconds.value_or(0) + share * *other.analytical_seconds;
  }
}

std::string unpriced_text(const FittedUse& use) {
  return fmt::format("the model of {} in {} gives {}", use.kind, use.model->file, use.unpriced.value_or(""));
}

std::optional<std::string> unpriced_step(const Scenario& s) {
  const std::optional<Prediction> p = predict_step(s);
  if (!p || p->priced) return std::nullopt;
  FittedUse use{.kind = kWholeStep, .model = fitted_of(s, kWholeStep)};
  ask(use, step_values(*use.model, s));
  return unpriced_text(use);
}

bool all_priced(const std::vector<CostedOp>& ops) {
  return std::ranges::all_of(ops, [](const CostedOp& op) { return op.cost.priced; });
}

bool is_priced(const CostedWorkload& c) {
  return c.boundary.priced &&
         std::ranges::all_of(c.blocks, [](const CostedBlock& block) { return all_priced(block.ops); }) &&
         std::ranges::all_of(c.classes, [](const CostedStage& stage) { return all_priced(stage.step_ops); });
}

}  // namespace planner
