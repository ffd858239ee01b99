// Extra-P's JSON, old and new, and messages about mistakes in them.
#include <doctest/doctest.h>

#include "tests/planner/scaling/scaling_sample.h"

using scaling_sample::mistakes;
using scaling_sample::read;

namespace {

// One parameter, two points, two metrics of one call path, with the parts that a case changes.
std::string old_format(const std::string& measurements,
                       const std::string& callpaths = R"([{"id": 1, "name": "main"}])") {
  return R"({"parameters": [{"id": 2, "name": "n"}, {"id": 1, "name": "p"}],
"metrics": [{"id": 1, "name": "time"}, {"id": 2, "name": "bytes"}],
"coordinates": [
  {"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}, {"parameter_id": 2, "parameter_value": 100}]},
  {"id": 2, "parameter_value_pairs": [{"parameter_id": 2, "parameter_value": 200}, {"parameter_id": 1, "parameter_value": 8}]}],
"callpaths": )" +
         callpaths + R"(,
"measurements": [
)" + measurements +
         "]}\n";
}

std::string old_measurement(int metric, int coordinate, double value) {
  std::ostringstream out;
  out << R"({"id": 1, "callpath_id": 1, "metric_id": )" << metric << R"(, "coordinate_id": )" << coordinate
      << R"(, "value": )" << value << "}";
  return out.str();
}

}  // namespace

TEST_CASE("scaling JSON: the new format") {
  CHECK(read("a.json", R"({
  "parameters": ["x", "y"],
  "measurements": {
    "sweep": {"time": [{"point": [4, 10], "values": [3.5, 3.6]}, {"point": [8, 10], "values": [5.5]}],
              "bytes": [{"point": [4, 10], "values": 7}, {"point": [8, 10], "values": 8}]},
    "io->read": {"time": [{"point": [8, 10], "values": [2]}, {"point": [4, 10], "values": [1]}]}
  }
})") == R"(x y 
sweep|time (4 10): 3.5 3.6, (8 10): 5.5
sweep|bytes (4 10): 7, (8 10): 8
io->read|time (8 10): 2, (4 10): 1
)");
}

TEST_CASE("scaling JSON: the old format with its ids") {
  CHECK(read("a.JSON",
             old_format(old_measurement(1, 1, 3) + "," + old_measurement(1, 1, 4) + "," + old_measurement(1, 2, 5) +
                        "," + old_measurement(2, 2, 70) + "," + old_measurement(2, 1, 60))) ==
        "p n \nmain|time (4 100): 3 4, (8 200): 5\nmain|bytes (8 200): 70, (4 100): 60\n");
}

TEST_CASE("scaling JSON: mistakes in the old format") {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const std::string both = old_measurement(1, 1, 3) + "," + old_measurement(1, 2, 5);
  CHECK(first_line(mistakes("a.json", old_format(old_measurement(1, 1, 3)))) ==
        "a.json:8:1: error: 'main' (time) is measured at 1 of 2 points: (8, 200) is missing");
  CHECK(first_line(mistakes("a.json", old_format(both + "," + old_measurement(3, 1, 1)))) ==
        "a.json:8:194: error: there is no metric_id 3");
  CHECK(first_line(mistakes("a.json", old_format(old_measurement(1, 7, 3)))) ==
        "a.json:8:62: error: there is no coordinate_id 7");
  CHECK(first_line(mistakes("a.json", old_format(both, R"([{"id": 1, "name": "a"}, {"id": 1, "name": "b"}])"))) ==
        "a.json:6:46: error: a second id 1");
  CHECK(first_line(mistakes("a.json", old_format(both, R"([{"name": "a"}])"))) ==
        "a.json:6:15: error: missing key 'id'");
  CHECK(first_line(mistakes("a.json", old_format(both, R"([{"id": "1", "name": "a"}])"))) ==
        "a.json:6:22: error: expected a number");
  CHECK(first_line(mistakes("a.json", old_format(both, R"({"id": 1, "name": "a"})"))) ==
        "a.json:6:14: error: expected a list: [value, value]");
  CHECK(first_line(mistakes("a.json", old_format(both + R"(, {"value": 1, "callpath": 1})"))) ==
        "a.json:8:167: error: unknown key 'callpath'");
}

