#include "planner/schedule/least_makespan.h"

#include <algorithm>

#include "planner/schedule/costs.h"
#include "planner/schedule/program.h"

namespace planner {

namespace {

/// More than what rounding takes from a makespan of up to a million operations in a row, and skipped periods from one.
constexpr double kRounding = 1e-9;

/// One microbatch on its way through the parts of a model, and what a stage is held for.
class MicrobatchWay {
 public:
  MicrobatchWay(const PipelineProfile& profile, const PipelineTraffic& traffic, PartOrder order)
      : profile_(profile), order_(order), send_(traffic.send), overlap_(traffic.sends_overlap) {}

  int64_t stages() const { return profile_.stages(); }
  int64_t parts() const { return profile_.stages() * profile_.chunks(); }
  int64_t part(int64_t chunk, int64_t stage) const { return part_at(order_, chunk, stage, stages()); }

  /// Seconds of the forwards of the parts before this one, and of the sends to it.
  double forwards_to(int64_t part) const { return sum(part, &ChunkTime::forward) + send_ * crossings(part); }
  /// Seconds of the backwards of the parts before this one, and of the sends between them.
  double backwards_from(int64_t part) const {
    return sum(part, &ChunkTime::backward) + send_ * crossings(std::max<int64_t>(0, part - 1));
  }
  /// Seconds from the start of a part's forward to the start of the backward of another part, on the same stage.
  double there_and_back(int64_t from, int64_t to) const {
    return forwards_to(parts()) - forwards_to(from) + backwards_from(parts()) - backwards_from(to + 1);
  }
  /// Seconds between the end of a part's forward and the start of the other part's backward.
  double turn(int64_t from, int64_t to) const {
    const double travel = overlap_ ? send_ * (crossings(from + 1) - crossings(from)) : 0;
    return forwards_to(parts()) - forwards_to(from + 1) + backwards_from(parts()) - backwards_from(to + 1) + travel;
  }
  /// Seconds from the end of a stage's last backward of chunk 0 until that of stage 0 is over.
  double home(int64_t stage) const {
    const double travel = overlap_ ? send_ * (crossings(stage) - crossings(std::max<int64_t>(0, stage - 1))) : 0;
    return backwards_from(stage) + travel;
  }

  /// Seconds for which the forward, backward or weight gradient of a part holds its stage.
  double held(int64_t part, Work work) const {
    double seconds = seconds_of(profile_.at(part), work);
    if (overlap_) return seconds;
    if (work == Work::forward) seconds += send_ * (crossings(part + 1) - crossings(part));
    if (work == Work::backward && part > 0) seconds += send_ * (crossings(part) - crossings(part - 1));
    return seconds;
  }
  /// The same of a stage: all of its chunks.
  double held_by(int64_t stage) const {
    double seconds = 0;
    for (int64_t chunk = 0; chunk < profile_.chunks(); ++chunk) {
      const int64_t q = part(chunk, stage);
      seconds += held(q, Work::forward) + held(q, Work::backward) + held(q, Work::weight_gradient);
    }
    return seconds;
  }

  /// Calls visit(stage) for the ends of all stretches of stages that hold the same: between them the paths lengthen or
  /// shorten evenly. A stage behind the first 64 may be visited again.
  template <class Visit> void each_end(Visit visit) const {
    uint64_t visited = 0;
    const auto once = [&](int64_t stage) {
      const uint64_t bit = stage < 64 ? uint64_t{1} << stage : 0;
      if (visited & bit) return;
      visited |= bit;
      visit(stage);
    };
    once(0);
    once(stages() - 1);
    int64_t first = 0;
    for (const PartRun& run : profile_.runs()) {
      once(stage_of(order_, first, stages()));
      first += run.count;
      once(stage_of(order_, first - 1, stages()));
    }
  }

 private:
  double sum(int64_t parts, double ChunkTime::*seconds) const {
    double all = 0;
    for (const PartRun& run : profile_.runs()) {
      if (parts <= 0) break;
      all += static_cast<double>(std::min(parts, run.count)) * (run.time.*seconds);
      parts -= run.count;
    }
    return all;
  }
  // How many of the first boundaries between parts lie between stages.
  double crossings(int64_t boundaries) const {
    const int64_t most = std::min(boundaries, parts() - 1);
    return static_cast<double>(order_ == PartOrder::vee ? most - most / stages() : most);
  }

  const PipelineProfile& profile_;
  PartOrder order_;
  double send_;
  bool overlap_;
};

/// 1F1B, and interleaved: groups of microbatches, chunk by chunk. The same list read from its end says which backwards
/// are the last.
class InTurn {
 public:
  /// `ahead`: forwards more before the first backward for each stage behind.
  InTurn(const MicrobatchWay& way, int64_t chunks, int64_t group, int64_t ahead, int64_t microbatches)
      : way_(way), chunks_(chunks), group_(group), ahead_(ahead) {
    microbatches_ = (microbatches + group_ - 1) / group_ * group_;  // a group that is not full is padded
  }

