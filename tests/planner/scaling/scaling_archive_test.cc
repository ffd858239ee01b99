// Extra-P's experiments: ZIP archives with JSON and arrays of NumPy, and messages about damaged ones.
#include <doctest/doctest.h>

#include "planner/unpack/zip.h"
#include "tests/planner/scaling/archive_sample.h"
#include "tests/planner/scaling/scaling_sample.h"

using archive_sample::Member;
using archive_sample::npy;
using archive_sample::Numbers;
using archive_sample::stored_values;
using archive_sample::zip;
using scaling_sample::read;
using scaling_sample::Reading;

namespace {

std::string experiment(const std::string& measurements) {
  return R"({"scaling": "weak", "parameters": ["p"], "callpaths": {}, "metrics": {},
 "measurements": )" +
         measurements + R"(, "modelers": [{"name": "Basic"}], "Extra-P": "4.2.5"})";
}

const std::string kMeans = experiment(
    R"({"main": {"time": [{"coordinate": [4.0], "median": 1.5, "mean": 1.5, "minimum": 1, "maximum": 2, "std": 0.5},
  {"coordinate": [8], "median": 3, "mean": 3}]}, "io": {"bytes": [{"coordinate": [8], "mean": 7}]}})");

std::string said(const std::string& archive) {
  const Reading reading("a.extra-p", archive);
  CHECK(reading.experiment.has_value() != reading.diagnostics.has_errors());
  return reading.said();
}

}  // namespace

TEST_CASE("scaling experiment: stored and deflated, with means alone; a call path may miss points") {
  const std::string expected = "p \nmain|time (4): 1.5, (8): 3\nio|bytes (8): 7\n";
  CHECK(read("a.extra-p", zip({{"experiment.json", kMeans}})) == expected);
  CHECK(read("noname", zip({{"other", "x"}, {"experiment.json", kMeans, true}})) == expected);
  CHECK(said(zip({{"experiment.json", kMeans, true}})).empty());
}

TEST_CASE("scaling experiment: repetitions that are kept beside the JSON") {
  std::vector<Member> members = stored_values({npy({1, 2.5}), npy({3, 4, 5}, "<i8")});
  members.push_back({"experiment.json",
                     experiment(R"({"main": {"time": [{"coordinate": [4], "mean": 1.75, "values": [0, 0]},
 {"coordinate": [8], "mean": 4, "values": [0, 1]}, {"coordinate": [16], "mean": 9, "values": null}]}})"),
                     true});
  CHECK(read("a.extra-p", zip(members)) == "p \nmain|time (4): 1 2.5, (8): 3 4 5, (16): 9\n");
}

TEST_CASE("scaling experiment: a mean that stands for repetitions is told of where the median differs") {
  CHECK(said(zip({{"experiment.json", experiment(R"({"main": {"time": [
  {"coordinate": [4], "mean": 1.5, "median": 1}, {"coordinate": [8], "mean": 2, "median": 3}]}})")}})) ==
        R"(a.extra-p:experiment.json:3:31: warning: 2 of 2 measurements have no repetitions: their mean is taken
   3 |   {"coordinate": [4], "mean": 1.5, "median": 1}, {"coordinate": [8], "mean": 2, "median": 3}]}}, "modelers": [{"name": "...
     |                               ^~~
hint: their medians differ; Extra-P keeps repetitions where it is asked to keep values
)");
}

TEST_CASE("scaling experiment: mistakes have the member's name and place") {
  CHECK(said(zip({{"experiment.json", experiment(R"({"main": {"time": [
  {"coordinate": [4], "mean": -1}]}})")}})) ==
        R"(a.extra-p:experiment.json:3:3: error: 'main' (time) is -1, expected a value of zero or more
   3 |   {"coordinate": [4], "mean": -1}]}}, "modelers": [{"name": "Basic"}], "Extra-P": "4.2.5"}
     |   ^
