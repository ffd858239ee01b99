// The page that a report is printed on.
#pragma once

#include <string>
#include <vector>

namespace cli {

/// A file that a command read, or another text that belongs to its result.
struct PageText {
  std::string title, text;
};

struct Page {
  int width = 80;                    // columns that text may use
  bool crlf = false;                 // lines of csv end in CR and LF
  std::string command = {};          // the line that asked, as a shell reads it
  std::vector<PageText> texts = {};  // what was read
};

}  // namespace cli
