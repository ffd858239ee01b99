// Rows as columns of JSON, small enough for a page that holds them all: each distinct value of a column stands once,
// and which one a row has as well, once for all columns whose rows are alike in the same way. Figures keep five digits.
//
//     {"count":4,"columns":[{"all":8},{"of":["none","full"],"at":[0,0,1,0]},{"of":[34.04,36.1],"as":1},{"of":[1,2,3,4]}]}
#pragma once

#include <string>

#include "cli/report/report.h"

namespace cli {

/// REQUIRES: the cells are plain (flat_table). The text can stand in a <script> element: it has no '<'.
std::string packed_rows(const Table& table);

}  // namespace cli
