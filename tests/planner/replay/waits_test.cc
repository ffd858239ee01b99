// What streams and hosts wait for: as the profiler says, and as it is inferred where it does not.
#include "planner/replay/waits.h"

#include <doctest/doctest.h>

#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::Replay;

namespace {

void call(KinetoText& text, const char* name, int correlation, int64_t at, int64_t duration) {
  text.event("cuda_runtime", name, 100, "1", std::to_string(at), std::to_string(duration),
             R"("correlation": )" + std::to_string(correlation));
}
/// What the profiler says of a call, of a stream.
void sync(KinetoText& text, const char* kind, int correlation, int stream, int64_t at, const std::string& more = "") {
  text.event("cuda_sync", kind, 0, std::to_string(stream), std::to_string(at), "1",
             R"("cuda_sync_kind": ")" + std::string(kind) + R"(", "device": 0, "stream": )" + std::to_string(stream) +
                 R"(, "correlation": )" + std::to_string(correlation) + (more.empty() ? "" : ", " + more));
}
/// Microseconds at which the run ends if a kernel takes `factor` times as long.
int64_t end_with(const KinetoText& text, const char* kernel, double factor) {
  const Replay replay({text});
  CHECK(replay.worst() == 0);
  return replay.ends({.scalings = {{kernel, factor, {}}}})[0] / kUs;
}

/// A kernel, its event, another kernel behind it, and one in another stream that waits for the event.
KinetoText two_streams(const std::string& said) {
  KinetoText text;
  text.kernel("first", 7, 10, 20);
  call(text, "cudaEventRecord", 500, 12, 1);
  text.kernel("second", 7, 30, 10);
  call(text, "cudaStreamWaitEvent", 501, 40, 1);
  if (!said.empty()) sync(text, "Stream Wait Event", 501, 9, 40, said);
  return text.kernel("third", 9, 51, 20);  // launched at 50
}

}  // namespace

TEST_CASE("a stream waits for what stood before the record of its event") {
  const KinetoText text = two_streams(R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 500)");
  CHECK(end_with(text, "first", 1) == 71);
  CHECK(end_with(text, "first", 3) == 70 + 20);  // its own end, at 70, and not that of the second, at 80
  CHECK(end_with(text, "second", 5) == 80);      // its own end
}

TEST_CASE("without a record it waits for what stood before the call, and without a word for the stream used last") {
  const std::string on_stream = R"("wait_on_stream": 7)";
  for (const std::string& said :
       {on_stream, on_stream + R"(, "wait_on_cuda_event_record_corr_id": -1)", std::string()}) {
    CAPTURE(said);
    CHECK(end_with(two_streams(said), "first", 3) == 80 + 20);
    CHECK(end_with(two_streams(said), "second", 5) == 80 + 20);
  }
}

TEST_CASE("what is said of a stream counts for its next kernel, whichever thread launches it") {
  KinetoText text;
  text.kernel("source", 7, 10, 20);
  call(text, "cudaStreamWaitEvent", 501, 32, 1);
  sync(text, "Stream Wait Event", 501, 9, 32, R"("wait_on_stream": 7)");
  text.kernel("other", 11, 36, 5).kernel("waits", 9, 42, 5);
  CHECK(end_with(text, "source", 3) == 70 + 5);  // the other one ends at 41
  CHECK(end_with(text, "other", 20) == 136);
}

TEST_CASE("an event of the own stream, or of a stream without work, holds nothing up") {
  for (const char* said : {R"("wait_on_stream": 9)", R"("wait_on_stream": 13)"}) {
    KinetoText text = two_streams(said);
    CHECK(end_with(text, "first", 2) == 71);
  }
}

TEST_CASE("a host waits for the stream that is said, though another is done later") {
  for (const bool is_said : {true, false}) {
    KinetoText text;
    text.kernel("short", 7, 10, 20).kernel("long", 9, 12, 40);
    call(text, "cudaStreamSynchronize", 501, 14, 40);
    if (is_said) sync(text, "Stream Sync", 501, 7, 14);
    text.event("cpu_op", "aten::after", 100, "1", "54", "46");
    CHECK(end_with(text, "long", 2) == (is_said ? 100 : 140));
    CHECK(end_with(text, "short", 3) == (is_said ? 140 : 100));
  }
}

TEST_CASE("a host waits for an event: what stood before its record") {
  KinetoText text;
  text.kernel("first", 7, 10, 20);
  call(text, "cudaEventRecord", 500, 11, 1);
  text.kernel("second", 7, 30, 30);
  call(text, "cudaEventSynchronize", 501, 32, 2);
  sync(text, "Event Sync", 501, 7, 32, R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 500)");
  text.event("cpu_op", "aten::after", 100, "1", "34", "66");
  CHECK(end_with(text, "first", 1) == 100);
  CHECK(end_with(text, "second", 2) == 100);  // done at 90
  CHECK(end_with(text, "first", 4) == 90 + 66);
}

TEST_CASE("what is said and contradicts the times is left out") {
  KinetoText text;
  text.kernel("source", 7, 10, 60);
  call(text, "cudaStreamWaitEvent", 501, 32, 1);
  sync(text, "Stream Wait Event", 501, 9, 32, R"("wait_on_stream": 7)");
  text.kernel("waits", 9, 42, 5);  // before the other one ends
  CHECK(end_with(text, "source", 2) == 130);
}
