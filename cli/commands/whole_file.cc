#include "cli/commands/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace cli {
namespace {

namespace fs = std::filesystem;

const char* hint(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "; free some of the disk, or write to another one";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; its folder must be writable, since a file beside it takes its place";
    case ENOENT:
      return "; make its folder first";
    case EPIPE:
      return "; whoever read the pipe has closed it";
    default:
      return "";
  }
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A name that nothing has is enough: another process makes another one, and O_EXCL sees what does not.
std::string name_beside(const std::string& path, int number) {
  return fmt::format("{}/.trainplan-{}-{}", folder_of(path), getpid(), number);
}

}  // namespace

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(path_) {
  std::error_code error;
  const fs::path behind = fs::canonical(path_, error);  // none where nothing is there yet
  if (!error) target_ = behind.string();
}

WholeFile::~WholeFile() { discard(); }

void WholeFile::discard() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!beside_.empty()) unlink(beside_.c_str());
  beside_.clear();
}

std::string WholeFile::failed(int error) {
  discard();
  return wrong_ = fmt::format("cannot write '{}': {}{}", path_, std::strerror(error), hint(error));
}

int WholeFile::open_beside() {
  for (int number = 0;; ++number) {
    beside_ = name_beside(target_, number);
    descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return 0;
    const int error = errno;
    beside_.clear();
    if (error != EEXIST) return error;
  }
}

std::string WholeFile::open() {
  if (path_.empty()) return failed(ENOENT);
  struct stat there {};
  const bool exists = stat(target_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return failed(EISDIR);
  if (exists && !S_ISREG(there.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor_ >= 0 ? "" : failed(errno);
  }
  if (exists && access(target_.c_str(), W_OK) != 0) return failed(errno);
  if (const int error = open_beside()) return failed(error);
  if (exists && fchmod(descriptor_, there.st_mode & 07777) != 0) return failed(errno);
  return "";
}

std::string WholeFile::write(std::string_view text) {
  while (wrong_.empty() && !text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(errno);
    text.remove_prefix(static_cast<size_t>(written));
  }
  return wrong_;
}

std::string WholeFile::commit() {
  if (!wrong_.empty()) return wrong_;
  const bool whole = !beside_.empty();
  if (whole && fsync(descriptor_) != 0) return failed(errno);
  if (close(std::exchange(descriptor_, -1)) != 0) return failed(errno);
  if (!whole) return "";
  if (rename(beside_.c_str(), target_.c_str()) != 0) return failed(errno);
  beside_.clear();
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);  // the new name; a file system that cannot is none that needs it
    close(folder);
  }
  return "";
}

std::string write_whole(const std::string& path, std::string_view text) {
  WholeFile file(path);
  for (const std::string& wrong : {file.open(), file.write(text), file.commit()})
    if (!wrong.empty()) return wrong;
  return "";
}

}  // namespace cli
