// libFuzzer: a line as a formula of the parameters p and n, then any text as a file of models that are given to
// `scale`. Each must end in a model or in messages with places; a model is written and read back as the same function,
// and what `scale` concludes from it is shown.
#include <cmath>
#include <sstream>

#include "cli/pages/scale_report.h"
#include "cli/render/render.h"
#include "dsl/expression_tree.h"
#include "planner/scaling/given.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::require;
namespace scaling = planner::scaling;

using Names = std::vector<std::string>;

std::optional<scaling::Pmnf> formula(const std::string& text, const Names& names, dsl::Diagnostics& diagnostics) {
  const dsl::Source source{"formula", text, ""};
  const dsl::ExprPtr tree = dsl::parse_expression(text, {&source, 1, 1, static_cast<int>(text.size())}, diagnostics);
  std::optional<scaling::Pmnf> model = tree ? scaling::pmnf_of(*tree, names, diagnostics) : std::nullopt;
  fuzz::require_value_or_error(model, diagnostics);
  fuzz::require_places(diagnostics);
  diagnostics = {};  // their source ends here
  return model;
}

bool finite(const scaling::Pmnf& model) {
  bool all = std::isfinite(model.constant);
  for (const scaling::Term& term : model.terms) all = all && std::isfinite(term.coefficient);
  return all;
}

void check_formula(const std::string& text) {
  static const Names names{"p", "n"};
  dsl::Diagnostics diagnostics;
  const auto model = formula(text, names, diagnostics);
  if (!model) return;
  require(finite(*model));
  for (const scaling::Term& term : model->terms)
    for (const scaling::Factor& factor : term.factors)
      require(factor.parameter < names.size() && factor.polynomial.denominator > 0 && factor.logarithm.denominator > 0);
  const auto again = formula(operator_models::text(*model, names, 17), names, diagnostics);
  require(again && again->constant == model->constant && again->terms.size() == model->terms.size());
  for (const std::vector<double>& x : {std::vector<double>{2, 3}, {16, 1}}) {
    const double before = model->at(x), after = again->at(x);
    require(before == after || !std::isfinite(before) || std::abs(before - after) <= 1e-9 * std::abs(before));
  }
}

void check_models(const scaling::Models& models) {
  require(!models.parameters.empty() && models.parameters.size() <= operator_models::kMostParameters);
  cli::Scaled scaled{.models = models, .analysed = {}, .against = {}, .advice = {}};
  for (size_t i = 0; i < models.models.size(); ++i) {
    const scaling::Model& model = models.models[i];
    require(model.parts.size() == (model.change_points.empty() ? 1u : 2u));
    for (const scaling::Pmnf& part : model.parts) require(finite(part));
    for (const std::vector<double>& point : model.points) require(point.size() == models.parameters.size());
    if (scaling::may_be_time(model.metric) && !model.points.empty())
      scaled.analysed.push_back({i, scaling::analyse(model, {}), false});
  }
  std::ostringstream out;
  cli::render(cli::scale_report("given", scaled), "json", {}, out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  check_formula(fuzz::take_line(text));
  const dsl::Source source{"models.yaml", text, ""};
  if (!scaling::holds_models(source)) return 0;
  dsl::Diagnostics diagnostics;
  const auto models = scaling::read_models(source, diagnostics);
  fuzz::require_value_or_error(models, diagnostics);
  fuzz::require_places(diagnostics);
  if (models) check_models(*models);
  return 0;
}
