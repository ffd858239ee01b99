// Collectives by name: counts, bytes, and the bus bandwidth that nccl-tests would print.
#include <doctest/doctest.h>

#include "planner/replay/priced.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;

namespace {

std::string said(const char* name, int elements, int ranks) {
  return R"("Collective name": ")" + std::string(name) + R"(", "In msg nelems": )" + std::to_string(elements) +
         R"(, "Out msg nelems": )" + std::to_string(elements) + R"(, "dtype": "Float", "Group size": )" +
         std::to_string(ranks);
}

std::vector<CollectiveSum> sums(const KinetoText& text) {
  const sample::Replay replay({text});
  return collective_sums(replay.trace, replay.matched, {});
}

}  // namespace

TEST_CASE("collectives of one name are one sum, the longest first") {
  KinetoText text = sample::ranked(0, 8);
  text.kernel("nccl", 9, 10, 100, said("allreduce", 1000, 8)).kernel("nccl", 9, 200, 300, said("allreduce", 3000, 8));
  text.kernel("nccl", 9, 600, 50, said("broadcast", 500, 8)).kernel("ncclNameless", 9, 700, 900);
  const std::vector<CollectiveSum> found = sums(text);
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "ncclNameless");
  CHECK_FALSE(found[0].bytes.has_value());
  CHECK_FALSE(found[0].bus_bandwidth.has_value());
  CHECK(found[1].name == "allreduce");
  CHECK(found[1].count == 2);
  CHECK(found[1].ranks == 8);
  CHECK(found[1].bytes.value() == 16'000);
  CHECK(found[1].transfer_ns == 400'000);
  CHECK(found[1].bus_bandwidth.value() == doctest::Approx(16'000 * 2 * 7.0 / 8 / 400e-6));
  CHECK(found[2].name == "broadcast");
  CHECK(found[2].bus_bandwidth.value() == doctest::Approx(2'000 / 50e-6));
}

TEST_CASE("groups of another size are another sum") {
  KinetoText text = sample::ranked(0, 8);
  text.kernel("nccl", 9, 10, 100, said("allreduce", 1000, 8)).kernel("nccl", 9, 200, 300, said("allreduce", 3000, 2));
  const std::vector<CollectiveSum> found = sums(text);
  REQUIRE(found.size() == 2);
  CHECK(found[0].ranks == 2);
  CHECK(found[0].bus_bandwidth.value() == doctest::Approx(12'000 / 300e-6));
}
