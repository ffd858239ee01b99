// The results of a plan that `where`, `goal` and searches may name, and that rows of many plans show.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dsl/record.h"
#include "planner/plan/plan.h"

namespace planner {

/// The results of a plan, each figure in the unit of its line, null if it is undefined.
struct Results : Breakdown, Throughput, RunCost {
  StepTime step;
  double hidden_comm = 0;  // seconds of transfers parallel to compute; 0 if the plan has no communication rows
  double peak_bytes = 0, headroom_bytes = 0;
  double scaling_efficiency = 1;  // tokens/s/GPU over that of the fewest GPUs of a space
  KindErrors errors;
};
template <class V> void fields(V& v, Results& r) {
  using enum FigureUnit;
  using enum WithStep;
  fields(v, r.step);
  v("assumed_share", r.errors.assumed,
    about(fraction, "share of the operators' time that rests on assumed figures")
        .in_rows("assumed_share")
        .on_page("assumed", 9)
        .at_most(1));
  v.derived(
      "no_overlap_seconds", [](const Results& x) { return x.step.seconds + x.hidden_comm; },
      about(seconds, "the step if no communication hid").in_rows("no_overlap_seconds"));
  v.derived(
      "perfect_overlap_seconds", [](const Results& x) { return x.step.seconds - x.exposed_comm; },
      about(seconds, "the step if all communication hid that could").in_rows("perfect_overlap_seconds"));
  for (size_t i = kBreakdownParts.size(); i-- > 0;)  // rows have the bubble first
    v(kBreakdownParts[i].name, static_cast<Breakdown&>(r).*kBreakdownParts[i].seconds, kBreakdownParts[i].about);
  fields(v, static_cast<Throughput&>(r));
  v("scaling_efficiency", r.scaling_efficiency,
    about(fraction, "tokens/s/GPU over that of the fewest GPUs of the space")
        .in_expressions("scaling_efficiency")
        .in_rows("scaling_efficiency")
        .on_axis("scaling efficiency")
        .more_is_better()
        .relative());
  v("peak_bytes", r.peak_bytes,
    about(memory, "memory of the fullest GPU")
        .in_expressions("memory.peak", fixed)
        .in_rows("peak_bytes")
        .on_page("memory", 4)
        .on_axis("memory of the fullest GPU"));
  v("headroom_bytes", r.headroom_bytes,
    about(memory, "what is left there")
        .in_expressions("memory.headroom", fixed)
        .in_rows("headroom_bytes")
        .on_axis("memory left on the fullest GPU")
        .more_is_better()
        .at_least(-1e300));
  fields(v, static_cast<RunCost&>(r));
  v("hidden_comm", r.hidden_comm, about(seconds, "seconds of communication beside compute").in_shards());
  v("software_error", r.errors.software, about(fraction, "what the software leaves unexplained").in_shards());
}

Results results_of(const PlanFigures& figures);
/// Returns the results of a plan, with the communication that hides. REQUIRES: no layout violation.
Results results_of(const Plan& plan);

/// A figure of the results, by its line.
struct ResultRow {
  enum class Kind { figure, optional, count, derived };
  using Derived = double (*)(const Results&);

  const char* name;  // in expressions; of those that have none, its key
  FigureAbout about;
  FigureScale scale;
  Kind kind = Kind::figure;
  size_t offset = 0;  // in Results, but for derived ones
  Derived derived = nullptr;

  /// Its name in rows of many plans, and in shards for a figure that no row shows.
  const char* key() const { return about.column ? about.column : name; }
  bool is_kept() const { return !about.column && (about.named || about.kept); }
  /// Whether a shard of a search writes it.
  bool is_in_shards() const { return about.column || is_kept(); }
  /// In the unit of its line; null: undefined.
  std::optional<double> figure(const Results& results) const;
  /// In SI base units.
  std::optional<double> value(const Results& results) const;
  /// REQUIRES: it is not derived; a figure that is not optional is given.
  void set(Results& results, std::optional<double> figure) const;
};

/// All of them, in the order of their lines; those that expressions name; those that rows of many plans show.
std::span<const ResultRow> result_figures();
std::span<const ResultRow> result_rows();
std::span<const ResultRow> column_figures();
/// Finds a result by its name in expressions; null: there is none.
const ResultRow* find_result(std::string_view name);

/// Returns names and dimensions, in the order of `results`.
std::vector<dsl::ResultName> result_names();
/// Returns the values in the order of `results`; null where undefined.
std::vector<dsl::Value> result_values(const Results& results);

}  // namespace planner
