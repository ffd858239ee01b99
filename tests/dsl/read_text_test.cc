// Files, pipes and devices as texts.
#include "dsl/read_text.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "tests/dsl/folder.h"

namespace {

std::string why_not(const std::string& path) {
  std::string why;
  return dsl::read_file(path, 100, why) ? "" : why;
}

}  // namespace

TEST_CASE("at most a byte more than asked for is read, of files that never end too") {
  std::string why;
  CHECK(dsl::read_file("/dev/zero", 100'000, why)->size() == 100'001);
  std::istringstream in("abc");
  CHECK(dsl::read_text(in, 100) == "abc");
  std::istringstream longer("abcdef");
  CHECK(dsl::read_text(longer, 3) == "abcd");
}

TEST_CASE("what cannot be read says why") {
  const TestFolder folder;
  CHECK(why_not(folder.name() + "/none") == "no such file");
  CHECK(why_not(folder.name()) == "is a directory");
  CHECK(why_not(folder.add("good", "text")) == "");
  std::ifstream directory(folder.name());
  CHECK(!dsl::read_text(directory, 100));
}

TEST_CASE("a pipe is read to its end") {
  const TestFolder folder;
  const std::string path = folder.name() + "/pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const std::string text(200'000, 'x');
  std::thread writer([&] { std::ofstream(path) << text; });
  std::string why;
  CHECK(dsl::read_file(path, 1 << 20, why) == text);
  writer.join();
}

TEST_CASE("a file that is changed while it is read is refused") {
  const TestFolder folder;
  const std::string path = folder.add("growing", std::string(1 << 20, 'x'));
  std::atomic<bool> over{false};
  std::thread writer([&] {
    std::ofstream out(path, std::ios::app);
    while (!over) out << 'x' << std::flush;
  });
  std::string why;
  for (int tries = 0; tries < 200 && why.empty(); ++tries) dsl::read_file(path, 1 << 20, why);
  over = true;
  writer.join();
  CHECK(why == "it was changed while it was read; try again");
}
