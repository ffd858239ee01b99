// Files of BytePS: the records of servers and workers, the end of a server's file, and mistakes in one.
#include "planner/trace/byteps.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "planner/trace/collectives.h"
#include "tests/planner/trace/byteps_text.h"
#include "tests/planner/unpack/deflated.h"

using namespace planner::trace;
using sample::ranks_of;
using sample::ServerText;
using sample::WorkerText;

namespace {

/// A round of key 7 by two workers, the second of which is late.
ServerText& late_round(ServerText& text, int64_t at) {
  text.push(9, 7, at + 100, at + 110).event("pull-9", 'B', 7, at + 120);
  text.push(11, 7, at + 200, at + 240).event("pull-11", 'B', 7, at + 245);
  return text.event("pull-9", 'E', 7, at + 260).event("pull-11", 'E', 7, at + 270);
}

/// The events of each rank: "push 7@100-110 ...".
std::string told(const Trace& trace) {
  std::string out;
  for (const RankTrace& rank : trace) {
    out += fmt::format("{}:", *rank.rank);
    for (const Event& event : rank.events)
      out += fmt::format(" {}@{}-{}", rank.name(event), event.start_ns / 1000, event.end_ns() / 1000);
    out += "\n";
  }
  return out;
}

std::string messages_of(const std::vector<std::string>& texts, bool skip_broken = false) {
  std::string messages;
  ranks_of(texts, &messages, skip_broken);
  return messages;
}

}  // namespace

TEST_CASE("a server's profile has a rank for each worker, whose requests are as long as the server had them") {
  ServerText text;
  late_round(text, 0);
  std::string messages;
  const Trace trace = ranks_of({text.text()}, &messages);
  CHECK(messages.empty());
  CHECK(told(trace) ==
        "0: push 7@100-110 pull 7@120-260\n"
        "1: push 7@200-240 pull 7@245-270\n");
  CHECK(trace[1].file == "0.json (rank 1)");
  CHECK(trace[0].clock == trace[1].clock);
  CHECK(trace[0].lane(trace[0].events[0]) == Lane{0, 7, true});
  for (const RankTrace& rank : trace)
    for (const Event& event : rank.events) CHECK(event.role == Role::communication);
  CHECK(told(ranks_of({text.text() + "]\n}"})) == told(trace));  // whoever has ended the list
  CHECK(told(ranks_of({gzipped(text.text())})) == told(trace));
}

TEST_CASE("a server's profile may end anywhere: whole rounds are read, and what is left out is told") {
  ServerText text;
  for (int round = 0; round < 3; ++round) late_round(text, 1000 * round);
  const std::string whole = text.text();
  const auto rounds_of = [&](size_t length) {
    const Trace trace = ranks_of({whole.substr(0, length)});
    for (const RankTrace& rank : trace) CHECK(rank.events.size() == trace[0].events.size());
    return trace.empty() ? 0 : trace[0].events.size() / 2;
  };
  size_t before = 0;
  for (size_t length = 0; length <= whole.size(); ++length) {
    const size_t rounds = rounds_of(length);
    CHECK(rounds >= before);
    before = rounds;
  }
  CHECK(before == 3);
  // Cut in the last event: of the third round one PULL had not ended; two PUSHs and the other PULL are of it.
  CHECK(messages_of({whole.substr(0, whole.size() - 5)}) ==
        "'0.json' ends in the middle of rounds, whose requests are left out: 1 that had not ended, 3 that had\n");
  // Before the first round is over there is nothing to replay; before the first event it is not a server's file.
  const size_t first = whole.find("push-11");
  CHECK(messages_of({whole.substr(0, first)}).find("cannot use '0.json': of its 3 events none is") !=
        std::string::npos);
  CHECK(messages_of({whole.substr(0, 20)}).find("the text ends here, in the middle of a value") != std::string::npos);
  const std::string packed = gzipped(whole);
  CHECK(messages_of({packed.substr(0, packed.size() - 9)}).find("it is cut off") != std::string::npos);
}

