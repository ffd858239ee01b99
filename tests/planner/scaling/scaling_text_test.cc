// Extra-P's text format, and messages about mistakes in it.
#include <doctest/doctest.h>

#include "tests/planner/scaling/scaling_sample.h"

using scaling_sample::mistakes;
using scaling_sample::read;
using scaling_sample::Reading;

TEST_CASE("scaling text: regions, metrics and repetitions") {
  CHECK(read("a.txt", R"(# two repetitions
PARAMETER p
POINTS (4) (8) (16)

REGION main->solve it
METRIC time
DATA 8.31 8.02
DATA 22.74 22.66
DATA	65.79 64.74
METRIC visits
DATA 1
DATA 2
DATA +3e0
REGION io
DATA 5
DATA 6
DATA 7)") == R"(p 
main->solve it|time (4): 8.31 8.02, (8): 22.74 22.66, (16): 65.79 64.74
main->solve it|visits (4): 1, (8): 2, (16): 3
io|visits (4): 5, (8): 6, (16): 7
)");
}

TEST_CASE("scaling text: several parameters, points over several lines, a metric before its regions") {
  const std::string expected = "x y \nsweep|time (20 1): 1, (20 2): 2, (30 0.5): 3\n";
  CHECK(read("a.txt", R"(PARAMETER x
PARAMETER y
POINTS ( 20 1 ) (20 2)
POINTS (30 0.5)
METRIC time
REGION sweep
DATA 1
DATA 2
DATA 3
)") == expected);
  CHECK(read("a.txt", R"(PARAMETER x y
POINTS(20 1)(20 2)( 30 0.5)
)")
            .find("unknown keyword") != std::string::npos);
}

TEST_CASE("scaling text: without REGION and METRIC the names are empty; points may stand bare; lines end in CRLF") {
  CHECK(read("a.txt", "PARAMETER p\r\nPOINTS 4 8\r\nDATA 1 2\r\nDATA 3\r\n") == "p \n| (4): 1 2, (8): 3\n");
}

TEST_CASE("scaling text: a region may come again with another metric") {
  CHECK(read("a.txt", R"(PARAMETER p
POINTS (4)
REGION a
METRIC time
DATA 1
REGION b
DATA 2
REGION a
METRIC bytes
DATA 3
)") == "p \na|time (4): 1\nb|time (4): 2\na|bytes (4): 3\n");
}

TEST_CASE("scaling text: more values than points, and missing points") {
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 1
DATA 2
DATA 3
)") ==
        R"(a.txt:7:1: error: more DATA lines than the 2 points of POINTS
   7 | DATA 3
     | ^~~~
hint: repetitions stand in one line
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 1
)") ==
        R"(a.txt:5:1: error: 'main' (time) is measured at 1 of 2 points: (8) is missing
   5 | DATA 1
     | ^~~~
hint: each metric of each call path needs a value at each point
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 1
DATA 2
REGION io
DATA 1
)") ==
        R"(a.txt:8:1: error: 'io' (time) is measured at 1 of 2 points: (8) is missing
   8 | DATA 1
     | ^~~~
hint: each metric of each call path needs a value at each point
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS 1 2 3 4 5
DATA 1
)") ==
        R"(a.txt:3:1: error: '' is measured at 1 of 5 points: (2), (3), (4) ... are missing
   3 | DATA 1
     | ^~~~
hint: each metric of each call path needs a value at each point
)");
}

TEST_CASE("scaling text: unknown keywords") {
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4)
REGON main
DATA 1
)") ==
        R"(a.txt:3:1: error: unknown keyword 'REGON'
   3 | REGON main
     | ^~~~~
hint: did you mean 'REGION'?
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
FUNCTIONS x
)") ==
        R"(a.txt:2:1: error: unknown keyword 'FUNCTIONS'
   2 | FUNCTIONS x
     | ^~~~~~~~~
hint: known: PARAMETER, POINTS, REGION, METRIC, DATA; a comment begins with '#'
)");
}

TEST_CASE("scaling text: zero and negative measurements") {
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 1 -2
DATA 3
)") ==
        R"(a.txt:5:8: error: 'main' (time) is -2, expected a value of zero or more
   5 | DATA 1 -2
     |        ^~
hint: times, visits and bytes are counted from zero
)");
  CHECK(Reading("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 0
DATA 3
)")
            .said() ==
        R"(a.txt:5:6: warning: 'main' (time) is 0 at (4)
   5 | DATA 0
     |      ^
hint: a relative error at zero says nothing about a model
)");
  CHECK(Reading("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 0 0
DATA 0
REGION io
DATA 1
DATA 0
REGION net
DATA 1
DATA 1
)")
            .said() ==
        R"(a.txt:5:6: warning: 'main' (time) is 0 at (4), and 1 more series hold zeros
   5 | DATA 0 0
     |      ^
hint: a relative error at zero says nothing about a model
)");
}

