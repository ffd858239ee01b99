// `--where`: which rows of a table an expression selects.
#pragma once

#include "dsl/csv.h"
#include "dsl/expression.h"

namespace dsl {

/// The indices of the rows for which `where` holds; all of them if it is empty. A cell is a number if it parses as one,
/// else text. An empty cell equals only "" and fails every other comparison. Values of different types are not equal,
/// and neither is below the other. Diagnosed at its place: a text that does not parse, an unknown column, a comparison
/// with a type that the column never has, a result that is neither true nor false. `source` holds the text.
std::vector<size_t> select_rows(const CsvTable& table, const Source& source, Diagnostics& diagnostics);

}  // namespace dsl
