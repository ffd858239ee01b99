#include "cli/pages/fitted_report.h"

#include <fmt/format.h>

#include "cli/report/row_fields.h"
#include "planner/scaling/models.h"

namespace cli {
namespace {

using operator_models::FittedParameter;
using planner::FittedUse;

/// "2 to 20", or "64" where both are the same.
std::string range_text(double least, double most) {
  const std::string from = four_digits(least);
  return least == most ? from : from + " to " + four_digits(most);
}

std::string measured_text(const FittedUse& use, const FittedParameter& p) {
  return use.model->points.empty() ? "nobody says where" : range_text(p.least, p.most);
}

/// "p 64 (measured 2 to 20), n 8 (measured 4 to 32)".
std::string asked_text(const FittedUse& use) {
  std::string text;
  for (size_t i = 0; i < use.asked.size(); ++i) {
    const FittedParameter& p = use.model->parameters[i];
    const std::string name = p.name == p.feature ? p.name : p.name + " = " + p.feature;
    text += fmt::format("{}{} {} (measured {})", i == 0 ? "" : ", ", name,
                        range_text(use.asked[i].least, use.asked[i].most), measured_text(use, p));
  }
  return text;
}

Data parameter_data(const FittedUse& use, size_t i) {
  const FittedParameter& p = use.model->parameters[i];
  const bool said = !use.model->points.empty();
  return Data::Object{{"name", p.name},
                      {"feature", p.feature},
                      {"measured_from", said ? Data(p.least) : Data()},
                      {"measured_to", said ? Data(p.most) : Data()},
                      {"asked_from", use.asked[i].least},
                      {"asked_to", use.asked[i].most}};
}

}  // namespace

Data fitted_data(const planner::Plan& plan) {
  return list_of(plan.fitted, [](const FittedUse& use) {
    Data::List parameters;
    for (size_t i = 0; i < use.asked.size(); ++i) parameters.push_back(parameter_data(use, i));
    return Data::Object{{"kind", use.kind},
                        {"model", use.model->name},
                        {"callpath", use.model->callpath},
                        {"formula", use.model->formula()},
                        {"parameters", std::move(parameters)},
                        {"provenance", std::string(operator_models::name(use.provenance))},
                        {"relative_error", use.model->relative_error},
                        {"analytical_seconds", use.analytical_seconds}};
  });
}

Table fitted_table(const planner::Plan& plan) {
  Table table{
      .title = "Models fitted to measurements", .columns = {{.name = "kind"}, {.name = "what"}}, .header = false};
  for (const FittedUse& use : plan.fitted) {
    table.rows.push_back({use.kind, use.model->formula()});
    table.rows.push_back({"", fmt::format("{}: {}", asked_text(use), operator_models::name(use.provenance))});
  }
  return table;
}

void warn_of_reach(const planner::Plan& plan, dsl::Diagnostics& diagnostics) {
  for (const FittedUse& use : plan.fitted)
    if (use.reach > planner::scaling::kReach)
      diagnostics.warning({},
                          fmt::format("the model of {} in {} is asked up to {} times beyond its points: {}", use.kind,
                                      use.model->file, four_digits(use.reach), asked_text(use)),
                          "`trainplan scale` shows where the formula stops making sense; measure nearer");
}

}  // namespace cli
