// libFuzzer: a line with the word of a modeler, then any text as measurements in Extra-P's format or JSON. The
// experiment is fitted like `scale` does: each model must have finite numbers, and its consequences are shown.
#include <algorithm>
#include <sstream>

#include "cli/pages/scale_report.h"
#include "cli/render/render.h"
#include "planner/scaling/epoch_steps.h"
#include "tests/fuzz/experiment.h"

namespace {

namespace scaling = planner::scaling;

constexpr size_t kMostSeries = 2, kMostPoints = 12;

scaling::ModelOptions options_of(const std::string& word) {
  scaling::ModelOptions options;
  const auto& names = scaling::kModelerNames;
  const auto at = std::ranges::find(names, word);
  if (at != names.end()) options.modeler = static_cast<scaling::Modeler>(at - names.begin());
  return options;
}

void check(const scaling::Models& models) {
  cli::Scaled scaled{.models = models, .analysed = {}, .against = {}, .advice = {}};
  for (size_t i = 0; i < models.models.size(); ++i) {
    const scaling::Model& model = models.models[i];
    fuzz::require(!model.parts.empty() && model.points.size() == model.values.size());
    for (const scaling::Pmnf& part : model.parts) {
      fuzz::require(std::isfinite(part.constant));
      for (const scaling::Term& term : part.terms) fuzz::require(std::isfinite(term.coefficient));
    }
    for (const std::vector<double>& point : model.points) fuzz::require(std::isfinite(model.at(point)));
    scaled.analysed.push_back({i, scaling::analyse(model, {}), false});
  }
  std::ostringstream out;
  cli::render(cli::scale_report("measured", scaled), "json", {}, out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  const scaling::ModelOptions options = options_of(fuzz::take_line(text));
  auto experiment = fuzz::read_experiment("a.txt", text);
  if (!experiment || experiment->points.size() > kMostPoints) return 0;
  if (experiment->series.size() > kMostSeries) experiment->series.resize(kMostSeries);
  scaling::add_total(*experiment);
  check(scaling::fit_models(*experiment, options));
  return 0;
}