hint: times, visits and bytes are counted from zero
)");
  CHECK(said(zip({{"experiment.json", R"({"parameters": ["p"], "measurements": {"main": {"time": []}}})"}})) ==
        R"(a.extra-p:experiment.json:1:49: error: 'main' (time) has no measurement
   1 | {"parameters": ["p"], "measurements": {"main": {"time": []}}}
     |                                                 ^~~~~~
)");
  CHECK(said(zip({{"experiment.json", R"({"parameters": ["p"]})", true}})) ==
        R"(a.extra-p:experiment.json:1:1: error: missing key 'measurements'
   1 | {"parameters": ["p"]}
     | ^
)");
  CHECK(said(zip({{"experiment.json", R"({"parameters": ["a", "b", "c", "d", "e"], "measurements": {}})"}})) ==
        R"(a.extra-p:experiment.json:1:37: error: a fifth parameter 'e'
   1 | {"parameters": ["a", "b", "c", "d", "e"], "measurements": {}}
     |                                     ^~~
hint: models have at most 4 parameters
)");
  CHECK(said(zip({{"experiment.json", "{\"a\": \1}"}})).find("a.extra-p:experiment.json:1:7: error: ") == 0);
  CHECK(said(zip({{"experiment.json", experiment(R"({"m": {"t": [{"coordinate": [4], "mean": 1}]}}, "notes": 1)")}})) ==
        R"(a.extra-p:experiment.json:2:66: warning: 'notes' is left out
   2 |  "measurements": {"m": {"t": [{"coordinate": [4], "mean": 1}]}}, "notes": 1, "modelers": [{"name": "Basic"}], "Extra-P":...
     |                                                                  ^~~~~~~
)");
}

TEST_CASE("scaling experiment: arrays that are not there") {
  const std::string json = experiment(R"({"main": {"time": [{"coordinate": [4], "mean": 1, "values": [0, 1]}]}})");
  const std::string message = R"(a.extra-p:experiment.json:2:78: error: cannot read array 1 of member 'values/0.vals')";
  std::vector<Member> members = stored_values({npy({1, 2})});
  members.push_back({"experiment.json", json});
  CHECK(said(zip(members)).find(message) == 0);  // one array, but the second is referenced
  CHECK(said(zip({members.back()})).find(message) == 0);
  for (const std::string& array : {npy({1}, "<f4"), npy({1}).substr(0, 60), std::string("no array"), std::string()}) {
    members = stored_values({npy({1}), array});
    members.push_back({"experiment.json", json});
    CHECK(said(zip(members)).find(message) == 0);
  }
  CHECK(said(zip({{"experiment.json", experiment(R"({"m": {"t": [{"coordinate": [4], "mean": 1, "values": [0]}]}})")}}))
            .find("expected [chunk, index] of an array") != std::string::npos);
}