TEST_CASE("a worker that is farther behind than a round is none of where the file ends") {
  ServerText text;
  for (int round = 0; round < 3; ++round) late_round(text, 1000 * round);
  text.push(9, 8, 1, 2).pull(9, 8, 3, 4).push(9, 8, 5, 6).pull(9, 8, 7, 8);
  text.push(11, 8, 1, 2).pull(11, 8, 3, 4).push(9, 8, 9, 10).pull(9, 8, 11, 12);
  const Trace trace = ranks_of({text.text()});
  const Matched matched = match_collectives(trace);
  CHECK(matched.collectives.size() == 3);
  REQUIRE(matched.mistakes.size() == 1);
  CHECK(matched.mistakes[0] == "the ranks have different numbers of PUSHs and PULLs of key 8: 6, 2");
}

TEST_CASE("servers have different keys of the same workers, which are joined") {
  ServerText one, two;
  late_round(one, 0);
  two.push(9, 8, 50, 60).push(11, 8, 40, 90).pull(9, 8, 70, 100).pull(11, 8, 95, 99);
  const Trace trace = ranks_of({one.text(), two.text()});
  CHECK(told(trace) ==
        "0: push 8@50-60 pull 8@70-100 push 7@100-110 pull 7@120-260\n"
        "1: push 8@40-90 pull 8@95-99 push 7@200-240 pull 7@245-270\n");
  CHECK(trace[0].file == "0.json (rank 0), 1.json (rank 0)");
  CHECK(trace[0].launched_by.size() == 4);
  CHECK(match_collectives(trace).collectives.size() == 2);
  CHECK(messages_of({one.text(), one.text()}).find("are both of rank 0") != std::string::npos);
}

TEST_CASE("a worker's trace has its PUSH and PULL of each partition, and no other stage") {
  WorkerText text;
  text.stage("byteps.gradient_0", "", "total", 90, 200);
  text.stage("byteps.gradient_0", "COPYD2H", "65536", 90, 5);
  text.round("byteps.gradient_0", 65536, 100, 110, 120, 260);
  text.round("byteps.gradient_0", 65537, 102, 118, 121, 255);
  text.stage("byteps.gradient_0", "BROADCAST", "65536", 265, 9);
  std::string messages;
  const Trace trace = ranks_of({text.text()}, &messages);
  CHECK(told(trace) ==
        "0: Comm.byteps.gradient_0.PUSH@100-110 Comm.byteps.gradient_0.PUSH@102-118 "
        "Comm.byteps.gradient_0.PULL@120-260 Comm.byteps.gradient_0.PULL@121-255\n");
  CHECK(messages == "'0.json' does not say its rank: it is taken as rank 0\n");
  CHECK(trace[0].read == 7);
  CHECK(trace[0].clock.empty());
  // Without categories, as in older versions.
  std::string old = text.text();
  for (size_t at = 0; (at = old.find(",\n            \"cat\": \"Comm\"")) != std::string::npos;) old.erase(at, 28);
  CHECK(told(ranks_of({old})) == told(trace));
  // It ends: one that does not is cut off.
  CHECK(messages_of({old.substr(0, old.size() - 30)}).find("the text ends here") != std::string::npos);
  CHECK(messages_of({WorkerText().stage("t", "REDUCE", "1", 1, 1).text()}).find("of its 1 events none is") !=
        std::string::npos);
}

