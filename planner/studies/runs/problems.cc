// Problems: which runs differ in their layout only, and whether the predictions would have picked the best of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "planner/studies/runs/score.h"

namespace planner {
namespace {

/// All columns that fix the model and the task: equal texts mean one problem.
std::string key_of(const RunConfig& config) {
  std::string key;
  for (const ConfigColumn& c : config_columns())
    if (!c.layout) key += config_text(config, c) + '\x1f';
  return key;
}

std::string text(const Count& count) { return count ? std::to_string(*count) : "?"; }

/// What people call it; problems that differ elsewhere (attention kernel, flags, links) get a number behind it.
std::string name_of(const RunConfig& c) {
  return fmt::format("{} seq {} batch {} on {} {} {} {}", c.model_name, text(c.seq_len), text(c.global_batch),
                     text(c.n_gpus), dsl::lower_case(c.gpu), c.precision, c.software);
}

/// "x", "x #2", "x #3" for the problems that share the name x.
class ProblemNames {
 public:
  const std::string& of(const RunConfig& config) {
    std::string& name = by_key_[key_of(config)];
    if (!name.empty()) return name;
    name = name_of(config);
    int& count = used_[name];
    if (++count > 1) name += fmt::format(" #{}", count);
    return name;
  }

 private:
  std::map<std::string, std::string> by_key_;
  std::map<std::string, int> used_;
};

struct Times {
  std::vector<double> measured, predicted;
};

ProblemScore score_layouts(const std::string& problem, const std::map<std::string, Times>& layouts) {
  std::vector<double> measured, predicted;
  for (const auto& [layout, times] : layouts) {
    measured.push_back(median(times.measured));
    predicted.push_back(median(times.predicted));
  }
  double least = *std::min_element(predicted.begin(), predicted.end());
  double chosen = 0;  // of layouts predicted equal, the slowest
  for (size_t i = 0; i < predicted.size(); ++i)
    if (predicted[i] == least) chosen = std::max(chosen, measured[i]);
  return {.problem = problem,
          .layouts = static_cast<int64_t>(layouts.size()),
          .regret = chosen / *std::min_element(measured.begin(), measured.end()) - 1,
          .rank_correlation = spearman(predicted, measured)};
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) out[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return out;
}

}  // namespace

std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> x = ranks(a), y = ranks(b);
  double middle = (static_cast<double>(x.size()) - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

std::vector<ProblemScore> score_problems(std::vector<ScoredRun>& rows) {
  ProblemNames names;
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, Times>> problems;
  for (ScoredRun& r : rows) {
    r.problem = r.run.config.file.empty() ? names.of(r.run.config) : r.run.config.file;
    if (!r.error) continue;
    auto [at, fresh] = problems.try_emplace(r.problem);
    if (fresh) order.push_back(r.problem);
    Times& times = at->second[r.prediction.layout];
    times.measured.push_back(*r.measured_seconds);
    times.predicted.push_back(r.prediction.step.seconds);
  }
  std::vector<ProblemScore> out;
  for (const std::string& problem : order)
    if (problems[problem].size() > 1) out.push_back(score_layouts(problem, problems[problem]));
  return out;
}

}  // namespace planner
