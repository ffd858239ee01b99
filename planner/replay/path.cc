#include "planner/replay/path.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "dsl/enum_words.h"
#include "planner/trace/kernel_names.h"
#include "planner/trace/operators.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

/// The meaning of nodes and edges.
class Legend {
 public:
  Legend(const trace::Trace& trace, const trace::Matched& matched, const Replayed& replayed)
      : trace_(trace), matched_(matched), replayed_(replayed), places_(places_of(replayed)) {
    for (const RankTrace& rank : trace) operators_.emplace_back(rank);
    for (uint32_t i = 0; i < replayed.host.size(); ++i)
      if (replayed.host[i].edge != Run::kNone) times_.emplace_back(replayed.host[i].edge, i);
    std::ranges::sort(times_);
    for (const Transfer& transfer : replayed.transfers) transfers_.emplace(transfer.edge, transfer.collective);
  }

  PathPiece of_node(uint32_t node, uint32_t rank) const {
    const EventPlace& at = places_[node];
    if (!at.is_known()) return {.rank = rank, .piece = Piece::host, .name = "host"};
    const RankTrace& trace = trace_[at.rank];
    const Event& event = trace.events[at.event];
    if (trace::is_on_device(event.kind))
      return {.rank = at.rank,
              .piece = trace::is_with_server(event.kind) ? Piece::transfer : Piece::kernel,
              .name = trace::without_parameters(trace.name(event))};
    return {.rank = at.rank,
            .piece = Piece::host,
            .name = operator_at(at.rank, event.lane, event.start_ns, trace.name(event))};
  }

  PathPiece of_edge(uint32_t number, uint32_t rank) const {
    const ReplayEdge& edge = replayed_.graph.edges[number];
    if (const auto transfer = transfers_.find(number); transfer != transfers_.end())
      return {.rank = rank_of(edge.to, rank),
              .piece = Piece::transfer,
              .name = matched_.collectives[transfer->second].name};
    if (const auto time = std::ranges::lower_bound(times_, std::pair(number, uint32_t{0}));
        time != times_.end() && time->first == number) {
      const HostTime& host = replayed_.host[time->second];
      const int64_t middle = host.begin_ns + (host.end_ns - host.begin_ns) / 2;
      return {.rank = host.rank,
              .piece = Piece::host,
              .name = operator_at(host.rank, host.lane, middle, "between operators")};
    }
    PathPiece piece = of_node(edge.to, rank);
    piece.piece = edge.cause == Cause::launch  ? Piece::launch
                  : edge.cause == Cause::sync  ? Piece::sync
                  : piece.piece == Piece::host ? Piece::host
                                               : Piece::gap;
    return piece;
  }

  uint32_t rank_of(uint32_t node, uint32_t otherwise) const {
    return places_[node].is_known() ? places_[node].rank : otherwise;
  }

 private:
  std::string_view operator_at(size_t rank, uint32_t lane, int64_t at, std::string_view otherwise) const {
    const Event* op = operators_[rank].at(lane, at);
    return op ? std::string_view(trace_[rank].name(*op)) : otherwise;
  }

  const trace::Trace& trace_;
  const trace::Matched& matched_;
  const Replayed& replayed_;
  const std::vector<EventPlace> places_;              // of nodes
  std::vector<trace::Operators> operators_;           // by rank
  std::vector<std::pair<uint32_t, uint32_t>> times_;  // edges, and the times in `Replayed::host` that they are
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

const char* name_of(Piece piece) { return dsl::word_of(piece); }

std::vector<PathPiece> path_to(uint32_t node, const trace::Trace& trace, const trace::Matched& matched,
                               const Replayed& replayed, std::span<const Run> runs) {
  const Legend legend(trace, matched, replayed);
  const std::vector<uint32_t> edges = critical_path(replayed.graph, runs, node);
  const uint32_t root = edges.empty() ? node : replayed.graph.edges[edges.front()].from;
  std::vector<PathPiece> pieces;
  int64_t at = runs[root].begin_ns;
  uint32_t rank = legend.rank_of(root, 0);
  for (const uint32_t e : edges) {
    const ReplayEdge& edge = replayed.graph.edges[e];
    rank = legend.rank_of(edge.from, rank);
    if (!edge.from_begin)
      append(legend.of_node(edge.from, rank), replayed.graph.nodes[edge.from].duration_ns, at, pieces);
    append(legend.of_edge(e, rank), edge.lag_ns, at, pieces);
  }
  append(legend.of_node(node, rank), replayed.graph.nodes[node].duration_ns, at, pieces);
  return pieces;
}

std::vector<PathPiece> summed(const std::vector<PathPiece>& pieces) {
  std::map<std::tuple<uint32_t, Piece, std::string_view>, PathPiece> sums;
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
