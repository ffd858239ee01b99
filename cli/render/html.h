// A report as one file to hand over: its text and picture, tables that sort and filter, what was asked and read, and
// the document. It takes nothing from a network, follows a dark page, and can be printed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/report/report.h"

namespace cli {

/// The style sheet and the script of the page (cli/render/html).
struct PageFile {
  std::string_view name, text;  // "report.css" and what it says
};
std::span<const PageFile> page_files();

/// Rows as columns of JSON, small enough for a page that holds them all: each distinct value of a column stands once,
/// and which one a row has as well, once for all columns whose rows are alike in the same way. Figures keep five
/// digits.
///
///     {"count":4,"columns":[{"all":8},{"of":["none","full"],"at":[0,0,1,0]},{"of":[34.04,36.1],"as":1},{"of":[1,2,3,4]}]}
///
/// The text can stand in a <script> element: it has no '<'. REQUIRES: the cells are plain (flat_table).
std::string packed_rows(const Table& table);

}  // namespace cli
