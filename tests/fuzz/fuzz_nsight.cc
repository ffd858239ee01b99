// libFuzzer: a database of SQLite as a profile of Nsight Systems, the same of five runs. Other bytes are made into a
// database (database.h).
#include "tests/fuzz/database.h"
#include "tests/fuzz/experiment.h"
#include "tests/fuzz/folder.h"

namespace {

/// Names of the database that say five configurations.
const std::vector<std::string>& profiles() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const char* p : {"1", "2", "4", "8", "16"}) {
      names.push_back((fuzz::folder() / ("app.p" + std::string(p) + ".r1.mpi0.sqlite")).string());
      std::filesystem::create_symlink("database", names.back());
    }
    return names;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = fuzz::text_of(data, size);
  fuzz::write_file(fuzz::folder() / "database", text.starts_with("SQLite format 3") ? text : fuzz::database_of(text));
  fuzz::read_experiment([](dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
    return planner::scaling::read_measurements(profiles(), sources, diagnostics);
  });
  return 0;
}
