// The merged trace of dPRO: the rank and kind of each event, and mistakes in one.
#include "planner/trace/dpro.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "planner/trace/collectives.h"
#include "tests/planner/trace/byteps_text.h"
#include "tests/planner/trace/dpro_text.h"

using namespace planner::trace;
using sample::DproText;
using sample::ranks_of;

namespace {

/// What ran on the device of a rank: "FW.a@0-150 ...".
std::string told(const RankTrace& rank) {
  std::string out;
  for (const Event& event : rank.events)
    if (is_on_device(event.kind))
      out += fmt::format("{}{}@{}-{}", out.empty() ? "" : " ", rank.name(event), event.start_ns / 1000,
                         event.end_ns() / 1000);
  return out;
}

std::string messages_of(const std::string& text, bool skip_broken = false) {
  std::string messages;
  ranks_of({text}, &messages, skip_broken);
  return messages;
}

int64_t waited_ns(const Trace& trace, size_t rank, size_t last) {
  return waits_of(trace, match_collectives(trace))[rank][last];
}

}  // namespace

TEST_CASE("whose an event is says its process") {
  const struct {
    const char *process, *machine;
    int64_t gpu;
    const char* server;
    bool is_server;
  } rows[] = {
      {"host0.rank1", "host0", 1, "", false},
      {"traces_12.rank0", "traces_12", 0, "", false},
      {"my.host.rank3", "my.host", 3, "", false},
      {"default", "default", 0, "", false},
      {"worker_1::server_0", "worker_1", -1, "server_0", false},
      {"server_0::worker_1", "worker_1", -1, "server_0", false},
      {"server_2_t11", "", -1, "", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.process);
    const auto owner = dpro::owner_of(row.process);
    REQUIRE(owner);
    CHECK(owner->machine == row.machine);
    CHECK(owner->gpu == row.gpu);
    CHECK(owner->server == row.server);
    CHECK(owner->is_server == row.is_server);
  }
  for (const char* other : {"", "Spans", "stream 7", ".rank1", "host.rank", "host.rank1x", "host.rank-1", "a::b",
                            "worker_1::worker_2", "server_1", "server_1_tx", "Comm.a.rank1"}) {
    CAPTURE(other);
    CHECK(!dpro::owner_of(other));
  }
}

