// Collectives as operators, and their seconds against those of the models.
#include "planner/replay/priced_collectives.h"

#include <doctest/doctest.h>

#include "tests/planner/replay/machines.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::replay;
using operator_models::Collective;
using operator_models::SendRecv;
using planner::trace::CollectiveKind;
using planner::trace::Trace;

namespace {

/// One rank of a run of `ranks` ranks.
Trace run_of(int64_t ranks) {
  Trace trace(1);
  trace[0].rank = 0;
  trace[0].world_size = ranks;
  return trace;
}

planner::trace::Collective said(CollectiveKind kind, int64_t in, int64_t out = -1, int64_t size = -1,
                                const char* members = "") {
  planner::trace::Collective c;
  c.kind = kind;
  c.bytes = in;
  c.bytes_out = out;
  c.group_size = size;
  c.members = members;
  c.parts.push_back({.rank = 0, .event = 0});
  return c;
}

Collective typed(const planner::trace::Collective& c, int64_t world, const Site& site) {
  const TypedCollective t = operator_of(c, run_of(world), site);
  REQUIRE_MESSAGE(t.op, t.missing);
  return std::get<Collective>(*t.op);
}

}  // namespace

TEST_CASE("bytes are those that the models go by") {
  const operator_models::Machine machine = sample::machine();
  const Site site{&machine};
  const struct {
    CollectiveKind kind;
    int64_t in, out;
    operator_models::CollectiveKind model;
    double bytes;
  } rows[] = {
      {CollectiveKind::all_reduce, 100, 100, operator_models::CollectiveKind::all_reduce, 100},
      {CollectiveKind::all_gather, 100, 400, operator_models::CollectiveKind::all_gather, 400},
      {CollectiveKind::all_gather, 100, -1, operator_models::CollectiveKind::all_gather, 400},
      {CollectiveKind::reduce_scatter, 400, 100, operator_models::CollectiveKind::reduce_scatter, 400},
      {CollectiveKind::reduce_scatter, -1, 100, operator_models::CollectiveKind::reduce_scatter, 400},
      {CollectiveKind::all_to_all, 100, 80, operator_models::CollectiveKind::all_to_all, 100},
      {CollectiveKind::broadcast, 100, 100, operator_models::CollectiveKind::broadcast, 100},
      {CollectiveKind::reduce, 100, 100, operator_models::CollectiveKind::broadcast, 100},
  };
  for (const auto& row : rows) {
    const Collective op = typed(said(row.kind, row.in, row.out), 4, site);
    CHECK(op.kind == row.model);
    CHECK(op.bytes.value == row.bytes);
    CHECK(op.group.ranks == 4);
  }
}

TEST_CASE("the ranks of a group: said, of the run, or matched") {
  const operator_models::Machine machine = sample::machine();
  const Site site{&machine};
  const auto reduced = [](int64_t size, const char* members = "") {
    return said(CollectiveKind::all_reduce, 100, -1, size, members);
  };
  CHECK(typed(reduced(2), 8, site).group.ranks == 2);
  CHECK(typed(reduced(-1), 8, site).group.ranks == 8);
  const operator_models::Group apart = typed(reduced(2, "[0, 4]"), 8, site).group;
  CHECK(apart.inside.front() == 1);  // one of each node
  CHECK(apart.inside.back() == 2);
  CHECK(typed(reduced(8, "[0, 1, ..., 7]"), 8, site).group.inside.empty());  // cut short: neighbours
  const Site hosts{&machine, {{0, 0}, {1, 1}}};
  CHECK(typed(reduced(-1), 2, hosts).group.inside.front() == 1);
}

TEST_CASE("of other ranks, groups of all have so many, and the others stay") {
  const operator_models::Machine machine = sample::machine();
  const Site site{&machine, {}, 64};
  CHECK(typed(said(CollectiveKind::all_reduce, 100, -1, 8), 8, site).group.ranks == 64);
  CHECK(typed(said(CollectiveKind::all_reduce, 100, -1, 2), 8, site).group.ranks == 2);
  CHECK(typed(said(CollectiveKind::all_gather, 100, -1, 8), 8, site).bytes.value == 800);  // the whole stays
}

TEST_CASE("messages cross the tier that their ranks share") {
  const operator_models::Machine machine = sample::machine();
  const auto tier = [&](const char* members) {
    const auto t = operator_of(said(CollectiveKind::send_recv, 100, 100, 2, members), run_of(8), {&machine});
    REQUIRE(t.op);
    return std::get<SendRecv>(*t.op).tier;
  };
  CHECK(tier("[0, 1]") == 0);
  CHECK(tier("[3, 4]") == 1);
  CHECK(tier("") == 0);
}

TEST_CASE("what is not said, or not modelled, has no prediction") {
  operator_models::Machine machine = sample::machine();
  const auto missing = [&](const planner::trace::Collective& c, int64_t world = 4) {
    const TypedCollective t = operator_of(c, run_of(world), {&machine});
    CHECK(!t.op);
    CHECK(!predicted_time(t, device_of(machine)));
    return std::string(t.missing);
  };
  CHECK(missing(said(CollectiveKind::unknown, 100)) == "the trace does not say which collective it is");
  CHECK(missing(said(CollectiveKind::all_reduce, -1)) == "the trace does not say how many bytes it moves");
  CHECK(missing(said(CollectiveKind::all_to_all, -1, 5)) == "the trace does not say how many bytes it moves");
  CHECK(missing(said(CollectiveKind::gather, 100)) == "no model prices its kind");
  CHECK(missing(said(CollectiveKind::all_reduce, 100), 1) == "nothing says how many ranks take part, or one does");
  machine.network.clear();
  CHECK(missing(said(CollectiveKind::all_reduce, 100)) == "the catalogue has no network of the machine");
}

TEST_CASE("a kernel's seconds are the model's without a launch") {
  const operator_models::Machine machine = sample::machine();
  const operator_models::Device device = device_of(machine);
  for (const int64_t bytes : {1, 1000, 1'000'000, 1'000'000'000}) {
    const TypedCollective t = operator_of(said(CollectiveKind::all_reduce, bytes), run_of(4), {&machine});
    const double model = operator_models::cost(*t.op, device).seconds.value;
    CHECK(predicted_time(t, device).value().seconds == doctest::Approx(model - 2e-6));
  }
  const TypedCollective none = operator_of(said(CollectiveKind::all_reduce, 0), run_of(4), {&machine});
  CHECK(predicted_time(none, device).value().seconds == 0);
}
