// libFuzzer: a line with a kind of catalogue files, then any text as such a file. It must be read, and shown, or be
// refused in words.
#include "cli/input/catalogue.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  const cli::EntryKind* kind = cli::find_kind(fuzz::take_line(text));
  if (!kind) return 0;
  std::filesystem::create_directories(fuzz::folder() / kind->folder);
  const std::string path = (fuzz::folder() / kind->folder / "a.yaml").string();
  fuzz::write_file(path, text);
  fuzz::run({"check", path, "--format", "json"}, "");
  if (kind->schema) fuzz::run({"show", path, "--format", "json"}, "");
  return 0;
}
