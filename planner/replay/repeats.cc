// Kernels of a step that run again: those of parts of a batch, and of blocks that are computed again (pass_edits.h).
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "planner/replay/host_times.h"
#include "planner/replay/pass_edits.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

/// A thread's time that is taken again, and the kernels that it launches.
struct RepeatSpan {
  uint32_t lane = trace::kNone;
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<const PhaseWork*> work;
};

/// The kernels, by thread, each with the time of its thread from the begin of the first operator to the end of the
/// last.
std::vector<RepeatSpan> spans_of(const RankTrace& rank, const std::vector<const PhaseWork*>& work) {
  std::vector<RepeatSpan> spans;
  for (const PhaseWork* each : work) {
    const Event& around = rank.events[each->outermost];
    auto span = std::ranges::find(spans, each->lane, &RepeatSpan::lane);
    if (span == spans.end())
      span = spans.insert(span, {.lane = each->lane, .begin_ns = around.start_ns, .end_ns = around.end_ns()});
    span->begin_ns = std::min(span->begin_ns, around.start_ns);
    span->end_ns = std::max(span->end_ns, around.end_ns());
    span->work.push_back(each);
  }
  return spans;
}

class Repeater {
 public:
  Repeater(const RankTrace& rank, size_t number, Replayed& replayed)
      : rank_(rank), number_(number), replayed_(replayed), graph_(replayed.graph), host_(number, replayed) {
    for (uint32_t i = 0; i < rank.events.size(); ++i)
      if (trace::is_on_device(rank.events[i].kind) && replayed.events[number][i].first != Run::kNone)
        streams_[rank.events[i].lane].emplace_back(trace::launched_ns(rank, i), i);
    for (auto& [lane, launches] : streams_) std::ranges::sort(launches);
  }

  using Offsets = std::vector<std::pair<const PhaseWork*, int64_t>>;
  /// Work to insert before an event, a number of times in sequence, and its host time for one repetition.
  struct RepeatJob {
    size_t step = 0;
    bool of_batch = false;
    const PhaseWork* before = nullptr;
    int times = 1;
    int64_t host_ns = 0;
    Offsets offsets;  // of its kernels' launches, behind its begin
  };
  /// REQUIRES: nothing has been put in.
  RepeatJob job_of(size_t step, const std::vector<RepeatSpan>& spans, const PhaseWork& before, int times,
                   bool of_batch) const {
    RepeatJob job{.step = step, .of_batch = of_batch, .before = &before, .times = times, .offsets = offsets_of(spans)};
    for (const RepeatSpan& span : spans) job.host_ns += host_.own_ns(span.lane, span.begin_ns, span.end_ns);
    return job;
  }

  /// Returns the nodes. The thread goes on behind them.
  RepeatRange put_in(const RepeatJob& job) {
    const PhaseWork& before = *job.before;
    const int64_t at_ns = rank_.events[before.outermost].start_ns;
    const HostTimes::HostPlace place = host_.put_in(before.lane, at_ns, job.host_ns * job.times);
    RepeatRange made{.rank = number_,
                     .step = job.step,
                     .first = static_cast<uint32_t>(graph_.nodes.size()),
                     .of_batch = job.of_batch};
    std::map<uint32_t, uint32_t> last;  // node, by stream
    for (int t = 0; t < job.times; ++t)
      for (const auto& [work, offset] : job.offsets) {
        const uint32_t node = add(*work, before, last);
        const int64_t lag = place.behind_begin_ns + t * job.host_ns + offset + replayed_.typical_launch_ns[number_];
        if (place.node != Run::kNone)
          graph_.add({.from = place.node, .to = node, .lag_ns = lag, .cause = Cause::launch, .from_begin = true});
      }
    for (const auto& [lane, node] : last)
      if (const uint32_t next = neighbour(lane, before, true); next != trace::kNone)
        graph_.add({.from = node, .to = replayed_.events[number_][next].first});
    made.last = static_cast<uint32_t>(graph_.nodes.size()) - 1;
    return made;
  }

 private:
  using Launches = std::vector<std::pair<int64_t, uint32_t>>;

  // Behind the begin of all spans.
  Offsets offsets_of(const std::vector<RepeatSpan>& spans) const {
    Offsets offsets;
    int64_t before = 0;
    for (const RepeatSpan& span : spans) {
      int64_t at = span.begin_ns, own = before;
      for (const PhaseWork* work : span.work) {  // by launch
        own += host_.own_ns(span.lane, at, std::max(at, work->launched_ns));
        at = std::max(at, work->launched_ns);
        offsets.emplace_back(work, own);
      }
      before = own + host_.own_ns(span.lane, at, span.end_ns);
    }
    return offsets;
  }

  // The event of a stream that was launched last before one, or the first that was not.
  uint32_t neighbour(uint32_t lane, const PhaseWork& before, bool behind) const {
    const Launches& launches = streams_.at(lane);
    const auto next = std::ranges::lower_bound(launches, std::pair(before.launched_ns, before.event));
    if (behind) return next == launches.end() ? trace::kNone : next->second;
    return next == launches.begin() ? trace::kNone : std::prev(next)->second;
  }

