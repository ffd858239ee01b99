// How `serve` ends before it answers; tests/serve_test.py asks the whole program.
#include <doctest/doctest.h>

#include "cli/serve/local_server.h"
#include "tests/cli/harness.h"

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a scenario that cannot be planned is reported, and no address is printed") {
  const Ran r = ran({"serve", "example:gpt3-175b", "--set", "job.global_batch=-3"});
  CHECK(r.status == 1);
  CHECK(r.out == "");
  CHECK(has(r.err, "--set:1:18: error: job.global_batch must be at least 1, got -3"));
  CHECK(ran({"serve", "no-such-file.yaml"}).status == 1);
  CHECK(ran({"serve", "-"}, "model: {use: nothing}\n").status == 1);
}

TEST_CASE("open choices need --pick, as in a plan") {
  const Ran plan = ran({"plan", "example:gpt3-175b-search"}), serve = ran({"serve", "example:gpt3-175b-search"});
  CHECK(plan.status == 1);
  CHECK(serve.status == plan.status);
  CHECK(serve.err == plan.err);
}

TEST_CASE("a port that another server has is refused with its number") {
  const cli::LocalServer first(0);
  REQUIRE(first.why() == "");
  const std::string& address = first.address();
  const size_t colon = address.rfind(':');
  const std::string port = address.substr(colon + 1, address.find('/', colon) - colon - 1);
  const Ran r = ran({"serve", "example:gpt3-175b", "--port", port});
  CHECK(r.status == 1);
  CHECK(r.out == "");
  CHECK(r.err == "trainplan serve: cannot listen on port " + port +
                     " of 127.0.0.1: Address already in use; without --port, a free port is taken\n");
}

TEST_CASE("a port that there is not is wrong usage") {
  for (const char* port : {"0", "-1", "65536", "http"}) {
    CAPTURE(port);
    CHECK(ran({"serve", "example:gpt3-175b", "--port", port}).status == 2);
  }
}
