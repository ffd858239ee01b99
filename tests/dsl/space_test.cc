// Open choices: which combinations there are, in which order, and which of them are refused.
#include "dsl/space.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "tests/dsl/opened.h"
#include "tests/dsl/sample.h"

using sample::complete;
using sample::Opened;

namespace {

const char* name(dsl::Refusal refusal) {
  const char* const names[] = {"", "!divisibility", "!value", "!where"};
  return names[static_cast<size_t>(refusal)];
}

/// "2,4,8 2,8,4!where ...": the values of all open items, and what refused them.
std::string walked(const dsl::Space& space) {
  std::string out;
  for (dsl::Cursor cursor(space); cursor.next();) {
    if (!out.empty()) out += ' ';
    const bool dead = cursor.refusal() == dsl::Refusal::divisibility || cursor.refusal() == dsl::Refusal::value;
    const size_t known = dead ? cursor.refused_at() : space.items().size();
    for (size_t i = 0; i < known; ++i) out += (i ? "," : "") + dsl::to_text(cursor.value(i));
    out += name(cursor.refusal());
  }
  return out;
}

}  // namespace

TEST_CASE("a space walks every combination, the last choice fastest") {
  const struct {
    const char *more, *items, *walk;
  } rows[] = {
      {"", "", ""},
      {"parallelism: {tp: [2, 4]}", "parallelism.tp* parallelism.dp", "2,32 4,16"},
      {"parallelism: {tp: [2, 4], pp: [1, 2]}", "parallelism.tp* parallelism.pp* parallelism.dp",
       "2,1,32 2,2,16 4,1,16 4,2,8"},
      {"parallelism: {pp: [1, 2], tp: [2, 4]}", "parallelism.pp* parallelism.tp* parallelism.dp",
       "1,2,32 1,4,16 2,2,16 2,4,8"},
      {"parallelism: {tp: [2, 4], pp: \"divisors(tp)\", dp: 1}", "parallelism.tp* parallelism.pp*",
       "2,1 2,2 4,1 4,2 4,4"},
      {"parallelism: {pp: \"divisors(tp)\", tp: [2, 4], dp: 1}", "parallelism.tp* parallelism.pp*",
       "2,1 2,2 4,1 4,2 4,4"},
      {"parallelism: {tp: [2, 3], dp: cluster.gpus / tp}", "parallelism.tp* parallelism.dp", "2,32 3!divisibility"},
      {"parallelism: {tp: [2, 3], dp: \"range(1, 4 / (tp - 2))\"}", "parallelism.tp* parallelism.dp*",
       "2!divisibility 3,1 3,2 3,3 3,4"},
      {"parallelism: {tp: [2, 4], pp: \"pow2(tp, 3)\", dp: 1}", "parallelism.tp* parallelism.pp*",
       "2,2 4!divisibility"},
      {"let: {sizes: [2, 4], half: tp / 2}\nparallelism: {tp: sizes, pp: half, dp: 1}",
       "parallelism.tp* half parallelism.pp", "2,1,1 4,2,2"},
      {"parallelism: {tp: [2, 4], dp: 1}\nwhere: [tp <= 2]", "parallelism.tp*", "2 4!where"},
      {"parallelism: {tp: [2, 4], pp: [1, 2], dp: 1}\nwhere: [tp <= 2, pp < tp]", "parallelism.tp* parallelism.pp*",
       "2,1 2,2!where 4,1!where 4,2!where"},
      {"parallelism: {dp: [1, 2]}\nwhere: [cluster.gpus < 64]", "parallelism.dp*", "1!where 2!where"},
      {"parallelism: {dp: [1, 2]}\nwhere: [step < 1 s]", "parallelism.dp*", "1 2"},
      {"parallelism: {dp: 1, sequence_parallel: [false, true], order: [tp-cp-dp, dp-cp-tp]}",
       "parallelism.sequence_parallel* parallelism.order*",
       "false,tp-cp-dp false,dp-cp-tp true,tp-cp-dp true,dp-cp-tp"},
      {"parallelism: {tp: [2, 4], dp: 1, order: \"if(tp > 2, \\\"dp-cp-tp\\\", \\\"tp-cp-dp\\\")\"}",
       "parallelism.tp* parallelism.order", "2,tp-cp-dp 4,dp-cp-tp"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.more));
    Opened opened(complete(row.more));
    CHECK(opened.errors() == "");
    CHECK(opened.items() == row.items);
    CHECK(walked(*opened.space) == row.walk);
  }
}

