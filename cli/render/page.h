// The page that a report is printed on.
#pragma once

namespace cli {

struct Page {
  int width = 80;  // columns that text may use
};

}  // namespace cli
