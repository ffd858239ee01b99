// A report as one self-contained file: its text and picture, tables that sort and filter, the command and its inputs,
// and the document. It loads nothing from a network, supports dark mode, and can be printed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/report/report.h"

namespace cli {

/// The style sheet and the script of the page (cli/render/html).
struct PageFile {
  std::string_view name, text;  // "report.css" and its content
};
std::span<const PageFile> page_files();
/// The files of the page that `serve` sends (cli/serve/page).
std::span<const PageFile> served_files();

/// Rows as columns of JSON, small enough for a page that holds them all. Each distinct value of a column is stored
/// once. The index of each row's value is stored once for all columns whose rows repeat in the same way. Figures keep
/// five digits.
///
///     {"count":4,"columns":[{"all":8},{"of":["none","full"],"at":[0,0,1,0]},{"of":[34.04,36.1],"as":1},{"of":[1,2,3,4]}]}
///
/// The text can be put into a <script> element: it has no '<'. REQUIRES: the cells are plain (flat_table).
std::string packed_rows(const Table& table);

}  // namespace cli
