#include "cli/svg/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dsl/quoting.h"

namespace cli::svg {
namespace {

// Thousandths of the font size, from ' ' to '~' (Adobe's metrics of Helvetica).
constexpr std::array<int, 95> kWidths{278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                      556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                      1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                      667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                      333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                      556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
constexpr int kOther = 650;  // any other character

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Words with the blank behind them; words too wide for a line in parts.
std::vector<std::string> parts_of(const std::string& text, double size, double width) {
  std::vector<std::string> words(1), parts;
  for (char c : text) {
    words.back() += c;
    if (c == ' ') words.emplace_back();
  }
  for (const std::string& word : words) {
    const bool wide = text_width(word, size) > width;
    parts.emplace_back();
    for (char c : word) {
      parts.back() += c;
      if (wide && std::string_view("-/.,").find(c) != std::string_view::npos) parts.emplace_back();
    }
  }
  return parts;
}

std::string without_blank(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : dsl::printable(text)) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

double text_width(std::string_view text, double size) {
  int sum = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (const char c = text[i]; c >= ' ' && c <= '~') sum += kWidths[static_cast<size_t>(c - ' ')];
    else if (text.substr(i).starts_with(kFixedBlank)) sum += kWidths[0];
    else if (!continues(c)) sum += kOther;
  return sum * size / 1000;
}

std::string shortened(const std::string& text, double size, double width) {
  if (text_width(text, size) <= width) return text;
  std::string front = text;
  while (!front.empty() && text_width(front + "...", size) > width) {
    while (front.size() > 1 && continues(front.back())) front.pop_back();
    front.pop_back();
  }
  return without_blank(front) + "...";
}

std::vector<std::string> broken(const std::string& text, double size, double width) {
  std::vector<std::string> lines(1);
  for (const std::string& part : parts_of(text, size, width)) {
    if (!lines.back().empty() && text_width(without_blank(lines.back() + part), size) > width) lines.emplace_back();
    lines.back() += part;
  }
  for (std::string& line : lines) line = without_blank(std::move(line));
  return lines;
}

std::string fixed(double pixels) {
  std::string text = fmt::format("{:.2f}", pixels);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string short_number(double value, int digits) {
  struct Prefix {
    double scale;
    const char* text;
  };
  constexpr std::array<Prefix, 6> kLarge{{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  constexpr std::array<Prefix, 3> kSmall{{{1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}}};
  const double size = std::abs(value);
  const auto scaled = [&](const Prefix& p) { return fmt::format("{:.{}g}{}", value / p.scale, digits, p.text); };
  if (size >= 9999.5)
    for (const Prefix& p : kLarge)
      if (size >= p.scale * 0.99995) return scaled(p);
  if (size > 0 && size < 0.99995e-3)
    for (const Prefix& p : kSmall)
      if (size >= p.scale * 0.99995) return scaled(p);
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace cli::svg
