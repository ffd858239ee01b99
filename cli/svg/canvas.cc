#include "cli/svg/canvas.h"

#include <fmt/format.h>

#include "cli/svg/palette.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

/// A colour of its own beats that of the class.
std::string filled(std::string_view fill) { return fill.empty() ? "" : fmt::format(R"( style="fill:{}")", fill); }

}  // namespace

void Canvas::element(const std::string& head, const char* name, std::string_view tip) {
  if (tip.empty()) body_ += head + "/>\n";
  else body_ += fmt::format("{}><title>{}</title></{}>\n", head, escaped(tip), name);
}

void Canvas::rect(const PixelBox& b, std::string_view classes, std::string_view tip, std::string_view fill) {
  element(fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}"{})", fixed(b.x), fixed(b.y),
                      fixed(b.width), fixed(b.height), classes, filled(fill)),
          "rect", tip);
}

void Canvas::circle(double x, double y, double radius, std::string_view classes, std::string_view tip) {
  element(fmt::format(R"(<circle cx="{}" cy="{}" r="{}" class="{}")", fixed(x), fixed(y), fixed(radius), classes),
          "circle", tip);
}

void Canvas::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  element(fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}")", fixed(x1), fixed(y1), fixed(x2), fixed(y2),
                      classes),
          "line", "");
}

void Canvas::polyline(const std::vector<PixelPlace>& line, std::string_view classes) {
  std::string points;
  for (const PixelPlace& p : line) points += fixed(p.x) + "," + fixed(p.y) + " ";
  element(fmt::format(R"(<polyline points="{}" class="{}")", points, classes), "polyline", "");
}

void Canvas::text(double x, double y, std::string_view text, const TextStyle& style, std::string_view fill) {
  if (text.empty()) return;
  std::string more;
  if (style.size != kTextSize) more += fmt::format(R"( font-size="{}")", fixed(style.size));
  if (std::string_view(style.anchor) != "start") more += fmt::format(R"( text-anchor="{}")", style.anchor);
  if (!style.classes.empty()) more += fmt::format(R"( class="{}")", style.classes);
  if (style.turned != 0)
    more += fmt::format(" transform=\"rotate({} {} {})\"", fixed(style.turned), fixed(x), fixed(y));
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"{}{}>{}</text>\n",
                       fixed(x), fixed(y), fixed(text_width(text, style.size)), more, filled(fill), escaped(text));
}

std::string Canvas::document(double width, double height, std::string_view title, std::string_view description) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"trainplan\" role=\"img\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-size=\"{2}\">\n<title>{3}</title>\n<desc>{4}</desc>\n<style>\n{5}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" class=\"page\"/>\n{6}</svg>\n",
      fixed(width), fixed(height), fixed(kTextSize), escaped(title), escaped(description), style_sheet(), body_);
}

}  // namespace cli::svg
