// Profiles of Nsight Systems as the events of a rank.
#include "planner/trace/nsight.h"

#include <doctest/doctest.h>

#include <fstream>
#include <random>

#include "planner/trace/nsight_tables.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"
#include "tests/planner/trace/nsight_text.h"
#include "tests/planner/trace/read_rank.h"
#include "tests/planner/unpack/deflated.h"

using namespace planner::trace;

namespace {

const std::string kThread = std::to_string(sample::kNsightThread), kProcess = std::to_string(int64_t{100} << 24);

std::string call(int start, int end, int correlation, int name) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(start) + ", " + std::to_string(end) +
         ", " + kThread + ", " + std::to_string(correlation) + ", " + std::to_string(name) + ");\n";
}
std::string kernel(int start, int end, int stream, int correlation, int name, const std::string& process = kProcess) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(start) + ", " + std::to_string(end) +
         ", 2, " + std::to_string(stream) + ", " + std::to_string(correlation) + ", " + process + ", " +
         std::to_string(name) + ");\n";
}
std::string range(int start, const std::string& end, int type, const std::string& text, const std::string& id) {
  return "INSERT INTO NVTX_EVENTS VALUES (" + std::to_string(start) + ", " + end + ", " + std::to_string(type) + ", " +
         text + ", " + kThread + ", " + id + ");\n";
}

/// A step: two kernels, a copy, a fill, their calls, ranges of both kinds, a collective of MPI.
std::string step() {
  return range(0, "1000", 59, "'ProfilerStep#3'", "NULL") + range(10, "500", 60, "NULL", "6") + call(100, 150, 1, 3) +
         call(160, 180, 2, 3) + call(200, 220, 3, 4) + kernel(170, 300, 7, 1, 1) + kernel(310, 400, 9, 2, 2) +
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (230, 250, 2, 13, 3, " + kProcess + ", 4096, 1);" +
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (260, 270, 2, 13, 99, " + kProcess + ", 64);" +
         "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (600, 700, " + kThread + ", 5, 8);" +
         range(50, "NULL", 34, "'mark'", "NULL") + range(5, "NULL", 39, "'MPI Rank 3'", "NULL");
}

