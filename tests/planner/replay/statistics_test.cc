// Means by the known properties of a time, and the file that keeps them.
#include "planner/replay/statistics.h"

#include <doctest/doctest.h>

#include <random>

using namespace planner::replay;

namespace {

TimeMoment between(std::string_view begin, std::string_view end, std::string_view before, std::string_view after) {
  return {.kind = TimeKind::between, .begin = begin, .end = end, .before = before, .after = after};
}

std::string text_of(const Statistics& statistics) {
  std::string text;
  write_statistics(statistics, [&](std::string_view piece) { text += piece; });
  return text;
}

/// The first thing that is wrong, with its place; "" where nothing is.
std::string read(const std::string& text, Statistics& statistics) {
  const dsl::Source source{"times.csv", text, ""};
  dsl::Diagnostics diagnostics;
  read_statistics(source, statistics, diagnostics);
  if (diagnostics.list.empty()) return "";
  const dsl::Diagnostic& first = diagnostics.list.front();
  return std::to_string(first.span.line) + ":" + std::to_string(first.span.column) + ": " + first.message;
}

}  // namespace

TEST_CASE("a time is known by what is most like it") {
  Statistics known;
  CHECK(!known.mean_ns(between("a", "b", "c", "d")));
  known.add(between("a", "b", "c", "d"), 10);
  known.add(between("a", "b", "c", "d"), 20);
  known.add(between("a", "b", "x", "d"), 60);
  known.add(between("x", "b", "c", "d"), 110);
  known.add(between("x", "x", "c", "d"), 300, 2);
  known.add(between("x", "x", "c", "x"), 500);
  CHECK(known.mean_ns(between("a", "b", "c", "d")) == 15);
  CHECK(known.mean_ns(between("a", "b", "?", "d")) == 30);
  CHECK(known.mean_ns(between("?", "b", "?", "d")) == 50);
  CHECK(known.mean_ns(between("?", "?", "?", "d")) == 83);   // 500 / 6
  CHECK(known.mean_ns(between("?", "?", "?", "?")) == 143);  // 1000 / 7
  CHECK(!known.mean_ns({.kind = TimeKind::call, .begin = "a", .end = "b", .before = "c", .after = "d"}));
}

TEST_CASE("a time whose place in its step is known is like those at that place; a file has all of its kind together") {
  Statistics known;
  for (const int64_t place : {0, 1}) {
    TimeMoment moment = between("a", "b", "c", "d");
    moment.place = place;
    known.add(moment, place == 0 ? 70 : 10);
    known.add(moment, place == 0 ? 90 : 10);
  }
  TimeMoment asked = between("a", "b", "c", "d");
  CHECK(known.mean_ns(asked) == 45);
  asked.place = 0;
  CHECK(known.mean_ns(asked) == 80);
  asked.place = 1;
  CHECK(known.mean_ns(asked) == 10);
  asked.place = 2;
  CHECK(known.mean_ns(asked) == 45);
  CHECK(known.sums().size() == 1);
}

TEST_CASE("statistics in a file are those that were written") {
  std::mt19937 random(3);
  const std::string_view names[] = {"", "aten::mm", "void f<a, b>(\"x\")", "line\nbreak", ",", "caf\xC3\xA9"};
  const auto any = [&] { return names[random() % std::size(names)]; };
  Statistics known;
  for (int i = 0; i < 200; ++i)
    known.add(
        {.kind = static_cast<TimeKind>(random() % 7), .begin = any(), .end = any(), .before = any(), .after = any()},
        static_cast<double>(random() % 1000) - 100);
  const std::string text = text_of(known);
  Statistics again;
  CHECK(read(text, again) == "");
  CHECK(text_of(again) == text);
  CHECK(read(text, again) == "");  // twice the runs, the same means
  for (const auto& [moment, sum] : known.sums()) {
    const auto& [kind, t] = moment;
    const TimeMoment same{.kind = kind, .begin = t[0], .end = t[1], .before = t[2], .after = t[3]};
    CHECK(again.mean_ns(same) == known.mean_ns(same));
    CHECK(again.sums().at(moment).count == 2 * sum.count);
  }
}

TEST_CASE("columns may stand in any order, beside others") {
  Statistics known;
  CHECK(read("note,mean_ns,count,after,before,end,begin,kind\nx,-2.5e3,4,k,,,,sync\n", known) == "");
  CHECK(known.mean_ns({.kind = TimeKind::sync, .begin = {}, .end = {}, .before = {}, .after = "k"}) == -2500);
}

TEST_CASE("what is wrong with a file of statistics stands with its place") {
  const std::string head = "kind,begin,end,before,after,count,mean_ns\n";
  const struct {
    std::string text, message;
  } rows[] = {
      {"", "1:1: the file is empty"},
      {"kind,begin,end,before,after,count\n", "1:1: no column 'mean_ns'"},
      {head + "calls,,,,,1,2\n", "2:1: unknown kind 'calls'"},
      {head + "call,,,,,0,2\n", "2:10: expected a whole number above zero, got '0'"},
      {head + "call,,,,,1.5,2\n", "2:10: expected a whole number above zero, got '1.5'"},
      {head + "call,,,,,1e16,2\n", "2:10: more than 9000000000000000 times in all"},
      {head + "call,,,,,1,two\n", "2:12: expected nanoseconds, an hour at most, got 'two'"},
      {head + "call,,,,,1,1e13\n", "2:12: expected nanoseconds, an hour at most, got '1e13'"},
      {head + "call,,,,1\n", "2:9: expected 7 cells"},
  };
  for (const auto& row : rows) {
    Statistics known;
    const std::string told = read(row.text, known);
    CHECK_MESSAGE(told.starts_with(row.message), told);
    CHECK(known.sums().empty());
  }
}

TEST_CASE("no more times are read than a count holds, over all rows and files") {
  const std::string head = "kind,begin,end,before,after,count,mean_ns\n";
  Statistics known;
  CHECK(read(head + "call,a,,,,5e15,1\ncall,b,,,,3e15,1\n", known) == "");
  CHECK(read(head + "sync,,,,,1e15,3.6e12\n", known) == "");
  CHECK(known.count() == 9'000'000'000'000'000);
  CHECK(read(head + "call,a,,,,1,1\n", known) == "2:11: more than 9000000000000000 times in all");
  Statistics again;
  CHECK(read(text_of(known), again) == "");
  CHECK(again.count() == known.count());
}

TEST_CASE("a thousand files of statistics with bytes that changed are read, or refused with a place") {
  Statistics known;
  for (const char* name : {"", "aten::mm", "void f<a, b>(\"x\")", "line\nbreak"})
    for (int kind = 0; kind < 7; ++kind)
      known.add({.kind = static_cast<TimeKind>(kind), .begin = name, .end = "", .before = name, .after = "k"}, 1234.5,
                3);
  const std::string whole = text_of(known);
  std::mt19937 random(3);
  int good = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string mutated = whole;
    for (int change = 0; change <= i % 3; ++change) {
      const size_t at = random() % mutated.size();
      if (random() % 2) mutated[at] = static_cast<char>(random());
      else mutated.erase(at, 1 + random() % 5);
    }
    Statistics times, again;
    const std::string told = read(mutated, times);
    CHECK_FALSE(told.starts_with("0:"));
    good += told.empty();
    CHECK(read(text_of(times), again) == "");  // what is good of it is a file
    CHECK(again.count() == times.count());
  }
  CHECK(good > 50);
}
