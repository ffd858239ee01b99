#include "planner/plan/results.h"

#include <array>

#include "dsl/unit_sizes.h"

namespace planner {
namespace {

using Value = std::optional<double>;
using R = Results;

Value times(const Value& value, double unit) { return value ? Value(*value * unit) : std::nullopt; }

constexpr std::array kResults{
    ResultRow{"step", dsl::kTime, true, false, [](const R& r) -> Value { return r.step.seconds; }},
    ResultRow{"days", dsl::kTime, true, false, [](const R& r) { return times(r.days, dsl::kDay); }},
    ResultRow{"usd", dsl::kMoney, true, false, [](const R& r) { return r.usd; }},
    ResultRow{"kwh", dsl::kEnergy, true, false, [](const R& r) { return times(r.kwh, dsl::kKilowattHour); }},
    ResultRow{"gpus", dsl::kNone, false, false, [](const R& r) -> Value { return static_cast<double>(r.gpus); }},
    ResultRow{"mfu", dsl::kNone, true, true, [](const R& r) -> Value { return r.mfu; }},
    ResultRow{"hfu", dsl::kNone, true, true, [](const R& r) -> Value { return r.hfu; }},
    ResultRow{"tokens_per_second", dsl::kNone, true, true, [](const R& r) -> Value { return r.tokens_per_second; }},
    ResultRow{"memory.peak", dsl::kData, false, false, [](const R& r) -> Value { return r.peak_bytes; }},
    ResultRow{"memory.headroom", dsl::kData, false, true, [](const R& r) -> Value { return r.headroom_bytes; }},
    ResultRow{"serialized_comm", dsl::kTime, true, false, [](const R& r) -> Value { return r.serialized_comm; }},
    ResultRow{"exposed_comm", dsl::kTime, true, false, [](const R& r) -> Value { return r.exposed_comm; }},
    ResultRow{"bubble", dsl::kTime, true, false, [](const R& r) -> Value { return r.bubble; }},
    ResultRow{"goodput", dsl::kNone, false, true, [](const R& r) -> Value { return r.goodput; }},
    ResultRow{"scaling_efficiency", dsl::kNone, true, true, [](const R& r) -> Value { return r.scaling_efficiency; }},
};

}  // namespace

Results results_of(const PlanFigures& f) {
  return {.step = f.step,
          .serialized_comm = f.breakdown.serialized_comm,
          .exposed_comm = f.breakdown.exposed_comm,
          .bubble = f.breakdown.bubble,
          .mfu = f.throughput.mfu,
          .hfu = f.throughput.hfu,
          .tokens_per_second = f.throughput.tokens_per_second,
          .peak_bytes = f.memory.device.peak_bytes,
          .headroom_bytes = f.memory.device.capacity_bytes - f.memory.device.peak_bytes,
          .goodput = f.cost.goodput,
          .gpus = f.cost.gpus,
          .days = f.cost.days,
          .usd = f.cost.usd,
          .kwh = f.cost.kwh,
          .errors = f.errors};
}

Results results_of(const Plan& plan) {
  Results r = results_of(plan_figures(plan));
  for (const CommunicationRow& row : plan.communication) r.hidden_comm += row.hidden_seconds;
  return r;
}

std::span<const ResultRow> result_rows() { return kResults; }

const ResultRow* find_result(std::string_view name) {
  for (const ResultRow& row : kResults)
    if (name == row.name) return &row;
  return nullptr;
}

std::vector<dsl::ResultName> result_names() {
  std::vector<dsl::ResultName> names;
  for (const ResultRow& row : kResults) names.push_back({row.name, row.dim});
  return names;
}

std::vector<dsl::Value> result_values(const Results& results) {
  std::vector<dsl::Value> values;
  for (const ResultRow& row : kResults) {
    const Value value = row.value(results);
    values.push_back(value ? dsl::Value{dsl::Number{*value, row.dim}} : dsl::Value{});
  }
  return values;
}

}  // namespace planner
