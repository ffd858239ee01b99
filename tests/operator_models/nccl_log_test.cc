#include "operator_models/calibrate/nccl_log.h"

#include <fmt/format.h>

#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

struct Read {
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  std::vector<std::string> rows;  // "all-gather 16 2x8 67108864 float 0 447.4"

  explicit Read(std::string text, std::string name = "run.log") : source{std::move(name), std::move(text), ""} {
    const dsl::CsvTable table = read_nccl_log(source, diagnostics);
    for (const auto& r : table.rows)
      rows.push_back(fmt::format("{} {} {}x{} {} {} {} {}", r[0].text, r[1].text, r[2].text, r[3].text, r[4].text,
                                 r[5].text, r[6].text, r[7].text));
  }
  std::string messages() const {
    std::string all;
    for (const dsl::Diagnostic& d : diagnostics.list)
      all +=
          fmt::format("{}:{} {}\n", d.span.line, d.severity == dsl::Severity::error ? "error" : "warning", d.message);
    return all;
  }
};

const std::string kEnd = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 100 \n";
std::string devices(int nodes, int gpus, const std::string& prefix = "") {
  std::string text = prefix + "# Using devices\n";
  for (int i = 0; i < nodes * gpus; ++i)
    text += fmt::format("{}#  Rank {:2} Group  0 Pid 41{} on node{} device {:2} [0000:1b:00] NVIDIA H100 80GB HBM3\n",
                        prefix, i, i, i / gpus, i % gpus);
  return text;
}
std::string starting(const std::string& test) { return "# Collective test starting: " + test + "\n"; }

const std::string kAllReduce =
    "    67108864       8388608    double     sum      -1   313.66  213.95  374.42       0   313.52  214.05  374.58    "
    "   0\n";

}  // namespace

TEST_CASE("each dialect of nccl-tests gives its rows") {
  struct Case {
    const char* what;
    std::string name, text;
    std::vector<std::string> rows;
  };
  const std::vector<Case> cases{
      {"2.17 with its test named",
       "a.log",
       starting("all_reduce_perf") + devices(1, 8) + kAllReduce + kEnd,
       {"all-reduce 8 1x8 67108864 double 0 313.66", "all-reduce 8 1x8 67108864 double 1 313.52"}},
      {"a test that the file's name tells, older header",
       "h100x8_all_reduce.txt",
       devices(1, 8) +
           "    67108864      16777216     float     sum      -1    324.7  206.67  361.67      0    324.7  206.67  "
           "361.68      0\n" +
           kEnd,
       {"all-reduce 8 1x8 67108864 float 0 324.7", "all-reduce 8 1x8 67108864 float 1 324.7"}},
      {"device lines stripped, #wrong N/A: ranks by the bus factor, nodes by the name",
       "2nodes_all_gather_a3mega.txt",
       "nThread 1 nGpus 1 minBytes 8388608 maxBytes 8589934592 step: 2(factor)\n"
       "    67108864       1048576     float    none      -1    447.4  150.00  140.62    N/A    443.5  151.31  141.86  "
       "  N/A\n"
       "Avg bus bandwidth    : 146.948 \n",
       {"all-gather 16 2x8 67108864 float 0 447.4", "all-gather 16 2x8 67108864 float 1 443.5"}},
      {"a time that was not taken",
       "a.log",
       starting("alltoall_perf") + devices(2, 1) +
           "  4294967296     268435456    double    none      -1  55165.9   77.86   38.93       0      N/A     N/A     "
           "N/A    N/A\n" +
           kEnd,
       {"all-to-all 2 2x1 4294967296 double 0 55165.9"}},
      {"sizes that are no power of two",
       "a.log",
       starting("all_gather_perf") + devices(10, 8) +
           "    33553920         52428    double    none      -1   682.20   49.19   48.57       0   672.05   49.93   "
           "49.30       0\n" +
           kEnd,
       {"all-gather 80 10x8 33553920 double 0 682.20", "all-gather 80 10x8 33553920 double 1 672.05"}},
      {"prefixes of mpirun and messages of NCCL",
       "a.log",
       "[1,0]<stdout>:" + starting("all_reduce_perf") + devices(1, 8, "[1,0]<stdout>:") +
           "node0:4180122:4180122 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB\n[1,0]<stdout>:" + kAllReduce +
           "node0:4180122:4180122 [0] NCCL INFO comm 0x55 rank 0 nranks 8\n[1,0]<stdout>:# Avg bus bandwidth : 374\n",
       {"all-reduce 8 1x8 67108864 double 0 313.66", "all-reduce 8 1x8 67108864 double 1 313.52"}},
      {"prefixes of hosts and processes",
       "a.log",
       "[node0:1000]" + starting("all_reduce_perf") + devices(1, 8, "[node0:1000]") +
           "[node0:1000] WARN slow link\n[node0:1000]" + kAllReduce + "[node0:1000]# Avg bus bandwidth : 374\n",
       {"all-reduce 8 1x8 67108864 double 0 313.66", "all-reduce 8 1x8 67108864 double 1 313.52"}},
      {"prefixes of srun, lines of DOS",
       "a.log",
       "0: " + starting("all_reduce_perf") + devices(1, 8, "0: ") +
           "0: " + kAllReduce.substr(0, kAllReduce.size() - 1) + "\r\n0: # Avg bus bandwidth : 374\r\n",
       {"all-reduce 8 1x8 67108864 double 0 313.66", "all-reduce 8 1x8 67108864 double 1 313.52"}},
      {"columns of 2.8 and rccl-tests: no root, an error for #wrong",
       "a.log",
       starting("all_reduce_perf") + devices(1, 8) +
           "    67108864      16777216   float     sum    324.7  206.67  361.67  1e-06    324.7  206.67  361.68  "
           "1e-06\n" +
           kEnd,
       {"all-reduce 8 1x8 67108864 float 0 324.7", "all-reduce 8 1x8 67108864 float 1 324.7"}},
      {"several tests in one file",
       "a.log",
       starting("all_reduce_perf") + devices(1, 8) + kAllReduce + kEnd + "#\n\n" + starting("sendrecv_perf") +
           devices(2, 8) +
           "    33554432       4194304    double     sum      -1  2239.24   14.98   14.98       0  2229.13   15.05   "
           "15.05    N/A\n" +
           kEnd,
       {"all-reduce 8 1x8 67108864 double 0 313.66", "all-reduce 8 1x8 67108864 double 1 313.52",
        "send-recv 16 2x8 33554432 double 0 2239.24", "send-recv 16 2x8 33554432 double 1 2229.13"}},
  };
  for (const Case& c : cases) {
    const Read read(c.text, c.name);
    CAPTURE(c.what);
    CHECK(read.messages() == "");
    CHECK(read.rows == c.rows);
  }
}

