// Synchronises the clocks of hosts by the joint operations of ranks.
//
// A collective ends on all of its ranks at once, except for a few microseconds. Let o(h, t) be the correction of the
// clock of host h at its reading t, e(r, k) the end of collective k on the clock of rank r, and m(k) the mean of the
// aligned ends of k:
//
//     minimise over o:  sum over k, r in k of (e(r, k) + o(host of r, e(r, k)) - m(k))^2
//                       (after dPRO, section 4.2)
//
// o is an offset, o(h, t) = a(h), or includes drift, o(h, t) = a(h) + c(h) x with x from 0 to 1 over the trace. Drift
// is used if it predicts unseen data: fitted to every other collective, it brings the ends of the remaining ones closer
// together than offsets alone do.
// This is a system of linear equations. Of the hosts that collectives connect, that of the first rank keeps its clock.
// dPRO uses the durations of RECV instead of the ends of collectives; traces of NCCL do not have them.
//
// PULLs from parameter servers end one after the other, so the distance of their ends has no meaning. Clocks are out of
// step if a PULL ends before the last PUSH of its round. Then dPRO's objective is used (Hu et al., section 4.2):
//
// A PULL is a RECV whose data exist no sooner than the last PUSH of its round. It lasts from the later of its own begin
// and the end of that PUSH to its own end. PULLs of one key on one worker are a family; their durations should be
// equal. With o(h) the correction of the clock of host h,
//
//     minimise over o:  sum over families of the variance of max(begin of the PULL, ends of PUSHs) to its end
//
// where no PULL ends before a PUSH of its round has begun. dPRO's second objective, one clock for the hosts of one
// machine, is met by construction: they are one host. If nothing determines a clock (for example, the same worker is
// always last), it stays where the ends of PULLs put it.
#pragma once

#include <string>
#include <vector>

#include "planner/trace/collectives.h"

namespace planner::trace {

struct Clocks {
  std::vector<int64_t> offsets_ns;      // by rank of the trace: the correction of its clock
  std::vector<int64_t> drifts_ns;       // and by how much more at `end_ns` than at `begin_ns`
  int64_t begin_ns = 0, end_ns = 0;     // the first and the last end of a collective, unaligned
  int64_t before_ns = 0, after_ns = 0;  // largest distance of an end from the mean of its collective, of a PULL's end
                                        // before the last PUSH
  std::vector<std::string> notes;       // ranks that no collective connects with the first one

  /// Returns the corrected time of a rank's clock when it shows `at_ns`.
  int64_t moved(size_t rank, int64_t at_ns) const;
};

/// Finds the offsets. `hosts`: by rank of the trace, the number of its host; ranks of one share a clock.
Clocks align_clocks(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts);

/// Clocks whose ends of collectives are at most this far apart are in step: kernels of one end within some
/// microseconds.
inline constexpr int64_t kInStepNs = 20'000;

/// Puts the clocks forward.
void shift(Trace& trace, const Clocks& clocks);

/// Finds the offsets, and corrects clocks that are not in step; otherwise there are none.
Clocks put_in_step(Trace& trace, const std::vector<size_t>& hosts);

}  // namespace planner::trace
