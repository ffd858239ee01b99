// `trainplan seqpoint` with counters, with times that its choice does not see, and as pictures.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/svg/xml.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

/// Twelve lengths with times by the square and two counters.
std::string log_of(int power) {
  std::string text = "length,seconds,kernels,bytes\n";
  for (int length = 1; length <= 12; ++length)
    for (int i = 0; i < length; ++i) {
      const int seconds = power == 2 ? length * length : length;
      text += std::to_string(length) + "," + std::to_string(seconds) + ",50," + std::to_string(100 * length) + "\n";
    }
  return text;
}

Ran seqpoint(std::vector<std::string> more, const std::string& log = log_of(2)) {
  more.insert(more.begin(), {"seqpoint", "-", "--statistic", "kernels,bytes"});
  return ran(more, log, 120);
}

Json json(std::vector<std::string> more) {
  more.insert(more.end(), {"--format", "json"});
  const Ran r = seqpoint(more);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  CHECK_FALSE(has_nan(r.out));
  return Json::parse(r.out);
}

}  // namespace

TEST_CASE("seqpoint: counters of a log are projected, each with its errors") {
  const Json doc = json({});
  REQUIRE(doc["statistics"].size() == 2);
  const Json& bytes = doc["statistics"][1];
  CHECK(bytes["name"] == "bytes");
  CHECK(bytes["actual"] == 65'000);
  CHECK(bytes["error"].get<double>() == doctest::Approx(bytes["projected"].get<double>() / 65'000 - 1));
  CHECK(bytes["mean"].get<double>() == doctest::Approx(bytes["projected"].get<double>() / 78));
  CHECK(bytes["alternatives"].size() == doc["alternatives"].size());
  CHECK(doc["statistics"][0]["error"] == 0);  // as many kernels at any length
  CHECK(doc["truth"].is_null());
  const Ran page = seqpoint({});
  for (const char* part : {"Statistics of the log\n", "kernels", "bytes"})
    CHECK(page.out.find(part) != std::string::npos);
  const Ran none = ran({"seqpoint", "-", "--statistic", "flops"}, log_of(2));
  CHECK(none.status == 1);
  CHECK(none.err.find("no column 'flops'") != std::string::npos);
  const std::string idle = "length,seconds,kernels,bytes\n1,1,0,0\n2,2,0,0\n";
  CHECK(seqpoint({}, idle).status == 0);  // nothing was counted: no error is a share of it
}

TEST_CASE("seqpoint: another log judges the choice") {
  const TestFolder folder;
  const std::string truth = folder.add("truth.csv",
                                       "length,time_us\n1,1e6\n2,2e6\n3,3e6\n4,4e6\n5,5e6\n6,6e6\n7,7e6\n"
                                       "8,8e6\n9,9e6\n10,10e6\n11,11e6\n12,12e6\n");
  const Json doc = json({"--truth", truth});
  CHECK(doc["truth"]["actual_seconds"].get<double>() == doctest::Approx(650));
  CHECK(doc["truth"]["alternatives"][0]["name"] == "frequent");
  CHECK(doc["truth"]["alternatives"][0]["projected_seconds"].get<double>() == doctest::Approx(78 * 12));
  const Ran page = seqpoint({"--truth", truth});
  CHECK(page.out.find("by times that the choice did not see") != std::string::npos);
  CHECK(page.out.find("by the truth") != std::string::npos);
  const std::string untimed = folder.add("lengths.txt", "1\n2\n");
  const Ran r = seqpoint({"--truth", untimed});
  CHECK(r.status == 1);
  CHECK(r.err.find("a truth has times, and this log has none") != std::string::npos);
  CHECK(seqpoint({"--truth", "/nonexistent.csv"}).status == 1);
}

TEST_CASE("seqpoint: pictures have a mark for each SeqPoint") {
  const Json doc = json({});
  for (const char* of : {"seconds", "histogram", "bytes"}) {
    CAPTURE(std::string(of));
    const Ran r = seqpoint({"--format", "svg", "--picture", of});
    CHECK(r.status == 0);
    const Xml xml = read_xml(r.out);
    CHECK(xml.wrong == "");
    CHECK(outside(xml) == "");
    CHECK_FALSE(has_nan(r.out));
    for (const Json& p : doc["points"]) CHECK(r.out.find("length " + p["length"].dump() + ": ") != std::string::npos);
  }
  CHECK(seqpoint({"--format", "svg"}).out == seqpoint({"--format", "svg", "--picture", "seconds"}).out);
}

TEST_CASE("seqpoint: --by chooses by a counter, and projects the time with the rest") {
  // Bytes grow with the length, so that a length in the middle of a bin represents it; the time jumps at 7.
  std::string log = "length,seconds,bytes\n";
  for (int length = 1; length <= 12; ++length)
    log += std::to_string(length) + "," + (length < 7 ? "1" : "100") + "," + std::to_string(length * length) + "\n";
  const auto chosen = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"seqpoint", "-", "--statistic", "bytes", "--threshold", "0.05", "--format", "json"});
    const Ran r = ran(more, log);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out);
  };
  const Json by_time = chosen({}), by_bytes = chosen({"--by", "bytes"});
  CHECK(by_time["chosen_by"] == "seconds");
  CHECK(by_bytes["chosen_by"] == "bytes");
  CHECK(std::abs(by_bytes["statistics"][0]["error"].get<double>()) <= 0.05);
  CHECK(std::abs(by_time["statistics"][0]["error"].get<double>()) > 0.05);
  CHECK(by_bytes["points"] != by_time["points"]);
  CHECK(by_bytes["actual_seconds"] == by_time["actual_seconds"]);

  CHECK(ran({"seqpoint", "-", "--by", "bytes"}, "length,seconds\n1,1\n").status == 2);
  CHECK(ran({"seqpoint", "-", "--statistic", "bytes", "--by", "seconds"}, log).status == 2);
  const Ran idle =
      ran({"seqpoint", "-", "--statistic", "bytes", "--by", "bytes"}, "length,seconds,bytes\n1,1,0\n2,2,0\n");
  CHECK(idle.status == 1);
  CHECK(idle.err.find("'bytes' is 0 in all iterations") != std::string::npos);
}
