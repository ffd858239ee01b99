// `trainplan calibrate gemm` through the command line: what is wrong with a table is told at its place.
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
                   ":2:10:", "1 rows are too few for the 270 numbers of model 'table'"},
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