  /// The stage waits for its first microbatch, and is at work until its last backward but where it waits for the first
  /// backward, and, all forwards done, for the last; then the stages before it end.
  double seconds(int64_t stage) const {
    const int64_t ahead = ahead_ * (way_.stages() - 1 - stage) + (chunks_ - 1) * way_.stages() + 1;
    const int64_t all = microbatches_ * chunks_, last = way_.part(chunks_ - 1, stage);
    const double first = way_.there_and_back(stage, last) - list(stage, std::min(ahead, all), Work::forward);
    const double end =
        way_.turn(last, stage) + way_.held(stage, Work::backward) - list(stage, std::min(ahead, all), Work::backward);
    const double waits = ahead < all ? std::max(0.0, first) + std::max(0.0, end) : std::max(0.0, std::max(first, end));
    return way_.forwards_to(stage) + static_cast<double>(microbatches_) * way_.held_by(stage) + waits +
           way_.home(stage);
  }

 private:
  // The first forwards of a stage, or its last backwards.
  double list(int64_t stage, int64_t count, Work work) const {
    double seconds = 0;
    const int64_t whole = count / (group_ * chunks_) * group_, rest = count % (group_ * chunks_);
    for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
      const int64_t more = std::clamp<int64_t>(rest - chunk * group_, 0, group_);
      seconds += static_cast<double>(whole + more) * way_.held(way_.part(chunk, stage), work);
    }
    return seconds;
  }

  const MicrobatchWay& way_;
  int64_t chunks_, group_, ahead_, microbatches_ = 0;
};

/// A schedule that is given as a program.
class ByProgram {
 public:
  ByProgram(const MicrobatchWay& way, const StagePrograms& programs, int64_t chunks, int64_t microbatches)
      : way_(way), programs_(programs), chunks_(chunks), microbatches_(static_cast<double>(microbatches)) {
    // A step too short for a lap has other operations at its ends.
    laps_ = microbatches > programs.of_stage.front().outside;
  }

  /// The stage waits for its first microbatch and for its first backward, else it is at work: to its end, or until its
  /// last backward, after which stage 0 has its own and the weight gradients that follow.
  double seconds(int64_t stage) const {
    const double at_work = way_.forwards_to(stage) + waits(stage) + microbatches_ * way_.held_by(stage);
    if (stage == 0) return at_work;
    return std::max(at_work, at_work - behind(stage) + way_.home(stage) + behind(0));
  }

 private:
  const ProgramEnds& ends(int64_t stage) const { return programs_.ends[static_cast<size_t>(stage)]; }
  double waits(int64_t stage) const {
    if (!laps_) return 0;
    double before = 0;
    for (int64_t chunk = 0; chunk < chunks_; ++chunk)
      before += static_cast<double>(ends(stage).forwards[static_cast<size_t>(chunk)]) *
                way_.held(way_.part(chunk, stage), Work::forward);
    return std::max(0.0, way_.there_and_back(stage, way_.part(ends(stage).first_backward, stage)) - before);
  }
  // Weight gradients behind the last backward; without laps all those that may be, of stage 0 the one that must.
  double behind(int64_t stage) const {
    const auto each = [&](int64_t chunk) { return way_.held(way_.part(chunk, stage), Work::weight_gradient); };
    if (!laps_ && stage == 0) return each(0);
    double seconds = 0;
    for (int64_t chunk = 0; chunk < chunks_; ++chunk)
      seconds +=
          each(chunk) * (laps_ ? static_cast<double>(ends(stage).weights[static_cast<size_t>(chunk)]) : microbatches_);
    return seconds;
  }

  const MicrobatchWay& way_;
  const StagePrograms& programs_;
  int64_t chunks_;
  double microbatches_;
  bool laps_ = false;
};

template <class Paths> double longest(const MicrobatchWay& way, const Paths& paths) {
  double seconds = way.forwards_to(way.parts()) + way.backwards_from(way.parts());
  way.each_end([&](int64_t stage) { seconds = std::max(seconds, paths.seconds(stage)); });
  return seconds;
}

}  // namespace

double least_one_f_one_b(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  const MicrobatchWay way(profile, traffic, PartOrder::loop);
  return longest(way, InTurn(way, 1, 1, 1, traffic.microbatches));
}

double least_interleaved(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  const MicrobatchWay way(profile, traffic, PartOrder::loop);
  return longest(way, InTurn(way, profile.chunks(), profile.stages(), 2, traffic.microbatches));
}

double least_in_order(const PipelineProfile& profile, const PipelineTraffic& traffic, ProgramOf program,
                      PartOrder order) {
  const MicrobatchWay way(profile, traffic, order);
  return longest(way, ByProgram(way, programs_of(program, profile.stages()), profile.chunks(), traffic.microbatches));
}

double least_makespan_seconds(const ScheduleRow& row, const PipelineProfile& profile, const PipelineTraffic& traffic) {
  if (profile.stages() > 1) return (1 - kRounding) * row.least(profile, traffic);
  double once = 0;
  for (const PartRun& run : profile.runs())
    once += static_cast<double>(run.count) * (run.time.forward + run.time.backward + run.time.weight_gradient);
  return (1 - kRounding) * static_cast<double>(traffic.microbatches) * once;
}

}  // namespace planner
