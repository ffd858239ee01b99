#include "cli/pages/scale_terms.h"

namespace cli {
namespace {

using planner::scaling::Model;
using planner::scaling::Pmnf;

Data factors(const planner::scaling::Term& term, const std::vector<std::string>& parameters) {
  Data::Object out;
  for (const planner::scaling::Factor& f : term.factors)
    out.push_back({parameters[f.parameter],
                   Data::Object{{"exponent", f.polynomial.value()}, {"log2_exponent", f.logarithm.value()}}});
  return out;
}

}  // namespace

Data pmnf_terms(const Pmnf& model, const std::vector<std::string>& parameters) {
  Data::List out;
  for (const planner::scaling::Term& t : model.terms)
    out.push_back(Data::Object{{"coefficient", t.coefficient}, {"factors", factors(t, parameters)}});
  return out;
}

Data numbers_of(const std::vector<double>& values) {
  Data::List out;
  for (const double x : values) out.push_back(whole(x));
  return out;
}

Data segments_of(const Model& m, const std::vector<std::string>& parameters) {
  if (m.parts.size() < 2) return {};
  Data::List out;
  for (const Pmnf& part : m.parts)
    out.push_back(Data::Object{{"constant", part.constant}, {"terms", pmnf_terms(part, parameters)}});
  return Data::Object{{"models", out}, {"change_points", numbers_of(m.change_points)}};
}

Data evaluated_of(const Model& m) {
  Data::List out;
  for (size_t i = 0; i < m.held.size(); ++i) {
    const double predicted = m.at(m.held[i]), measured = m.held_values[i];
    out.push_back(Data::Object{{"point", numbers_of(m.held[i])},
                               {"measured", measured},
                               {"predicted", predicted},
                               {"error", measured != 0 ? Data((predicted - measured) / measured) : Data()}});
  }
  return out;
}

}  // namespace cli
