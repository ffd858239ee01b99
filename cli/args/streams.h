// The streams of a command, and its exit statuses.
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <string>

namespace cli {

/// Exit statuses of the contract.
enum Status : int {
  kDone = 0,
  kInvalidInput = 1,
  kWrongUsage = 2,
  kNotFeasible = 3,
  kAboveLimit = 4,
  kNotAsserted = 5,
  kOutOfMemory = 6,
  kInterrupted = 130
};

/// Data goes to `out`, everything else to `err`, which accepts only text: colours and cursor movements go to
/// `screen()`.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool color = false;                  // `err` is a terminal that wants colour
  int width = 80;                      // of `out`; 80 if it is not a terminal
  bool terminal = false;               // `err` is a terminal
  std::string line = {};               // the command line, as a shell reads it
  std::function<void()> written = {};  // of a command with --output: called when the file is on the disk
  std::ostream* as_it_is = nullptr;    // what `err` writes to
  bool color_out = false;              // `out` is a terminal that wants colour

  std::ostream& screen() const { return as_it_is ? *as_it_is : err; }

  /// The same with another input.
  Streams reading(std::istream& other) const {
    return {other, out, err, color, width, terminal, line, written, as_it_is, color_out};
  }
};

}  // namespace cli