TEST_CASE("what an event is says its name") {
  using dpro::EventStage;
  const struct {
    const char *name, *category;
    EventStage stage;
    const char *tensor, *part;
  } rows[] = {
      {"FW.resnet50/conv1", "operator", EventStage::compute, "", ""},
      {"BW.a.b", "operator", EventStage::compute, "", ""},
      {"UPDATE_CAL", "operator", EventStage::compute, "", ""},
      {"host0.rank0->FW.a+BW.a", "operator", EventStage::compute, "", ""},
      {"fused_3", "operator", EventStage::compute, "", ""},
      {"I/O_next", "", EventStage::load, "", ""},
      {"Comm.3+12.SEND~>0_1_2_0", "Comm", EventStage::send, "3+12", ""},
      {"Comm.3+12.RECV", "", EventStage::receive, "3+12", ""},
      {"Comm.3.MEMCPY_IN_FUSION_BUFFER", "Comm", EventStage::copy, "3", ""},
      {"Comm.3.NCCL_ALLREDUCE", "Comm", EventStage::reduce, "3", ""},
      {"Comm.3+4.Sync", "Comm", EventStage::left, "3+4", ""},
      {"Comm.a/b.PUSH_REQ~>worker_0::server_1::7", "Comm", EventStage::push_request, "a/b", "7"},
      {"Comm.a.c.PULL_RES~>server_1::worker_0::0", "Comm", EventStage::pull_answer, "a.c", "0"},
      {"Comm.a.SUM~>server_3_t2::0::~PART0", "ServerOp", EventStage::left, "a", "~PART0"},
      {"whatever", "debug", EventStage::left, "", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto what = dpro::named(row.name, row.category);
    REQUIRE(what);
    CHECK(what->stage == row.stage);
    CHECK(what->tensor == row.tensor);
    CHECK(what->part == row.part);
  }
  for (const char* other : {"", "conv1", "Comm.", "Comm.a", "Comm.a.TAKE"}) CHECK(!dpro::named(other, "Comm"));
}

TEST_CASE("GPUs are ranks by their numbers, of a clock for each machine") {
  DproText text;
  for (const char* gpu : {"host10.rank0", "host2.rank1", "host2.rank0"}) text.op(gpu, "FW.a", 0, 10, 0);
  const Trace trace = ranks_of({text.text()});
  REQUIRE(trace.size() == 3);
  CHECK(trace[0].clock == "0.json host2");
  CHECK(trace[1].clock == "0.json host2");
  CHECK(trace[2].clock == "0.json host10");
  CHECK(trace[2].file == "0.json (rank 2)");
  CHECK(trace[2].world_size == 3);
}

TEST_CASE("messages are PUSHs and PULLs of the first GPU of a machine") {
  const Trace trace = ranks_of({sample::merged_byteps(1)});
  REQUIRE(trace.size() == 4);
  CHECK(told(trace[0]) ==
        "FW.conv1@0-100 FW.dense@100-150 BW.dense@150-250 BW.conv1@250-400 Comm.dense.PUSH@250-297 "
        "Comm.dense.PULL@300-690 Comm.conv1.PUSH@400-447 Comm.conv1.PUSH@400-447 Comm.conv1.PULL@450-840 "
        "Comm.conv1.PULL@450-840 UPDATE_.dense@700-720 UPDATE_.conv1@850-880");
  CHECK(told(trace[3]) ==
        "FW.conv1@0-100 FW.dense@100-150 BW.dense@150-330 BW.conv1@330-480 UPDATE_.dense@700-720 "
        "UPDATE_.conv1@850-880");
  const Matched matched = match_collectives(trace);
  CHECK(matched.mistakes.empty());
  CHECK(matched.absent.empty());
  CHECK(matched.collectives.size() == 3);
  CHECK(waited_ns(trace, 0, 2) == 3 * 77'000);
  CHECK(waited_ns(trace, 2, 0) == 0);
}

TEST_CASE("an all-reduce is as long as the chunks of its tensors, or as Horovod says") {
  const Trace chunks = ranks_of({sample::merged_horovod(2, true)}),
              whole = ranks_of({sample::merged_horovod(2, false)});
  REQUIRE(chunks.size() == 2);
  REQUIRE(whole.size() == 2);
  CHECK(
      told(chunks[1]).starts_with("FW.a@0-150 BW.a@150-410 Comm.1+2.MEMCPY@412-420 Comm.1+2.ALLREDUCE@440-560 "
                                  "Comm.1+2.MEMCPY@562-570 UPDATE_0@570-610 FW.a@1000-1150"));
  CHECK(told(whole[0]).find("Comm.1+2.ALLREDUCE@360-560") != std::string::npos);
  CHECK(told(whole[1]).find("Comm.1+2.ALLREDUCE@420-560") != std::string::npos);
  const Matched matched = match_collectives(whole);
  REQUIRE(matched.collectives.size() == 2);
  CHECK(matched.collectives[0].kind == CollectiveKind::all_reduce);
  CHECK(matched.collectives[0].group == "1+2");
  CHECK(waited_ns(whole, 0, 1) == 2 * 60'000);
}

TEST_CASE("a rank that has both an all-reduce and its chunks begins it when it arrives") {
  DproText text;
  for (const char* gpu : {"host0.rank0", "host1.rank0"}) {
    text.stage(gpu, "Comm.7.NCCL_ALLREDUCE", 10, 90).stage(gpu, "Comm.12.NCCL_ALLREDUCE", 10, 90);
    text.chunk(gpu, "Comm.7+12.SEND", 0, 60, 30);
  }
  text.chunk("host2.rank0", "Comm.7+12.RECV", 0, 60, 40);  // of this one Horovod says nothing
  const Trace trace = ranks_of({text.text()});
  REQUIRE(trace.size() == 3);
  CHECK(told(trace[0]) == "Comm.7+12.ALLREDUCE@10-100");
  CHECK(told(trace[2]) == "Comm.7+12.ALLREDUCE@60-100");
  const Matched matched = match_collectives(trace);
  REQUIRE(matched.collectives.size() == 1);
  CHECK(matched.collectives[0].parts.size() == 3);
}

TEST_CASE("operators of a thread that overlap are on several streams") {
  DproText text;
  text.op("host0.rank0", "UPDATE_0", 0, 100, 0).op("host0.rank0", "UPDATE_1", 50, 100, 0);
  text.op("host0.rank0", "UPDATE_2", 101, 100, 0).op("host0.rank0", "UPDATE_3", 300, 10, 0, 1);
  const Trace trace = ranks_of({text.text()});
  REQUIRE(trace.size() == 1);
  std::string streams;
  for (const Event& event : trace[0].events)
    if (is_on_device(event.kind)) streams += fmt::format(" {}", trace[0].lane(event).thread);
  CHECK(streams == " 0 1 0 2");
}

TEST_CASE("names are those that JSON escapes") {
  DproText text;
  text.op("host0.rank0", R"(FW.a\/b)", 0, 10, 0).event("host0.rank0", R"("I\/O")", R"(I\/O)", R"(I\/O)", 0, 5, "");
  const Trace trace = ranks_of({text.text()});
  REQUIRE(trace.size() == 1);
  CHECK(told(trace[0]) == "FW.a/b@0-10");
  CHECK(std::ranges::count(trace[0].events, EventKind::op, &Event::kind) == 1);
}

TEST_CASE("what is no event of dPRO's is an error with its place, or left out") {
  const struct {
    const char *event, *message;
  } rows[] = {
      {R"({"name": "conv1", "ph": "X", "ts": 0, "dur": 1, "pid": "host0.rank0", "tid": 0, "cat": "Comm"})",
       "'conv1' of 'host0.rank0' is nothing that dPRO writes: FW., BW., UPDATE_, I/O or Comm.TENSOR.STAGE"},
      {R"({"name": "FW.a", "ph": "X", "ts": 0, "pid": "host0.rank0"})", "the event has no duration 'dur'"},
      {R"({"name": "FW.a", "ph": "X", "ts": 0, "dur": -2, "pid": "host0.rank0"})",
       "the event's duration is negative: -2 us"},
      {R"({"name": "FW.a", "ph": "X", "dur": 2, "pid": "host0.rank0"})", "the event has no time 'ts'"},
      {R"({"name": "FW.a", "ph": "X", "ts": 0, "dur": 1, "pid": "worker_0::server_0"})",
       "'FW.a' is no PUSH or PULL, and stands among messages of a server"},
      {R"({"name": "Comm.a.PUSH_REQ", "ph": "X", "ts": 0, "dur": 1, "pid": "host0.rank0"})",
       "'Comm.a.PUSH_REQ' is a message of a server, and stands among the work of a GPU"},
  };
  for (const auto& row : rows) {
    DproText text;
    text.op("host0.rank0", "FW.a", 0, 10, 0).raw(row.event);
    const size_t byte = text.text().find(row.event);
    CHECK(messages_of(text.text()) == fmt::format("cannot read '0.json': event 2 (byte {}): {}\n", byte, row.message));
    CHECK(ranks_of({text.text()}, nullptr, true).size() == 1);
  }
}

TEST_CASE("a request without its answer is left out and counted") {
  DproText text;
  sample::exchange(text, 0, "a", 0, 0, 200);
  text.message("worker_0", "server_0", "a.PUSH_REQ", 0, 300, 40);
  CHECK(messages_of(text.text()) == "'0.json' has 1 requests or answers of servers without the other: left out\n");
  CHECK(told(ranks_of({text.text()})[0]) == "Comm.a.PUSH@0-47 Comm.a.PULL@50-200");
  DproText unanswered;
  unanswered.message("worker_0", "server_0", "a.PUSH_REQ", 0, 0, 40);
  CHECK(messages_of(unanswered.text()).empty());
  CHECK(told(ranks_of({unanswered.text()})[0]) == "Comm.a.PUSH@0-40");
}

TEST_CASE("events of another profiler in the same file are an error") {
  DproText text;
  text.op("host0.rank0", "FW.a", 0, 10, 0)
      .raw(R"({"name": "k", "ph": "X", "ts": 0, "dur": 1, "pid": 0, "tid": 7, "cat": "kernel"})");
  CHECK(messages_of(text.text()) == "cannot use '0.json': it has events of one rank beside those of several\n");
}
