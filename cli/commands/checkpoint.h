// What a search with --output keeps beside the file, for --resume after whatever ends the program: `kill -9`, a full
// disk, a machine that goes down.
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

/// Is beside the file of a result: "out.json.checkpoint".
std::string checkpoint_name(const std::string& output);

/// Returns the file that --resume names; of `auto` the checkpoint beside --output where there is one, else "".
std::string resumed_file(const SearchFlags& options);

class CheckpointFile {
 public:
  /// `search`: without a result; outlives it, as the flags and streams do. Reports an existing checkpoint from which
  /// the search does not continue: the next one replaces it.
  CheckpointFile(const SearchFlags& options, Period period, const Partial& search, Streams& streams);

  /// Returns what a search needs to keep itself; null: nothing is kept.
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
/// What the file says that an interrupted search had found. `search`: this search of `open`, without a result; another
/// one in the file, one that was not interrupted, or that has walked more than there is, is diagnosed. `draws`: the
/// axes of the front are those of the file.
std::optional<Partial> read_interrupted(const std::string& path, bool draws, Partial& search,
                                        const planner::OpenScenario& open, Streams& streams, Session& session);

/// Makes quantities of rows that were read back, which JSON holds as texts, values of the space again.
void restore_choices(const planner::OpenScenario& open, planner::SearchResult& result);

}  // namespace cli
