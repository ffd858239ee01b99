#include "cli/commands/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <streambuf>
#include <utility>

#include "cli/commands/whole_file.h"

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

}  // namespace cli