/// "kind name start duration lane", a line each.
std::string shown(const RankTrace& trace) {
  std::string text;
  for (const Event& event : trace.events) {
    const Lane& lane = trace.lane(event);
    text += std::to_string(static_cast<int>(event.kind)) + " " + trace.name(event) + " " +
            std::to_string(event.start_ns) + " " + std::to_string(event.duration_ns) + " " +
            std::to_string(lane.process) + "/" + std::to_string(lane.thread) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("kernels, copies, fills, calls, ranges and MPI of a profile are events") {
  std::string messages;
  const auto trace = sample::nsight(step(), &messages);
  REQUIRE(trace.has_value());
  CHECK(messages.empty());
  CHECK(shown(*trace) ==
        "1 ProfilerStep#3 0 1000 100/7\n"
        "1 range 10 490 100/7\n"
        "2 cudaLaunchKernel 100 50 100/7\n"
        "2 cudaLaunchKernel 160 20 100/7\n"
        "4 gemm 170 130 2/7\n"
        "2 cudaMemcpyAsync 200 20 100/7\n"
        "5 Memcpy host to device 230 20 2/13\n"
        "6 Memset 260 10 2/13\n"
        "4 ncclDevKernel_AllReduce_Sum 310 90 2/9\n"
        "0 MPI_Allreduce 600 100 100/7\n");
  CHECK(trace->launched_by[4] == 2);
  CHECK(trace->launched_by[6] == 5);
  CHECK(trace->launched_by[7] == kNone);  // no call of the profile launched it
  CHECK(trace->events[8].role == Role::communication);
  CHECK(trace->detail(trace->events[6])->bytes == 4096);
  CHECK(trace->device == "NVIDIA H100");
  CHECK(trace->rank == 3);
  CHECK(trace->read == 10);
}

TEST_CASE("times are of the epoch where a profile says when it began") {
  const auto trace = sample::nsight(kernel(170, 300, 7, 1, 1) +
                                    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
                                    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);");
  REQUIRE(trace.has_value());
  CHECK(trace->events[0].start_ns == 1'700'000'000'000'000'170);
}

TEST_CASE("a file, a packed one and standard input are read alike") {
  const std::string bytes = sample::database(sample::kNsightTables + step());
  const std::string expected = shown(sample::nsight_bytes(bytes).value());
  CHECK(shown(sample::nsight_bytes(bytes, nullptr, false, 100).value()) == expected);
  CHECK(shown(sample::nsight_bytes(gzipped(bytes)).value()) == expected);
  const TestFolder folder;
  const std::string path = (folder.path / "a.sqlite").string();
  std::ofstream(path, std::ios::binary) << bytes;
  dsl::Diagnostics diagnostics;
  int asked = 0;
  const auto head = [&]() -> std::string_view { return asked++ == 0 ? std::string_view(bytes).substr(0, 100) : ""; };
  const auto read = read_any({"a.sqlite", head, path}, false, diagnostics);
  REQUIRE(read.ranks.size() == 1);
  CHECK(shown(read.ranks[0]) == expected);  // the rest was read in its place
}

TEST_CASE("events that are broken are errors with their table and number, or are left out and told") {
  const struct {
    std::string rows, message;
  } rows[] = {
      {kernel(500, 400, 7, 1, 1), "CUPTI_ACTIVITY_KIND_KERNEL, event 3: it ends 100 ns before it begins"},
      {call(5, 4, 1, 3), "CUPTI_ACTIVITY_KIND_RUNTIME, event 4: it ends 1 ns before it begins"},
      {range(5, "9000000000000000000", 59, "'x'", "NULL"), "NVTX_EVENTS, event 3: its time is out of range"},
  };
  for (const auto& row : rows) {
    std::string messages;
    CHECK_FALSE(sample::nsight(step() + row.rows, &messages).has_value());
    CHECK(messages == "cannot read 'a.sqlite': " + row.message + "\n");
    const auto trace = sample::nsight(step() + row.rows, &messages, true);
    REQUIRE(trace.has_value());
    CHECK(messages == "cannot read 'a.sqlite': " + row.message + "\n");
    CHECK(trace->left_out == 1);
    CHECK(trace->events.size() == 10);
  }
}

TEST_CASE("what was still running when the profile ended is told") {
  std::string messages;
  const auto trace = sample::nsight(step() + range(20, "NULL", 59, "'open'", "NULL"), &messages);
  REQUIRE(trace.has_value());
  CHECK(messages == "'a.sqlite': 1 events were still running when the profile ended, and are left out\n");
}

TEST_CASE("what is no profile is refused") {
  std::string messages;
  const auto wrong = [&](const std::string& sql) {
    CHECK_FALSE(sample::nsight_bytes(sample::database(sql), &messages).has_value());
    return messages;
  };
  CHECK(wrong("CREATE TABLE a (x)") ==
        "cannot use 'a.sqlite': of its 0 events none is an operator, a call, a kernel or a PUSH\n");
  CHECK(wrong("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end)") ==
        "cannot read 'a.sqlite': table CUPTI_ACTIVITY_KIND_KERNEL has no column 'demangledName'\n");
  CHECK(
      wrong("CREATE TABLE a (start, end, demangledName); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM a") ==
      "cannot read 'a.sqlite': 'CUPTI_ACTIVITY_KIND_KERNEL' is a view, expected a table\n");
  const std::string whole = sample::database(sample::kNsightTables + step());
  CHECK_FALSE(sample::nsight_bytes(whole.substr(0, 1000), &messages).has_value());
  CHECK(messages.starts_with("cannot read 'a.sqlite': "));
  const std::string packed = gzipped(whole);
  CHECK_FALSE(sample::nsight_bytes(packed.substr(0, packed.size() - 9), &messages).has_value());
  CHECK(messages == "cannot read 'a.sqlite': it is cut off\n");
}

TEST_CASE("of several processes each with a device is a rank") {
  const std::string other = std::to_string((int64_t{101} << 24) + 3), third = std::to_string((int64_t{102} << 24) + 3);
  const std::string second = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50, 60, " + other + ", 1, 3);" +
                             kernel(60, 90, 7, 1, 1, std::to_string(int64_t{101} << 24)) +
                             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50, 60, " + third + ", 1, 3);" +
                             "INSERT INTO NVTX_EVENTS VALUES (5, NULL, 39, 'MPI Rank 2', " + other + ", NULL);" +
                             call(9000, 8000, 9, 3);
  const std::string bytes = sample::database(sample::kNsightTables + step() + second);
  dsl::Diagnostics diagnostics;
  const Read read = read_any({"a.sqlite", sample::pieces(bytes)}, true, diagnostics);
  REQUIRE(read.ranks.size() == 2);
  CHECK(read.ranks[0].file == "a.sqlite (process 100)");
  CHECK(read.ranks[0].rank == 3);
  CHECK(shown(read.ranks[0]) == shown(sample::nsight(step()).value()));
  CHECK(read.ranks[0].left_out == 1);
  const RankTrace& rank = read.ranks[1];
  CHECK(rank.rank == 2);
  CHECK(shown(rank) == "2 cudaLaunchKernel 50 10 101/3\n4 gemm 60 30 2/7\n");
  CHECK(rank.launched_by == std::vector<uint32_t>{kNone, 0});
  CHECK(rank.device == "NVIDIA H100");
  REQUIRE(diagnostics.list.size() == 2);
  CHECK(diagnostics.list[0].message == "'a.sqlite': 1 events are of processes without devices, and are left out");
  CHECK(diagnostics.list[1].message ==
        "cannot read 'a.sqlite (process 100)': CUPTI_ACTIVITY_KIND_RUNTIME, event 6: it ends 1000 ns before it begins");
  dsl::Diagnostics strict;
  CHECK_FALSE(read_rank({"a.sqlite", sample::pieces(bytes)}, true, strict).has_value());
  CHECK(strict.list.back().message == "cannot use 'a.sqlite': it has 2 ranks");
}

TEST_CASE("columns and names that an older export does not have are done without") {
  const auto trace =
      sample::nsight_bytes(sample::database("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName);"
                                            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 5, 77);"
                                            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, copyKind);"
                                            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (6, 9, 40)"));
  REQUIRE(trace.has_value());
  CHECK(shown(*trace) == "4 string 77 1 4 0/0\n5 Memcpy kind 40 6 3 0/0\n");
  CHECK(trace->events[0].correlation == -1);
}

TEST_CASE("a thousand profiles with bytes that changed are read, or refused with a word") {
  const std::string whole = sample::database(sample::kNsightTables + step());
  std::mt19937 random(11);
  int good = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string mutated = whole;
    for (int change = 0; change <= i % 4; ++change) {
      const size_t at = 16 + random() % (mutated.size() - 16);
      if (random() % 3) mutated[at] = static_cast<char>(random());
      else mutated.erase(at, 1 + random() % 300);
    }
    std::string messages;
    const auto trace = sample::nsight_bytes(mutated, &messages, i % 2 == 0);
    CHECK((trace.has_value() || !messages.empty()));
    good += trace.has_value();
  }
  CHECK(good > 100);
}
