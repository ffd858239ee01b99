// The checkpoint of a search with --output, for --resume after any end of the program: `kill -9`, a full disk, a
// machine that goes down.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/commands/search_flags.h"
#include "cli/files/partial.h"
#include "planner/search/search.h"

namespace cli {

/// How often a search is kept; nothing: it is not.
using Period = std::optional<std::chrono::milliseconds>;

/// Reads --checkpoint; the default is 60 s if there is only --output. Returns "" or the mistake.
std::string read_period(const SearchFlags& options, Period& period);

/// The name of the checkpoint next to a result file: "out.json.checkpoint".
std::string checkpoint_name(const std::string& output);

/// Returns the file that --resume names; for `auto` the checkpoint next to --output if there is one, else "".
std::string resumed_file(const SearchFlags& options);

class CheckpointFile {
 public:
  /// `search`: without a result; outlives it, as the flags and streams do. Reports an existing checkpoint from which
  /// the search does not continue: the next one replaces it.
  CheckpointFile(const SearchFlags& options, Period period, const Partial& search, Streams& streams);

  /// Returns the options for checkpoints; null: nothing is kept.
  const planner::Checkpoints* how() const { return checkpoints_ ? &*checkpoints_ : nullptr; }
  /// To be called after the search. One that was stopped is kept a last time, where one is kept at all; of one that
  /// ended the checkpoint goes once the result is on the disk.
  void end(const planner::SearchResult& result);

 private:
  void write(const planner::SearchResult& result);
  void tell();

  const SearchFlags& options_;
  const Partial& search_;
  Streams& streams_;
  std::string name_;
  std::optional<planner::Checkpoints> checkpoints_;
  std::string wrong_;  // with the last checkpoint
  bool told_ = false;
};

/// `search --resume FILE`: a search goes on where it was interrupted.
///
/// Reads the results of an interrupted search. `search`: this search of `open`, without a result. Diagnosed: another
/// search in the file, one that was not interrupted, or one that has walked more than exists. `draws`: the axes of the
/// front are those of the file.
std::optional<Partial> read_interrupted(const std::string& path, bool draws, Partial& search,
                                        const planner::OpenScenario& open, Streams& streams, Session& session);

/// Makes quantities of rows that were read back, which JSON holds as texts, values of the space again.
void restore_choices(const planner::OpenScenario& open, planner::SearchResult& result);

}  // namespace cli
