#include "cli/pages/replay_path.h"

#include <algorithm>

namespace cli {

using planner::replay::PathPiece;

Table path_rows(const Measured& m) {
  Table table{.title = "Critical path",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "kind"},
                          {.name = "name"},
                          {.name = "begin_seconds", .unit = Unit::seconds, .rank = 1, .heading = "from"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"}}};
  for (const PathPiece& piece : m.path)
    table.rows.push_back({rank_of(m, piece.rank), name_of(piece.piece), std::string(piece.name),
                          in_seconds(piece.begin_ns - m.path.front().begin_ns), in_seconds(piece.seconds_ns)});
  return table;
}

Table path_shares(const Measured& m) {
  constexpr size_t kMost = 10;
  Table table{.title = "Critical path",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "kind"},
                          {.name = "name"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                          {.name = "share", .unit = Unit::fraction, .heading = "of the path"}}};
  int64_t all = 0;
  for (const PathPiece& piece : m.path) all += piece.seconds_ns;
  std::vector<PathPiece> parts = planner::replay::summed(m.path);
  parts.resize(std::min(parts.size(), kMost));
  for (const PathPiece& part : parts)
    table.rows.push_back({rank_of(m, part.rank), name_of(part.piece), std::string(part.name),
                          in_seconds(part.seconds_ns),
                          static_cast<double>(part.seconds_ns) / static_cast<double>(all)});
  return table;
}

}  // namespace cli
