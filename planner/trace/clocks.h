// Clocks of hosts, put in step by what ranks do together.
//
// A collective ends on all of its ranks at once, but for a few microseconds. With o(h, t) what the clock of host h is
// to be put forward by when it shows t, e(r, k) the end of collective k as the clock of rank r shows it and m(k) the
// mean of the aligned ends of k,
//
//     minimise over o:  sum over k, r in k of (e(r, k) + o(host of r, e(r, k)) - m(k))^2             (after dPRO,
//     section 4.2)
//
// where o is an offset, o(h, t) = a(h), or drifts as well, o(h, t) = a(h) + c(h) x with x from 0 to 1 over the trace.
// Drift is taken where it tells what it has not seen: found from every other collective, it brings the ends of the
// others closer together than offsets alone do. That is a system of linear equations; the host of the first rank of
// those that collectives connect keeps its clock. dPRO takes the durations of RECV instead of the ends of collectives,
// which traces of NCCL do not have.
//
// PULLs from parameter servers end one after the other, so that how far apart says nothing: clocks are out of step
// where one ends before the last PUSH of its round. There dPRO's objective is taken (Hu et al.,
// section 4.2):
//
// A PULL is a RECV that is there no sooner than the last PUSH of its round: it lasts from the later of its own begin
// and the end of that PUSH to its own end. PULLs of one key on one worker are a family, whose durations should be
// alike. With o(h) what the clock of host h is to be put forward by,
//
//     minimise over o:  sum over families of the variance of max(begin of the PULL, ends of PUSHs) to its end
//
// where no PULL ends before a PUSH of its round has begun. dPRO's second objective, that hosts of one machine have one
// clock, is given: they are one host. Where nothing tells a clock, as where the same worker is always last, it stays
// where the ends of PULLs put it.
#pragma once

#include <string>
#include <vector>

#include "planner/trace/collectives.h"

namespace planner::trace {

struct Clocks {
  std::vector<int64_t> offsets_ns;      // by rank of the trace: what its clock must be put forward by
  std::vector<int64_t> drifts_ns;       // and by how much more at `end_ns` than at `begin_ns`
  int64_t begin_ns = 0, end_ns = 0;     // the first and the last end of a collective, as they stand
  int64_t before_ns = 0, after_ns = 0;  // largest distance of an end from the mean of its collective, of a PULL's end
                                        // before the last PUSH
  std::vector<std::string> notes;       // ranks that no collective connects with the first one

  /// Returns what the clock of a rank is to show when it shows `at_ns`.
  int64_t moved(size_t rank, int64_t at_ns) const;
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
