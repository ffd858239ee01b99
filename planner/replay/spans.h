// Host time within operators. It is learned from measured traces and applied to execution traces, which give the
// operators that ran but neither their times nor their calls.
//
// A span is a piece of a thread's time between two boundaries of operators: the begin of one, the begin or the end of a
// nested operator, its own end. Its host time and its calls are T1 to T5 of Lin et al. (section IV-C): between
// operators, from an operator's begin to its first launch, after its last launch, a launch, between two launches.
// A span is looked up by its operator, the operators around that, the shapes of its inputs and its boundaries. If no
// span matches all of these, fewer of them are used.
//
// As a moment of a statistics file (statistics.h) a span is of kind `span`. `begin`: the operator, those around it and
// its shapes ("aten::copy_ < aten::to @ [3][3]"). `end`: the calls and what they launch in which stream
// ("cudaLaunchKernel ~> 7 kernel NAME ; cudaStreamSynchronize waits"). `before` and `after`: its boundaries: "" the
// operator's own begin or end, "=>" another thread that it waits for.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/replay/statistics.h"
#include "planner/trace/steps.h"
#include "planner/trace/trace.h"

namespace planner::replay {

/// Denotes another thread that an operator waits for.
inline constexpr std::string_view kOtherThread = "=>";

/// The launches of a call.
struct SpanKernel {
  int64_t stream = 0;
  trace::EventKind kind = trace::EventKind::kernel;
  trace::Role role = trace::Role::compute;
  std::string name;
};
struct SpanCall {
  std::string name;
  bool waits = false;  // for the stream that was used last, or for all: by its name (calls.h)
  std::vector<SpanKernel> launched;
};

/// Which memories an operator's tensors are in.
enum class Reach : uint8_t { unknown, host, device, both };

struct HostSpan {
  std::vector<SpanCall> calls;
  double host_ns = 0;  // without its calls
};

/// Where a span lies.
struct SpanPlace {
  std::vector<std::string_view> path;  // operators, the innermost first; empty: outside all operators
  std::string_view shapes;             // of the innermost one's inputs
  std::string_view before, after;
  Reach reach = Reach::unknown;
};

/// Returns the text of calls, and the calls of a text.
std::string text_of(const std::vector<SpanCall>& calls);
std::vector<SpanCall> calls_of(std::string_view text);

/// Adds the spans of all ranks, those of marked steps where steps are marked.
void learn_spans(const trace::Trace& trace, const trace::RankSteps& steps, Statistics& statistics);

class Spans {
 public:
  explicit Spans(const Statistics& statistics);

  bool empty() const { return levels_.front().empty(); }
  /// Returns the span that is most like a place, of several the one that was seen most often. `level`: how little of
  /// the place it is known by, from 0; kLevels: nothing like it was seen, and it takes no time.
  const HostSpan& find(const SpanPlace& place, size_t& level) const;
  static constexpr size_t kLevels = 5;

 private:
  struct SpanCount {
    HostSpan span;
    int64_t count = 0;
    bool launches = false, crosses = false;  // anything; a copy between host and device
  };
  using Level = std::map<std::string, std::map<std::string, SpanCount>, std::less<>>;
  static const SpanCount* most_of(const std::map<std::string, SpanCount>& all, Reach reach);

  std::array<Level, kLevels> levels_;
  HostSpan nothing_;
};

}  // namespace planner::replay
