// Text in lines of a width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Columns that a text takes: its code points.
size_t glyphs(std::string_view text);
/// The bytes of its first `count` letters.
size_t bytes_of(std::string_view text, size_t count);

/// Lines of `text` broken at its line ends, and at blanks to `width`; a continued line starts with `indent` blanks. A
/// number keeps its unit
/// ("52.3 %", "1.5 GB").
std::vector<std::string> wrapped(std::string_view text, size_t width, size_t indent = 0);

}  // namespace cli
