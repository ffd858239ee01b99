// The canvas of a picture: SVG 1.1 with one <style> of its own, no script, no font, no external resources.
//
// Colours are custom properties, with other values if the reader's page is dark (`prefers-color-scheme`). Drawing code
// names classes of the style sheet (palette.h). Text is escaped only here.
#pragma once

#include <string>
#include <string_view>

#include "cli/svg/labels.h"

namespace cli::svg {

inline constexpr double kTextSize = 12;  // pixels
inline constexpr double kTitleSize = 17;

struct TextStyle {
  const char* anchor = "start";  // or "middle", "end"
  double size = kTextSize;
  std::string classes = {};  // "soft", "halo", "o3" ...
  double turned = 0;         // degrees, about the text's place
};

class Canvas {
 public:
  /// `classes`: of the style sheet. `tip`: the browser's tooltip; may be empty.
  void rect(const PixelBox& box, std::string_view classes, std::string_view tip = "", std::string_view fill = "");
  void circle(double x, double y, double radius, std::string_view classes, std::string_view tip = "");
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void polyline(const std::vector<PixelPlace>& points, std::string_view classes);
  /// `y`: the baseline. The width is that of text_width, whatever the reader's font.
  void text(double x, double y, std::string_view text, const TextStyle& style = {}, std::string_view fill = "");

  /// The document; `title` and `description` are for those who cannot see it.
  std::string document(double width, double height, std::string_view title, std::string_view description) const;

 private:
  void element(const std::string& head, const char* name, std::string_view tip);
  std::string body_;
};

}  // namespace cli::svg
