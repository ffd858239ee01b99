// One rank of predicted.h: its operators, their calls and launches, as events and a graph.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "planner/replay/graph.h"
#include "planner/replay/spans.h"
#include "planner/trace/execution.h"
#include "planner/trace/trace.h"

namespace planner::replay {

/// An event and its nodes in the graph: from the begin of one to the end of another.
struct GraphEvent {
  trace::Event event;
  uint32_t first = Run::kNone, last = Run::kNone;
  uint32_t operator_of = trace::kNone;  // of a kernel: the node of the file that launches it
};

/// Knowledge of hosts and devices.
struct HostKnowledge {
  const Statistics& times;
  const Spans& spans;
};

class PredictedRank {
 public:
  /// All of these outlive it.
  PredictedRank(const trace::Execution& execution, size_t number, const HostKnowledge& known, Graph& graph);

  /// Adds all of it. Returns "" or why it cannot.
  std::string build(int64_t begin_ns);

  /// The rank as the run has it; `places`: by event of the trace its place in `events`.
  trace::RankTrace trace_of(const std::vector<Run>& runs, std::vector<uint32_t>& places) const;

  const std::vector<GraphEvent>& events() const { return events_; }
  size_t spans() const { return spans_; }
  size_t unlike() const { return unlike_; }
  /// Number of kernels that a node of the file launches itself.
  size_t launched_by(uint32_t node) const { return launched_[node]; }

 private:
  /// Kernels by stream, the last of each.
  using Kernels = std::map<uint32_t, uint32_t>;
  struct RankThread {
    int64_t number = 0;
    std::vector<uint32_t> tops;  // nodes that are not inside another
  };
  /// Operators of another thread that one waits for.
  struct HandedOver {
    uint64_t first_id = 0;  // of its nodes
    size_t thread = 0;
    std::vector<uint32_t> tops;
  };
  /// Where a thread is.
  struct ThreadCursor {
    uint32_t lane = 0, at = 0;  // lane; node of the graph
    double lag_ns = 0;          // since its end
    uint32_t stream = trace::kNone;
    std::vector<uint32_t> path;  // operators, the outermost first
  };

  void find_threads();
  void mark_step();
  void hand_over();
  uint64_t asker_of(uint32_t top, const std::unordered_map<uint64_t, uint32_t>& places) const;
  void run_tops(ThreadCursor& cursor, const std::vector<uint32_t>& tops, bool closed);
  void run(ThreadCursor& cursor, uint32_t node);
  void run_other(ThreadCursor& cursor, const HandedOver& other);
  void pass(ThreadCursor& cursor, std::string_view before, std::string_view after);
  void launch_bare(ThreadCursor& cursor);
  bool works(uint32_t node) const;
  void call(ThreadCursor& cursor, const SpanCall& call);
  void wait(ThreadCursor& cursor, const std::string& call);
  uint32_t launch(ThreadCursor& cursor, const SpanKernel& kernel, uint32_t from, int64_t correlation);
  void wait_for_tensors(const ThreadCursor& cursor, uint32_t stream, uint32_t to);
  void note_tensors(uint32_t node, const Kernels& before);
  SpanPlace place_of(const ThreadCursor& cursor, std::string_view before, std::string_view after);
  Reach reach_of(const trace::ExecutionNode& node) const;
  uint32_t step_to(ThreadCursor& cursor, int64_t duration_ns);
  uint32_t lane_of(trace::Lane lane);
  void add_operator(uint32_t node, uint32_t lane, uint32_t first, uint32_t last);
  trace::Detail detail_of(const trace::ExecutionNode& node);
  int64_t mean(TimeKind kind, std::string_view of, std::string_view in = {}) const;
  const std::string& name(uint32_t node) const { return execution_.names[execution_.nodes[node].name]; }

  const trace::Execution& execution_;
  const size_t number_;
  const HostKnowledge& known_;
  Graph& graph_;
  trace::RankTrace trace_;  // without events
  std::vector<GraphEvent> events_;
  std::vector<std::vector<uint32_t>> inner_;  // by node: the nodes inside it, by their ids
  std::vector<std::vector<uint32_t>> needs_;  // by node: those whose tensors it takes
  std::vector<Kernels> made_;                 // by node: kernels that made its tensors
  std::unordered_set<uint32_t> collectives_;  // ends of kernels that communicate
  std::map<uint64_t, Kernels> communicated_;  // by storage: collectives that filled it
  std::vector<size_t> launched_;              // by node
  std::vector<std::string> shapes_;           // by node, as spans know them
  std::vector<RankThread> threads_;
  std::unordered_map<uint64_t, std::vector<HandedOver>> handed_;  // by id of the node that waits
  std::vector<ThreadCursor> cursors_;                             // by thread
  Kernels tails_, all_;  // the last kernel of each stream; of the operator that runs
  uint32_t begin_ = 0;
  size_t depth_ = 0;  // of operators of all threads that run
  bool has_steps_ = false, is_too_deep_ = false;
  int64_t correlations_ = 0;
  size_t spans_ = 0, unlike_ = 0;
};

}  // namespace planner::replay