TEST_CASE("scaling text: more than four parameters, none, one twice") {
  CHECK(mistakes("a.txt", R"(PARAMETER a b c d e
POINTS (1 2 3 4 5)
DATA 1
)") ==
        R"(a.txt:1:19: error: a fifth parameter 'e'
   1 | PARAMETER a b c d e
     |                   ^
hint: models have at most 4 parameters
)");
  CHECK(mistakes("a.txt", R"(POINTS 4
)") ==
        R"(a.txt:1:1: error: POINTS before PARAMETER
   1 | POINTS 4
     | ^~~~~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p p
POINTS (4 4)
)") ==
        R"(a.txt:1:13: error: a second parameter 'p'
   1 | PARAMETER p p
     |             ^
)");
}

TEST_CASE("scaling text: points that are none") {
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS 4 4
DATA 1
)") ==
        R"(a.txt:2:10: error: the point (4) stands here twice
   2 | POINTS 4 4
     |          ^
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p q
POINTS (4) (8 1)
DATA 1
)") ==
        R"(a.txt:2:8: error: the point has 1 coordinate, expected 2 (p, q)
   2 | POINTS (4) (8 1)
     |        ^
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS 0 4
DATA 1
)") ==
        R"(a.txt:2:8: error: parameter 'p' is 0, expected a value above zero
   2 | POINTS 0 4
     |        ^
hint: models take powers and logarithms of it
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p q
POINTS (8 1) (4 -1)
)") ==
        R"(a.txt:2:14: error: parameter 'q' is -1, expected a value above zero
   2 | POINTS (8 1) (4 -1)
     |              ^
hint: models take powers and logarithms of it
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p q
POINTS 4 8
DATA 1
)") ==
        R"(a.txt:2:8: error: expected '('
   2 | POINTS 4 8
     |        ^
hint: a point of several parameters stands in brackets: (4 100)
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4 (8)
DATA 1
)") ==
        R"(a.txt:2:8: error: the bracket is not closed
   2 | POINTS (4 (8)
     |        ^
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) 8
DATA 1
)") ==
        R"(a.txt:2:12: error: expected '('
   2 | POINTS (4) 8
     |            ^
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS ()
DATA 1
)") ==
        R"(a.txt:2:8: error: the point has 0 coordinates, expected 1 (p)
   2 | POINTS ()
     |        ^
)");
}

TEST_CASE("scaling text: keywords without what follows them, or in the wrong order") {
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA
)") ==
        R"(a.txt:5:1: error: DATA without values
   5 | DATA
     | ^~~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER
)") ==
        R"(a.txt:1:1: error: PARAMETER without a name
   1 | PARAMETER
     | ^~~~~~~~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
METRIC
)") ==
        R"(a.txt:5:1: error: METRIC without a name
   5 | METRIC
     | ^~~~~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
DATA 1
)") ==
        R"(a.txt:2:1: error: DATA before POINTS
   2 | DATA 1
     | ^~~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS 4
PARAMETER q
)") ==
        R"(a.txt:3:1: error: PARAMETER after POINTS
   3 | PARAMETER q
     | ^~~~~~~~~
hint: all parameters stand before the points
)");
  CHECK(mistakes("a.txt", "\n") == R"(a.txt:1:1: error: no DATA lines
   1 | 
     | ^
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS 4
)") ==
        R"(a.txt:1:1: error: no DATA lines
   1 | PARAMETER p
     | ^
)");
}

TEST_CASE("scaling text: values that are no numbers, and values twice") {
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 1 two
)") ==
        R"(a.txt:5:8: error: expected a number, got 'two'
   5 | DATA 1 two
     |        ^~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA nan
)") ==
        R"(a.txt:5:6: error: expected a number, got 'nan'
   5 | DATA nan
     |      ^~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 1e999
)") ==
        R"(a.txt:5:6: error: expected a number, got '1e999'
   5 | DATA 1e999
     |      ^~~~~
)");
  CHECK(mistakes("a.txt", R"(PARAMETER p
POINTS (4) (8)
REGION main
METRIC time
DATA 1
DATA 2
REGION main
DATA 1
DATA 2
)") ==
        R"(a.txt:8:1: error: a second block of values of 'main' (time)
   8 | DATA 1
     | ^~~~
hint: the first begins in line 5
)");
}

TEST_CASE("scaling text: a byte that is no text") {
  CHECK(mistakes("a.txt", std::string("PARAMETER p\nPOINTS 4\1\n")).find("a.txt:2:9: error: ") == 0);
}
