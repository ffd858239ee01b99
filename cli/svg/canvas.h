// What a picture is drawn on: SVG 1.1 with one <style> of its own, no script, no font, nothing from elsewhere.
//
// Colours are custom properties, with other values where the reader's page is dark (`prefers-color-scheme`); whoever
// draws names classes of the style sheet (palette.h). Text is escaped here, and only here.
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
  /// `classes`: of the style sheet. `tip`: what a browser shows beside the pointer; may be empty.
  void rect(const PixelBox& box, std::string_view classes, std::string_view tip = "", std::string_view fill = "");
  void circle(double x, double y, double radius, std::string_view classes, std::string_view tip = "");
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void polyline(const std::vector<PixelPlace>& points, std::string_view classes);
  /// `y`: the baseline. As wide as text_width says, whatever the reader's font.
  void text(double x, double y, std::string_view text, const TextStyle& style = {}, std::string_view fill = "");

  /// The document; `title` and `description` are for those who cannot see it.
  std::string document(double width, double height, std::string_view title, std::string_view description) const;

 private:
  void element(const std::string& head, const char* name, std::string_view tip);
  std::string body_;
};

}  // namespace cli::svg
