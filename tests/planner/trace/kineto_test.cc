// Kineto's traces of all years, and mistakes in one.
#include "planner/trace/kineto.h"

#include <doctest/doctest.h>

#include <random>

#include "planner/trace/kineto_table.h"
#include "planner/trace/readers.h"
#include "tests/planner/trace/kineto_text.h"
#include "tests/planner/unpack/deflated.h"

using namespace planner::trace;
using sample::KinetoText;

namespace {

const std::string kHead =
    R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "V100", "x": [1]}, {"id": 1, "name": "A100"}],)"
    R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"a": 1}]}, )";

std::string one_of(const std::string& event) { return KinetoText().raw(event).text(); }

std::string wrong(const std::string& text) {
  std::string messages;
  CHECK_FALSE(sample::rank(text, &messages).has_value());
  return messages;
}

}  // namespace

TEST_CASE("a trace's run, lanes, names and details are read") {
  KinetoText text(kHead);
  text.event("cpu_op", "record_param_comms", 7, "8", "10.5", "3",
             R"("External id": 5, "Collective name": "allreduce", "In msg nelems": 12, "dtype": "Float",
                "Group size": 8, "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Input Dims": [[4, 3], []])");
  text.event("python_function", "f", 7, "8", "10", "3");
  text.raw(R"({"ph": "i", "name": "Record", "s": "g", "pid": "Traces", "tid": "x", "ts": 1})");
  text.event("kernel", "k<\\u00e9>", 0, "20", "12.25", "0.125", R"("device": 1, "stream": 20, "correlation": 44)");
  const auto trace = sample::rank(text.text());
  REQUIRE(trace.has_value());
  CHECK(trace->rank == 3);
  CHECK(trace->world_size == 8);
  CHECK(trace->backend == "nccl");
  CHECK(trace->device == "A100");
  CHECK(trace->read == 4);
  REQUIRE(trace->events.size() == 2);
  const Event &op = trace->events[0], &kernel = trace->events[1];
  CHECK(op.start_ns == 10500);
  CHECK(op.external == 5);
  CHECK(trace->lane(op) == Lane{7, 8, false});
  REQUIRE(trace->detail(op));
  CHECK(trace->names[trace->detail(op)->collective] == "allreduce");
  CHECK(trace->names[trace->detail(op)->shapes] == "[[4, 3], []]");
  CHECK(trace->detail(op)->elements_in == 12);
  CHECK(trace->detail(op)->group_size == 8);
  CHECK(kernel.duration_ns == 125);
  CHECK(kernel.correlation == 44);
  CHECK(trace->name(kernel) == "k<\xC3\xA9>");
  CHECK(trace->lane(kernel) == Lane{1, 20, true});
  CHECK(trace->detail(kernel) == nullptr);
}

TEST_CASE("categories and streams of 2021 mean what today's do") {
  KinetoText text;
  text.event("Operator", "aten::mm", 7, R"("8")", "1", "9", R"("external id": 3)");
  text.event("Runtime", "cudaLaunchKernel", 7, R"("8")", "2", "1", R"("correlation": 4, "external id": 3)");
  text.event("Kernel", "gemm", 0, R"("stream 7")", "4", "5", R"("correlation": 4)");
  text.event("Memcpy", "Memcpy HtoD (Pinned -> Device)", 0, R"("stream 9")", "4", "5");
  text.event("Memset", "Memset (Device)", 0, R"("stream 9")", "10", "1");
  const auto trace = sample::rank(text.text());
  REQUIRE(trace.has_value());
  REQUIRE(trace->events.size() == 5);
  std::string kinds;
  for (const Event& event : trace->events)
    kinds += std::to_string(static_cast<int>(event.kind)) + std::to_string(static_cast<int>(event.role)) + " ";
  CHECK(kinds == "00 20 40 52 62 ");
  CHECK(trace->lane(trace->events[2]) == Lane{0, 7, true});
  CHECK(trace->events[1].external == 3);
  CHECK_FALSE(trace->rank.has_value());
}

TEST_CASE("categories of other backends are read by the ends of their names, and told") {
  KinetoText text;
  for (const char* kernel : {"privateuse1_kernel", "mtia_kernel", "xpu_kernel"})
    text.event(kernel, kernel, 0, "7", std::to_string(10 * text.text().size()), "5", R"("stream": 7)");
  text.event("gpu_user_annotation", "ProfilerStep#1", 0, "7", "0", "5", R"("stream": 7)");  // known, and left out
  std::string messages;
  const auto trace = sample::rank(text.text(), &messages);
  REQUIRE(trace.has_value());
  CHECK(trace->events.size() == 3);
  for (const Event& event : trace->events) CHECK(event.kind == EventKind::kernel);
  CHECK(messages ==
        "'a.json' has 1 events of category 'mtia_kernel': taken for what its name says\n"
        "'a.json' has 1 events of category 'privateuse1_kernel': taken for what its name says\n"
        "'a.json' has 1 events of category 'xpu_kernel': taken for what its name says\n");
}

