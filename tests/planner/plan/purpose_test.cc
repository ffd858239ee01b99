// What each communication is for, and the fractions of a step against the figures of its plan.
#include <doctest/doctest.h>

#include <set>

#include "planner/plan/comm.h"
#include "tests/planner/workload/lower/mixtures.h"

namespace {

using planner::CommAnalysis;
using planner::CommunicationRow;
using planner::Purpose;
using planner::Scenario;
using sample::Sets;
using sample::operator+;

std::set<std::string> purposes(const Scenario& s) {
  std::set<std::string> found;
  for (const CommunicationRow& row : planner::analyse_comm(s).communication) {
    CHECK_MESSAGE(row.purpose != Purpose::none, row.name);
    found.insert(planner::name(row.purpose));
  }
  return found;
}
using Names = std::set<std::string>;

TEST_CASE("each parallelism communicates in its own name") {
  struct Row {
    Sets sets;
    Names expected;
  };
  const Row rows[] = {
      {{"cluster.gpus=1"}, {}},
      {{"parallelism={}"}, {"dp"}},
      {{"parallelism={tp: 8}"}, {"tp"}},
      {{"parallelism={tp: 2}"}, {"dp", "tp"}},
      {{"parallelism={tp: 4, pp: 2}"}, {"pp", "tp"}},
      {{"parallelism={pp: 4}"}, {"dp", "pp"}},
      {{"parallelism={zero: 1}"}, {"dp"}},
      {{"parallelism={zero: 2}"}, {"dp"}},
      {{"parallelism={zero: 3}"}, {"fsdp"}},
      {{"parallelism={tp: 2, zero: 3}"}, {"fsdp", "tp"}},
      {{"parallelism={tp: 2, recompute: full}"}, {"dp", "tp"}},
      {{"parallelism={tp: 8}", "job.phase=forward"}, {"tp"}},
      {{"job.phase=forward"}, {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sets.front());
    CHECK(purposes(sample::llama(row.sets)) == row.expected);
  }
}

TEST_CASE("sequence parallelism, context, experts, adapters and the host have names of their own") {
  CHECK(purposes(sample::llama({"parallelism={tp: 8, sequence_parallel: true}"})).contains("sp"));
  CHECK(!purposes(sample::llama({"parallelism={tp: 8}"})).contains("sp"));
  for (const char* context : {"ring", "all-to-all"})
    CHECK(purposes(sample::llama({"parallelism={cp: 4}", std::string("software.context=") + context})).contains("cp"));
  CHECK(purposes(mixtures::mixture({"parallelism={ep: 8}"})) == Names{"dp", "ep"});
  CHECK(purposes(mixtures::mixture({"parallelism={ep: 8, zero: 1}"})) == Names{"dp", "ep"});
  CHECK(purposes(sample::llama({"parallelism={tp: 4}", "job.lora.rank=8", "job.lora.targets=all"})) ==
        Names{"dp", "tp"});
  const Sets host{"cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}",
                  "parallelism.offload.activations=0.5"};
  CHECK(purposes(sample::llama(host)) == Names{"dp", "host"});
  CHECK(purposes(sample::llama({"parallelism={servers: 2, zero: 0}"})) == Names{"dp"});
}

const Sets kLayouts[] = {{"parallelism={tp: 2}"},
                         {"parallelism={tp: 2, pp: 2, zero: 1}"},
                         {"parallelism={zero: 3}"},
                         {"parallelism={tp: 4, recompute: full}"},
                         {"parallelism={tp: 4}", "job.phase=forward"}};

TEST_CASE("the fractions are those of the plan's breakdown") {
  for (const Sets& layout : kLayouts) {
    CAPTURE(layout.front());
    const Scenario s = sample::llama(layout);
    const planner::Plan plan = sample::plan(s);
    const planner::Breakdown& b = *plan.breakdown;
    const CommAnalysis a = planner::analyse_comm(s);
    CHECK(a.step_seconds == doctest::Approx(plan.step->seconds));
    const double passes = b.forward + b.backward + b.recompute + b.serialized_comm;
    CHECK(a.fractions.serialized_fraction == doctest::Approx(b.serialized_comm / passes));
    CHECK(a.fractions.exposed_fraction == doctest::Approx(b.exposed_comm / plan.step->seconds));
    CHECK(a.communication.size() == plan.communication.size());
    double overlapped = 0;
    for (const CommunicationRow& row : plan.communication)
      overlapped += row.serialized ? row.hidden_seconds : row.seconds;
    CHECK(a.fractions.overlapped_share_of_step == doctest::Approx(overlapped / plan.step->seconds));
  }
}

TEST_CASE("what may hide has a ratio even where it is the software that does not hide it") {
  const auto ratio = [](const Sets& sets) {
    return planner::comm_fractions(sample::gpt(sets)).overlapped_over_hiding_compute;
  };
  for (const char* zero : {"parallelism.zero=0", "parallelism.zero=1"}) {
    CAPTURE(zero);
    const auto hidden = ratio({zero, "software.overlap.gradients=true", "software.overlap.parameters=true"});
    const auto blocks = ratio({zero, "software.overlap.gradients=false", "software.overlap.parameters=false"});
    REQUIRE((hidden && blocks));
    CHECK(*blocks == doctest::Approx(*hidden));
  }
  CHECK(ratio({"parallelism.zero=3", "software.overlap.gradients=true", "software.overlap.parameters=true"}));
  CHECK(!ratio({"parallelism.tp=8", "software.overlap.tensor_backward=false"}));
  CHECK(!ratio({"parallelism.pp=8"}));  // sends hide under other microbatches, not under GEMMs
}

TEST_CASE("full recompute runs the forward all-reduces once more") {
  const auto blocking = [](const char* recompute) {
    return planner::analyse_comm(
               sample::gpt({"parallelism={tp: 8}", "software.overlap.tensor_backward=false", recompute}))
        .breakdown.serialized_comm;
  };
  const double more = blocking("parallelism.recompute=full") / blocking("parallelism.recompute=none");
  CHECK(more > 1.4);  // six for four in a layer; those of embedding and head stay
  CHECK(more <= 1.5);
}

TEST_CASE("sends of a pipeline are rows of it, hidden or serialized") {
  const CommAnalysis a = planner::analyse_comm(sample::llama({"parallelism={pp: 8}"}));
  int sends = 0;
  for (const CommunicationRow& row : a.communication) {
    if (row.kind != "send-recv") continue;
    ++sends;
    CHECK(row.purpose == Purpose::pp);
    CHECK(row.serialized);
    CHECK(row.count == 2 * 64);
    CHECK(row.bytes == 2048 * 1024 * 2);
  }
  CHECK(sends == 1);
}

}  // namespace
