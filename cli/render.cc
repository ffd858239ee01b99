#include "cli/render.h"

#include <array>
#include <cassert>

namespace cli {
namespace {

constexpr std::array<Format, 8> kFormats{{
    {"table", "aligned text for people; scaled units", render_text},
    {"json", "one document; SI base units", render_json},
    {"ndjson", "one JSON object a line, each with its format", render_ndjson},
    {"csv", "comma-separated rows (RFC 4180), nested names with dots", render_csv},
    {"tsv", "tab-separated rows", render_tsv},
    {"md", "Markdown tables", render_markdown},
    {"svg", "a picture, of the commands that have one", render_svg},
    {"dot", "the graph of ops --graph, for Graphviz", render_dot},
}};

}  // namespace

std::span<const Format> formats() { return kFormats; }

void render(const Report& report, std::string_view format, const Page& page, std::ostream& out) {
  for (const Format& row : kFormats)
    if (row.name == format) return row.function(report, page, out);
  assert(false && "a format without a row in the table");
}

}  // namespace cli
