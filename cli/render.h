// Reports as text. Adding a format: a function and a row of the table in render.cc.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "cli/report.h"
#include "dsl/diagnostic.h"

namespace cli {

struct Page {
  int width = 80;  // columns that text may use
};

struct Format {
  const char* name;
  const char* summary;
  void (*function)(const Report&, const Page&, std::ostream&);
};

/// table, json, ndjson, csv, tsv, md, svg, dot; the first is the default.
std::span<const Format> formats();
/// REQUIRES: `format` is the name of a row; for svg, the report has a picture.
void render(const Report& report, std::string_view format, const Page& page, std::ostream& out);

/// `data` alone as a JSON document, without a report around it.
void print_json(const Data& data, std::ostream& out);  // render_json.cc

/// The rows' functions.
void render_text(const Report& report, const Page& page, std::ostream& out);      // render_text.cc
void render_markdown(const Report& report, const Page& page, std::ostream& out);  // render_rows.cc
void render_csv(const Report& report, const Page& page, std::ostream& out);
void render_tsv(const Report& report, const Page& page, std::ostream& out);
void render_json(const Report& report, const Page& page, std::ostream& out);  // render_json.cc
void render_ndjson(const Report& report, const Page& page, std::ostream& out);
void render_svg(const Report& report, const Page& page, std::ostream& out);  // render_svg.cc
void render_dot(const Report& report, const Page& page, std::ostream& out);

/// Lines of `text` broken at blanks to `width`; a continued line starts with `indent` blanks.
std::vector<std::string> wrapped(std::string_view text, size_t width, size_t indent = 0);

}  // namespace cli