TEST_CASE("choices of --set stand behind those of the file") {
  Opened opened(complete("parallelism: {pp: [1, 2], dp: 1}\n"), {{"parallelism.tp=[2, 4]"}});
  CHECK(walked(*opened.space) == "1,2 1,4 2,2 2,4");
}

TEST_CASE("choices of several --set stand in the order of these, however long their paths are") {
  const std::vector<dsl::Override> sets{
      {"cluster.gpu.memory=[40 GB, 80 GB]"}, {"model.layers=[8, 9]"}, {"parallelism.tp=[2, 4]"}};
  Opened opened(complete("parallelism: {dp: 1}\n"), sets);
  CHECK(opened.items() == "cluster.gpu.memory* model.layers* parallelism.tp*");
  Opened back(complete("parallelism: {dp: 1}\n"), {sets.rbegin(), sets.rend()});
  CHECK(back.items() == "parallelism.tp* model.layers* cluster.gpu.memory*");
}

TEST_CASE("what is open, what it reads, and where it is refused") {
  const struct {
    const char *more, *items, *walk;
  } rows[] = {
      // a name that one branch alone reads
      {"parallelism: {tp: [1, 2], pp: [1, 4], dp: \"if(tp > 1, pp, 3)\"}",
       "parallelism.tp* parallelism.pp* parallelism.dp", "1,1,3 1,4,3 2,1,1 2,4,4"},
      {"parallelism: {tp: [1, 2], dp: \"if(tp > 1, 8 / (tp - 1), 8)\"}", "parallelism.tp* parallelism.dp", "1,8 2,8"},
      {"parallelism: {tp: [1, 2], pp: \"if(tp > 1, divisors(4), pow2(8, 8))\", dp: 1}",
       "parallelism.tp* parallelism.pp*", "1,8 2,1 2,2 2,4"},
      // a condition that has no value does not hold
      {"parallelism: {tp: [1, 2, 3], dp: 1}\nwhere: [1 / (tp - 2) > 0]", "parallelism.tp*", "1!where 2!where 3"},
      // items of lists and entries of maps
      {"parallelism: {dp: 1}\ncluster: {network: [{name: x, bandwidth: [1 GB/s, 2 GB/s]}]}",
       "cluster.network[0].bandwidth*", "1 GB/s 2 GB/s"},
      {"parallelism: {dp: 1}\ncluster: {gpu: {kernels: {flash: {forward: [0.5, 0.25], backward: forward_of / 2}}}}\n"
       "let: {forward_of: cluster.gpu.kernels.flash.forward}",
       "cluster.gpu.kernels.flash.forward* forward_of cluster.gpu.kernels.flash.backward",
       "0.5,0.5,0.25 0.25,0.25,0.125"},
      {"parallelism: {dp: 1, pp: [1, 2], stages: [pp, 96 - pp]}", "parallelism.pp* parallelism.stages",
       "1,[1, 95] 2,[2, 94]"},
      {"parallelism: {dp: 1, pp: [1, 2], stages: [pp, pp - 1]}", "parallelism.pp* parallelism.stages",
       "1!divisibility 2,[2, 1]"},
      // quantities, and their inputs
      {"parallelism: {tp: [1, 2], dp: 1}\ncluster: {gpu: {memory: 40 GB * tp}, price: tp * 1 USD/s}",
       "parallelism.tp* cluster.gpu.memory cluster.price", "1,40 GB,1 USD/s 2,80 GB,2 USD/s"},
      {"parallelism: {tp: [1, 2], dp: 1}\ncluster: {price: 1 USD/s / (tp - 1)}", "parallelism.tp* cluster.price",
       "1!value 2,1 USD/s"},
      {"parallelism: {tp: [1, 2], dp: 1}\njob: {dropout: tp / 2 - 0.1}", "parallelism.tp* job.dropout", "1,0.4 2,0.9"},
      {"parallelism: {tp: [1, 4], dp: 1}\njob: {dropout: tp / 2}", "parallelism.tp* job.dropout", "1,0.5 4!value"},
      // a field that may be absent
      {"parallelism: {dp: 1}\njob: {tokens: [1e3, 2e3]}", "job.tokens*", "1000 2000"},
      {"parallelism: {dp: [1, 2]}\njob: {tokens: dp * 1e3}", "parallelism.dp* job.tokens", "1,1000 2,2000"},
      // the same value twice is two candidates
      {"parallelism: {dp: [2, 2]}", "parallelism.dp*", "2 2"},
      {"parallelism: {dp: [7]}", "", ""},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.more));
    std::string text = complete();
    std::vector<dsl::Override> sets;
    std::string lines = row.more;
    for (const char* section : {"cluster: ", "job: "})  // beside what `complete` has of them
      if (const size_t at = lines.find(std::string("\n") + section); at != std::string::npos) {
        const size_t end = std::min(lines.find('\n', at + 1), lines.size());
        const std::string map =
            lines.substr(at + 1 + std::string(section).size(), end - at - 1 - std::string(section).size());
        const size_t place = text.find(section) + std::string(section).size();
        text.insert(place + 1, map.substr(1, map.size() - 2) + ", ");
        lines.erase(at, end - at);
      }
    Opened opened(text + lines);
    CHECK(opened.errors() == "");
    if (opened.diagnostics.has_errors()) continue;
    CHECK(opened.items() == row.items);
    CHECK(walked(*opened.space) == row.walk);
  }
}

