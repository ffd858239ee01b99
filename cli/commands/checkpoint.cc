#include "cli/commands/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "cli/commands/interrupt.h"
#include "cli/commands/whole_file.h"
#include "cli/files/partial_input.h"
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

/// A device or a pipe has no neighbouring files.
bool is_file_or_new(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::exists(status) || fs::is_regular_file(status);
}

std::string shard_of(const planner::SearchOptions& options) {
  return options.shards == 1 ? "no --shard" : fmt::format("--shard {}/{}", options.shard + 1, options.shards);
}

/// Whether what it says of the space can be of this one.
bool fits(const Partial& before, const planner::OpenScenario& open) {
  const dsl::Space& space = open.space;
  return before.head.choices == planner::choice_names(space) &&
         before.result.valueless.size() <= space.items().size() &&
         before.result.unmet.size() <= space.conditions().size() + space.result_conditions().size();
}

/// Quantities, which JSON holds as texts, as the values of the space that print the same.
void restore(std::vector<dsl::Value>& choices, const planner::OpenScenario& open) {
  size_t choice = 0;
  for (const dsl::OpenItem& item : open.space.items()) {
    if (!item.is_choice) continue;
    dsl::Value& value = choices[choice++];
    const std::string* text = std::get_if<std::string>(&value.v);
    if (!text) continue;
    const auto same = std::ranges::find_if(item.values, [&](const dsl::Value& v) { return dsl::to_text(v) == *text; });
    const dsl::Scanned scanned = dsl::scan_number(*text);
    if (same != item.values.end()) value = *same;
    else if (scanned.length == text->size() && scanned.problem.empty()) value = {scanned.number};
  }
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

// The terminal shows the line about the walk: messages wait until it is gone.
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

void restore_choices(const planner::OpenScenario& open, planner::SearchResult& result) {
  for (std::vector<planner::Found>* rows : {&result.plans, &result.pareto})
    for (planner::Found& found : *rows) restore(found.choices, open);
  if (result.nearest) restore(result.nearest->choices, open);
}

std::optional<Partial> read_interrupted(const std::string& path, bool draws, Partial& search,
                                        const planner::OpenScenario& open, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(path, streams, session, kResultLimits.bytes);
  std::optional<Partial> before = source ? read_partial(*source, session.diagnostics) : std::nullopt;
  if (!before) return std::nullopt;
  if (draws) search.options.pareto = before->options.pareto;
  check_same(*before, search, "this search", session.diagnostics);
  if (!fits(*before, open))
    session.diagnostics.error(before->places.at("choices"), "the space of this search has other choices");
  const std::string theirs = shard_of(before->options), ours = shard_of(search.options);
  if (theirs != ours)
    session.diagnostics.error(before->places.at("shard"), "made with " + theirs + ", and this search with " + ours);
  if (!before->result.unfinished)
    session.diagnostics.error(before->places.at("unfinished"), "this shard is finished: nothing is left to resume");
  else if (!planner::may_be_left(open, *before->result.unfinished, search.options, kMostThreads))
    session.diagnostics.error(before->places.at("unfinished"), "the space of this search has no such parts");
  if (session.diagnostics.has_errors()) return std::nullopt;
  restore_choices(open, before->result);
  return before;
}

}  // namespace cli
