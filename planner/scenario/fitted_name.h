// How a scenario names a fitted model: pmnf(FILE[, CALLPATH][, PARAMETER=FEATURE]...).
//
//     all_reduce: pmnf(all_reduce.json)
//     step: pmnf(steps.csv, training, ranks=cluster.gpus)
//
// Quotes of either kind keep commas, '=' and brackets of a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/node.h"

namespace planner {

struct FittedName {
  std::string file;
  std::optional<std::string> callpath;
  std::vector<std::pair<std::string, std::string>> features;  // parameter -> feature
};

/// Whether a name of a model means to be one: "pmnf", "pmnf (x)", "pmnf(x".
bool names_fitted(std::string_view text);
/// nullopt: `why` holds the mistake.
std::optional<FittedName> parse_fitted(std::string_view text, std::string& why);
/// Writes the name so that parse_fitted gives it back.
std::string text(const FittedName& name);

/// Files that `operator_models` names begin at the directory of the file that names them. Afterwards they begin at the
/// working directory, so that the names hold wherever they are repeated (a resolved scenario, --set). What cannot be
/// parsed stays.
void rebase_fitted(dsl::Node& tree);

}  // namespace planner
