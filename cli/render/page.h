// The page that a report is printed on.
#pragma once

namespace cli {

struct Page {
  int width = 80;     // columns that text may use
  bool crlf = false;  // lines of csv end in CR and LF
};

}  // namespace cli
