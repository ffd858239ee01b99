#include "planner/studies/fit_steps/parameters.h"

#include <array>

#include "operator_models/models.h"

namespace planner {
namespace {

constexpr double kMicrosecond = 1e-6, kMillisecond = 1e-3;

// The errors of the priors: the likely error of a profile's author. A host call is known within a factor of two. A
// parameter that the profile leaves out (0) has the size that published profiles fit. An operator's efficiency,
// measured alone, changes by a tenth inside a step.
constexpr std::array kParameters{
    FitParameter{"software.launch", Owner::software, PriorPull::ratio, 0.7, false},
    FitParameter{"software.step_overhead", Owner::software, PriorPull::difference, 100 * kMillisecond, false},
    FitParameter{"software.microbatch_overhead", Owner::software, PriorPull::difference, 5 * kMillisecond, false},
    FitParameter{"software.vector_slowdown", Owner::software, PriorPull::ratio, 0.2, false},
    FitParameter{"software.straggling", Owner::software, PriorPull::difference, 0.006, false},
    FitParameter{"software.skew", Owner::software, PriorPull::difference, 600 * kMicrosecond, false},
    FitParameter{"software.gap", Owner::software, PriorPull::difference, 8 * kMicrosecond, false},
    FitParameter{"software.narrow_gap", Owner::software, PriorPull::difference, 30 * kMicrosecond, false},
    FitParameter{"software.overlap.hidden_tensor", Owner::software, PriorPull::difference, 0.2, false},
    FitParameter{"software.overlap.hidden_data", Owner::software, PriorPull::difference, 0.2, false},
    FitParameter{"software.overlap.hidden_experts", Owner::software, PriorPull::difference, 0.2, false},
    FitParameter{"software.optimizer_extra_bytes", Owner::software, PriorPull::ratio, 0.3, false},
    FitParameter{"software.experts.wait", Owner::software, PriorPull::difference, 2 * kMillisecond, false},
    FitParameter{"software.experts.narrow_gap", Owner::software, PriorPull::difference, 20 * kMicrosecond, false},
    FitParameter{"software.memory.fragmentation", Owner::software, PriorPull::ratio, 0.05, true},
    FitParameter{"software.memory.context", Owner::software, PriorPull::ratio, 0.3, true},
    FitParameter{"software.memory.communicators", Owner::software, PriorPull::ratio, 0.3, true},
    FitParameter{"cluster.gpu.calibration.gemm.PRECISION.sustained", Owner::calibration, PriorPull::ratio, 0.1, false},
    FitParameter{"cluster.gpu.calibration.attention.KERNEL.forward", Owner::calibration, PriorPull::ratio, 0.1, false},
    FitParameter{"cluster.gpu.calibration.attention.KERNEL.backward", Owner::calibration, PriorPull::ratio, 0.15,
                 false},
    FitParameter{"cluster.gpu.calibration.attention.KERNEL.small_head", Owner::calibration, PriorPull::ratio, 0.12,
                 false},
    FitParameter{"cluster.gpu.calibration.contention.*.slowdown", Owner::calibration, PriorPull::ratio, 0.12, false},
    FitParameter{"cluster.gpu.calibration.update_efficiency", Owner::calibration, PriorPull::ratio, 0.1, false},
    FitParameter{"cluster.gpu.calibration.collective.OUTER.efficiency", Owner::cluster, PriorPull::ratio, 0.1, false},
    FitParameter{"cluster.gpu.calibration.collective.OUTER.step", Owner::cluster, PriorPull::difference,
                 3 * kMicrosecond, false},
    FitParameter{"cluster.skew", Owner::cluster, PriorPull::difference, 600 * kMicrosecond, false},
    FitParameter{"cluster.host.launch", Owner::cluster, PriorPull::ratio, 0.15, false},
};

/// Finds the members that a path names, along the lines that read them (dsl/fields.h).
class NumberFinder {
 public:
  explicit NumberFinder(std::string_view path) : rest_(path) {}

  template <class T> void operator()(const char* name, T& member, const dsl::About& about) {
    if (rest_ != name) return;
    if constexpr (dsl::DimOf<T>::is_quantity) add(name, member.value, dsl::DimOf<T>::dim, about);
    else if constexpr (std::is_floating_point_v<T>) add(name, member, dsl::kNone, about);
  }
  template <class T> void section(const char* name, T& t) {
    if (rest_.starts_with(name)) inside(name, std::string_view(name).size(), t);
  }
  template <class T> void list(const char* name, std::vector<T>& all) {
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string item = std::string(name) + "[" + std::to_string(i) + "]";
      section(item.c_str(), all[i]);
    }
  }
  template <class T> void table(const char* name, std::map<std::string, T>& all) {
    const std::string any = std::string(name) + ".*";
    for (auto& [key, t] : all) {
      const std::string entry = std::string(name) + "." + key;
      if (rest_.starts_with(any + ".")) inside(entry, any.size(), t);
      else section(entry.c_str(), t);
    }
  }

  std::vector<ScenarioNumber> found;

 private:
  void add(const char* name, double& value, dsl::Dim dim, const dsl::About& about) {
    found.push_back({walked_ + name, &value, dim, about.least, about.most});
  }
  template <class T> void inside(const std::string& step, size_t length, T& t) {
    if (rest_.size() <= length || rest_[length] != '.') return;
    const std::string_view rest = rest_;
    const std::string walked = walked_;
    rest_.remove_prefix(length + 1);
    walked_ += step + ".";
    fields(*this, t);
    rest_ = rest;
    walked_ = walked;
  }
  std::string_view rest_;
  std::string walked_;
};

std::string gemm_key(const Scenario& s) {
  const operator_models::GemmRow found = operator_models::gemm_row(s.calibration, s.job.precision);
  for (const auto& [key, row] : s.calibration.gemm)
    if (&row == found.own) return key;
  return "";
}

/// The meaning of a word in capitals; empty: none.
std::string meaning(std::string_view word, const Scenario& s) {
  const auto& network = s.cluster.network;
  if (word == "PRECISION") return gemm_key(s);
  if (word == "KERNEL") return s.calibration.attention.contains(s.software.attention) ? s.software.attention : "";
  return network.size() > 1 ? network.back().name : "";  // OUTER
}

constexpr std::array kWords{"PRECISION", "KERNEL", "OUTER"};

}  // namespace

std::span<const FitParameter> fit_parameters() { return kParameters; }

std::optional<std::string> path_in(const FitParameter& parameter, const Scenario& scenario) {
  std::string path = parameter.path;
  for (const std::string_view word : kWords) {
    const size_t at = path.find(word);
    if (at == std::string::npos) continue;
    const std::string text = meaning(word, scenario);
    if (text.empty()) return std::nullopt;
    path.replace(at, word.size(), text);
  }
  return path;
}

std::string precision_of(const FitParameter& parameter, const Scenario& scenario) {
  return std::string_view(parameter.path).find("PRECISION") == std::string_view::npos ? "" : gemm_key(scenario);
}

const std::string& owner_name(Owner owner, const Scenario& scenario) {
  if (owner == Owner::software) return scenario.software.name;
  return owner == Owner::calibration ? scenario.calibration.name : scenario.cluster.name;
}

const char* owner_prefix(Owner owner) {
  if (owner == Owner::software) return "software.";
  return owner == Owner::calibration ? "cluster.gpu.calibration." : "cluster.";
}

std::vector<ScenarioNumber> numbers_at(Scenario& scenario, const std::string& path) {
  NumberFinder finder(path);
  fields(finder, scenario);
  return std::move(finder.found);
}

}  // namespace planner