TEST_CASE("what a log lacks or contradicts is told at its line") {
  const std::string head = starting("all_reduce_perf") + devices(1, 8);  // ten lines
  const auto first = [](const Read& read) { return read.messages().substr(0, read.messages().find('\n')); };
  CHECK(first(Read("")) == "1:error no line of the log is a measurement of nccl-tests");
  CHECK(first(Read("nothing but words\n12 apples\n")) == "1:error no line of the log is a measurement of nccl-tests");
  CHECK(first(Read(head + kAllReduce)) == "11:warning the log ends inside this test: 1 lines are read");
  // a time in milliseconds; columns moved by one; another number of ranks
  CHECK(first(Read(head + "67108864 8388608 double sum -1 0.31366 213.95 374.42 0 313.52 214.05 374.58 0\n" + kEnd)) ==
        "11:error 67108864 B in 0.31366 us are 213954.17 GB/s, the line says 213.95");
  CHECK(
      first(Read(starting("all_reduce_perf") + devices(1, 4) + kAllReduce + kEnd)) ==
      "7:error the bus bandwidth of all-reduce over 4 ranks is 1.500 of the algorithm bandwidth, this test says 1.750");
  CHECK(first(Read(head + "67108864 8388608 double sum -1 fast 213.95 374.42 0 313.52 214.05 374.58 0\n" + kEnd)) ==
        "11:error expected a number, got 'fast'");
  CHECK(first(Read(devices(1, 8) + kAllReduce + kEnd)) ==
        "10:error which collective is this? neither the log nor the file's name says it");
  CHECK(first(Read(starting("sendrecv_perf") +
                   "33554432 4194304 double sum -1 2239.24 14.98 14.98 0 2229.13 15.05 15.05 0\n" + kEnd)) ==
        "2:error over how many ranks? the log has no lines of devices");
}

TEST_CASE("a line cut short, a test without a model and wrong results are warned of; the rest is read") {
  const std::string head = starting("all_reduce_perf") + devices(1, 8);
  const Read cut(head + kAllReduce + "   134217728      16777216    double     sum      -1   564.78  237.6");
  CHECK(cut.rows.size() == 2);
  CHECK(cut.messages() ==
        "12:warning passed over: a measurement line with 7 columns\n11:warning the log ends inside this test: 1 lines "
        "are read\n");
  const Read other(starting("hypercube_perf") + devices(1, 8) + kAllReduce + kEnd + head + kAllReduce + kEnd);
  CHECK(other.rows.size() == 2);
  CHECK(other.messages() == "11:warning no model for hypercube_perf: passed over\n");
  const Read wrong(head + kAllReduce + "# Out of bounds values : 12 FAILED\n# Avg bus bandwidth : 1\n");
  CHECK(wrong.rows.size() == 2);
  CHECK(wrong.messages() == "12:warning the test found wrong results: its times may mean little\n");
}

TEST_CASE("groups beside the first are other communicators") {
  std::string text = starting("all_reduce_perf") + devices(1, 8);
  text.replace(text.find("Group  0", text.find("Rank  7")), 8, "Group  1");
  const Read read(text + kAllReduce + kEnd);
  CHECK(read.diagnostics.has_errors());  // seven ranks do not give this factor
}
