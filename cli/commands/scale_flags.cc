#include "cli/commands/scale_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "dsl/enum_words.h"
#include "dsl/expression_tree.h"
#include "dsl/raw_text.h"

namespace cli {
namespace {

using planner::scaling::AnalysisOptions;
using planner::scaling::EpochOptions;

template <class Word> std::optional<Word> word(const std::string& text) {
  const auto all = dsl::words_of<Word>();
  const auto at = std::ranges::find(all, text);
  if (text.empty() || at == all.end()) return std::nullopt;
  return static_cast<Word>(at - all.begin());
}

/// A flag's expression, its text kept under the flag's name.
std::optional<dsl::Expression> expression(const std::string& flag, const std::string& text, dsl::Sources& sources,
                                          dsl::Diagnostics& diagnostics) {
  const dsl::Source& source = sources.emplace_back(dsl::Source{flag, text, ""});
  const dsl::Span place{&source, 1, 1, static_cast<int>(text.size())};
  dsl::Expression e{dsl::parse_expression(source.text, place, diagnostics), text, place};
  if (!e.tree) return std::nullopt;
  return e;
}

/// A number of one of the dimensions, without names.
std::optional<double> figure_of(const std::string& flag, const std::string& text, std::vector<dsl::Dim> dims,
                                const char* example, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  const auto e = expression(flag, text, sources, diagnostics);
  if (!e) return std::nullopt;
  const auto none = [](const std::string&, dsl::Span) -> std::optional<dsl::Value> { return std::nullopt; };
  const auto value = dsl::evaluate(*e->tree, none, diagnostics);
  if (!value) return std::nullopt;
  const dsl::Number* n = std::get_if<dsl::Number>(&value->v);
  const bool right = n && std::ranges::find(dims, n->dim) != dims.end();
  if (right && n->value > 0) return n->value;
  diagnostics.error(e->span, fmt::format("{}: expected something above zero such as {}, got {}", flag, example,
                                         right ? dsl::to_text(*value) : dsl::describe(*value)));
  return std::nullopt;
}

/// The price of one configuration.
class Price {
 public:
  Price(dsl::Expression e, std::vector<std::string> parameters)
      : expression_(std::move(e)), parameters_(std::move(parameters)) {}

  std::optional<double> at(const planner::scaling::Spent& spent, dsl::Diagnostics& diagnostics) const {
    const auto resolve = [&](const std::string& name, dsl::Span) -> std::optional<dsl::Value> {
      const auto number = [](double x) { return dsl::Value{dsl::Number{x, dsl::kNone}}; };
      if (name == "seconds") return number(spent.seconds);
      if (name == "core_hours") return number(spent.core_hours);
      if (name == "gpu_hours") return number(spent.gpu_hours);
      if (!parameters_.empty() && name == parameters_[0]) return number(spent.x);
      return std::nullopt;
    };
    const auto value = dsl::evaluate(*expression_.tree, resolve, diagnostics, names());
    if (!value) return std::nullopt;
    const dsl::Number* n = std::get_if<dsl::Number>(&value->v);
    if (n && (n->dim == dsl::kNone || n->dim == dsl::kMoney)) return n->value;
    diagnostics.error(expression_.span, "--price: expected a plain number or money, got " + dsl::describe(*value));
    return std::nullopt;
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> names{"seconds", "core_hours", "gpu_hours"};
    if (!parameters_.empty()) names.push_back(parameters_[0]);
    return names;
  }
  dsl::Expression expression_;
  std::vector<std::string> parameters_;
};

}  // namespace

planner::scaling::ModelOptions model_options(const ScaleFlags& options) {
  planner::scaling::ModelOptions out;
  out.modeler = word<planner::scaling::Modeler>(options.modeler).value_or(planner::scaling::Modeler::basic);
  if (!options.measure.empty())
    out.measure = options.measure == "mean" ? planner::scaling::Measure::mean : planner::scaling::Measure::median;
  if (!options.exponents.empty()) out.negative = options.exponents == "negative";
  out.evaluate_from = options.evaluate_from;
  out.extrapolate_to = options.reach;
  if (!options.at.empty())
    out.extrapolate_to = std::max(options.reach.value_or(0), *std::ranges::max_element(options.at));
  return out;
}

std::optional<AnalysisOptions> analysis_options(const ScaleFlags& options, const std::vector<std::string>& parameters,
                                                dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  AnalysisOptions out;
  out.scaling = word<planner::scaling::Scaling>(options.scaling);
  out.at = options.at;
  out.cores_per_rank = options.cores.value_or(1);
  out.gpus_per_rank = options.gpus.value_or(1);
  out.extrapolate_to = options.reach;
  for (const double x : options.at)
    if (!(x > 0)) diagnostics.error({}, fmt::format("--at: expected values above zero, got {}", x));
  if (!options.budget.empty())
    out.budget = figure_of("--budget", options.budget, {dsl::kNone, dsl::kMoney}, "2.8", sources, diagnostics);
  if (!options.time_limit.empty())
    out.time_limit = figure_of("--time-limit", options.time_limit, {dsl::kTime}, "'40 s'", sources, diagnostics);
  if (!options.price.empty()) {
    auto e = expression("--price", options.price, sources, diagnostics);
    if (e) {
      const Price price(std::move(*e), parameters);
      if (!price.at({.x = 1, .seconds = 1, .core_hours = 1, .gpu_hours = 1}, diagnostics)) return std::nullopt;
      out.price = [price](const planner::scaling::Spent& spent) {
        dsl::Diagnostics told;  // it had a value before; where it has none now, nothing is cheap enough
        return price.at(spent, told).value_or(std::numeric_limits<double>::infinity());
      };
    }
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return out;
}

std::optional<EpochOptions> epoch_options(const ScaleFlags& options, dsl::Sources& sources,
                                          dsl::Diagnostics& diagnostics) {
  static const std::vector<std::string> kKeys{"training", "validation", "batch", "ranks", "model_parallel"};
  std::array<std::optional<dsl::Expression>, 5> found;
  for (const std::string& text : options.epoch) {
    const size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const auto at = std::ranges::find(kKeys, key);
    if (equals == std::string::npos || at == kKeys.end()) {
      const std::string near = dsl::did_you_mean(key, kKeys);
      diagnostics.error({}, fmt::format("--epoch: expected KEY=EXPR, got '{}'", dsl::shortened(text)),
                        near.empty() ? fmt::format("keys are {}", fmt::join(kKeys, ", ")) : near);
      continue;
    }
    found[static_cast<size_t>(at - kKeys.begin())] =
        expression("--epoch " + key, text.substr(equals + 1), sources, diagnostics);
  }
  for (const size_t needed : {size_t{0}, size_t{2}, size_t{3}})
    if (!found[needed] && !diagnostics.has_errors())
      diagnostics.error({}, fmt::format("--epoch needs {}=EXPR", kKeys[needed]),
                        "training and validation samples, batch of a worker, ranks, model_parallel (1)");
  if (diagnostics.has_errors()) return std::nullopt;
  return EpochOptions{*found[0], found[1], *found[2], *found[3], found[4]};
}

}  // namespace cli
