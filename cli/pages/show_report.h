// trainplan.show/1.
#pragma once

#include <string>

#include "cli/input/catalogue.h"
#include "cli/report/report.h"

namespace cli {

/// Parameters of a model, a whole number. REQUIRES: entry of a model, read without mistakes.
Data parameters(const Entry& model);
/// Those that one token is multiplied with, by the same rules.
Data active_parameters(const Entry& model);

/// An entry: every figure with its source (the comment on its line; "default" if it is not written). A model also has
/// its parameters.
Report show_report(const std::string& name, const Entry& entry);

}  // namespace cli
