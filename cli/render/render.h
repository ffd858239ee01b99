// The formats of a report. Adding one: a function in a file of its own, its name and a row here.
#pragma once

#include <array>
#include <ostream>
#include <string_view>

#include "cli/report/report.h"

namespace cli {

/// A file that a command read, or another text that belongs to its result.
struct PageText {
  std::string title, text;
};

/// The page that a report is printed on.
struct Page {
  int width = 80;                    // columns that text may use
  bool crlf = false;                 // lines of csv end in CR and LF
  bool color = false;                // text may have escape sequences of a terminal
  std::string command = {};          // the command line, as a shell reads it
  std::vector<PageText> texts = {};  // the inputs
};

/// One of each format. That of svg REQUIRES a picture of the report, that of dot a graph.
using Renderer = void(const Report& report, const Page& page, std::ostream& out);
Renderer render_text, render_json, render_ndjson, render_csv, render_tsv, render_markdown, render_html, render_svg,
    render_dot, render_github, render_sarif;

/// `data` alone as a JSON document, without a report around it.
void print_json(const Data& data, std::ostream& out);

/// What a format prints in place of rows; not every command supports it.
enum class Draws { nothing, picture, graph, places };

struct ReportFormat {
  const char* name;
  const char* summary;
  Renderer* function;
  Draws draws = Draws::nothing;
  bool page = false;   // prints the text of a report that has one
  bool whole = false;  // prints all of a report: its picture, and the command's inputs, with the rest
};

/// The first is the default.
inline constexpr std::array kFormats{
    ReportFormat{"table", "aligned text for people; scaled units", render_text, Draws::nothing, true},
    ReportFormat{"json", "one document; SI base units", render_json},
    ReportFormat{"ndjson", "one JSON object a line, each with its format", render_ndjson},
    ReportFormat{"csv", "comma-separated rows, nested names with dots; --crlf: line ends of RFC 4180", render_csv},
    ReportFormat{"tsv", "tab-separated rows", render_tsv},
    ReportFormat{"md", "Markdown tables", render_markdown, Draws::nothing, true},
    ReportFormat{"html", "one page: text, picture, tables that sort and filter, what was read", render_html,
                 Draws::nothing, false, true},
    ReportFormat{"svg", "a picture, of the commands that have one", render_svg, Draws::picture},
    ReportFormat{"dot", "the graph of ops --graph, for Graphviz", render_dot, Draws::graph},
    ReportFormat{"github", "mistakes of check as workflow commands of GitHub", render_github, Draws::places},
    ReportFormat{"sarif", "mistakes of check as SARIF 2.1.0, for code scanning", render_sarif, Draws::places},
};

/// The row of a format; null if there is none of this name.
const ReportFormat* find_format(std::string_view name);

/// REQUIRES: `format` is the name of a row; where it draws, the report has the picture or the graph.
void render(const Report& report, std::string_view format, const Page& page, std::ostream& out);

}  // namespace cli
