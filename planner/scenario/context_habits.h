// How the training software brings a rank's part of a sequence together with the rest of it (context parallelism).
#pragma once

#include "dsl/fields.h"

namespace planner {

/// Traffic of joining the steps of a ring, in bytes per element of a step's output.
struct RingHabits {
  double context_bytes = 6;   // its context, into the sum of those before
  double gradient_bytes = 6;  // gradients of queries, keys and values
};

/// How context parallelism brings a rank's queries together with all keys. all-to-all-ring: parallelism.cp_inner ranks
/// next to one another exchange heads, and ranks of the same heads form a ring.
enum class Context { ring, all_to_all, all_to_all_ring };
inline constexpr auto& kContextNames = dsl::kEnumWords<Context>;

struct ContextHabits {
  Context context = Context::ring;
  bool balanced_context = true;  // ring: a rank holds an early and a late piece; false: one, and all wait for the last
  RingHabits ring;
};

template <class V> void fields(V& v, RingHabits& r) {
  v("context_bytes", r.context_bytes,
    {.least = 0, .doc = "bytes moved per element where a step's context joins those before"});
  v("gradient_bytes", r.gradient_bytes, {.least = 0, .doc = "the same of gradients of queries, keys and values"});
}

template <class V> void fields(V& v, ContextHabits& s) {
  v("context", s.context, {.doc = "how context parallelism meets queries and keys"});
  v("balanced_context", s.balanced_context,
    {.doc = "ranks of a ring hold an early and a late piece of the sequence each"});
  v.section("ring", s.ring);
}

}  // namespace planner
