#include "dsl/read_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "dsl/embedded.h"

namespace dsl {
namespace {

namespace fs = std::filesystem;

/// What changes with the content of a file. A pipe or a device has no content to compare.
struct FileState {
  uintmax_t size = 0;
  fs::file_time_type written{};
  bool operator==(const FileState&) const = default;
};

FileState state_of(const std::string& path) {
  std::error_code error;
  FileState state;
  if (!fs::is_regular_file(path, error)) return state;
  state.size = fs::file_size(path, error);
  state.written = fs::last_write_time(path, error);
  return state;
}

}  // namespace

std::optional<std::string> read_text(std::istream& in, size_t most) {
  std::string text;
  std::array<char, 1 << 16> part{};
  while (text.size() <= most && in) {
    in.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), most + 1 - text.size())));
    text.append(part.data(), static_cast<size_t>(in.gcount()));
  }
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

bool is_text_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) || find_embedded(path);
}

std::optional<std::string> read_file(const std::string& path, size_t most, std::string& why) {
  if (is_embedded(path)) {
    const EmbeddedFile* file = find_embedded(path);
    if (!file) return why = "no such example", std::nullopt;
    return std::string(most < file->text.size() ? file->text.substr(0, most + 1) : file->text);
  }
  std::error_code error;
  if (!fs::exists(path, error)) return why = "no such file", std::nullopt;
  if (fs::is_directory(path, error)) return why = "is a directory", std::nullopt;
  const FileState before = state_of(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return why = "permission denied", std::nullopt;
  std::optional<std::string> text = read_text(file, most);
  if (!text) return why = "read error", std::nullopt;
  if (state_of(path) != before) return why = "it was changed while it was read; try again", std::nullopt;
  return text;
}

}  // namespace dsl
