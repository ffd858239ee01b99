#include "cli/input/examples.h"

#include <filesystem>

namespace cli {

std::vector<std::string> with_example_endings(std::vector<std::string> words) {
  for (std::string& word : words) {
    const dsl::EmbeddedFile* file = dsl::find_embedded(word);
    const std::string ending = file ? std::filesystem::path(file->path).extension().string() : "";
    if (file && !word.ends_with(ending) && dsl::find_embedded(word + ending) == file) word += ending;
  }
  return words;
}

std::string example_name(const dsl::EmbeddedFile& file) {
  const std::filesystem::path path(file.path);
  const std::string last = (path.extension() == ".yaml" ? path.stem() : path.filename()).string();
  for (const std::string& name : {path.parent_path().string(), last})
    if (dsl::find_embedded(std::string(dsl::kEmbedded) + name) == &file) return name;
  return path.string();
}

}  // namespace cli
