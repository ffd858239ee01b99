// A file that appears whole or not at all, however the program ends. Output goes to a temporary file next to it, which
// is renamed when all of it is on the disk. Until then the previous content stays. Temporary files left by a killed
// process are removed when the file is next written.
//
// `--output FILE`: the output of a command goes to a file, whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/streams.h"
#include "dsl/diagnostic.h"

namespace cli {

class WholeFile {
 public:
  /// Follows links, even to a file that does not exist yet. Writes to a device or a named pipe directly.
  explicit WholeFile(std::string path);
  /// Removes uncommitted output.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// Each returns "" or a message with a hint: "cannot write 'a.json': No space left on device ...". After a mistake
  /// nothing more is written.
  [[nodiscard]] std::string open();
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string commit();
  /// Whether it is written directly: its reader would take a second opening for the end.
  bool is_direct() const { return descriptor_ >= 0 && beside_.empty(); }
  /// Removes the output; `open` may follow.
  void discard();

 private:
  std::string failed(int error);
  int open_beside();

  std::string path_;    // as it was given
  std::string target_;  // behind links
  std::string beside_;  // empty: the target itself is written
  int descriptor_ = -1;
  std::string wrong_;
};

/// Whether both names are those of one file, there or not; a device or a pipe takes what several write.
bool are_one_file(const std::string& a, const std::string& b);

/// Writes a text as a whole file; returns "" or the mistake.
[[nodiscard]] std::string write_whole(const std::string& path, std::string_view text);

/// Names below a directory, "software/nemo.yaml", and texts.
using NewFiles = std::vector<std::pair<std::string, std::string>>;

/// Makes the directories and writes all files, or none: it diagnoses every obstacle before it writes anything.
void write_new_files(const std::string& directory, const NewFiles& files, dsl::Diagnostics& diagnostics);

/// Returns "", or a message if a file to write is one of `inputs`.
std::string also_read(const std::string& path, const std::vector<std::string>& inputs);

/// Runs a command and writes its output to the file at `path`, once it has ended with any result (kDone, kNotFeasible,
/// kAboveLimit, kInterrupted). Checks first that the file can be written. With any other status the file is unchanged,
/// and the output goes to `streams.out`. A file that cannot be written is kInvalidInput, with its reason on `err`.
int run_into_file(const std::string& path, Streams& streams, const std::function<int(Streams&)>& command);

}  // namespace cli
