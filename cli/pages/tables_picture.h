// Tables on ranks as a picture: a bar of lookups and of its own message for each rank of the best placement.
#pragma once

#include "cli/pages/tables_report.h"
#include "cli/svg/picture.h"

namespace cli {

svg::StackedBars tables_bars(const ShardPage& page);

}  // namespace cli
