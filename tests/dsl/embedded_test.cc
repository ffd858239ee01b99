// Files inside the program, by "example:NAME".
#include "dsl/embedded.h"

#include <doctest/doctest.h>

#include <array>

#include "dsl/catalog.h"
#include "dsl/read_text.h"

namespace {

constexpr std::array<dsl::EmbeddedFile, 6> kFiles{{{"a.yaml", "a: 1"},
                                                   {"hub/config.json", "{}"},
                                                   {"one/b.yaml", "b: 1"},
                                                   {"one/c.csv", "c"},
                                                   {"two/b.yaml", "b: 2"},
                                                   {"two/d.yaml", "d: 1"}}};

/// The files of this test, and none afterwards.
struct SampleFiles {
  SampleFiles() { dsl::embed_files(kFiles); }
  ~SampleFiles() { dsl::embed_files({}); }
};

struct NameCase {
  const char *name, *path;
};
constexpr NameCase kNames[] = {{"example:a", "a.yaml"},
                               {"example:a.yaml", "a.yaml"},
                               {"example:one/b", "one/b.yaml"},
                               {"example:b", ""},  // two files have the name
                               {"example:c", "one/c.csv"},
                               {"example:c.csv", "one/c.csv"},
                               {"example:d", "two/d.yaml"},
                               {"example:hub", "hub/config.json"},
                               {"example:/one/../two/d.yaml", "two/d.yaml"},
                               {"example:/d.yaml", ""},
                               {"example:../a.yaml", "a.yaml"},
                               {"example:", ""},
                               {"example:e", ""},
                               {"a", ""}};

}  // namespace

TEST_CASE("a file inside the program has a path, and shorter names") {
  const SampleFiles files;
  for (const NameCase& c : kNames) {
    CAPTURE(std::string(c.name));
    const dsl::EmbeddedFile* file = dsl::find_embedded(c.name);
    CHECK((file ? std::string(file->path) : "") == c.path);
    CHECK(dsl::is_text_file(c.name) == (file != nullptr));
  }
}

TEST_CASE("it is read as a file is, up to a limit, and names in it are relative to its folder") {
  const SampleFiles files;
  std::string why;
  CHECK(dsl::read_file("example:a", 100, why) == "a: 1");
  CHECK(dsl::read_file("example:a", 2, why) == "a: ");
  CHECK_FALSE(dsl::read_file("example:e", 100, why));
  CHECK(why == "no such example");
  dsl::Sources sources;
  const std::string folder = dsl::embedded_folder(*dsl::find_embedded("example:c"));
  for (const auto& [directory, name] : {std::pair<std::string, std::string>{folder, "b.yaml"},
                                        {folder, "../one/b.yaml"},
                                        {"elsewhere", "example:one/b"}}) {
    const dsl::Source* source = dsl::open_file(name, "", directory, sources, why);
    REQUIRE(source);
    CHECK(source->text == "b: 1");
    CHECK(source->directory == "example:/one");
  }
}
