// Extra-P's JSON Lines and TaLPas, and messages about mistakes in them.
#include <doctest/doctest.h>

#include "tests/planner/scaling/scaling_sample.h"

using scaling_sample::mistakes;
using scaling_sample::read;
using scaling_sample::Reading;

TEST_CASE("scaling JSON Lines: defaults, repetitions and blank lines") {
  CHECK(read("a.jsonl", R"({"params":{"p":16,"n":100},"metric":"time","callpath":"main","value":4.5}
{"params":{"p":16,"n":100},"metric":"time","callpath":"main","value":[4.6,4.7]}

{"params":{"n":200,"p":16},"metric":"time","callpath":"main","value":9}
)") == "p n \nmain|time (16 100): 4.5 4.6 4.7, (16 200): 9\n");
  CHECK(read("noname", "{\"value\":1,\"params\":{\"p\":2}}\n") == "p \n<root>|<default> (2): 1\n");
}

TEST_CASE("scaling TaLPas: semicolons between members") {
  CHECK(read("a.txt", R"({"parameters":{"x":20,"y":1};"metric":"time";"callpath":"compute";"value":1.5}
{"parameters":{"x":20,"y":1};"metric":"time";"callpath":"compute";"value":1.25}
{"parameters":{"x":30,"y":1};"metric":"time";"callpath":"compute";"value":2}
)") == "x y \ncompute|time (20 1): 1.5 1.25, (30 1): 2\n");
}

TEST_CASE("scaling JSON Lines: mistakes") {
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"value":1}
{"params":{"p":8,"q":1},"value":1}
)") ==
        R"(a.jsonl:2:18: error: unknown key 'q'
   2 | {"params":{"p":8,"q":1},"value":1}
     |                  ^~~
hint: known: p
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4,"n":1},"value":1}
{"params":{"p":8},"value":1}
)") ==
        R"(a.jsonl:2:11: error: missing key 'n'
   2 | {"params":{"p":8},"value":1}
     |           ^
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"value":1} {"params":{"p":8},"value":1}
)") ==
        R"(a.jsonl:1:30: error: a second value in this line
   1 | {"params":{"p":4},"value":1} {"params":{"p":8},"value":1}
     |                              ^
hint: one measurement in a line
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"value":1}
{"params":{"p":8}}
)") ==
        R"(a.jsonl:2:1: error: missing key 'value'
   2 | {"params":{"p":8}}
     | ^
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"callpth":"a","value":1}
)") ==
        R"(a.jsonl:1:19: error: unknown key 'callpth'
   1 | {"params":{"p":4},"callpth":"a","value":1}
     |                   ^~~~~~~~~
hint: did you mean 'callpath'?
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"callpath":"a","value":1}
{"params":{"p":8},"callpath":"b","value":1}
{"params":{"p":4},"callpath":"b","value":1}
)") ==
        R"(a.jsonl:1:1: error: 'a' (<default>) is measured at 1 of 2 points: (8) is missing
   1 | {"params":{"p":4},"callpath":"a","value":1}
     | ^
hint: each metric of each call path needs a value at each point
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"value":1}
{"params":{"p":8},"value":1
)") ==
        R"(a.jsonl:2:28: error: the line ends inside a value
   2 | {"params":{"p":8},"value":1
     |                            ^
hint: one measurement in a line
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"value":
{"params":{"p":8},"value":1}
)") ==
        R"(a.jsonl:1:27: error: the line ends inside a value
   1 | {"params":{"p":4},"value":
     |                           ^
hint: one measurement in a line
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"value":1}
{"params":{"p":8},"value":1)") ==
        R"(a.jsonl:2:28: error: the text ends inside a value
   2 | {"params":{"p":8},"value":1
     |                            ^
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":0},"value":1}
)") ==
        R"(a.jsonl:1:11: error: parameter 'p' is 0, expected a value above zero
   1 | {"params":{"p":0},"value":1}
     |           ^
hint: models take powers and logarithms of it
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":4},"value":-1}
)") ==
        R"(a.jsonl:1:27: error: '<root>' (<default>) is -1, expected a value of zero or more
   1 | {"params":{"p":4},"value":-1}
     |                           ^~
hint: times, visits and bytes are counted from zero
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"a":1,"b":1,"c":1,"d":1,"e":1},"value":1}
)") ==
        R"(a.jsonl:1:36: error: a fifth parameter 'e'
   1 | {"params":{"a":1,"b":1,"c":1,"d":1,"e":1},"value":1}
     |                                    ^~~
hint: models have at most 4 parameters
)");
  CHECK(mistakes("a.jsonl", R"({"params":{},"value":1}
)") ==
        R"(a.jsonl:1:11: error: no parameters
   1 | {"params":{},"value":1}
     |           ^
)");
  CHECK(mistakes("a.jsonl", R"({"params":{"p":"4"},"value":1}
)") ==
        R"(a.jsonl:1:16: error: expected a number
   1 | {"params":{"p":"4"},"value":1}
     |                ^~~
)");
  CHECK(mistakes("a.jsonl", R"([1]
)") ==
        R"(a.jsonl:1:1: error: expected a map: {"key": value}
   1 | [1]
     | ^
)");
  CHECK(Reading("a.jsonl", R"({"params":{"p":4},"value":0}
{"params":{"p":8},"value":[0,1]}
)")
            .said() ==
        R"(a.jsonl:1:27: warning: '<root>' (<default>) is 0 at (4)
   1 | {"params":{"p":4},"value":0}
     |                           ^
hint: a relative error at zero says nothing about a model
)");
}

TEST_CASE("scaling TaLPas: mistakes") {
  CHECK(mistakes("a.txt", R"({"parameters":{"p":4};"metric":"time";"value":1}
)") ==
        R"(a.txt:1:1: error: missing key 'callpath'
   1 | {"parameters":{"p":4};"metric":"time";"value":1}
     | ^
)");
  CHECK(mistakes("a.txt", R"({"parameters":{"p":4};"metric":"time";"callpath":"a";"value":1}
{"parameters":{"p":8};"metric":"time";"callpath":"a"}
)") ==
        R"(a.txt:2:1: error: missing key 'value'
   2 | {"parameters":{"p":8};"metric":"time";"callpath":"a"}
     | ^
)");
  CHECK(mistakes("a.txt", R"({"parameters":{"p":4};"metric":"time";"callpath":"a";"value":1}
{"params":{"p":8};"metric":"time";"callpath":"a";"value":1}
)") ==
        R"(a.txt:2:2: error: unknown key 'params'
   2 | {"params":{"p":8};"metric":"time";"callpath":"a";"value":1}
     |  ^~~~~~~~
hint: known: parameters, callpath, metric, value
)");
}
