// Collectives of random runs, against a second implementation that knows which kernels are one.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "planner/trace/collectives.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;

namespace {

/// A kernel of one rank, in microseconds.
struct Part {
  size_t rank = 0;
  int64_t begin = 0, end = 0;
  auto operator<=>(const Part&) const = default;
};
/// Kernels that are one, with what a brute-force search finds of them.
struct Known {
  size_t group = 0;
  std::vector<Part> parts;  // by rank

  const Part& last() const {  // of those that begin together the first
    return *std::ranges::max_element(
        parts, {}, [](const Part& part) { return std::pair(part.begin, -static_cast<int64_t>(part.rank)); });
  }
  int64_t transfer() const {
    int64_t most = 0;  // the longest time that a kernel runs behind the last begin
    for (const Part& part : parts) most = std::max(most, part.end - last().begin);
    return most;
  }
  int64_t wait(const Part& part) const { return std::max<int64_t>(0, part.end - part.begin - transfer()); }
  std::string text() const {
    std::string out = fmt::format("group {} transfer {} last {}:", group, transfer(), last().rank);
    for (const Part& part : parts)
      out += fmt::format(" {}@{}-{} waits {}", part.rank, part.begin, part.end, wait(part));
    return out;
  }
};

/// How groups are distinguished: by a name, by their members if names are equal, by a stream of their own.
enum class Naming { name, members, stream };

/// A run of several ranks: groups with some of them each, a stream for each group, and kernels between.
class RandomRun {
 public:
  RandomRun(std::mt19937& random, Naming naming, int64_t skew) : random_(random), naming_(naming), skew_(skew) {
    const size_t ranks = 2 + random_() % 4, groups = 1 + random_() % 3;
    for (size_t r = 0; r < ranks; ++r)
      texts_.emplace_back(fmt::format(R"("distributedInfo": {{"rank": {}, "world_size": {}}}, )", r, ranks));
    for (KinetoText& text : texts_) text.kernel("gemm", 7, 1, 1);  // of a rank in no group
    for (size_t g = 0; g < groups; ++g) {
      std::vector<size_t> members;
      for (size_t r = 0; r < ranks; ++r)
        if (naming == Naming::stream || random_() % 3) members.push_back(r);
      if (members.empty()) members.push_back(random_() % ranks);
      const bool is_new = std::ranges::find(members_, members) == members_.end();
      if (is_new || naming != Naming::members) members_.push_back(members);
    }
    for (size_t g = 0; g < members_.size(); ++g) communicate(g);  // streams count by their first kernel
    for (int i = 0; i < 20; ++i) communicate(random_() % members_.size());
  }
  Trace trace() const { return sample::trace(texts_); }
  /// As text, in no order.
  std::vector<std::string> known() const {
    std::vector<std::string> out;
    for (const Known& each : known_) out.push_back(each.text());
    std::ranges::sort(out);
    return out;
  }
  const std::vector<Known>& collectives() const { return known_; }
  size_t ranks() const { return texts_.size(); }

 private:
  int64_t below(int64_t most) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(most)); }

  // One after the other, so that kernels of a stream do not overlap.
  void communicate(size_t group) {
    Known made{.group = group, .parts = {}};
    const int64_t from = now_ + 2, to = from + 10 + below(40);
    for (const size_t r : members_[group]) {
      const Part part{r, from + below(10), to + below(skew_ + 1)};
      made.parts.push_back(part);
      texts_[r].kernel("ncclAll(x)", static_cast<int>(20 + group), part.begin, part.end - part.begin, said(group));
      if (below(2)) texts_[r].kernel("gemm", 7, part.begin, 1);
    }
    now_ = to + skew_;
    known_.push_back(made);
  }
  std::string said(size_t group) const {
    if (naming_ == Naming::stream) return "";
    return fmt::format(
        R"("Collective name": "{0}", "Process Group Name": "{0}", "Process Group Ranks": "{1}", "Group size": {2})",
        naming_ == Naming::name ? fmt::format("g{}", group) : "alike", fmt::join(members_[group], " "),
        members_[group].size());
  }

  std::mt19937& random_;
  const Naming naming_;
  const int64_t skew_;  // by which ends differ
  int64_t now_ = 0;
  std::vector<KinetoText> texts_;
  std::vector<std::vector<size_t>> members_;
  std::vector<Known> known_;
};