TEST_CASE("a device of a category that nobody knows is refused, or left out and told") {
  KinetoText text;
  text.kernel("gemm", 7, 10, 5).event("mtia_ccp_events", "job", 0, "3", "30", "5", R"("stream": 3)");
  text.event("some_host_thing", "x", 0, "3", "40", "5");  // runs in no stream
  std::string messages;
  CHECK_FALSE(sample::rank(text.text(), &messages).has_value());
  CHECK(messages.find("'job' runs in a stream, and what events of category 'mtia_ccp_events' do is not known") !=
        std::string::npos);
  const auto skipped = sample::rank(text.text(), &messages, true);
  REQUIRE(skipped.has_value());
  CHECK(skipped->events.size() == 2);
  CHECK(skipped->left_out == 1);
  CHECK(messages.find("mtia_ccp_events") != std::string::npos);
}

TEST_CASE("a packed trace and a bare list are read as the map") {
  const std::string map = KinetoText().kernel("k", 7, 10, 5).text();
  const std::string list = map.substr(map.find('['), map.size() - map.find('[') - 1);
  for (const std::string& text : {map, list, gzipped(map), "\n" + map + "\n"}) {
    const auto trace = sample::rank(text);
    REQUIRE(trace.has_value());
    CHECK(trace->events.size() == 2);
  }
}

TEST_CASE("a trace that is cut off, or none, is an error that says where") {
  const std::string whole = KinetoText(kHead).kernel("k", 7, 10, 5).text();
  const std::string packed = gzipped(whole);
  for (size_t length = 0; length < whole.size(); ++length) wrong(whole.substr(0, length));
  for (size_t length = 0; length < packed.size(); ++length) wrong(packed.substr(0, length));
  CHECK(wrong(packed.substr(0, packed.size() - 9)) ==
        "cannot read 'a.json': event 3 (byte " + std::to_string(whole.size()) + "): it is cut off\n");
  CHECK(wrong(whole + "x") == "cannot read 'a.json': event 3 (byte " + std::to_string(whole.size()) +
                                  "): more text stands behind the trace\n");
  CHECK(wrong("") == "cannot read 'a.json': event 1 (byte 0): the text ends here, in the middle of a value\n");
  CHECK(wrong("PK") == "cannot read 'a.json': event 1 (byte 0): expected '[', got 'P'\n");
  CHECK(wrong("{}").starts_with("cannot read 'a.json': it has no list 'traceEvents', "));
  CHECK(wrong(R"({"traceEvents": [], "traceEvents": []})").find("'traceEvents' stands twice") != std::string::npos);
  CHECK(wrong(R"({"traceEvents": {}})").find("expected '[', got '{'") != std::string::npos);
  CHECK(wrong(R"({"traceEvents": []})") ==
        "cannot use 'a.json': of its 0 events none is an operator, a call, a kernel or a PUSH\n");
}

TEST_CASE("an event that is broken is an error, or is left out and told") {
  const struct {
    const char *event, *message;
  } rows[] = {
      {R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": -0.5})",
       "the event's duration is negative: -0.5 us"},
      {R"({"ph": "X", "cat": "kernel", "name": "k", "dur": 1})", "the event has no time 'ts'"},
      {R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1})", "the event has no duration 'dur'"},
      {R"({"ph": "X", "cat": "kernel", "ts": 1, "dur": 2})", "the event has no name"},
      {R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 3e15, "dur": 1})", "the event's time is out of range"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.event);
    const std::string text = KinetoText().kernel("good", 7, 10, 5).raw(row.event).kernel("good", 7, 20, 5).text();
    const std::string place = "cannot read 'a.json': event 3 (byte " + std::to_string(text.find(row.event)) + "): ";
    CHECK(wrong(text) == place + row.message + "\n");
    std::string messages;
    const auto trace = sample::rank(text, &messages, true);
    REQUIRE(trace.has_value());
    CHECK(trace->events.size() == 4);
    CHECK(trace->left_out == 1);
    CHECK(messages == place + row.message + "\n");
  }
  CHECK(wrong(one_of(R"({"ph": "X", "cat": "kernel", "name": "k", "ts": "1", "dur": 2})")).find("expected a number") !=
        std::string::npos);
  CHECK(sample::rank(one_of(R"({"ph": "X", "cat": "gpu_user_annotation", "name": "k"})") + " ") == std::nullopt);
}