TEST_CASE("scaling experiment: 20 million numbers of all repetitions, and not one array more") {
  // One array, which every point names.
  const auto taken = [](int points) {
    std::string measured;
    for (int i = 1; i <= points; ++i)
      measured += (i > 1 ? ", " : "") + std::string("{\"coordinate\": [") + std::to_string(i) +
                  R"(], "mean": 1, "values": [0, 0]})";
    std::vector<Member> members = stored_values({npy(std::vector<double>(100'000, 1))});
    members.push_back({"experiment.json", experiment("{\"main\": {\"time\": [" + measured + "]}}"), true});
    return said(zip(members));
  };
  CHECK(taken(200) == "");
  CHECK(taken(201).find("a.extra-p:1:1: error: the repetitions are more than 512 MiB unpacked, or 20000000 numbers in "
                        "all\n") == 0);
}

TEST_CASE("scaling experiment: 512 MiB of all repetitions, and not one byte more") {
  std::vector<Member> members = stored_values({npy({1, 2})});
  members.push_back({"experiment.json",
                     experiment(R"({"main": {"time": [{"coordinate": [4], "mean": 1, "values": [0, 0]}]}})"), true});
  const std::string good = zip(members);
  // The sizes that the directory says, the index first read.
  const auto sized = [&](size_t bytes) {
    std::string archive = good;
    const size_t entry = archive.find("PK\1\2");  // of values/0.vals
    archive.replace(entry + 24, 4, archive_sample::number(bytes - members[1].text.size(), 4));
    const std::string text = said(archive);
    return text.substr(0, text.find('\n'));
  };
  constexpr size_t kMost = size_t{512} << 20;
  CHECK(sized(kMost) == "a.extra-p:1:1: error: member 'values/0.vals': damaged");  // deflate cannot make so much of it
  CHECK(sized(kMost + 1) ==
        "a.extra-p:1:1: error: the repetitions are more than 512 MiB unpacked, or 20000000 numbers in all");
}

TEST_CASE("scaling experiment: what is no archive, or none of Extra-P") {
  CHECK(said("nothing") == R"(a.extra-p:1:1: error: not a ZIP archive
   1 | nothing
     | ^
hint: an Extra-P experiment is a ZIP archive with a member experiment.json
)");
  CHECK(said("PK\3\4 and no more").find("a.extra-p:1:1: error: the ZIP archive is cut off") == 0);
  CHECK(
      said(zip({{"other.json", "{}"}})).find("a.extra-p:1:1: error: the ZIP archive has no member 'experiment.json'") ==
      0);
  CHECK(said(zip({})).find("a.extra-p:1:1: error: ") == 0);
}

TEST_CASE("scaling experiment: damaged members") {
  const std::string good = zip({{"experiment.json", kMeans, true}});
  const auto message = [](const std::string& archive) {
    const std::string text = said(archive);
    return text.substr(0, text.find('\n'));
  };
  CHECK(message(zip({{"experiment.json", kMeans, true}}, 12)) ==
        "a.extra-p:1:1: error: member 'experiment.json': packed by method 12, expected deflate");
  std::string bad = good;
  bad[good.find("experiment.json") + 40] ^= 0x55;  // within the data
  CHECK(message(bad).find("a.extra-p:1:1: error: member 'experiment.json': damaged") == 0);
  const size_t entry = good.find("PK\1\2");
  bad = good;
  bad[entry + 8] |= 1;  // the flag of encryption
  CHECK(message(bad) == "a.extra-p:1:1: error: member 'experiment.json': encrypted");
  bad = good;
  bad[entry + 16] ^= 1;  // the checksum
  CHECK(message(bad) == "a.extra-p:1:1: error: member 'experiment.json': damaged (its checksum differs)");
  bad = good;
  bad[entry + 27] = 0x7F;  // the highest byte of its size
  CHECK(message(bad) == "a.extra-p:1:1: error: member 'experiment.json': larger than 512 MiB");
  bad = good;
  bad[entry + 26] = 0x0F;  // a size that deflate cannot reach
  CHECK(message(bad) == "a.extra-p:1:1: error: member 'experiment.json': damaged");
  bad = good;
  bad[entry + 22] = 0x7F;  // the packed size
  CHECK(message(bad) == "a.extra-p:1:1: error: member 'experiment.json': cut off");
  bad = good;
  bad[entry + 2] = 9;  // the mark of the entry
  CHECK(message(bad) == "a.extra-p:1:1: error: the directory of the ZIP archive is damaged");
}

TEST_CASE("scaling experiment: no byte of an archive makes the reader fail otherwise than with a message") {
  for (const Numbers numbers : {Numbers::plain, Numbers::wide}) {
    const std::string good = zip({{"experiment.json", kMeans, true}, {"b", "x"}}, 8, numbers);
    for (size_t at = 0; at < 2 * good.size(); ++at) {
      std::string bad = good;
      if (at < good.size()) bad[at] = static_cast<char>(~bad[at]);
      else bad.resize(at - good.size());  // cut off
      const dsl::Source source{"a.extra-p", bad, ""};
      dsl::Diagnostics diagnostics;
      const auto members = planner::unpack::zip_members(source, diagnostics);
      CHECK(members.has_value() != diagnostics.has_errors());
      for (size_t i = 0; members && i < members->size(); ++i) {
        const size_t before = diagnostics.list.size();
        const auto text = planner::unpack::unzip(source, (*members)[i], diagnostics);
        CHECK(text.has_value() == (diagnostics.list.size() == before));
      }
    }
  }
}

TEST_CASE("scaling experiment: archives of ZIP64 hold the same") {
  const std::vector<Member> members{{"other", "x"}, {"experiment.json", kMeans, true}};
  CHECK(read("a.extra-p", zip(members, 8, Numbers::wide)) == read("a.extra-p", zip(members)));
  std::vector<Member> many(300, Member{"m", ""});
  many.push_back(members[1]);
  CHECK(read("a.extra-p", zip(many, 8, Numbers::wide)) == read("a.extra-p", zip(members)));
  const auto message = [](const std::string& archive) {
    const std::string text = said(archive);
    return text.substr(0, text.find('\n'));
  };
  const std::string good = zip(members, 8, Numbers::wide),
                    damaged = "a.extra-p:1:1: error: the directory of the ZIP archive is damaged";
  std::string bad = good;
  bad[good.find("PK\6\7") + 8] ^= 1;  // where the record is
  CHECK(message(bad) == damaged);
  bad = good;
  bad[good.find("PK\6\6") + 48] ^= 1;  // where the directory is
  CHECK(message(bad) == damaged);
  bad = good;
  bad[good.find("PK\1\2") + 46 + 5 + 5 + 2] = 8;  // an extra field that ends before its three numbers
  CHECK(message(bad) == damaged);
}
