// Numbers of GPUs on which no layout works with the batch, and the batch with which one does.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/resolve/other_batches.h"

namespace cli {

/// "--set cluster.use=dgx-h100".
std::string sets_text(const std::vector<dsl::Override>& uses);

/// Adds the member `other_batches` and a line for each; nothing if there are none.
void add_other_batches(const planner::NamedBatches& batches, Report& report);

}  // namespace cli
