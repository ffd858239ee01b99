// Logs and data sets that seqpoint reads, packed or not, and messages about those that it rejects.
#include <doctest/doctest.h>

#include <algorithm>

#include "planner/seqpoint/log.h"
#include "planner/unpack/gzip.h"
#include "tests/planner/unpack/deflated.h"

using planner::seqpoint::Log;
using Lengths = std::vector<int64_t>;

namespace {

struct Reading {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<Log> log;

  explicit Reading(const std::string& text, const std::string& name = "log.csv",
                   const std::vector<std::string>& statistics = {}) {
    sources.push_back({.name = name, .text = text, .directory = "."});
    log = planner::seqpoint::read_log(sources.front(), sources, diagnostics, statistics);
  }
};

Log read(const std::string& text, const std::string& name = "log.csv",
         const std::vector<std::string>& statistics = {}) {
  Reading r(text, name, statistics);
  for (const dsl::Diagnostic& d : r.diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE(r.log.has_value());
  return *r.log;
}

/// "LINE:COLUMN MESSAGE [HINT]" of each.
std::string mistakes(const std::string& text, const std::string& name = "log.csv",
                     const std::vector<std::string>& statistics = {}) {
  const Reading r(text, name, statistics);
  CHECK(!r.log.has_value());
  std::string out;
  for (const dsl::Diagnostic& d : r.diagnostics.list)
    out += std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " + d.message +
           (d.hint.empty() ? "" : " [" + d.hint + "]") + "\n";
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("iterations with times, in the order of their numbers") {
  const Log plain = read("length,seconds\r\n87,0.5\r\n12,1e-1\r\n\r\n87,2\r\n");
  CHECK(plain.lengths == Lengths{87, 12, 87});
  CHECK(plain.seconds == std::vector<double>{0.5, 0.1, 2});
  CHECK(!plain.sequences);
  const Log numbered = read("seconds,sequence_length,iteration\n3,30,7\n1,10,0\n2,20,5\n");
  CHECK(numbered.lengths == Lengths{10, 20, 30});
  CHECK(numbered.seconds == std::vector<double>{1, 2, 3});
}

TEST_CASE("iterations without times, and lengths of a data set") {
  const Log untimed = read("iteration,length\n1,4\n0,5\n");
  CHECK(untimed.lengths == Lengths{5, 4});
  CHECK(untimed.seconds.empty());
  CHECK(!untimed.sequences);
  for (const char* text : {"48160\n221760\n7\n", "48160\r\n221760 \r\n\r\n7", "length\n48160\n221760\n7\n"}) {
    const Log data = read(text);
    CHECK(data.lengths == Lengths{48160, 221760, 7});
    CHECK(data.sequences);
    CHECK(data.seconds.empty());
  }
}

TEST_CASE("statistics of iterations, in the order of their numbers, and columns that nobody asked for") {
  const Log log =
      read("iteration,length,kernels,seconds,bytes\n2,9,30,0.5,1e9\n1,4,10,0.25,0\n", "log.csv", {"bytes", "kernels"});
  CHECK(log.lengths == Lengths{4, 9});
  REQUIRE(log.statistics.size() == 2);
  CHECK(log.statistics[0].name == "kernels");  // as the columns stand
  CHECK(log.statistics[0].values == std::vector<double>{10, 30});
  CHECK(log.statistics[1].values == std::vector<double>{0, 1e9});
  const Log one = read("length,kernels,speaker\n4,10,anna\n", "log.csv", {"kernels"});
  CHECK(one.statistics.size() == 1);
  CHECK(!one.sequences);  // a counter is of an iteration
}

TEST_CASE("times in microseconds, as the measurement kit writes them") {
  CHECK(read("length,time_us\n16,2500000\n32,1\n").seconds == std::vector<double>{2.5, 1e-6});
  CHECK(has(mistakes("length,time_us\n16,1e-7\n"), "expected a time of 1e-12 to 1e12 seconds"));
  CHECK(has(mistakes("length,time_us,seconds\n16,1,1\n"), "1:16 a second column of times"));
}

TEST_CASE("statistics that are not there, or are none") {
  CHECK(has(mistakes("length,seconds\n4,1\n", "log.csv", {"flops"}), "1:1 no column 'flops'"));
  CHECK(has(mistakes("4\n5\n", "log.csv", {"flops"}), "1:1 no column 'flops'"));
  CHECK(has(mistakes("length,flops\n4,-1\n", "log.csv", {"flops"}),
            "2:3 expected the flops of an iteration, 0 to 1e+30, got '-1'"));
  CHECK(has(mistakes("length,flops,flops\n4,1,1\n", "log.csv", {"flops"}), "1:14 a second column is called 'flops'"));
}

TEST_CASE("packed by gzip, in one member or several, whatever its name") {
  CHECK(read(gzipped("5\n6\n"), "a.txt.gz").lengths == Lengths{5, 6});
  CHECK(read(gzipped("5\n6\n"), "<stdin>").lengths == Lengths{5, 6});
  CHECK(read(gzipped("length,seconds\n") + gzipped("5,1\n"), "a.csv.gz").lengths == Lengths{5});
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += "1234\n";
  CHECK(read(gzipped(many), "a.gz").lengths.size() == 50'000);
  CHECK(mistakes(gzipped("5\n-6\n"), "a.gz") ==
        "2:1 expected a length, a whole number from 1 to 1000000000, got '-6'\n");
}

TEST_CASE("what is packed, and is not") {
  const std::string whole = gzipped("5\n6\n7\n8\n9\n"),
                    hint = " [`gzip -t` tests one; a text that is not packed is read too]\n";
  CHECK(mistakes("5\n6\n", "a.gz") == "0:0 cannot read 'a.gz': it is not packed by gzip" + hint);
  CHECK(mistakes("", "a.gz") == "0:0 cannot read 'a.gz': it is not packed by gzip" + hint);
  for (const size_t length : {size_t{2}, size_t{9}, whole.size() - 9, whole.size() - 1})
    CHECK(mistakes(whole.substr(0, length), "a.gz") == "0:0 cannot read 'a.gz': it is cut off" + hint);
  std::string broken = whole;
  broken[whole.size() - 6] ^= 1;  // its checksum
  CHECK(mistakes(broken, "a.gz") == "0:0 cannot read 'a.gz': it is damaged" + hint);
  CHECK(mistakes(whole + "more", "a.gz") == "0:0 cannot read 'a.gz': it is damaged" + hint);
}

TEST_CASE("what unpacks to more than may be") {
  const dsl::Source small{.name = "a.gz", .text = gzipped(std::string(100'000, '1')), .directory = "."};
  dsl::Diagnostics diagnostics;
  CHECK(planner::unpack::gunzip(small, diagnostics, 100'000)->size() == 100'000);
  CHECK(diagnostics.list.empty());
  CHECK(!planner::unpack::gunzip(small, diagnostics, 99'999));
  REQUIRE(diagnostics.list.size() == 1);
  CHECK(diagnostics.list[0].message == "cannot read 'a.gz': unpacked it is larger than 99999 bytes");
}

TEST_CASE("figures that cannot be") {
  CHECK(mistakes("length,seconds\n0,1\n-4,1\n2.5,1\nlong,1\n2e9,1\n,1\n").find("2:1 expected a length") == 0);
  CHECK(mistakes("length,seconds\n4,0\n") == "2:3 expected a time above zero, got '0'\n");
  for (const std::string seconds :
       {"1e308", "1.1e12", "9e-13", "3e-323"})  // sums and squares would leave what a double holds
    CHECK(mistakes("length,seconds\n4," + seconds + "\n") ==
          "2:3 expected a time of 1e-12 to 1e12 seconds, got '" + seconds + "'\n");
  CHECK(read("length,seconds\n4,1e12\n5,1e-12\n").seconds == std::vector<double>{1e12, 1e-12});
  CHECK(mistakes("length,seconds\n4,-1e-3\n") == "2:3 expected a time above zero, got '-1e-3'\n");
  CHECK(mistakes("length,seconds\n4,fast\n") ==
        "2:3 expected a time above zero, got 'fast' [a plain number of seconds]\n");
  CHECK(has(mistakes("length,seconds\n4,nan\n"), "2:3 expected a time above zero, got 'nan'"));
  CHECK(mistakes("7\nx\n") == "2:1 expected a length, a whole number from 1 to 1000000000, got 'x'\n");
  const std::string twins = mistakes("iteration,length\n1,4\n2,4\n1,5\n");
  CHECK(twins == "4:1 iteration 1 is a second time here [the first is on line 2]\n");
  const std::string all = mistakes("length,seconds\n0,1\n4,0\n3,3\nx,1\n");
  CHECK(std::count(all.begin(), all.end(), '\n') == 3);
}

TEST_CASE("tables that are no logs") {
  CHECK(mistakes("length,second\n4,1\n") == "1:8 unknown column 'second' [did you mean 'seconds'?]\n");
  CHECK(has(mistakes("speaker,length\n4,1\n"), "1:1 unknown column 'speaker' [columns are iteration, length"));
  CHECK(has(mistakes("1,2\n3,4\n"), "lengths alone may stand one a line"));
  CHECK(mistakes("length,sequence_length\n4,1\n") == "1:8 a second column of lengths\n");
  CHECK(has(mistakes("seconds\n4\n"), "1:1 no column of lengths"));
  CHECK(has(mistakes("length,seconds\n"), "1:1 no iterations"));
  CHECK(has(mistakes(""), "1:1 no lengths: the file is empty"));
  CHECK(has(mistakes("length,seconds\n4\n"), "2:1 expected 2 cells as in the header, got 1"));
  std::string lines = "length\n";
  for (int i = 0; i < 1000; ++i) lines += "x\n";
  const std::string first = mistakes(lines);
  CHECK(std::count(first.begin(), first.end(), '\n') == 20);
}
