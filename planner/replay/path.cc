#include "planner/replay/path.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "planner/trace/kineto_table.h"
#include "planner/trace/operators.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

constexpr std::array<const char*, 6> kNames{"host", "launch", "kernel", "gap", "transfer", "sync"};

/// What nodes and edges stand for.
class Legend {
 public:
  Legend(const trace::Trace& trace, const trace::Matched& matched, const Replayed& replayed)
      : trace_(trace), matched_(matched), replayed_(replayed), nodes_(replayed.graph.nodes.size()) {
    for (const RankTrace& rank : trace) operators_.emplace_back(rank);
    for (size_t r = 0; r < trace.size(); ++r)
      for (size_t i = 0; i < trace[r].events.size(); ++i)
        for (const uint32_t node : {replayed.events[r][i].first, replayed.events[r][i].last})
          if (node != Run::kNone) nodes_[node] = {r, i, true};
    for (const HostTime& time : replayed.host)
      if (time.edge != Run::kNone) times_.emplace(time.edge, &time);
    for (const Transfer& transfer : replayed.transfers) transfers_.emplace(transfer.edge, transfer.collective);
  }

  PathPiece of_node(uint32_t node, size_t rank) const {
    const Place& at = nodes_[node];
    if (!at.known) return {.rank = rank, .piece = Piece::host, .name = "host"};
    const RankTrace& trace = trace_[at.rank];
    const Event& event = trace.events[at.event];
    if (trace::is_on_device(event.kind))
      return {.rank = at.rank, .piece = Piece::kernel, .name = trace::without_parameters(trace.name(event))};
    return {.rank = at.rank,
            .piece = Piece::host,
            .name = operator_at(at.rank, event.lane, event.start_ns, trace.name(event))};
  }

  PathPiece of_edge(uint32_t number, size_t rank) const {
    const Edge& edge = replayed_.graph.edges[number];
    if (const auto transfer = transfers_.find(number); transfer != transfers_.end())
      return {.rank = rank_of(edge.to, rank),
              .piece = Piece::transfer,
              .name = matched_.collectives[transfer->second].name};
    if (const auto time = times_.find(number); time != times_.end()) {
      const HostTime& host = *time->second;
      const int64_t middle = host.begin_ns + (host.end_ns - host.begin_ns) / 2;
      return {.rank = host.rank,
              .piece = Piece::host,
              .name = operator_at(host.rank, host.lane, middle, "between operators")};
    }
    PathPiece piece = of_node(edge.to, rank);
    piece.piece = edge.cause == Cause::launch    ? Piece::launch
                  : edge.cause == Cause::sync    ? Piece::sync
                  : piece.piece == Piece::kernel ? Piece::gap
                                                 : Piece::host;
    return piece;
  }

  size_t rank_of(uint32_t node, size_t otherwise) const { return nodes_[node].known ? nodes_[node].rank : otherwise; }

 private:
  struct Place {
    size_t rank = 0, event = 0;
    bool known = false;
  };

  std::string_view operator_at(size_t rank, uint32_t lane, int64_t at, std::string_view otherwise) const {
    const Event* op = operators_[rank].at(lane, at);
    return op ? std::string_view(trace_[rank].name(*op)) : otherwise;
  }

  const trace::Trace& trace_;
  const trace::Matched& matched_;
  const Replayed& replayed_;
  std::vector<Place> nodes_;
  std::vector<trace::Operators> operators_;  // by rank
  std::unordered_map<uint32_t, const HostTime*> times_;
  std::unordered_map<uint32_t, size_t> transfers_;
};

void append(PathPiece piece, int64_t ns, int64_t& at, std::vector<PathPiece>& pieces) {
  if (ns == 0) return;
  piece.begin_ns = at;
  at += ns;
  if (!pieces.empty()) {
    PathPiece& last = pieces.back();
    if (std::tie(last.rank, last.piece, last.name) == std::tie(piece.rank, piece.piece, piece.name))
      return void(last.seconds_ns += ns);
  }
  piece.seconds_ns = ns;
  pieces.push_back(piece);
}

}  // namespace

const char* name_of(Piece piece) { return kNames[static_cast<size_t>(piece)]; }

std::vector<PathPiece> path_to(uint32_t node, const trace::Trace& trace, const trace::Matched& matched,
                               const Replayed& replayed, std::span<const Run> runs) {
  const Legend legend(trace, matched, replayed);
  const std::vector<uint32_t> edges = critical_path(replayed.graph, runs, node);
  const uint32_t root = edges.empty() ? node : replayed.graph.edges[edges.front()].from;
  std::vector<PathPiece> pieces;
  int64_t at = runs[root].begin_ns;
  size_t rank = legend.rank_of(root, 0);
  for (const uint32_t e : edges) {
    const Edge& edge = replayed.graph.edges[e];
    rank = legend.rank_of(edge.from, rank);
    if (!edge.from_begin)
      append(legend.of_node(edge.from, rank), replayed.graph.nodes[edge.from].duration_ns, at, pieces);
    append(legend.of_edge(e, rank), edge.lag_ns, at, pieces);
  }
  append(legend.of_node(node, rank), replayed.graph.nodes[node].duration_ns, at, pieces);
  return pieces;
}

std::vector<PathPiece> summed(const std::vector<PathPiece>& pieces) {
  std::map<std::tuple<size_t, Piece, std::string_view>, PathPiece> sums;
  for (const PathPiece& piece : pieces) {
    const auto [at, is_new] = sums.try_emplace({piece.rank, piece.piece, piece.name}, piece);
    if (!is_new) at->second.seconds_ns += piece.seconds_ns;
  }
  std::vector<PathPiece> out;
  for (const auto& [key, piece] : sums) out.push_back(piece);
  std::ranges::stable_sort(out, std::greater(), &PathPiece::seconds_ns);
  return out;
}

}  // namespace planner::replay
