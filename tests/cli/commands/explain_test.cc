// `trainplan search --explain N`.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kText = R"(model: {layers: 8, hidden: 1024, heads: 16, vocab: 51200, positions: 1024}
job: {sequence: 1024, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8, price: 2 USD/h}
parallelism: {tp: [1, 2], microbatch: [1, 2]}
)";

Ran explained(const std::string& rank, std::vector<std::string> more = {}) {
  std::vector<std::string> args{"search", "-", "--explain", rank};
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, kText, 100);
}

}  // namespace

TEST_CASE("--explain: parts and causes add up to the difference from the next row") {
  for (const std::string rank : {"1", "4"}) {
    const Ran r = explained(rank, {"--format", "json", "--top", "1"});
    REQUIRE(r.status == 0);
    CHECK(!has_nan(r.out));
    const Json all = Json::parse(ran({"search", "-", "--format", "json"}, kText).out)["plans"], j = Json::parse(r.out);
    CHECK(j["plans"].size() == 1);
    const Json& e = j["explain"];
    std::vector<std::string> keys;
    for (const auto& [key, value] : e.items()) keys.push_back(key);
    CHECK(keys == std::vector<std::string>{"rank", "against", "seconds", "usd", "parts", "differences", "turns"});
    const size_t a = e["rank"], b = e["against"];
    CHECK(a == std::stoul(rank));
    CHECK(b == (rank == "1" ? 2 : 1));
    const double seconds = e["seconds"];
    CHECK(seconds == all[b - 1]["step_seconds"].get<double>() - all[a - 1]["step_seconds"].get<double>());
    double parts = 0, causes = 0, usd = 0;
    for (const auto& [name, part] : e["parts"].items()) parts += part.get<double>();
    for (const Json& d : e["differences"]) causes += d["seconds"].get<double>(), usd += d["usd"].get<double>();
    CHECK(parts == doctest::Approx(seconds).epsilon(1e-9));
    CHECK(causes == seconds);
    CHECK(usd == e["usd"].get<double>());
    CHECK(e["turns"].size() == 9);
    for (const Json& t : e["turns"])
      for (const char* way : {"below", "above"}) CHECK((t[way].is_null() || t[way].get<double>() > 0));
  }
}

TEST_CASE("--explain: the page, and a row that is not there") {
  const Ran r = explained("1");
  CHECK(r.status == 0);
  for (const char* part :
       {"Plan 2 less plan 1", "Where the step goes", "What each difference is worth", "the order of plan 1"})
    CHECK_MESSAGE(r.out.find(part) != std::string::npos, r.out);
  const Ran none = explained("9", {"--format", "json"});
  CHECK(none.status == 0);
  CHECK(none.err.find("4 plans are feasible") != std::string::npos);
  CHECK(Json::parse(none.out)["explain"].is_null());
  CHECK(explained("0").status == 2);
  CHECK(explained("best").status == 2);
}
