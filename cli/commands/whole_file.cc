#include "cli/commands/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <streambuf>
#include <utility>

namespace cli {
namespace {

constexpr size_t kKept = 16 << 20;  // bytes of a result that wait in memory: of more, nothing but rows of a sweep

/// Keeps a text in memory, and the excess in a temporary file next to the output file.
class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(const std::string& path) : file_(path) {}

  /// "" or why the file cannot be written.
  std::string try_out() {
    std::string wrong = file_.open();
    open_ = file_.is_direct();
    if (!open_) file_.discard();
    return wrong;
  }

  /// The output, unless some of it is in the file already.
  const std::string* text() const { return spilled_ ? nullptr : &text_; }

  std::string commit() {
    const std::string wrong = spill();
    return wrong.empty() ? file_.commit() : wrong;
  }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char letter = traits_type::to_char_type(c);
    return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    text_.append(text, static_cast<size_t>(size));
    if (text_.size() < kKept || spill().empty()) return size;
    return 0;
  }

 private:
  std::string spill() {
    spilled_ = true;
    std::string wrong = std::exchange(open_, true) ? "" : file_.open();
    if (wrong.empty()) wrong = file_.write(text_);
    text_.clear();
    return wrong;
  }

  WholeFile file_;
  std::string text_;
  bool open_ = false, spilled_ = false;
};

bool is_result(int status) {
  return status == kDone || status == kNotFeasible || status == kAboveLimit || status == kNotAsserted ||
         status == kInterrupted;
}

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
    case ELOOP:
      return "; the link leads back to itself";
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

/// What the names beside a file begin with on this machine: others may see the folder too.
std::string front_of_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format(".trainplan-{}-", host.data());
}

/// A name that nothing has is enough: another process makes another one, and O_EXCL sees what does not.
std::string name_beside(const std::string& path, int number) {
  return fmt::format("{}/{}{}-{}", folder_of(path), front_of_name(), getpid(), number);
}

/// Returns the process that wrote a temporary file, from the file's name; nullopt: no process of this machine wrote it.
std::optional<pid_t> maker_of(std::string_view name) {
  const std::string front = front_of_name();
  if (!name.starts_with(front)) return std::nullopt;
  name.remove_prefix(front.size());
  pid_t process = 0;
  int number = 0;
  const auto [dash, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (wrong != std::errc() || dash == name.data() + name.size() || *dash != '-') return std::nullopt;
  const auto [end, bad] = std::from_chars(dash + 1, name.data() + name.size(), number);
  return bad == std::errc() && end == name.data() + name.size() && process > 0 ? std::optional(process) : std::nullopt;
}

/// Removes a file whose writer has ended. A writer locks its file: process numbers do not suffice, since a process of
/// another container may have the same number.
void remove_left(const fs::path& file) {
  const auto process = maker_of(file.filename().string());
  if (!process || kill(*process, 0) == 0 || errno != ESRCH) return;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(file.c_str());
  close(descriptor);
}

void remove_left_beside(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator file(folder_of(path), error), end; !error && file != end; file.increment(error))
    remove_left(file->path());
}

/// Where a name leads, whether or not anything is there. A chain of links without an end stays one.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux
  std::error_code error;
  const fs::path behind = fs::canonical(path, error);
  if (!error) return behind.string();
  if (fs::exists(path, error)) return path;  // a pipe, by the name of its descriptor
  fs::path at = path;
  for (int link = 0; link < kMostLinks && fs::is_symlink(fs::symlink_status(at, error)); ++link)
    at = at.parent_path() / fs::read_symlink(at, error);
  return at.string();
}

void make_directory(const fs::path& directory, dsl::Diagnostics& diagnostics) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!error && fs::is_directory(directory, error)) return;
  const std::string why = error ? error.message() : "it is a file";
  diagnostics.error({}, fmt::format("cannot make the directory '{}': {}", directory.string(), why));
}

void check_free(const fs::path& path, dsl::Diagnostics& diagnostics) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    diagnostics.error({}, fmt::format("'{}' is there already", path.string()),
                      "give a new directory, or remove the file");
}

void write_new(const fs::path& path, const std::string& text, dsl::Diagnostics& diagnostics) {
  std::ofstream out(path, std::ios::binary);
  if (out.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) return;
  diagnostics.error({}, fmt::format("cannot write '{}'", path.string()));
}

}  // namespace

std::string also_read(const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code error;
  const auto same = [&](const std::string& input) { return std::filesystem::equivalent(path, input, error); };
  return std::any_of(inputs.begin(), inputs.end(), same)
             ? fmt::format("cannot write '{}': it is an input of the same command; give another name", path)
             : "";
}

int run_into_file(const std::string& path, Streams& streams, const std::function<int(Streams&)>& command) {
  FileBuffer buffer(path);
  const auto refuse = [&](const std::string& wrong) {
    streams.err << "trainplan: " << wrong << "\n";
    return kInvalidInput;
  };
  if (const std::string wrong = buffer.try_out(); !wrong.empty()) return refuse(wrong);
  std::ostream out(&buffer);
  Streams into{.in = streams.in,
               .out = out,
               .err = streams.err,
               .color = streams.color,
               .terminal = streams.terminal,
               .line = streams.line,
               .written = {},
               .as_it_is = streams.as_it_is};
  const int status = command(into);
  if (!is_result(status)) {
    if (buffer.text()) streams.out << *buffer.text();
    return status;
  }
  if (const std::string wrong = buffer.commit(); !wrong.empty()) return refuse(wrong);
  if (into.written) into.written();
  return status;
}

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(behind_links(path_)) {}

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
  remove_left_beside(target_);
  for (int number = 0;; ++number) {
    beside_ = name_beside(target_, number);
    descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX | LOCK_NB);  // no other process has it
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
  if (!exists && errno != ENOENT) return failed(errno);
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
    fsync(folder);  // the new name; a file system that cannot do this does not need it
    close(folder);
  }
  return "";
}

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(behind_links(path), error), error);
  };
  const fs::path first = place(a);
  const bool file = !fs::exists(first, error) || fs::is_regular_file(first, error);
  return file && first == place(b);
}

std::string write_whole(const std::string& path, std::string_view text) {
  WholeFile file(path);
  for (const std::string& wrong : {file.open(), file.write(text), file.commit()})
    if (!wrong.empty()) return wrong;
  return "";
}

void write_new_files(const std::string& directory, const NewFiles& files, dsl::Diagnostics& diagnostics) {
  const fs::path root = directory;
  make_directory(root, diagnostics);
  if (diagnostics.has_errors()) return;
  for (const auto& [name, text] : files) check_free(root / name, diagnostics);
  for (const auto& [name, text] : files) {
    if (!diagnostics.has_errors() && (root / name).parent_path() != root)
      make_directory((root / name).parent_path(), diagnostics);
    if (!diagnostics.has_errors()) write_new(root / name, text, diagnostics);
  }
}

}  // namespace cli