TEST_CASE("a request or a stage that is broken is an error, or is left out and told") {
  const struct {
    const char *event, *message;
  } rows[] = {
      {R"({"name": "push-9", "ph": "E", "pid": 7, "tid": 7, "ts": 5})", "'push-9' of key 7 ends and has not begun"},
      {R"({"name": "pull-13", "ph": "B", "pid": 7, "tid": 7})", "the event has no time 'ts'"},
      {R"({"name": "pull-13", "ph": "B", "pid": 7, "tid": 7, "ts": 3e15})", "the event's time is out of range"},
      {R"({"name": "push-9", "ph": "B", "pid": "x", "tid": 7, "ts": 5})", "the event's 'pid' is no key"},
      {R"({"name": "push-8", "ph": "B", "pid": 7, "tid": 7, "ts": 5})",
       "'push-8' is of no worker: in ps-lite these are 9, 11, 13 ..."},
      {R"({"name": "push-1", "ph": "B", "pid": 7, "tid": 7, "ts": 5})",
       "'push-1' is of no worker: in ps-lite these are 9, 11, 13 ..."},
  };
  for (const auto& row : rows) {
    CAPTURE(row.event);
    ServerText text;
    late_round(text, 0).raw(row.event);
    late_round(text, 1000);
    const std::string place = fmt::format("cannot read '0.json': event 9 (byte {}): ", text.text().find(row.event));
    CHECK(messages_of({text.text()}) == place + row.message + "\n");
    std::string messages;
    CHECK(ranks_of({text.text()}, &messages, true).size() == 2);
    CHECK(messages == place + row.message + "\n");
  }
  ServerText back, again;
  back.push(9, 7, 10, 7).push(9, 7, 12, 13).pull(9, 7, 14, 15);
  CHECK(messages_of({back.text()}).find("'push-9' of key 7 ends 3 us before it begins") != std::string::npos);
  CHECK(told(ranks_of({back.text()}, nullptr, true)) == "0: push 7@12-13 pull 7@14-15\n");
  again.event("push-9", 'B', 7, 1).push(9, 7, 2, 3).pull(9, 7, 4, 5);
  CHECK(messages_of({again.text()}).find("'push-9' of key 7 begins again before it has ended") != std::string::npos);
  CHECK(told(ranks_of({again.text()}, nullptr, true)) == "0: push 7@2-3 pull 7@4-5\n");  // the first was never answered
  CHECK(messages_of({WorkerText().stage("t", "PULL", "x", 1, 1).text()}).find("the event's 'tid' is no key") !=
        std::string::npos);
  CHECK(messages_of({WorkerText().stage("t", "PULL", "1", 1, -2).text()}).find("duration is negative: -2 us") !=
        std::string::npos);
}

TEST_CASE("begins and ends of other names are none of a server, and one beside a profiler's events is told") {
  ServerText text;
  late_round(text, 0).event("push-9x", 'B', 7, 3).event("step", 'B', 7, 3).event("push-", 'E', 7, 3);
  CHECK(ranks_of({text.text()}).size() == 2);
  text.raw(R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2})");
  CHECK(messages_of({text.text()}) == "cannot use '0.json': it has events of one rank beside those of several\n");
}

TEST_CASE("a thousand files with bytes that changed are read, or refused with a word") {
  ServerText server;
  for (int round = 0; round < 4; ++round) late_round(server, 1000 * round);
  WorkerText worker;
  for (int round = 0; round < 4; ++round)
    worker.round("t", 7 + round % 2, 100 * round, 100 * round + 9, 100 * round + 12, 100 * round + 30);
  std::mt19937 random(11);
  int read = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string mutated = i % 3 ? server.text() : worker.text();
    for (int change = 0; change <= i % 2; ++change) {
      const size_t at = random() % mutated.size();
      const auto kind = random() % 3;
      if (kind == 0) mutated[at] = static_cast<char>(random());
      else if (kind == 1) mutated.erase(at, 1 + random() % 20);
      else mutated.insert(at, mutated.substr(random() % mutated.size(), random() % 90));
    }
    std::string messages;
    const Trace trace = ranks_of({mutated}, &messages, i % 2 == 0);
    read += !trace.empty();
    CHECK((!trace.empty() || !messages.empty()));
    const Matched matched = match_collectives(trace);
    for (const Collective& collective : matched.collectives)
      for (const Collective::Part& part : collective.parts) {
        CHECK(part.wait_ns >= 0);
        CHECK(part.wait_ns <= trace[part.rank].events[part.event].duration_ns);
      }
  }
  CHECK(read > 300);
}
