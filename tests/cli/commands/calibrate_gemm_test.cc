// `trainplan calibrate gemm` through the command line: mistakes in a table are reported at their place.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"

namespace {

Ran gemms(const std::string& table, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"calibrate", "gemm", "-", "--gpu", "a100-sxm-80gb"});
  return ran(more, table);
}

struct Mistake {
  const char *table, *place, *message;
};

}  // namespace

TEST_CASE("a mistake in a GEMM table is told at its cell, and there is no profile") {
  for (const Mistake& m : {
           Mistake{"m,n,latency_us\n64,64,10\n", ":1:1:", "no known layout has the columns m, n, latency_us"},
           Mistake{"m,n,k\n64,64,64\n", ":1:1:", "no known layout has the columns m, n, k"},
           Mistake{"m,n,k,latency_us\n64,wide,64,10\n", ":2:4:", "expected a number in 'n', got 'wide'"},
           Mistake{"m,n,k,latency_us\n64,64,64,10\n64,64,64,fast\n", ":3:10:", "expected a number in 'latency_us'"},
           Mistake{"m,n,k,latency_us\n64,64,64,-10\n", ":2:10:", "expected 'latency_us' above zero, got -10"},
           Mistake{"m,n,k,latency_us\n64,64,64,0\n", ":2:10:", "expected 'latency_us' above zero, got 0"},
           Mistake{"m,n,k,latency_us\n64,64.5,64,10\n", ":2:4:", "expected a whole number in 'n', got 64.5"},
           Mistake{"m,n,k,latency_us\n64,64,64,10 ms\n", ":2:10:", "the cell says '10 ms', its column 'latency_us'"},
           Mistake{"m,n,k,latency_us\n8192,8192,8192,100\n", ":2:16:", "is above the bf16 peak of"},
           Mistake{"m,n,k,precision,latency_us\n64,64,64,fp16,10\n", ":1:1:", "no row is in bf16"},
           Mistake{"m,n,k,latency_us\n64,64,64,10\n",
                   ":2:10:", "1 rows are too few for the 14 numbers of model 'table'"},
       }) {
    const Ran r = gemms(m.table);
    INFO(m.table << r.err);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(r.err.find(m.place) != std::string::npos);
    CHECK(r.err.find(m.message) != std::string::npos);
  }
}

TEST_CASE("every mistake of a GEMM table is told, not the first alone") {
  const Ran r = gemms("m,n,k,latency_us\nx,64,64,10\n64,64,64,0\n");
  CHECK(r.err.find(":2:1:") != std::string::npos);
  CHECK(r.err.find(":3:10:") != std::string::npos);
}

TEST_CASE("a row whose time is infinite is left out of a table, and told") {
  const std::string table = "m,n,k,latency_us\n4096,4096,4096,600\n4096,4096,4096,inf\n";
  const Ran r = gemms(table, {"--score", "a100-sxm", "--format", "json"});
  CHECK(r.status == 0);
  CHECK_MESSAGE(
      r.err.find(":3:16: warning: 'inf' in 'latency_us' is no time: the row is left out") != std::string::npos, r.err);
  CHECK(Json::parse(r.out).at("rows") == 1);
}

TEST_CASE("a profile is scored on the machine that was measured, by its own figures") {
  const std::string table = "m,n,k,latency_us\n4096,4096,4096,600\n";
  auto error = [&](const std::string& gpu, const std::string& profile) {
    const Ran r = ran({"calibrate", "gemm", "-", "--gpu", gpu, "--score", profile, "--format", "json"}, table);
    CHECK_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out).at("geomean_error").get<double>();
  };
  const double own = error("a100-sxm-80gb", "a100-sxm");
  CHECK(error("a100-sxm-80gb", "a100-sxm-80gb") == own);
  CHECK(error("a100-sxm-80gb", "mi300x") != own);
  CHECK(error("mi300x-192gb", "mi300x") != error("a100-sxm-80gb", "mi300x"));
  CHECK(ran({"calibrate", "gemm", "-", "--gpu", "a100-sxm-80gb", "--score", "a100-sxn"}, table).status == 1);
}

TEST_CASE("sixty rows of a user set the rates of the catalogue's table, or the waves where it has none") {
  auto at_rate = [](double flops_per_us) {
    std::string rows = "m,n,k,latency_us\n";
    for (double m : {512, 1024, 2048, 4096, 8192})
      for (double n : {1024, 4096, 12288})
        for (double k : {1024, 2048, 4096, 8192})
          rows += std::to_string(static_cast<int>(m)) + ',' + std::to_string(static_cast<int>(n)) + ',' +
                  std::to_string(static_cast<int>(k)) + ',' + std::to_string(3 + 2 * m * n * k / flops_per_us) + '\n';
    return rows;
  };
  const Ran a100 = gemms(at_rate(200e6), {"--format", "json"});
  CHECK(a100.status == 0);
  CHECK(a100.err.find("60 rows place no table, which takes 200: the catalogue's keeps its shape") != std::string::npos);
  CHECK(a100.out.find("compute_efficiency") != std::string::npos);
  CHECK(a100.out.find("table_m") == std::string::npos);
  const Ran v100 = ran({"calibrate", "gemm", "-", "--gpu", "v100-sxm2-32gb", "--precision", "fp16", "--format", "json"},
                       at_rate(80e6));
  CHECK(v100.status == 0);
  CHECK(v100.err.find("the waves alone are fitted") != std::string::npos);
  for (const Ran* r : {&a100, &v100}) {
    INFO(r->out << r->err);
    const size_t at = r->out.find("\"residual_error\":");
    REQUIRE(at != std::string::npos);
    CHECK(std::stod(r->out.substr(at + 17)) < 0.2);
  }
}
