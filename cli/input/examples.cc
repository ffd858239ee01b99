#include "cli/input/examples.h"

#include <algorithm>
#include <filesystem>

#include "cli/input/catalogue.h"

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

std::string example_summary(const dsl::EmbeddedFile& file) {
  struct Ending {
    std::string_view text;
    const char* summary;
  };
  constexpr Ending kEndings[] = {{"/config.json", "the config.json of a model"},
                                 {".json", "a trace of a rank"},
                                 {".csv", "a table"},
                                 {".txt", "lengths of samples"},
                                 {".sh", "a launch script"}};
  for (const Ending& ending : kEndings)
    if (file.path.ends_with(ending.text)) return ending.summary;
  const std::string comment = leading_comment(file.text);
  return comment.substr(0, std::min(comment.find(": "), comment.find(". ")));
}

}  // namespace cli
