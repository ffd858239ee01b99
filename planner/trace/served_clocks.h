// Clocks of workers by what parameter servers answered: dPRO's objective (Hu et al., section 4.2).
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

#include <vector>

#include "planner/trace/collectives.h"

namespace planner::trace {

/// Returns by host what its clock is to be put forward by, in nanoseconds, from `offsets` on. REQUIRES: all collectives
/// are PULLs with their PUSHs.
std::vector<double> refine_by_pulls(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts,
                                    const std::vector<bool>& keeps, std::vector<double> offsets);

}  // namespace planner::trace
