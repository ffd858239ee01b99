#include "planner/replay/measured_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "operator_models/models.h"
#include "planner/replay/priced_collectives.h"

namespace planner::replay {
namespace {

using operator_models::Attention;
using operator_models::Gemm;

std::string row_of(const Gemm& g) {
  return fmt::format("{},{},{},{},{}", g.m, g.n, g.k, g.batch, hw_profiles::name(g.precision));
}

std::string row_of(const Attention& a) {
  return fmt::format("{},{},{},{},{},{},{},{},{}", a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.head_dim,
                     a.causal ? 1 : 0, a.backward ? 1 : 0, hw_profiles::name(a.precision));
}

/// The properties that identify an operator, as the columns of their table; "": it has no table.
std::string columns_of(const operator_models::Operator& op) {
  if (const auto* gemm = std::get_if<Gemm>(&op)) return row_of(*gemm);
  if (const auto* attention = std::get_if<Attention>(&op)) return row_of(*attention);
  return "";
}

/// Rows of one kind of operators.
template <class Op> std::string rows(const trace::Trace& trace) {
  std::string out;
  for (const MeasuredOperator& each : measured_operators(trace))
    if (std::holds_alternative<Op>(each.op) && !each.unfolded)
      out += fmt::format("{},{},{},{:.3f}\n", columns_of(each.op), each.name, each.durations_ns.size(),
                         each.median_seconds() * 1e6);
  return out;
}

CalibrationTable gemm_table(const trace::Trace& trace, const operator_models::Machine&) {
  return {"m,n,k,batch,precision,operator,count,time_us\n" + rows<Gemm>(trace)};
}

CalibrationTable attention_table(const trace::Trace& trace, const operator_models::Machine&) {
  return {"batch,heads,kv_heads,queries,keys,head_dim,causal,backward,precision,operator,count,time_us\n" +
          rows<Attention>(trace)};
}

// The models' tables are of calls, and so hold a launch that a kernel does not (priced_collectives.h).
CalibrationTable collective_table(const trace::Trace& trace, const operator_models::Machine& machine) {
  const Site site{.machine = &machine};
  const double launch_us = operator_models::launch_of(device_of(machine)).value * 1e6;
  std::map<std::string, std::vector<int64_t>> times;
  for (const trace::Collective& c : trace::match_collectives(trace).collectives) {
    const TypedCollective typed = operator_of(c, trace, site);
    const auto* op = typed.op ? std::get_if<operator_models::Collective>(&*typed.op) : nullptr;
    if (!op || static_cast<int64_t>(c.parts.size()) < op->group.ranks) continue;
    times[fmt::format("{},{},{:.0f}", operator_models::name(op->kind), op->group.ranks, op->bytes.value)].push_back(
        c.transfer_ns);
  }
  std::string out = "op,ranks,size_bytes,count,time_us\n";
  for (const auto& [columns, ns] : times)
    out += fmt::format("{},{},{:.3f}\n", columns, ns.size(), median_of(ns) * 1e-3 + launch_us);
  return {out};
}

struct CalibrationRow {
  std::string_view name;
  CalibrationTable (*table)(const trace::Trace&, const operator_models::Machine&);
};
constexpr std::array kKinds{CalibrationRow{"gemm", gemm_table}, CalibrationRow{"attention", attention_table},
                            CalibrationRow{"vector", vector_table}, CalibrationRow{"collective", collective_table}};

std::vector<size_t> device_events(const trace::RankTrace& rank) {
  std::vector<size_t> events;
  for (size_t i = 0; i < rank.events.size(); ++i)
    if (trace::is_on_device(rank.events[i].kind)) events.push_back(i);
  return events;
}

}  // namespace

ByOperator by_operator(const trace::RankTrace& rank, const KernelShapes& shapes, const std::vector<size_t>& events) {
  ByOperator all;
  std::unordered_map<const trace::Event*, size_t> places;
  for (const size_t i : events) {
    const trace::Event& event = rank.events[i];
    const std::optional<Shaped> shaped = event.kind == trace::EventKind::kernel ? shapes.of(i) : std::nullopt;
    if (!shaped) {
      all.others.push_back(i);
      continue;
    }
    const auto [place, is_new] = places.try_emplace(shaped->by, all.operators.size());
    if (is_new) all.operators.push_back({*shaped});
    all.operators[place->second].ns += event.duration_ns;
  }
  return all;
}

double median_of(std::vector<int64_t> ns) {
  const auto middle = ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 2);
  std::ranges::nth_element(ns, middle);
  const int64_t upper = *middle;
  if (ns.size() % 2 != 0) return static_cast<double>(upper);
  return (static_cast<double>(upper) + static_cast<double>(*std::max_element(ns.begin(), middle))) / 2;
}

double MeasuredOperator::median_seconds() const { return median_of(durations_ns) * 1e-9; }

std::vector<MeasuredOperator> measured_operators(const trace::Trace& trace) {
  std::vector<MeasuredOperator> all;
  std::map<std::string, size_t> places;
  for (const trace::RankTrace& rank : trace) {
    const ByOperator taken = by_operator(rank, KernelShapes(rank), device_events(rank));
    for (const TakenOperator& each : taken.operators) {
      const std::string& name = rank.name(*each.shaped.by);
      const auto [place, is_new] = places.try_emplace(name + "\n" + columns_of(each.shaped.op), all.size());
      if (is_new) all.push_back({.op = each.shaped.op, .name = name, .unfolded = each.shaped.unfolded});
      all[place->second].durations_ns.push_back(each.ns);
    }
  }
  return all;
}

CalibrationTable calibration_table(std::string_view kind, const trace::Trace& trace,
                                   const operator_models::Machine& machine) {
  const auto* const row = std::ranges::find(kKinds, kind, &CalibrationRow::name);
  return row == kKinds.end() ? CalibrationTable{} : row->table(trace, machine);
}

}  // namespace planner::replay
