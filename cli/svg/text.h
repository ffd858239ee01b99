// Text and numbers of a picture: no font is measured, widths are those of Helvetica and Arial.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli::svg {

/// A blank at which no line is broken (U+00A0).
inline constexpr std::string_view kFixedBlank = "\xC2\xA0";

/// `text` as the content of an element or an attribute: & < > " as entities, control characters as blanks.
std::string escaped(std::string_view text);

/// Pixels of one line at a font size of `size` pixels.
double text_width(std::string_view text, double size);

/// `text`, or as much of its front as fits into `width` pixels with an ellipsis behind it.
std::string shortened(const std::string& text, double size, double width);

/// Lines broken at blanks, and behind '-', '/', '.' and ',' where a word alone is too wide; a part that is still too
/// wide keeps its line. Not empty.
std::vector<std::string> broken(const std::string& text, double size, double width);

/// A coordinate: at most two decimals, no "-0". The same text on every machine.
std::string fixed(double pixels);

/// A figure of an axis: `digits` at most and a prefix: "0.05", "2500", "25k", "1.5M", "20u".
std::string short_number(double value, int digits = 4);

}  // namespace cli::svg
