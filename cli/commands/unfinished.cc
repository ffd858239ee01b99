#include "cli/commands/unfinished.h"

namespace cli {
namespace {

constexpr const char* kColumn = "interrupted";
constexpr const char* kLine = "interrupted: this is what was found so far";

svg::Picture marked(svg::Picture picture) {
  std::visit([](auto& chart) { chart.subtitle = "Interrupted: this is what was found so far. " + chart.subtitle; },
             picture);
  return picture;
}

}  // namespace

void mark_interrupted(Report& report, std::vector<std::string>& columns) {
  report.document.push_back({kColumn, true});
  report.table.columns.push_back({.name = kColumn});
  for (std::vector<Data>& row : report.table.rows) row.emplace_back(true);
  if (!report.text.empty()) report.text.insert(report.text.begin(), std::string(kLine));
  else report.table.title = kLine;
  if (!columns.empty()) columns.emplace_back(kColumn);
  if (report.picture) report.picture = [whole = std::move(report.picture)] { return marked(whole()); };
}

int tell_interrupted(const CommonFlags& common, Streams& streams, const char* command) {
  if (!common.quiet) streams.err << "trainplan " << command << ": " << kLine << "\n";
  return kInterrupted;
}

}  // namespace cli