  uint32_t add(const PhaseWork& work, const PhaseWork& before, std::map<uint32_t, uint32_t>& last) {
    const uint32_t lane = rank_.events[work.event].lane;
    const uint32_t original = replayed_.events[number_][work.event].first;
    const uint32_t node = graph_.add(ReplayNode{.duration_ns = graph_.nodes[original].duration_ns});
    const auto [at, is_first] = last.try_emplace(lane, node);
    if (!is_first) graph_.add({.from = std::exchange(at->second, node), .to = node});
    else if (const uint32_t previous = neighbour(lane, before, false); previous != trace::kNone)
      graph_.add({.from = replayed_.events[number_][previous].last, .to = node});
    return node;
  }

  const RankTrace& rank_;
  const size_t number_;
  Replayed& replayed_;
  Graph& graph_;
  HostTimes host_;
  std::map<uint32_t, Launches> streams_;
};

class RoundRepeats {
 public:
  RoundRepeats(const RankTrace& rank, const std::vector<EventNodes>& nodes, const StepWork& step, size_t round,
               const PassEdits& edits)
      : rank_(rank), units_(step.rounds[round]), blocks_(blocks_of(units_, edits.blocks)) {
    blocks_.resize(std::min(blocks_.size(), edits.recomputed));
    for (const PhaseWork& work : step.work) {
      const bool computes = rank.events[work.event].role != trace::Role::communication &&
                            nodes[work.event].first != Run::kNone && work.outermost != trace::kNone;
      if (!computes || work.round != round) continue;
      if (work.phase == WorkPhase::forward) forward_.push_back(&work);
      if (work.phase == WorkPhase::backward) backward_.push_back(&work);
    }
  }

  /// The forward and the backward pass, and their recomputation.
  std::vector<RepeatSpan> part() const {
    std::vector<RepeatSpan> spans = spans_of(rank_, forward_);
    const auto add = [&](std::vector<RepeatSpan> more) { std::ranges::move(more, std::back_inserter(spans)); };
    for (const ForwardBlock& block : blocks_) add(block_spans(block));
    add(spans_of(rank_, backward_));
    return spans;
  }
  const PhaseWork* first_forward() const { return forward_.empty() || units_.empty() ? nullptr : forward_.front(); }

  /// Each block, and what it is put in before; by time.
  struct Again {
    std::vector<RepeatSpan> spans;
    const PhaseWork* before = nullptr;
  };
  std::vector<Again> again() const {
    std::vector<Again> all;
    for (const ForwardBlock& block : blocks_)
      if (const PhaseWork* before = first_backward(block)) all.push_back({block_spans(block), before});
    std::ranges::stable_sort(all, {}, [&](const Again& each) { return rank_.events[each.before->outermost].start_ns; });
    return all;
  }

 private:
  std::vector<RepeatSpan> block_spans(const ForwardBlock& block) const {
    std::set<uint32_t> units;
    for (size_t i = block.first; i <= block.last; ++i) units.insert(units_[i].event);
    std::vector<const PhaseWork*> all;
    for (const PhaseWork* work : forward_)
      if (units.contains(work->outermost)) all.push_back(work);
    return spans_of(rank_, all);
  }
  const PhaseWork* first_backward(const ForwardBlock& block) const {
    const int64_t first = units_[block.first].sequence, end = units_[block.last].end_sequence;
    const auto found = std::ranges::find_if(
        backward_, [&](const PhaseWork* work) { return work->sequence >= first && work->sequence < end; });
    return found == backward_.end() ? nullptr : *found;
  }

  const RankTrace& rank_;
  const Round& units_;
  std::vector<ForwardBlock> blocks_;
  std::vector<const PhaseWork*> forward_, backward_;  // by launch
};

}  // namespace

std::vector<RepeatRange> repeat(const PassEdits& edits, const RankTrace& rank, size_t number, const RankWork& work,
                                Replayed& replayed) {
  Repeater repeater(rank, number, replayed);
  std::vector<Repeater::RepeatJob> jobs;
  const auto add = [&](size_t step, const std::vector<RepeatSpan>& spans, const PhaseWork& before, int times,
                       bool batch) {
    if (!spans.empty()) jobs.push_back(repeater.job_of(step, spans, before, times, batch));
  };
  for (size_t s = 0; s < work.steps.size(); ++s)
    for (size_t round = 0; round < work.steps[s].rounds.size(); ++round) {
      const RoundRepeats repeats(rank, replayed.events[number], work.steps[s], round, edits);
      if (const PhaseWork* first = repeats.first_forward(); first && edits.parts > 1)
        add(s, repeats.part(), *first, edits.parts - 1, true);
      for (const RoundRepeats::Again& each : repeats.again()) add(s, each.spans, *each.before, 1, false);
    }
  std::vector<RepeatRange> all;
  for (const Repeater::RepeatJob& job : jobs) all.push_back(repeater.put_in(job));
  return all;
}

}  // namespace planner::replay
