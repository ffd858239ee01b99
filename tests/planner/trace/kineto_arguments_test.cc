// Every argument of an event that is kept, one by one, and the forms in which numbers stand.
#include <doctest/doctest.h>

#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;

namespace {

/// The one event of a trace, with these arguments.
RankTrace with(const std::string& arguments, const char* category = "cpu_op") {
  return sample::rank(KinetoText().event(category, "e", 7, "8", "10", "5", arguments).text()).value();
}

const Detail& detail(const RankTrace& trace) {
  REQUIRE(trace.detail(trace.events[0]));
  return *trace.detail(trace.events[0]);
}

}  // namespace

TEST_CASE("whole numbers of a detail") {
  const struct {
    const char* name;
    int64_t Detail::*member;
  } rows[] = {{"bytes", &Detail::bytes},
              {"In msg nelems", &Detail::elements_in},
              {"Out msg nelems", &Detail::elements_out},
              {"Group size", &Detail::group_size},
              {"Sequence number", &Detail::sequence},
              {"Fwd thread id", &Detail::forward_thread}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    for (const char* value : {"42", "\"42\"", "42.0"})
      CHECK(detail(with("\"" + std::string(row.name) + "\": " + value)).*row.member == 42);
    const RankTrace other = with("\"" + std::string(row.name) + "\": \"none\"");
    CHECK(other.detail(other.events[0]) == nullptr);
    CHECK(with("\"" + std::string(row.name) + "x\": 42").events[0].detail == kNone);
  }
}

TEST_CASE("texts of a detail") {
  const struct {
    const char* name;
    uint32_t Detail::*member;
  } rows[] = {{"Input Dims", &Detail::shapes},        {"Input dims", &Detail::shapes},
              {"Input type", &Detail::types},         {"Collective name", &Detail::collective},
              {"Process Group Name", &Detail::group}, {"Process Group Ranks", &Detail::members},
              {"dtype", &Detail::data_type},          {"cuda_sync_kind", &Detail::waits_for}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const std::string name = "\"" + std::string(row.name) + "\": ";
    const RankTrace text = with(name + "\"a b\""), list = with(name + "[[1, 2], []]");
    CHECK(text.names[detail(text).*row.member] == "a b");
    CHECK(list.names[detail(list).*row.member] == "[[1, 2], []]");
  }
}

TEST_CASE("numbers that say where an event was and what it belongs to") {
  CHECK(with(R"("External id": 5)").events[0].external == 5);
  CHECK(with(R"("external id": 5)").events[0].external == 5);
  CHECK(with(R"("correlation": 9)").events[0].correlation == 9);
  const RankTrace kernel = with(R"("device": 3, "stream": 0)", "kernel");
  CHECK(kernel.lane(kernel.events[0]) == Lane{3, 0, true});
  const RankTrace named = with(R"("device": 3)", "kernel");
  CHECK(named.lane(named.events[0]) == Lane{3, 8, true});
  const RankTrace waits = with(R"("stream": -1, "cuda_sync_kind": "Event Sync")", "cuda_sync");
  CHECK(waits.lane(waits.events[0]) == Lane{7, -1, true});
  CHECK(waits.events[0].kind == EventKind::sync);
}

TEST_CASE("what nobody asks for is passed over, whatever it is") {
  for (const char* value : {"1", "-1.5e9", "null", "true", "NaN", "\"\\\"}\"", "[]", "{}", "[{\"a\": [1, {}]}, \"]\"]"})
    CHECK(with("\"unknown\": " + std::string(value) + R"(, "correlation": 9)").events[0].correlation == 9);
}
