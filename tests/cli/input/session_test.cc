// Readable and unreadable inputs.
#include "cli/input/session.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <sstream>
#include <thread>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

const std::string kScenario =
    "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n";

/// "" or the first mistake.
std::string first(const cli::Session& session) {
  return session.diagnostics.list.empty() ? "" : session.diagnostics.list[0].message;
}

}  // namespace

TEST_CASE("a catalogue folder that cannot be listed is told with its path") {
  const TestFolder folder;
  folder.add("good/models/a.yaml", "layers: 1\n");
  const std::string bad = folder.name() + "/bad";
  std::filesystem::create_directories(bad);
  std::filesystem::create_symlink("models", bad + "/models");  // it leads to itself
  const auto opened = [](const std::string& path) {
    cli::Session session;
    cli::open_catalog(session, {path});
    return first(session);
  };
  CHECK(opened(folder.name() + "/good") == "");
  CHECK(opened(folder.name() + "/none") == "cannot read the catalogue '" + folder.name() + "/none': no such directory");
  CHECK(opened(bad).find("cannot read the catalogue '" + bad + "/models': ") == 0);
}

TEST_CASE("standard input that cannot be read is no empty file") {
  std::ifstream directory("/");
  std::ostringstream out, err;
  cli::Streams streams{.in = directory, .out = out, .err = err};
  cli::Session session;
  CHECK(cli::read_input("-", streams, session) == nullptr);
  CHECK(first(session) == "cannot read '<stdin>': read error");
}

TEST_CASE("a scenario is the same from a file, a pipe by its name and standard input") {
  const TestFolder folder;
  const std::string pipe = folder.name() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const std::string planned = ran({"plan", folder.add("a.yaml", kScenario)}).out;
  CHECK(ran({"plan", "-"}, kScenario).out == planned);
  std::thread writer([&] { std::ofstream(pipe) << kScenario; });
  CHECK(ran({"plan", pipe}).out == planned);
  writer.join();
}

TEST_CASE("measurements are read from a pipe, once") {
  const TestFolder folder;
  const std::string json =
      R"({"parameters": ["p"], "measurements": {"main": {"time": [{"point": [1], "values": [1]},
 {"point": [2], "values": [2]}, {"point": [4], "values": [4]}, {"point": [8], "values": [8]},
 {"point": [16], "values": [16]}]}}})";
  for (const char* name : {"pipe", "pipe.json"}) {
    const std::string pipe = folder.name() + "/" + name;
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(pipe) << json; });
    const Ran r = ran({"scale", pipe, "--format", "csv"});
    writer.join();
    CHECK(r.status == 0);
    CHECK(r.out == ran({"scale", folder.add("a.json", json), "--format", "csv"}).out);
  }
  const Ran zero = ran({"scale", "/dev/zero"});
  CHECK(zero.status == 1);
  CHECK(zero.err == "error: cannot read '/dev/zero': larger than 256 MiB\n");
}