TEST_CASE("scaling JSON: mistakes in the new format") {
  CHECK(mistakes("a.json", R"({"parameters": ["x"], "mesurements": {}})") ==
        R"(a.json:1:23: error: unknown key 'mesurements'
   1 | {"parameters": ["x"], "mesurements": {}}
     |                       ^~~~~~~~~~~~~
hint: did you mean 'measurements'?
a.json:1:1: error: missing key 'measurements'
   1 | {"parameters": ["x"], "mesurements": {}}
     | ^
)");
  CHECK(mistakes("a.json", R"({"parameters": [], "measurements": {}})") ==
        R"(a.json:1:16: error: no parameters
   1 | {"parameters": [], "measurements": {}}
     |                ^
)");
  CHECK(mistakes("a.json", R"({"parameters": ["x"], "measurements": {}})") ==
        R"(a.json:1:1: error: no measurements to read
   1 | {"parameters": ["x"], "measurements": {}}
     | ^
)");
  CHECK(mistakes("a.json", R"({"parameters": ["a","b","c","d","e"], "measurements": {}})") ==
        R"(a.json:1:33: error: a fifth parameter 'e'
   1 | {"parameters": ["a","b","c","d","e"], "measurements": {}}
     |                                 ^~~
hint: models have at most 4 parameters
)");
  CHECK(mistakes("a.json", R"({"parameters": [1], "measurements": {}})") ==
        R"(a.json:1:17: error: expected a text in double quotes
   1 | {"parameters": [1], "measurements": {}}
     |                 ^
)");
  CHECK(mistakes("a.json",
                 R"({"parameters": ["x"], "measurements": {"main": {"time": [{"point": [4, 5], "values": [1]}]}}})") ==
        R"(a.json:1:68: error: the point has 2 coordinates, expected 1 (x)
   1 | {"parameters": ["x"], "measurements": {"main": {"time": [{"point": [4, 5], "values": [1]}]}}}
     |                                                                    ^
)");
  CHECK(mistakes("a.json",
                 R"({"parameters": ["x"], "measurements": {"main": {"time": [{"point": [4], "values": []}]}}})") ==
        R"(a.json:1:83: error: the list is empty: expected numbers
   1 | ..."measurements": {"main": {"time": [{"point": [4], "values": []}]}}}
     |                                                                ^
)");
  CHECK(
      mistakes("a.json",
               R"({"parameters": ["x"], "measurements": {"main": {"time": [{"point": [4], "values": [1, "2"]}]}}})") ==
      R"(a.json:1:87: error: expected a number
   1 | ...surements": {"main": {"time": [{"point": [4], "values": [1, "2"]}]}}}
     |                                                                ^~~
)");
  CHECK(mistakes("a.json",
                 R"({"parameters": ["x"], "measurements": {"main": {"time": [{"point": [4], "values": [1, -2]}]}}})") ==
        R"(a.json:1:87: error: 'main' (time) is -2, expected a value of zero or more
   1 | ...surements": {"main": {"time": [{"point": [4], "values": [1, -2]}]}}}
     |                                                                ^~
hint: times, visits and bytes are counted from zero
)");
  CHECK(mistakes("a.json", R"({"parameters": ["x"], "measurements": {"main": {"time": [{"point": [4]}]}}})") ==
        R"(a.json:1:58: error: missing key 'values'
   1 | {"parameters": ["x"], "measurements": {"main": {"time": [{"point": [4]}]}}}
     |                                                          ^
)");
  CHECK(mistakes("a.json", R"({"parameters": ["x"], "measurements": {"main": {"time": {"point": [4]}}}})") ==
        R"(a.json:1:57: error: expected a list: [value, value]
   1 | {"parameters": ["x"], "measurements": {"main": {"time": {"point": [4]}}}}
     |                                                         ^
)");
  CHECK(mistakes("a.json", R"({"parameters": ["x"],
 "measurements": {"main": {"time": [{"point": [4], "values": [1]}]}})") ==
        R"(a.json:2:69: error: the text ends inside a value
   2 |  "measurements": {"main": {"time": [{"point": [4], "values": [1]}]}}
     |                                                                     ^
)");
}