TEST_CASE("events of one stream do not overlap") {
  const std::string text = KinetoText().kernel("a", 7, 10, 50).kernel("b", 8, 20, 5).kernel("c", 7, 30, 5).text();
  CHECK(wrong(text) == "cannot read 'a.json': 'c' begins 30.000 us before what runs on stream 7 of device 0 ends\n");
  CHECK(sample::rank(text, nullptr, true).has_value());
  CHECK(sample::rank(KinetoText().kernel("a", 7, 10, 50).kernel("b", 7, 59, 5).text()).has_value());  // by a tick
}

TEST_CASE("kernels of a stream overlap by the profiler's jitter: they are counted and told") {
  struct Row {
    int64_t second_us;  // the first one runs from 10 to 60
    bool is_read, is_told;
  };
  for (const Row& row :
       {Row{60, true, false}, {58, true, false}, {57, true, true}, {55, true, true}, {54, false, true}}) {
    CAPTURE(row.second_us);
    std::string messages;
    const std::string text = KinetoText().kernel("a", 7, 10, 50).kernel("b", 7, row.second_us, 20).text();
    const auto trace = sample::rank(text, &messages);
    CHECK(trace.has_value() == row.is_read);
    if (trace) CHECK(trace->notes.size() == (row.is_told ? 1 : 0));
    if (trace && row.is_told) CHECK(trace->notes.front().starts_with("has 1 kernels that begin up to"));
  }
}

TEST_CASE("steps of 2021 are operators by their category, and annotations by what they are") {
  const auto trace = sample::rank(
      one_of(R"({"ph": "X", "cat": "Operator", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 1, "dur": 2})"));
  REQUIRE(trace.has_value());
  CHECK(trace->events.front().kind == EventKind::annotation);
}

TEST_CASE("ranks are put in order, and must be of one run") {
  const auto ranked = [](const std::string& said) {
    const std::string head = said.empty() ? "" : R"("distributedInfo": {)" + said + "}, ";
    return *sample::rank(KinetoText(head).kernel("k", 7, 10, 5).text());
  };
  const auto order = [&](const std::vector<std::string>& said) {
    std::vector<RankTrace> ranks;
    for (const std::string& each : said) ranks.push_back(ranked(each));
    dsl::Diagnostics diagnostics;
    std::string out;
    if (const auto ordered = order_ranks(std::move(ranks), diagnostics))
      for (const RankTrace& rank : *ordered) out += std::to_string(*rank.rank) + " ";
    for (const dsl::Diagnostic& d : diagnostics.list) out += d.message + "\n";
    return out;
  };
  CHECK(order({R"("rank": 1, "world_size": 4)", R"("rank": 0, "world_size": 4)"}) == "0 1 ");
  CHECK(order({"", R"("rank": 0)", ""}) ==
        "0 1 2 'a.json' does not say its rank: it is taken as rank 1\n"
        "'a.json' does not say its rank: it is taken as rank 2\n");
  CHECK(order({R"("rank": 1)", R"("rank": 1)"}) == "'a.json' and 'a.json' are both of rank 1\n");
  CHECK(order({R"("rank": 4, "world_size": 4)"}) == "'a.json' is of rank 4, which a run of 4 ranks does not have\n");
  CHECK(order({R"("rank": 0, "world_size": 4)", R"("rank": 1, "world_size": 8)"}) ==
        "'a.json' is of a run of 4 ranks, 'a.json' of one of 8\n");
}

TEST_CASE("a thousand traces with bytes that changed are read, or refused with a word") {
  KinetoText text(kHead);
  for (int i = 0; i < 12; ++i)
    text.kernel("k" + std::to_string(i), 7 + i % 2, 10 + 20 * i, 9, R"("Input Dims": [[1, 2]])");
  const std::string whole = text.text();
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string mutated = whole;
    for (int change = 0; change <= i % 3; ++change) {
      const size_t at = random() % mutated.size();
      const auto kind = random() % 3;
      if (kind == 0) mutated[at] = static_cast<char>(random());
      else if (kind == 1) mutated.erase(at, 1 + random() % 20);
      else mutated.insert(at, mutated.substr(random() % mutated.size(), random() % 30));
    }
    if (i % 5 == 0) mutated = gzipped(mutated);
    if (i % 10 == 0) mutated[random() % mutated.size()] ^= 4;
    std::string messages;
    const auto trace = sample::rank(mutated, &messages, i % 2 == 0);
    read += trace.has_value();
    CHECK((trace.has_value() || !messages.empty()));
  }
  CHECK(read > 100);
}
