#include "planner/studies/runs/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "planner/plan/uncertainty.h"

namespace planner {
namespace {

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

std::vector<double> sizes(const std::vector<double>& values) {
  std::vector<double> out;
  for (double v : values) out.push_back(std::fabs(v));
  return out;
}

double memory_of(const Prediction& p, MemoryKind kind) {
  return kind == MemoryKind::allocated  ? p.allocated_bytes
         : kind == MemoryKind::reserved ? p.reserved_bytes
                                        : p.device_bytes;
}

bool comparable_memory(const Measurement& m) { return m.memory_bytes && m.memory_kind != MemoryKind::none; }

using Members = std::vector<const ScoredRun*>;
using Name = std::optional<std::string>;  // of a group; nullopt: the row is in no group

/// Rows by the name that `name_of` gives them, in order of first appearance; those without one are left out.
template <class NameOf>
std::vector<std::pair<std::string, Members>> divided(const std::vector<ScoredRun>& rows, NameOf name_of) {
  std::vector<std::pair<std::string, Members>> groups;
  std::map<std::string, size_t> index;
  for (const ScoredRun& r : rows) {
    const Name name = name_of(r);
    if (!name) continue;
    auto [at, fresh] = index.emplace(*name, groups.size());
    if (fresh) groups.push_back({*name, {}});
    groups[at->second].second.push_back(&r);
  }
  return groups;
}

template <class NameOf> std::vector<GroupFigures> figures_by(const std::vector<ScoredRun>& rows, NameOf name_of) {
  std::vector<GroupFigures> out;
  for (const auto& [group, members] : divided(rows, name_of)) {
    out.push_back({group, figures_of(members)});
    out.back().figures.mean_group_mape = out.back().figures.time.mape;
  }
  return out;
}

std::vector<GroupFigures> by_group(const std::vector<ScoredRun>& rows) {
  return figures_by(rows, [](const ScoredRun& r) { return Name(r.run.group); });
}

using PredictionText = std::string (*)(const Prediction&);

/// Rows that are compared in time, by what their predictions say of them.
std::vector<GroupFigures> by_text(const std::vector<ScoredRun>& rows, PredictionText text) {
  return figures_by(rows, [text](const ScoredRun& r) { return r.error ? Name(text(r.prediction)) : Name(); });
}

/// The classes that the error model is judged by.
const char* compared_text(int64_t runs) {
  if (runs == 0) return "compared with no run";
  return runs < 5 ? "compared with 1 to 4 runs" : "compared with 5 runs and more";
}

std::vector<GroupFigures> by_class(const std::vector<ScoredRun>& rows) {
  constexpr PredictionText kClasses[] = {[](const Prediction& p) { return std::string(p.kind); },
                                         [](const Prediction& p) { return p.generation; },
                                         [](const Prediction& p) { return fmt::format("{}-bit", p.width); },
                                         [](const Prediction& p) { return std::string(compared_text(p.compared)); }};
  std::vector<GroupFigures> out;
  for (const PredictionText text : kClasses)
    for (GroupFigures& figures : by_text(rows, text)) out.push_back(std::move(figures));
  return out;
}

std::vector<GroupFigures> by_family(const std::vector<ScoredRun>& rows) {
  return by_text(rows, [](const Prediction& p) {
    return fmt::format("{} on {}, {}, {}-bit", p.software, p.generation, p.kind, p.width);
  });
}

std::optional<double> mean_mape(const std::vector<GroupFigures>& groups) {
  std::vector<double> values;
  for (const GroupFigures& g : groups)
    if (g.figures.time.mape) values.push_back(*g.figures.time.mape);
  return mean(values);
}

}  // namespace

double median(std::vector<double> values) {
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  if (values.size() % 2) return values[middle];
  return (values[middle] + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

ScoredRun score_run(Run run, Prediction prediction) {
  const Measurement& m = run.measured;
  if (prediction.skipped.empty() && !m.has_time() && !comparable_memory(m))
    prediction.skipped = "neither a time nor a memory of a known kind was measured";
  ScoredRun out{.run = std::move(run), .problem = "", .prediction = std::move(prediction)};
  if (out.skipped()) return out;
  const Measurement& measured = out.run.measured;
  if (measured.has_time()) {
    out.measured_seconds = measured_seconds(measured, out.prediction.step, out.prediction.throughput);
    const auto error = [&](const StepTime& step) {
      return (step.seconds - *out.measured_seconds) / *out.measured_seconds;
    };
    out.error = error(out.prediction.step), out.unseen_error = error(out.prediction.unseen_step);
  }
  if (!comparable_memory(measured)) return out;
  out.predicted_memory_bytes = memory_of(out.prediction, measured.memory_kind);
  out.memory_error = (*out.predicted_memory_bytes - *measured.memory_bytes) / *measured.memory_bytes;
  return out;
}

static TimeFigures time_figures(std::span<const ScoredRun* const> rows, std::optional<double> ScoredRun::*error,
                                StepTime Prediction::*step) {
  std::vector<double> errors, close, inside, widths;
  for (const ScoredRun* r : rows) {
    if (!r->error) continue;
    const StepTime& t = r->prediction.*step;
    errors.push_back(*(r->*error));
    close.push_back(std::fabs(*(r->*error)) <= 0.1);
    inside.push_back(t.low_seconds <= *r->measured_seconds && *r->measured_seconds <= t.high_seconds);
    widths.push_back((t.high_seconds - t.low_seconds) / (2 * t.seconds));
  }
  if (errors.empty()) return {};
  const std::vector<double> absolute = sizes(errors);
  return {.mape = mean(absolute),
          .median_ape = median(absolute),
          .max_ape = *std::max_element(absolute.begin(), absolute.end()),
          .bias = mean(errors),
          .within_10_percent = mean(close),
          .inside_interval = mean(inside),
          .half_width = median(widths)};
}

Figures figures_of(std::span<const ScoredRun* const> rows) {
  Figures f{.rows = static_cast<int64_t>(rows.size()),
            .time = time_figures(rows, &ScoredRun::error, &Prediction::step),
            .unseen = time_figures(rows, &ScoredRun::unseen_error, &Prediction::unseen_step)};
  std::vector<double> memory_errors;
  for (const ScoredRun* r : rows) {
    ++(r->skipped() ? f.skipped : f.predicted);
    if (r->memory_error) memory_errors.push_back(*r->memory_error);
  }
  f.memory_mape = mean(sizes(memory_errors));
  return f;
}

Score score_runs(std::vector<Run> runs, const dsl::Catalog& catalog, const std::vector<dsl::Override>& overrides) {
  Score score;
  for (Run& run : runs) {
    Prediction prediction = predict(run.config, catalog, overrides);
    score.rows.push_back(score_run(std::move(run), std::move(prediction)));
  }
  score.problems = score_problems(score.rows);
  score.groups = by_group(score.rows);
  score.classes = by_class(score.rows);
  score.families = by_family(score.rows);
  std::vector<const ScoredRun*> all;
  for (const ScoredRun& r : score.rows) all.push_back(&r);
  score.summary = figures_of(all);
  score.summary.mean_group_mape = mean_mape(score.groups);
  return score;
}

}  // namespace planner
