#include "cli/input/session.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "planner/resolve/read.h"

namespace cli {
namespace {

/// At most one byte more than `most`, so that the limit of whoever reads it speaks, whatever the size of the input.
std::string read_text(std::istream& in, size_t most) {
  std::string text;
  std::array<char, 1 << 16> part{};
  while (text.size() <= most && in) {
    in.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), most + 1 - text.size())));
    text.append(part.data(), static_cast<size_t>(in.gcount()));
  }
  return text;
}

std::optional<std::string> read_file(const std::string& path, size_t most, std::string& why) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return why = "no such file", std::nullopt;
  if (std::filesystem::is_directory(path, error)) return why = "is a directory", std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return why = "permission denied", std::nullopt;
  std::string text = read_text(file, most);
  if (file.bad()) return why = "read error", std::nullopt;
  return text;
}

std::string directory_of(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

void open_catalog(Session& session, const std::vector<std::string>& directories) {
  session.catalog.builtin = planner::builtin_catalog();
  session.catalog.directories = directories;
  std::error_code error;
  for (const std::string& directory : directories)
    if (!std::filesystem::is_directory(directory, error))
      session.diagnostics.error({}, "cannot read the catalogue '" + directory + "': no such directory");
}

const dsl::Source* read_input(const std::string& path, Streams& streams, Session& session, size_t most) {
  if (path == "-") return &session.sources.emplace_back(dsl::Source{"<stdin>", read_text(streams.in, most), "."});
  std::string why;
  if (auto text = read_file(path, most, why))
    return &session.sources.emplace_back(dsl::Source{path, std::move(*text), directory_of(path)});
  session.diagnostics.error({}, "cannot read '" + path + "': " + why);
  return nullptr;
}

}  // namespace cli