TEST_CASE("a choice of as many values as there may be, and one more") {
  Opened most(complete("parallelism: {dp: \"range(1, 10000)\"}\n"));
  int64_t count = 0;
  for (dsl::Cursor cursor(*most.space); cursor.next();) CHECK(dsl::to_text(cursor.value(0)) == std::to_string(++count));
  CHECK(count == 10000);
  CHECK(Opened(complete("parallelism: {dp: \"range(1, 10001)\"}\n")).errors().find("at most 10000 values") !=
        std::string::npos);
}

TEST_CASE("a file that cannot be read is told once, and not for what it lacks") {
  Opened opened(complete("parallelism: {sequence_parallel: false, dp:\xff 3}\n"));
  REQUIRE(opened.diagnostics.list.size() == 1);
  CHECK(opened.diagnostics.list[0].message == "the text is not valid UTF-8 here");
}

TEST_CASE("circles through choices are told") {
  for (const char* more : {"parallelism: {tp: [pp, 1], pp: [tp, 2]}", "parallelism: {tp: \"divisors(dp)\"}",
                           "let: {half: tp / 2}\nparallelism: {tp: [half, 2]}", "parallelism: {tp: [1, tp]}",
                           "parallelism: {dp: [1, 2], tp: [1, pp], pp: \"if(dp > 1, tp, 2)\"}"}) {
    INFO(std::string(more));
    Opened opened(complete(more));
    REQUIRE(opened.diagnostics.has_errors());
    CHECK(opened.errors().find("circle") != std::string::npos);
  }
}

TEST_CASE("mistakes in open values are told before the walk, with their place") {
  const struct {
    const char *more, *message;
  } rows[] = {
      {"parallelism: {tp: [2, four]}", "4:23: unknown name 'four'"},
      {"parallelism: {tp: [2, 4], pp: tp + 3 s}", "4:31: "},
      {"parallelism: {tp: [2, 4], pp: tp * 1 s}", "4:31: "},
      {"parallelism: {tp: [pp, 4], pp: [tp, 2]}", "4:"},
      {"parallelism: {tp: []}", "4:19: parallelism.tp is an empty choice"},
      {"parallelism: {tp: [1, 2.5]}", "4:23: "},
      {"parallelism: {tp: [1, 2], order: [tp-cp-dp, tp-dp]}", "4:45: "},
      {"parallelism: {tp: [1, 2], order: 'if(tp > 1, 3, 4)'}", "4:34: "},
      {"parallelism: {tp: [1, 2]}\nwhere: [tp + 1]", "5:9: expected a condition"},
      {"parallelism: {tp: [1, 2]}\nwhere: [sp < 1]", "5:9: unknown name 'sp'"},
      {"parallelism: {tp: [1, 2]}\ngoal: {minimize: steps}", "5:18: unknown name 'steps'"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.more));
    Opened opened(complete(row.more));
    REQUIRE(!opened.diagnostics.list.empty());
    const dsl::Diagnostic& d = opened.diagnostics.list[0];
    const std::string first = std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + ": " + d.message;
    CHECK(first.substr(0, std::string(row.message).size()) == row.message);
  }
}