/// The matched collectives, in the same words.
std::vector<std::string> told(const Trace& trace, const Matched& matched) {
  std::vector<std::string> out;
  for (const Collective& collective : matched.collectives) {
    const Event& first = trace[collective.parts[0].rank].events[collective.parts[0].event];
    out.push_back(fmt::format("group {} transfer {} last {}:", trace[collective.parts[0].rank].lane(first).thread - 20,
                              collective.transfer_ns / 1000, collective.parts[collective.last].rank));
    for (const Collective::Part& part : collective.parts) {
      const Event& event = trace[part.rank].events[part.event];
      out.back() += fmt::format(" {}@{}-{} waits {}", part.rank, event.start_ns / 1000, event.end_ns() / 1000,
                                part.wait_ns / 1000);
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("collectives of random runs are matched, and timed as by a search") {
  std::mt19937 random(29);
  for (int round = 0; round < 90; ++round) {
    const RandomRun run(random, static_cast<Naming>(round % 3), round % 2 ? 0 : 6);
    const Trace trace = run.trace();
    const Matched matched = match_collectives(trace);
    CHECK(matched.mistakes.empty());
    CHECK(matched.notes.empty());
    const std::vector<std::string> found = told(trace, matched), known = run.known();
    REQUIRE(fmt::format("{}", fmt::join(found, "\n")) == fmt::format("{}", fmt::join(known, "\n")));
    // The sums that a page shows.
    std::vector<std::vector<int64_t>> waits(run.ranks(), std::vector<int64_t>(run.ranks()));
    for (const Known& each : run.collectives())
      for (const Part& part : each.parts) waits[part.rank][each.last().rank] += 1000 * each.wait(part);
    CHECK(waits_of(trace, matched) == waits);
  }
}

TEST_CASE("a kernel's time is its wait and the transfer, where all ranks are done at once") {
  std::mt19937 random(31);
  for (int round = 0; round < 40; ++round) {
    const bool skewed = round % 2;
    const RandomRun run(random, static_cast<Naming>(round % 3), skewed ? 6 : 0);
    const Trace trace = run.trace();
    for (const Collective& collective : match_collectives(trace).collectives) {
      int64_t end = 0;
      for (const Collective::Part& part : collective.parts)
        end = std::max(end, trace[part.rank].events[part.event].end_ns());
      for (const Collective::Part& part : collective.parts) {
        const Event& event = trace[part.rank].events[part.event];
        // A rank that is done before the others has waited less by that time, at least 0.
        const int64_t early = end - event.end_ns();
        CHECK(part.wait_ns + collective.transfer_ns >= event.duration_ns);
        CHECK(part.wait_ns + collective.transfer_ns <= event.duration_ns + early);
        if (part.wait_ns > 0 || !skewed) CHECK(part.wait_ns + collective.transfer_ns == event.duration_ns);
      }
      CHECK(collective.parts[collective.last].wait_ns == 0);
      CHECK(collective.transfer_ns >= 0);
    }
  }
}

TEST_CASE("collectives come by the time at which they end, and count in their groups") {
  std::mt19937 random(37);
  for (int round = 0; round < 20; ++round) {
    const RandomRun run(random, static_cast<Naming>(round % 3), 0);
    const Trace trace = run.trace();
    int64_t before = 0;
    std::vector<size_t> counts(3);
    for (const Collective& collective : match_collectives(trace).collectives) {
      const Event& event = trace[collective.parts[0].rank].events[collective.parts[0].event];
      CHECK(event.end_ns() >= before);
      before = event.end_ns();
      CHECK(collective.index == counts[static_cast<size_t>(trace[collective.parts[0].rank].lane(event).thread - 20)]++);
    }
  }
}
