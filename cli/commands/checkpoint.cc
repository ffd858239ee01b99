#include "cli/commands/checkpoint.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "cli/commands/interrupt.h"
#include "cli/commands/whole_file.h"
#include "cli/pages/search_report.h"
#include "cli/render/render.h"
#include "dsl/units.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kUsual{60'000};
constexpr double kLeastSeconds = 0.01, kMostSeconds = 1e6;

/// What --format json would print of the search, had it been interrupted now.
std::string text_of(const Partial& search, const planner::SearchResult& result) {
  Partial partial = search;
  partial.result = result;
  Report report = search_report(partial.head, partial.options, result);
  std::vector<std::string> all_columns;
  mark_interrupted(report, all_columns);
  add_partial(report, partial);
  std::ostringstream out;
  render(report, "json", {}, out);
  return std::move(out).str();
}

/// Nothing stands beside a device or a pipe.
bool is_file_or_new(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::exists(status) || fs::is_regular_file(status);
}

}  // namespace

std::string read_period(const SearchFlags& options, Period& period) {
  const std::string &text = options.checkpoint, &output = options.common.output;
  if (options.resume == "auto" && output.empty()) return "--resume auto: the checkpoint is beside --output FILE";
  if (text == "off") return "";
  if (!output.empty() && is_file_or_new(output)) period = kUsual;
  if (text.empty()) return "";
  if (!period) return "--checkpoint needs --output FILE, a file: it stands beside it as FILE.checkpoint";
  const dsl::Scanned scanned = dsl::scan_number(text);
  const bool time = scanned.length == text.size() && scanned.problem.empty() && scanned.number.dim == dsl::kTime;
  const double seconds = scanned.number.value;
  if (!time || !(seconds >= kLeastSeconds && seconds <= kMostSeconds))
    return fmt::format("--checkpoint: expected a time from 10 ms, such as 60s or 5min, or off, got '{}'", text);
  period = milliseconds(std::llround(seconds * 1e3));
  return "";
}

std::string checkpoint_name(const std::string& output) { return output + ".checkpoint"; }

std::string resumed_file(const SearchFlags& options) {
  if (options.resume != "auto") return options.resume;
  std::error_code error;
  const std::string name = checkpoint_name(options.common.output);
  return fs::exists(name, error) ? name : "";
}

CheckpointFile::CheckpointFile(const SearchFlags& options, Period period, const Partial& search, Streams& streams)
    : options_(options), search_(search), streams_(streams), name_(checkpoint_name(options.common.output)) {
  if (!period) return;
  checkpoints_ = {.every = *period, .write = [this](const planner::SearchResult& found) { write(found); }};
  std::error_code error;
  if (options.resume.empty() && !options.common.quiet && fs::exists(name_, error))
    streams.err << fmt::format("warning: '{}' holds a search that did not end; --resume auto goes on with it\n", name_);
}

// The line about the walk is on the terminal: what is wrong waits until it is gone.
void CheckpointFile::write(const planner::SearchResult& result) {
  wrong_ = write_whole(name_, text_of(search_, result));
  if (!streams_.terminal) tell();
}

void CheckpointFile::tell() {
  if (wrong_.empty() || std::exchange(told_, true)) return;
  streams_.err << fmt::format("trainplan search: {}; the search goes on, and the checkpoint from before stays\n",
                              wrong_);
}

void CheckpointFile::end(const planner::SearchResult& result) {
  if (!checkpoints_) return;
  if (result.stopped) write(result);
  tell();
  if (result.stopped) return;
  streams_.written = [name = name_] {
    std::error_code error;
    fs::remove(name, error);
  };
}

}  // namespace cli