TEST_CASE("the parts of a walk together are the walk") {
  Opened opened(
      complete("parallelism: {tp: [2, 3, 4], pp: \"divisors(12 / tp)\", dp: \"range(1, pp)\"}\n"
               "where: [pp * tp > 4]\n"));
  REQUIRE(opened.errors() == "");
  const auto list = [&](size_t depth, int64_t only) {
    std::vector<std::string> seen;
    dsl::Cursor cursor(*opened.space);
    cursor.split(depth, [&](int64_t part) { return only < 0 || part == only; });
    while (cursor.next()) {
      std::string line = std::to_string(cursor.part()) + ":";
      for (size_t i = 0; i < 3; ++i) line += " " + dsl::to_text(cursor.value(i));
      seen.push_back(line + name(cursor.refusal()));
    }
    return seen;
  };
  for (size_t depth = 0; depth <= 4; ++depth) {
    const std::vector<std::string> whole = list(depth, -1);
    std::vector<std::string> parts;
    for (int64_t part = 0; part < 100; ++part)
      for (const std::string& line : list(depth, part)) parts.push_back(line);
    CHECK(parts == whole);
    CHECK(whole.size() == (1 + 2 + 3 + 6) + (1 + 2 + 4) + (1 + 3));  // sums of the divisors of 6, 4 and 3
  }
}

TEST_CASE("a cursor says from which item on the values changed") {
  Opened opened(complete("parallelism: {tp: [2, 4], pp: [1, 2, 4], dp: 1}\n"));
  std::string changed;
  for (dsl::Cursor cursor(*opened.space); cursor.next();) changed += std::to_string(cursor.changed());
  CHECK(changed == "011011");
}

TEST_CASE("results are given to expressions when they are known") {
  Opened opened(complete("parallelism: {tp: [2, 4], dp: 1}\ngoal: {minimize: step * tp}\n"));
  const dsl::Expression& goal = opened.space->record().find("goal.minimize")->expressions.at(0);
  const std::vector<dsl::Value> known{dsl::Value{dsl::Number{3, dsl::kTime}}, {}, {}, {}};
  dsl::Cursor cursor(*opened.space);
  REQUIRE(cursor.next());
  CHECK(dsl::to_text(cursor.evaluate(goal, known).value()) == "6 s");
  REQUIRE(cursor.next());
  CHECK(dsl::to_text(cursor.evaluate(goal, known).value()) == "12 s");
  CHECK(!cursor.evaluate(goal, std::vector<dsl::Value>(4)));
}

TEST_CASE("values that are together are walked last, and are no choice") {
  const struct {
    const char *more, *items, *walk;
    int together;
  } rows[] = {
      {"parallelism: {pp: [1, 2], tp: [2, 4], dp: 1}", "parallelism.tp* parallelism.pp", "2,1 2,2 4,1 4,2", 1},
      {"parallelism: {pp: [1, 2], tp: [2, 4]}", "parallelism.tp* parallelism.pp parallelism.dp",
       "2,1,32 2,2,16 4,1,16 4,2,8", 1},
      {"let: {half: pp / 2}\nparallelism: {pp: [2, 4], tp: half, dp: 1}", "parallelism.pp half parallelism.tp",
       "2,1,1 4,2,2", 0},
      {"parallelism: {pp: [1, 3], tp: 1}", "parallelism.pp parallelism.dp", "1,64 3,21", 0},
      {"parallelism: {pp: 2, tp: [2, 4], dp: 1}", "parallelism.tp*", "2 4", -1},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.more));
    Opened opened(complete(row.more), {}, "parallelism.pp");
    CHECK(opened.errors() == "");
    CHECK(opened.items() == row.items);
    CHECK(walked(*opened.space) == row.walk);
    const std::optional<size_t> together = opened.space->together();
    CHECK(together.has_value() == (row.together >= 0));
    if (together) CHECK(*together == static_cast<size_t>(row.together));
  }
}

TEST_CASE("a choice does not follow values that are together") {
  for (const char* more : {"parallelism: {pp: [2, 4], tp: \"divisors(pp)\", dp: 1}",
                           "let: {half: pp / 2}\nparallelism: {pp: [2, 4], tp: \"divisors(half)\", dp: 1}"}) {
    const Opened opened(complete(more), {}, "parallelism.pp");
    CHECK(opened.errors().find("parallelism.tp is a choice that follows parallelism.pp, which has several values") !=
          std::string::npos);
  }
}

