// Where steps went: by hand, and exact of whatever is wrong with a trace.
#include "planner/replay/account.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "planner/replay/measured.h"
#include "planner/trace/readers.h"
#include "planner/unpack/byte_reader.h"
#include "tests/planner/replay/mutations.h"
#include "tests/planner/replay/replayed.h"
#include "tests/planner/trace/dpro_text.h"

using namespace planner::replay;
namespace trace = planner::trace;
using sample::KinetoText;
using sample::kUs;

namespace {

StepAccount account(const sample::Replay& replay, size_t step = 0) {
  const auto runs = run(replay.replayed.graph).value();
  return account_of(replay.trace[0], 0, replay.steps[0][step], replay.replayed, runs);
}

/// A step of 100 us whose device works from 10 to 80: two kernels, a collective beside them, a copy beside both.
KinetoText three_at_once() {
  KinetoText text;
  text.event("user_annotation", "ProfilerStep#1", 100, "1", "0", "100");
  text.kernel("gemm", 7, 10, 30).kernel("nccl", 9, 20, 40).kernel("gemm", 7, 70, 10);
  return text.event("gpu_memcpy", "Memcpy", 0, "8", "25", "10", R"("stream": 8)");
}

/// What became of the mutations of a run.
struct Came {
  size_t refused = 0, replayed = 0, steps = 0, of_device = 0;
  std::string wrong;  // the first; "": none
};

std::string wrong_of_steps(const Measured& page) {
  int64_t begin = INT64_MAX, end = INT64_MIN;
  for (const trace::RankTrace& rank : page.trace)
    for (const trace::Event& event : rank.events)
      begin = std::min(begin, event.start_ns), end = std::max(end, event.end_ns());
  // A collective that ends on a rank before the last one begins, which clocks a bit out of step do, is over later.
  const int64_t apart = 2 * std::max(trace::kInStepNs, page.clocks.after_ns);
  const int64_t added = apart * std::ssize(page.matched.collectives);
  for (const Run& run : page.runs)
    if (run.begin_ns < begin || run.end_ns > end + added)
      return fmt::format("a replayed time lies outside of the trace: {} to {} of {} to {}", run.begin_ns, run.end_ns,
                         begin, end);
  for (size_t r = 0; r < page.trace.size(); ++r)
    for (size_t s = 0; s < page.steps[r].size(); ++s) {
      if (std::string wrong = wrong_of(page.accounts[r][s]); !wrong.empty()) return wrong;
      const trace::TimeInterval& window = page.steps[r][s].window;
      if (s > 0 && window.begin_ns < page.steps[r][s - 1].window.end_ns) return "two steps of a rank overlap";
      if (page.accounts[r][s].step_ns != window.end_ns - window.begin_ns) return "the step is not its window";
    }
  return "";
}

void take(const std::vector<std::string>& texts, bool skip_broken, Came& came) {
  dsl::Diagnostics diagnostics;
  std::vector<trace::RankTrace> ranks;
  for (const std::string& text : texts)
    for (trace::RankTrace& rank : trace::read_any({"a.json", sample::pieces(text)}, skip_broken, diagnostics).ranks)
      ranks.push_back(std::move(rank));
  auto ordered = diagnostics.has_errors() ? std::nullopt : trace::order_ranks(std::move(ranks), diagnostics);
  if (!ordered) {
    ++came.refused;
    if (!diagnostics.has_errors()) came.wrong = "it is refused without a reason";
    return;
  }
  std::vector<size_t> hosts;
  for (size_t r = 0; r < ordered->size(); ++r) hosts.push_back(r);
  trace::Clocks clocks = trace::put_in_step(*ordered, hosts);
  const Edits none;
  const Measured page(*ordered, std::move(clocks), none);
  if (!page.is_replayed()) return void(++came.refused);  // "the collectives wait for each other in a circle"
  ++came.replayed;
  for (const std::vector<trace::Step>& rank : page.steps)
    for (const trace::Step& step : rank) ++came.steps, came.of_device += step.of_device;
  if (came.wrong.empty()) came.wrong = wrong_of_steps(page);
}

Came mutate(const std::vector<std::string>& texts, size_t times, size_t most_events) {
  std::vector<sample::TraceText> ranks;
  for (const std::string& text : texts) ranks.push_back(sample::trace_text(text));
  sample::Mutator mutator(17, most_events);
  Came came;
  for (size_t i = 0; i < times && came.wrong.empty(); ++i) take(mutator(ranks), i % 2 == 1, came);
  return came;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  planner::unpack::ByteReader bytes(sample::pieces(text.str()));
  std::string all, piece(size_t{1} << 20, '\0');
  for (size_t got = 1; got > 0;) {
    got = bytes.read(piece.data(), piece.size());
    all.append(piece, 0, got);
  }
  return all;
}

/// Ranks of a run with steps, collectives of all, copies, and a wait of the host; or with a device that lags by `lag`
/// microseconds.
std::vector<std::string> run_of(int ranks, int steps, int lag) {
  std::vector<std::string> texts;
  for (int r = 0; r < ranks; ++r) {
    KinetoText text = sample::ranked(r, ranks);
    for (int s = 0; s < steps; ++s) {
      const int at = 1000 * s + 10 * r, number = 100 * s + 10;
      const auto launched = [&](int n, const char* name, int stream, int call, int begin, int duration) {
        const std::string same = R"("correlation": )" + std::to_string(number + n);
        text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(at + call), "2", same);
        text.event("kernel", name, 0, std::to_string(stream), std::to_string(at + lag + begin),
                   std::to_string(duration), same + R"(, "stream": )" + std::to_string(stream));
      };
      text.event("user_annotation", "ProfilerStep#" + std::to_string(s), 100, "1", std::to_string(at), "990");
      text.event("cpu_op", "aten::mm", 100, "1", std::to_string(at + 5), "40");
      launched(1, "gemm", 7, 10, 20, 200);
      launched(2, "elementwise", 7, 20, 225, 50);
      launched(3, "ncclDevKernel_AllReduce", 9, 30, 150 - 10 * r, 200);
      launched(4, "Memcpy", 8, 40, 100, 100);
      launched(5, "adam", 7, 400, 420, 300);
      text.event("cuda_runtime", "cudaStreamSynchronize", 100, "1", std::to_string(at + 500), std::to_string(230));
    }
    texts.push_back(text.text());
  }
  return texts;
}

}  // namespace

