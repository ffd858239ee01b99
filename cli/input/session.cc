#include "cli/input/session.h"

#include <filesystem>
#include <map>

#include "cli/input/examples.h"
#include "dsl/embedded.h"
#include "dsl/read_text.h"
#include "dsl/similar.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

std::string directory_of(const std::string& path) {
  if (const dsl::EmbeddedFile* file = dsl::find_embedded(path)) return dsl::embedded_folder(*file);
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// "" or why a catalogue folder, or one of those by kind in it, cannot be listed: what it holds would be passed over.
std::string unreadable(const std::string& directory, const dsl::Vocabulary& vocabulary) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(directory, error)) return "'" + directory + "': no such directory";
  std::vector<fs::path> folders{directory};
  for (const dsl::FileKind& kind : vocabulary.kinds) folders.push_back(fs::path(directory) / kind.folder);
  for (const fs::path& folder : folders) {
    fs::directory_iterator(folder, error);
    const bool absent = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
    if (error && !absent) return "'" + folder.string() + "': " + error.message();
  }
  return "";
}

}  // namespace

void open_catalog(Session& session, const std::vector<std::string>& directories) {
  session.catalog.builtin = planner::builtin_catalog();
  session.catalog.directories = directories;
  for (const std::string& directory : directories)
    if (const std::string why = unreadable(directory, session.catalog.builtin.vocabulary); !why.empty())
      session.diagnostics.error({}, "cannot read the catalogue " + why);
}

namespace {

/// Like dsl::read_file. A file that is not regular (`<(...)` of a shell) can be read only once, and is kept for later
/// reads.
std::optional<std::string> read_again(const std::string& path, size_t most, std::string& why) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error || status.type() != std::filesystem::file_type::fifo) return dsl::read_file(path, most, why);
  static std::map<std::string, std::string> pipes;
  const auto known = pipes.find(path);
  if (known != pipes.end()) return known->second;
  std::optional<std::string> text = dsl::read_file(path, most, why);
  if (text) pipes.emplace(path, *text);
  return text;
}

/// A file of the same folder with a similar name.
std::string similar_file(const std::string& path) {
  constexpr size_t kMostFiles = 1000;
  std::error_code error;
  const std::filesystem::path asked(path);
  const std::filesystem::path folder = asked.has_parent_path() ? asked.parent_path() : ".";
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (names.size() < kMostFiles) names.push_back((asked.parent_path() / at->path().filename()).string());
  return dsl::did_you_mean(path, names);
}

std::string hint_of(const std::string& path) {
  if (!dsl::is_embedded(path)) return similar_file(path);
  std::vector<std::string> names;
  for (const dsl::EmbeddedFile& file : example_files()) names.push_back(example_name(file));
  const std::string hint = dsl::did_you_mean(path.substr(dsl::kEmbedded.size()), names);
  return hint.empty() ? "`trainplan list example` names them" : hint;
}

}  // namespace

const dsl::Source* read_input(const std::string& path, Streams& streams, Session& session, size_t most) {
  const bool piped = path == "-";
  std::string why = "read error";
  std::optional<std::string> text = piped ? dsl::read_text(streams.in, most) : read_again(path, most, why);
  if (!text) {
    session.diagnostics.error({}, "cannot read '" + (piped ? "<stdin>" : path) + "': " + why, hint_of(path));
    return nullptr;
  }
  return &session.sources.emplace_back(
      dsl::Source{piped ? "<stdin>" : path, *std::move(text), piped ? "." : directory_of(path)});
}

void place_mistakes(size_t from, const dsl::Span& place, dsl::Diagnostics& diagnostics) {
  for (size_t i = from; i < diagnostics.list.size(); ++i)
    if (!diagnostics.list[i].span.source) diagnostics.list[i].span = place;
}

void add_mistakes(const dsl::Diagnostics& found, dsl::Diagnostics& diagnostics) {
  diagnostics.list.insert(diagnostics.list.end(), found.list.begin(), found.list.end());
}

}  // namespace cli
