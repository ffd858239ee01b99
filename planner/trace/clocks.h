// Clocks of hosts, put in step by what ranks do together.
//
// A collective ends on all of its ranks at once, but for a few microseconds. With o(h) the offset of the clock of host
// h, e(r, k) the end of collective k as the clock of rank r shows it and m(k) the mean of the aligned ends of k,
//
//     minimise over o:  sum over k, r in k of (e(r, k) + o(host of r) - m(k))^2                  (after dPRO,
//     section 4.2)
//
// which is a system of linear equations, one for each host; the host of the first rank of those that collectives
// connect keeps its clock. dPRO takes the durations of RECV instead of the ends of collectives, which traces of NCCL do
// not have.
//
// PULLs from parameter servers end one after the other, so that how far apart says nothing: clocks are out of step
// where one ends before the last PUSH of its round. Then their ends are taken as those of a collective, which is the
// right offset where workers are served alike.
#pragma once

#include <string>
#include <vector>

#include "planner/trace/collectives.h"

namespace planner::trace {

struct Clocks {
  std::vector<int64_t> offsets_ns;      // by rank of the trace: what its clock must be put forward by
  int64_t before_ns = 0, after_ns = 0;  // largest distance of an end from the mean of its collective, of a PULL's end
                                        // before the last PUSH
  std::vector<std::string> notes;       // ranks that no collective connects with the first one
};

/// Finds the offsets. `hosts`: by rank of the trace, the number of its host; ranks of one share a clock.
Clocks align_clocks(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts);

/// Clocks whose ends of collectives are no farther apart are in step: kernels of one end within some microseconds.
inline constexpr int64_t kInStepNs = 20'000;

/// Puts the clocks forward.
void shift(Trace& trace, const Clocks& clocks);

/// Finds the offsets and puts the clocks forward where they are not in step; else there are none.
Clocks put_in_step(Trace& trace, const std::vector<size_t>& hosts);

}  // namespace planner::trace
