// Features of an operator for fitted models: the figures of its shape by name, one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator_models/operators.h"

namespace operator_models {

struct OperatorFeature {
  const char* kind;  // as kKindNames
  const char* name;
  const char* doc;  // with the unit
  double (*value)(const Operator&);
};

/// Every feature of every kind; the kinds together.
std::span<const OperatorFeature> operator_features();
/// Names of those of one kind of operator, or of collective (kCollectiveKinds).
std::vector<std::string> feature_names(std::string_view kind);
/// Its row in `operator_features`, or npos.
size_t feature_row(std::string_view kind, std::string_view name);

}  // namespace operator_models
