// Rows as columns of JSON, small enough for a page that holds them all: a column of one value says it once, one of a
// few values says which, and figures keep five digits.
//
//     {"count":4,"columns":[{"all":8},{"of":["none","full"],"at":[0,0,1,0]},{"values":[34.04,34.14,34.26,35.1]}]}
#pragma once

#include <string>

#include "cli/report/report.h"

namespace cli {

/// REQUIRES: the cells are plain (flat_table). The text can stand in a <script> element: it has no '<'.
std::string packed_rows(const Table& table);

}  // namespace cli