TEST_CASE("an account by hand: what ran at once is counted in each, and taken off again") {
  const StepAccount found = account(sample::Replay({three_at_once()}));
  CHECK(found.step_ns == 100 * kUs);
  CHECK(found.compute_ns == 40 * kUs);
  CHECK(found.communication_ns == 40 * kUs);
  CHECK(found.copies_ns == 10 * kUs);
  CHECK(found.overlaps_ns == (20 + 10) * kUs);
  CHECK(found.idle_ns == 40 * kUs);
  CHECK(found.idle.sum_ns() == found.idle_ns);
  CHECK(wrong_of(found).empty());
}

TEST_CASE("an account that does not hold is told by what is wrong") {
  const StepAccount good = account(sample::Replay({three_at_once()}));
  const auto wrong = [&](auto change) {
    StepAccount bad = good;
    change(bad);
    return wrong_of(bad);
  };
  CHECK(wrong([](StepAccount& a) { a.compute_ns += 1; }) == "the parts are 100001 ns of a step of 100000 ns");
  CHECK(wrong([](StepAccount& a) { a.overlaps_ns += 1; }) == "the parts are 99999 ns of a step of 100000 ns");
  CHECK(wrong([](StepAccount& a) { a.idle.gap_ns += 1; }) == "the causes of idle time are 40001 ns of 40000 ns");
  CHECK(wrong([](StepAccount& a) { a.copies_ns = -1; }) == "copies is -1 ns of a step of 100000 ns");
  CHECK(wrong([](StepAccount& a) { a.idle_ns = 100'001; }) == "idle is 100001 ns of a step of 100000 ns");
}

TEST_CASE("a device behind its host has steps of its own, which are exact too") {
  for (const int lag : {0, 400, 5000}) {
    planner::trace::Trace ranks;
    for (const std::string& text : run_of(1, 4, lag)) ranks.push_back(sample::rank(text).value());
    const sample::Replay replay(std::move(ranks));
    for (size_t s = 0; s < 4; ++s) {
      CAPTURE(lag);
      CAPTURE(s);
      CHECK(replay.steps[0][s].of_device == (lag > 0));
      CHECK(wrong_of(account(replay, s)).empty());
      if (s > 0 && s < 3) CHECK(account(replay, s).step_ns == 1000 * kUs);
      CHECK(account(replay, s).compute_ns == 550 * kUs);
    }
  }
}

TEST_CASE("a thousand traces with something wrong in them are refused, or their accounts are exact") {
  const std::string folder = "scenarios/traces/";
  const struct {
    const char* name;
    std::vector<std::string> ranks;
  } runs[] = {{"shipped", {read(folder + "rank0.json"), read(folder + "rank1.json")}},
              {"one rank", run_of(1, 5, 0)},
              {"behind its host", run_of(1, 4, 2500)},
              {"three ranks", run_of(3, 3, 0)},
              {"three ranks behind their hosts", run_of(3, 3, 700)},
              {"merged, of servers", {sample::merged_byteps(3)}},
              {"merged, of chunks", {sample::merged_horovod(3, true)}},
              {"merged, of all-reduces", {sample::merged_horovod(3, false)}}};
  for (const auto& run : runs) {
    CAPTURE(run.name);
    const Came came = mutate(run.ranks, 1000, 500);
    CHECK_MESSAGE(came.wrong.empty(), came.wrong);
    CHECK(came.replayed > 100);
    CHECK(came.refused > 20);
    CHECK(came.steps >= came.replayed);
  }
}

// TRAINPLAN_TRACES names a folder of traces, each run a folder of its own or a file.
TEST_CASE("real traces with something wrong in them are refused or their accounts are exact" *
          doctest::skip(std::getenv("TRAINPLAN_TRACES") == nullptr)) {
  const char* folder = std::getenv("TRAINPLAN_TRACES");
  REQUIRE(folder);
  std::map<std::string, std::vector<std::string>> runs;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file() || file.file_size() == 0) continue;
    const std::string text = read(file.path());
    if (text.find("\"traceEvents\"") == std::string::npos) continue;
    const bool several =
        file.path().filename().string().starts_with("rank") && file.path().parent_path().filename() == "kineto";
    runs[several ? file.path().parent_path().string() : file.path().string()].push_back(text);
  }
  REQUIRE(!runs.empty());
  for (const auto& [name, ranks] : runs) {
    const auto& said = name;
    const Came came = mutate(ranks, 1000, 1500 / ranks.size());
    CHECK_MESSAGE(came.wrong.empty(), said << ": " << came.wrong);
    CHECK_MESSAGE(came.replayed > 0, said);
    MESSAGE(name << ": " << came.replayed << " replayed with " << came.steps << " steps, " << came.of_device
                 << " of devices; " << came.refused << " refused");
  }
}
