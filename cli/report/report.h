// The result of a command, computed once and printed in any format (cli/render).
//
//     Plan, operator rows, catalogue entries ... -> Report -> text | JSON | CSV | ...
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/report/data.h"
#include "cli/report/figure.h"
#include "cli/svg/picture.h"

namespace cli {

struct Column {
  std::string name = {};     // as in JSON and CSV, unit in the name
  Unit unit = Unit::text;    // how text prints it
  int rank = 0;              // where a terminal is too narrow, text drops the highest rank first; 0 stays
  std::string heading = {};  // as text prints it; empty: the name
  std::string of = {};       // of a page: the column of the report's rows with the same, dotted; empty: of its name
  bool bar = false;          // pages draw its shares as bars
};

/// The cell as pages print it: scaled, or a bar of '#'.
std::string cell_text(const Data& cell, const Column& column);

/// What a row's colour says on a terminal and in HTML.
enum class RowTone { plain, best, bad };

struct Table {
  std::string title = {};  // may be empty
  std::vector<Column> columns = {};
  std::vector<std::vector<Data>> rows = {};  // one cell per column
  bool header = true;                        // text prints the headings
  std::vector<RowTone> tones = {};           // of the rows; empty: plain
  bool note = true;                          // text lists the columns for which the page was too narrow
};

/// Sets the tone of a row.
void set_tone(Table& table, size_t row, RowTone tone);
RowTone tone_of(const Table& table, size_t row);

/// A table without headings: what is said, and how. Its rows are added later.
Table fact_table(std::string title = {});

/// The table without the column of that name, which it has.
Table without(const char* name, Table table);

/// A paragraph (long lines are wrapped, continued under their indent) or a table.
using Block = std::variant<std::string, Table>;

/// One of the few figures that a page shows large: "run", "42.61 d", "37.26 d to 48.70 d".
struct KeyFigure {
  std::string name, value, range = {};  // the interval, or what it is measured against; may be empty
};

struct Report {
  std::string format;     // "trainplan.plan/1"
  Data::Object document;  // what JSON prints after the format
  // Member of `document` that holds the rows of `table`, "a.b" inside another; empty: no such table.
  std::string key = {};
  Table table = {};  // the rows of ndjson, csv and tsv; --columns, --sort and --top act on it
  // Of a report without `key`: the columns of csv and tsv without --columns and --all-columns; empty: all.
  std::vector<std::string> usual_columns = {};
  std::vector<Block> text = {};                // what table and md print; empty: `table`
  std::vector<Block> basis = {};               // behind `text`: what the figures rest on, which html folds away
  std::string title = {};                      // of html: what was found; empty: the first paragraph
  std::vector<KeyFigure> key_figures = {};     // of html, below its title
  std::function<svg::Picture()> picture = {};  // for svg, made when it is printed; empty: there is none
  std::function<std::string()> graph = {};     // what dot prints, in the same way
  std::function<std::string()> resolved = {};  // the scenario as it was understood, YAML, where the document has none
  // Makes the document and the table if only the text was made; formats that print more than the text call it. Its
  // references outlive the report.
  std::function<void(Report&)> complete = {};
};

/// A report of the rows `key` and nothing else.
Report rows_report(const char* format, const char* key, Table table);

/// The blocks that table and md print.
std::vector<const Block*> blocks_of(const Report& report);

/// Adds a member to the document, behind those that `complete` makes.
void add_member(Report& report, const char* name, Data data);

/// The report with its document and table.
Report completed(Report report);

/// --columns, --sort and --top.
struct RowSelection {
  std::vector<std::string> columns;
  std::string sort;  // KEY, KEY:asc or KEY:desc; numbers largest first, text A to Z, null last
  std::optional<int64_t> top;
};

/// Applies a selection; a report without a table becomes the one row of its flattened document. Columns may be dotted
/// ("shape.m"), or named as on a page of the report. Returns "" or the mistake in the selection.
std::string select(Report& report, const RowSelection& selection);

/// Row `i` as an object, in column order.
Data::Object row_object(const Table& table, size_t i);
/// All of them, as a list.
Data rows_of(Table table);
/// The rows as row formats print them: nested names flattened with dots, columns in order of first appearance.
Table flat_table(const Report& report);

}  // namespace cli
