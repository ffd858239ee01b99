#include "cli/svg/palette.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/svg/canvas.h"
#include "tests/cli/svg/xml.h"

using namespace cli::svg;

namespace {

/// Relative luminance of "#rrggbb" (WCAG 2.1).
double luminance(const std::string& colour) {
  const auto channel = [&](size_t at) {
    const double c = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// The value of a custom property on light pages (the first in the sheet) or on dark ones.
std::string property(const std::string& name, bool dark) {
  const std::string sheet = style_sheet();
  const size_t from = dark ? sheet.find("prefers-color-scheme:dark") : 0;
  return sheet.substr(sheet.find("--" + name + ":", from) + name.size() + 3, 7);
}

}  // namespace

TEST_CASE("text can be read on its ground, light and dark") {
  for (bool dark : {false, true}) {
    CAPTURE(dark);
    CHECK(contrast(property("ink", dark), property("page", dark)) >= 7);
    CHECK(contrast(property("soft", dark), property("page", dark)) >= 4.5);
    for (size_t i = 0; i < kSeriesColours; ++i) {
      CAPTURE(i);
      const std::string colour = property("c" + std::to_string(i), dark);
      CHECK(contrast(colour, property("o" + std::to_string(i), dark)) >= 4.5);
      CHECK(contrast(colour, property("page", dark)) >= 1.9);
      for (size_t j = 0; j < i; ++j) CHECK(colour != property("c" + std::to_string(j), dark));
    }
  }
}

TEST_CASE("shades grow darker, and the ink on them can be read") {
  double last = 1;
  for (int i = 0; i <= 100; ++i) {
    const Shade s = shade(i / 100.0);
    CAPTURE(i);
    CHECK(luminance(s.fill) < last);
    last = luminance(s.fill);
    CHECK(contrast(s.fill, std::string(s.ink)) >= 4.5);
  }
  CHECK(shade(-1).fill == shade(0).fill);
  CHECK(shade(7).fill == shade(1).fill);
}

TEST_CASE("series beyond the last colour begin again") {
  CHECK(series_class('f', 3) == "f3");
  CHECK(series_class('o', kSeriesColours + 1) == "o1");
}

TEST_CASE("a picture stands alone, and its text is escaped") {
  Canvas canvas;
  canvas.text(5, 20, "a < b & \"c\"", {.anchor = "end", .size = 10, .classes = "soft", .turned = -40});
  canvas.text(5, 30, "");
  canvas.rect({1, 2, 3, 4}, "f0", "tip <1>");
  canvas.line(0, 0, 10, 10, "ink");
  const std::string text = canvas.document(100, 50, "title & more", "what <it> shows");
  const Xml xml = read_xml(text);
  CHECK(xml.wrong == "");
  CHECK(attribute(xml.elements[0], "width") == 100);
  CHECK(count(xml, "text") == 1);
  CHECK(count(xml, "title") == 2);
  CHECK(says(xml, "a &lt; b &amp; &quot;c&quot;"));
  CHECK(text.find("rotate(-40 5 20)") != std::string::npos);
  for (const char* alien : {"<script", "href", "@import", "url(", "@font-face"})
    CHECK(text.find(alien) == std::string::npos);
}

TEST_CASE("the check of XML sees what is wrong") {
  CHECK(read_xml("<a><b/>x &amp; y</a>").wrong == "");
  for (const char* bad : {"<a>", "<a></b>", "</a>", "<a>&nbsp;</a>", "<a b=\"1></a>", "<a", "x<a/>"})
    CHECK(read_xml(bad).wrong != "");
}