TEST_CASE("counts that follow by arithmetic have the values, and the refusals, of their formulas") {
  // The same formula twice: as arithmetic, and inside of a function that only the general evaluation knows.
  const std::string open = complete("parallelism: {tp: [1, 2, 5], pp: ");
  const std::vector<dsl::Override> gpus{{"cluster.gpus=[1, 2, 3, 8, 12]"}};
  for (const char* formula :
       {"cluster.gpus / tp", "cluster.gpus * 3 / (tp * 2)", "cluster.gpus - 2 * tp", "0 * cluster.gpus / tp",
        "cluster.gpus / (tp - 1)", "9e15 * cluster.gpus * tp", "-cluster.gpus"}) {
    INFO(std::string(formula));
    const Opened quick(open + formula + ", dp: 1}", gpus),
        slow(open + "'max(" + formula + ", " + formula + ")', dp: 1}", gpus);
    REQUIRE(quick.errors() == "");
    REQUIRE(slow.errors() == "");
    CHECK(walked(*quick.space) == walked(*slow.space));
  }
}

TEST_CASE("values that follow what was chosen are those of each combination, however often it is met") {
  const Opened opened(complete("parallelism: {tp: [1, 2, 1], dp: 1, pp: 'divisors(cluster.gpus / tp)'}"),
                      {{"cluster.gpus=[4, 6, 4]"}});
  REQUIRE(opened.errors() == "");
  std::string expected;
  for (int tp : {1, 2, 1})
    for (int gpus : {4, 6, 4})
      for (int pp = 1; pp <= gpus / tp; ++pp)
        if (gpus / tp % pp == 0) expected += fmt::format("{}{},{},{}", expected.empty() ? "" : " ", tp, gpus, pp);
  CHECK(walked(*opened.space) == expected);
}

namespace {

/// A line for each combination, refused ones too. `runs`: counts skipped combinations, each written like the one
/// before; null: not counted.
std::vector<std::string> lines(const dsl::Space& space, size_t depth, size_t* runs) {
  std::vector<std::string> out;
  dsl::Cursor cursor(space);
  cursor.split(depth, [](int64_t part) { return part % 3 != 1; });
  while (cursor.next()) {
    std::string line = fmt::format("{}:{}", cursor.part(), name(cursor.refusal()));
    const bool none = cursor.refusal() == dsl::Refusal::divisibility || cursor.refusal() == dsl::Refusal::value;
    if (none) line += fmt::format(" {} x {}", cursor.refused_at(), cursor.weight());
    else
      for (size_t i = 0; i < space.items().size(); ++i) line += " " + dsl::to_text(cursor.value(i));
    const size_t more = runs ? static_cast<size_t>(cursor.skip_valueless()) : 0;
    out.insert(out.end(), 1 + more, line);
    if (runs) *runs += more;
  }
  return out;
}

}  // namespace

TEST_CASE("combinations without a value that are passed over at once are those that a walk meets one by one") {
  const char* const formulas[] = {"cluster.gpus / (tp * pp)",
                                  "cluster.gpus / tp / pp",
                                  "(cluster.gpus - pp) / tp",
                                  "tp * cluster.gpus / 12",
                                  "pp - tp",
                                  "cluster.gpus / tp + pp / 2",
                                  "tp * tp / 4",
                                  "cluster.gpus / (tp - 2)",
                                  "1e16 * tp",
                                  "if(tp > 2, pp / 2, 1)"};
  const char* const wheres[] = {"", "where: [tp < 5]\n", "where: [dp * pp > 3, tp != 2]\n"};
  std::mt19937 random(1);
  const auto some = [&](int most) {
    std::string list = "[" + std::to_string(1 + random() % most);
    for (size_t n = random() % 9; n > 0; --n) list += ", " + std::to_string(1 + random() % most);
    return list + "]";
  };
  size_t met = 0, passed = 0;
  for (int n = 0; n < 300; ++n) {
    std::string text = fmt::format("parallelism: {{tp: {}, pp: {}, dp: \"{}\"", some(8), some(6), formulas[n % 10]);
    if (n % 5 == 0) text += ", order: [tp-cp-dp, dp-cp-tp]";
    std::vector<dsl::Override> sets{{"cluster.gpus=" + some(48)}};
    if (n % 4 == 0) sets.push_back({"job.batch=dp / 2"});
    const Opened opened(complete(text + "}\n" + wheres[random() % 3]), sets, n % 7 == 0 ? "parallelism.tp" : "");
    INFO(text);
    if (!opened.errors().empty()) continue;
    for (size_t depth = 0; depth <= 4; ++depth) {
      const std::vector<std::string> each = lines(*opened.space, depth, nullptr);
      CHECK(lines(*opened.space, depth, &passed) == each);
      met += each.size();
    }
  }
  CHECK(met > 10000);
  CHECK(passed > 1000);
}
