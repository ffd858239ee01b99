// Plain tables of measurements, several files, and messages about mistakes in them.
#include <doctest/doctest.h>

#include "tests/dsl/folder.h"
#include "tests/planner/scaling/scaling_sample.h"

using scaling_sample::Files;
using scaling_sample::mistakes;
using scaling_sample::read;
using scaling_sample::Reading;

TEST_CASE("scaling CSV: a column of values, parameters before it") {
  CHECK(read("a.csv", R"(p,n,metric,callpath,value
4,100,time,main,3.1
4,100,visits,main,2
8,100,time,main,5
8,100,visits,main,2
4,100,time,main,3.3
)") == R"(p n 
main|time (4 100): 3.1 3.3, (8 100): 5
main|visits (4 100): 2, (8 100): 2
)");
}

// CIFAR-10 with ResNet-50 and Horovod, job wall times out of the headers of Darshan logs (github extra-p/extradeep,
// sample measurements): of 2, 4 and 6 ranks.
TEST_CASE("scaling CSV: repetitions, and the metric in the header") {
  const std::string expected = "ranks \n|walltime_s (2): 152 154, (4): 104 105, (6): 130 96\n";
  CHECK(read("a.csv", "ranks,repetition,walltime_s\n2,1,152\n2,2,154\n4,1,104\n4,2,105\n6,1,130\n6,2,96\n") ==
        expected);
  CHECK(read("noname", "ranks,walltime_s\n2,152\n2,154\n4,104\n4,105\n6,130\n6,96\n") == expected);
}

TEST_CASE("scaling CSV: columns behind the repetition are metrics; a region is a call path") {
  CHECK(read("a.csv", "p,region,repetition,time,bytes\n4,main,1,2,10\n8,main,1,3,20\n") ==
        "p \nmain|time (4): 2, (8): 3\nmain|bytes (4): 10, (8): 20\n");
}

TEST_CASE("scaling CSV: cells that are no numbers") {
  CHECK(mistakes("a.csv", R"(p,value
4,1
8,x
)") ==
        R"(a.csv:3:3: error: expected a number, got 'x'
   3 | 8,x
     |   ^
)");
  CHECK(mistakes("a.csv", R"(p,value
4,1
,2
)") ==
        R"(a.csv:3:1: error: expected a number, got ''
   3 | ,2
     | ^
)");
}

TEST_CASE("scaling CSV: columns that are missing or too many") {
  CHECK(mistakes("a.csv", R"(value
1
)") ==
        R"(a.csv:1:1: error: no column of a parameter
   1 | value
     | ^~~~~
hint: parameters stand before the values
)");
  CHECK(mistakes("a.csv", R"(p,repetition
4,1
)") ==
        R"(a.csv:1:3: error: no column of values
   1 | p,repetition
     |   ^~~~~~~~~~
hint: call it 'value', or by its metric as the last column
)");
  CHECK(mistakes("a.csv", R"(a,b,c,d,e,time
1,1,1,1,1,2
)") ==
        R"(a.csv:1:9: error: a fifth parameter 'e'
   1 | a,b,c,d,e,time
     |         ^
hint: models have at most 4 parameters
)");
  CHECK(mistakes("a.csv", R"(p,time
4,1,2
)") ==
        R"(a.csv:2:5: error: expected 2 cells as in the header, got 3
   2 | 4,1,2
     |     ^
hint: a cell with a comma stands in double quotes
)");
  CHECK(mistakes("a.csv", R"(p,time
)") ==
        R"(a.csv:1:1: error: no rows below the header
   1 | p,time
     | ^
)");
  CHECK(mistakes("a.csv", R"()") ==
        R"(error: cannot read 'a.csv': it is empty
hint: known: Nsight Systems SQLite export, Extra-P experiment, Extra-P JSON Lines, TaLPas, Extra-P JSON, Extra-P text, CSV
)");
}

TEST_CASE("scaling CSV: missing points, and a repetition twice") {
  CHECK(mistakes("a.csv", R"(p,metric,value
4,time,1
8,time,2
4,bytes,1
)") ==
        R"(a.csv:4:9: error: '' (bytes) is measured at 1 of 2 points: (8) is missing
   4 | 4,bytes,1
     |         ^
hint: each metric of each call path needs a value at each point
)");
  CHECK(mistakes("a.csv", R"(p,repetition,time
4,1,2
4,1,3
)") ==
        R"(a.csv:3:3: error: a second repetition '1' of this point
   3 | 4,1,3
     |   ^
)");
}

TEST_CASE("scaling CSV: zero and negative values") {
  CHECK(mistakes("a.csv", R"(p,time
4,-1
)") ==
        R"(a.csv:2:3: error: '' (time) is -1, expected a value of zero or more
   2 | 4,-1
     |   ^~
hint: times, visits and bytes are counted from zero
)");
  CHECK(mistakes("a.csv", R"(p,time
-4,1
)") ==
        R"(a.csv:2:1: error: parameter 'p' is -4, expected a value above zero
   2 | -4,1
     | ^~
hint: models take powers and logarithms of it
)");
}

TEST_CASE("scaling: several files are one experiment") {
  const TestFolder folder;
  const std::string a = folder.add("a.csv", "p,time\n4,1\n8,2\n"),
                    b = folder.add("b.jsonl",
                                   R"({"params": {"p": 16}, "callpath": "", "metric": "time", "value": [3, 4]})");
  const Reading both(Files{{a, b}});
  REQUIRE(both.experiment.has_value());
  CHECK(scaling_sample::shown(*both.experiment) == "p \n|time (16): 3 4, (4): 1, (8): 2\n");
  CHECK_FALSE(both.experiment->median);
  const Reading other(Files{{a, folder.add("c.csv", "q,time\n4,1\n")}});
  CHECK_FALSE(other.experiment.has_value());
  CHECK(other.said(folder.name()) == R"(c.csv:1:1: error: the parameters are q, expected p as in the files before
   1 | q,time
     | ^
)");
  const Reading more(Files{{a, folder.add("d.csv", "p,callpath,metric,value\n4,io,time,1\n")}});
  CHECK(more.said(folder.name()) == R"(d.csv:2:11: error: 'io' (time) is measured at 1 of 2 points: (8) is missing
   2 | 4,io,time,1
     |           ^
hint: each metric of each call path needs a value at each point
)");
}

TEST_CASE("scaling: files that are none") {
  const TestFolder folder;
  CHECK(Reading(Files{{folder.name() + "/no.txt"}}).said(folder.name()) ==
        "error: cannot read 'no.txt': no such file\n");
  CHECK(Reading(Files{{folder.name()}}).said() ==
        "error: cannot read '" + folder.name() + "': a folder without .sqlite files\n");
  CHECK(Reading(Files{}).said() == "error: no measurements to read\n");
  CHECK(mistakes("what.dat", "hello") == R"(what.dat:1:1: error: no format of measurements that is known here
   1 | hello
     | ^
hint: known: Nsight Systems SQLite export, Extra-P experiment, Extra-P JSON Lines, TaLPas, Extra-P JSON, Extra-P text, CSV
)");
}
