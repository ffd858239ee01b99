// A trace's devices on another machine: how long each kernel, copy and transfer would take there.
//
//     time there = time here * predicted(there) / predicted(here)
//
// For collectives, and for kernels that multiply and have shapes, the operator models predict both. Other work is
// assumed to have a single limit, as in a roofline (Williams et al., CACM 2009): for kernels that multiply the peak of
// their precision, for copies to and from the host its link, for all else the device's memory, at the measured
// efficiency of element-wise kernels. For a kernel without shapes, the time of an empty kernel (`empty_kernel` of a
// calibration) is that of each machine; the ratio applies to the rest.
#pragma once

#include <vector>

#include "planner/replay/kernel_work.h"
#include "planner/replay/replayed.h"
#include "planner/replay/site.h"

namespace planner::replay {

/// The basis of the time there.
enum class Basis : uint8_t {
  shapes,   // the models, of shapes, or bytes and ranks, that the trace has, and by rows that were measured
  assumed,  // models with assumed rows for one of the machines; or the limit of its kind of work
  kept      // nothing: it stays
};
const char* name_of(Basis basis);

/// Of `took_ns` of a device `changing_ns` take `factor` times as long; the rest, a wait or an empty kernel, stays, but
/// for the `added_ns` that an empty kernel takes longer there.
struct Rescaled {
  KernelWork work = KernelWork::vector;
  Basis basis = Basis::kept;
  double factor = 1;
  int64_t took_ns = 0, changing_ns = 0, added_ns = 0;

  double becomes_ns() const {
    return static_cast<double>(took_ns + added_ns) + (factor - 1) * static_cast<double>(changing_ns);
  }
};

struct OtherMachine {
  std::vector<std::vector<Rescaled>> events;  // by rank, by event; undefined for events of the host
  std::vector<double> transfers;              // factors, by collective
};

/// Of one rank alone of several a collective's kernel is its transfer as far as it is predicted, and else a wait.
OtherMachine rescale(const trace::Trace& trace, const trace::Matched& matched, const Site& from, const Site& to);

/// Changes the graph.
void apply(const OtherMachine& other, Replayed& replayed);

/// Device time of a kind of work that rests on one thing.
struct WorkShare {
  KernelWork work = KernelWork::vector;
  Basis basis = Basis::kept;
  int64_t events = 0;
  double took_ns = 0, becomes_ns = 0;
};
/// Returns the shares of all ranks that took any time, by kind of work; waits for other ranks are in none.
std::vector<WorkShare> shares_of(const OtherMachine& other);

}  // namespace planner::replay
