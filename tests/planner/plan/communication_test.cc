// The transfers of a step: their parts, their sums against the breakdown, their bytes against formulas by hand.
#include "planner/plan/communication.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/planner/sample.h"

namespace {

using planner::CommunicationRow;
using planner::Plan;
using planner::Purpose;
using planner::Scenario;
using sample::Sets;

const std::vector<std::string> kLayouts = {
    "{tp: 1, microbatch: 2}",
    "{tp: 2, microbatch: 2}",
    "{tp: 8, microbatch: 2}",
    "{tp: 4, microbatch: 1, sequence_parallel: true}",
    "{tp: 1, pp: 4, microbatch: 2}",
    "{tp: 2, pp: 2, microbatch: 1, sequence_parallel: true}",
    "{tp: 2, pp: 2, microbatch: 1, schedule: interleaved, interleave: 2}",
    "{tp: 1, microbatch: 2, zero: 1}",
    "{tp: 2, microbatch: 2, zero: 1}",
    "{tp: 1, microbatch: 2, zero: 3}",
};

void check_sums(const Plan& plan) {
  double serialized = 0, exposed = 0;
  for (const CommunicationRow& row : plan.communication) {
    CAPTURE(row.name);
    CHECK(row.hidden_seconds >= 0);
    CHECK(row.exposed_seconds >= 0);
    CHECK(row.count > 0);
    CHECK(row.bytes > 0);
    CHECK(row.ranks > 1);
    CHECK(!row.tiers.empty());
    CHECK(sample::near(row.hidden_seconds + row.exposed_seconds, row.seconds));
    (row.serialized ? serialized : exposed) += row.exposed_seconds;
  }
  CHECK(serialized == doctest::Approx(plan.breakdown->serialized_comm).epsilon(1e-9));
  CHECK(exposed == doctest::Approx(plan.breakdown->exposed_comm).epsilon(1e-9));
}

Plan planned(const std::string& layout, const Sets& more = {}) {
  return sample::plan(sample::gpt(sample::operator+({"parallelism=" + layout}, more)));
}

std::vector<CommunicationRow> of(const Plan& plan, Purpose purpose) {
  std::vector<CommunicationRow> out;
  for (const CommunicationRow& row : plan.communication)
    if (row.purpose == purpose) out.push_back(row);
  return out;
}

double total_bytes(const std::vector<CommunicationRow>& rows, const std::string& kind) {
  double bytes = 0;
  for (const CommunicationRow& row : rows)
    if (row.kind == kind) bytes += row.count * row.bytes;
  return bytes;
}

}  // namespace

TEST_CASE("what is hidden and what is exposed is the whole, and the rows are the breakdown's parts") {
  for (const std::string& layout : kLayouts)
    for (const char* overlap : {"true", "false"}) {
      CAPTURE(layout);
      CAPTURE(std::string(overlap));
      const std::string word = overlap;
      const Plan plan =
          planned(layout, {"software.overlap.tensor_backward=" + word, "software.overlap.pipeline=" + word});
      CHECK(!plan.communication.empty());
      check_sums(plan);
    }
}

TEST_CASE("an all-reduce of tensor parallelism moves the activations of a microbatch") {
  for (const int64_t microbatch : {1, 2, 4}) {
    const Plan plan = planned("{tp: 2, microbatch: " + std::to_string(microbatch) + "}");
    size_t whole = 0;
    for (const CommunicationRow& row : of(plan, Purpose::tp)) {
      CHECK(row.ranks == 2);
      whole += row.kind == "all-reduce" && row.bytes == 2.0 * 1024 * 1024 * static_cast<double>(microbatch);
    }
    CHECK(whole >= 4);  // attention and MLP, forward and backward
  }
}

TEST_CASE("a stage sends the activations of each microbatch, and gets their gradients") {
  std::vector<CommunicationRow> rows = of(planned("{tp: 1, pp: 4, microbatch: 2}"), Purpose::pp);
  std::erase_if(rows, [](const CommunicationRow& row) { return row.name != "pipeline.activation"; });
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == "send-recv");
  CHECK(rows[0].bytes == 2.0 * 2 * 1024 * 1024);
  CHECK(rows[0].count == 2 * 64 / (2 * 2));
  CHECK(rows[0].ranks == 4);
  CHECK(rows[0].serialized);
}

TEST_CASE("sharding optimizer states scatters the gradients that were reduced") {
  const auto plain = of(planned("{tp: 1, microbatch: 2}"), Purpose::dp);
  const auto sharded = of(planned("{tp: 1, microbatch: 2, zero: 1}"), Purpose::dp);
  CHECK(total_bytes(plain, "all-reduce") > 0);
  CHECK(total_bytes(sharded, "reduce-scatter") == total_bytes(plain, "all-reduce"));
  CHECK(total_bytes(plain, "all-gather") == 0);
  CHECK(total_bytes(sharded, "all-gather") > 0);
}

TEST_CASE("one GPU has nothing to send") {
  CHECK(planned("{tp: 1, pp: 1, microbatch: 1}", {"cluster.gpus=1"}).communication.empty());
}
