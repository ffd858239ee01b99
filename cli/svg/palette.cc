#include "cli/svg/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cli::svg {
namespace {

struct Colour {
  const char *name, *light, *dark;
};

constexpr std::array<Colour, 4> kPage{{{"page", "#ffffff", "#16181d"},
                                       {"ink", "#1b1d22", "#e8eaed"},
                                       {"soft", "#5b6069", "#a3a9b3"},
                                       {"grid", "#e2e4e8", "#31353d"}}};

// Okabe and Ito 2008, "Color universal design"; yellow darker on light pages, and the dark blue lighter on dark ones.
// `on`: of text on the colour, whose contrast is at least 4.5 (WCAG 2.1) in both.
struct SeriesColour {
  const char *light, *dark, *on_light, *on_dark;
};
constexpr std::array<SeriesColour, kSeriesColours> kSeries{{{"#0072b2", "#3d9be0", "#ffffff", "#000000"},
                                                            {"#d55e00", "#f0803c", "#000000", "#000000"},
                                                            {"#009e73", "#2cc295", "#000000", "#000000"},
                                                            {"#cc79a7", "#dd93bb", "#000000", "#000000"},
                                                            {"#e69f00", "#f0b429", "#000000", "#000000"},
                                                            {"#56b4e9", "#8fd0f7", "#000000", "#000000"},
                                                            {"#c2ae00", "#f0e442", "#000000", "#000000"},
                                                            {"#6a6f78", "#8d939d", "#ffffff", "#000000"}}};

// ColorBrewer's YlGnBu (Brewer, Harrower), without its darkest.
struct Rgb {
  int r, g, b;
};
constexpr std::array<Rgb, 8> kShades{{{255, 255, 217},
                                      {237, 248, 177},
                                      {199, 233, 180},
                                      {127, 205, 187},
                                      {65, 182, 196},
                                      {29, 145, 192},
                                      {34, 94, 168},
                                      {37, 52, 148}}};

std::string properties(bool dark) {
  std::string text;
  for (const Colour& c : kPage) text += fmt::format("--{}:{};", c.name, dark ? c.dark : c.light);
  for (size_t i = 0; i < kSeries.size(); ++i)
    text += fmt::format("--c{0}:{1};--o{0}:{2};", i, dark ? kSeries[i].dark : kSeries[i].light,
                        dark ? kSeries[i].on_dark : kSeries[i].on_light);
  return text;
}

/// One rule; what knows no custom properties takes the light colour before it.
std::string rule(std::string_view selector, std::string_view property, std::string_view light, std::string_view name) {
  return fmt::format(".trainplan {0}{{{1}:{2};{1}:var(--{3})}}\n", selector, property, light, name);
}

double linear(int channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

}  // namespace

std::string style_sheet() {
  std::string text = fmt::format(".trainplan{{{}}}\n@media (prefers-color-scheme:dark){{.trainplan{{{}}}}}\n",
                                 properties(false), properties(true));
  text += ".trainplan text{font-family:Helvetica,Arial,\"Liberation Sans\",sans-serif}\n";
  text += rule("text", "fill", kPage[1].light, "ink") + rule("text.soft", "fill", kPage[2].light, "soft");
  text += rule(".page", "fill", kPage[0].light, "page") + rule(".ink", "stroke", kPage[1].light, "ink");
  text += rule("line.soft,.trainplan polyline.soft,.trainplan rect.soft,.trainplan circle.soft", "stroke",
               kPage[2].light, "soft");
  text += rule(".grid", "stroke", kPage[3].light, "grid") + rule(".edge", "stroke", kPage[0].light, "page");
  for (size_t i = 0; i < kSeries.size(); ++i) {
    text += rule(fmt::format(".f{}", i), "fill", kSeries[i].light, fmt::format("c{}", i));
    text += rule(fmt::format(".s{}", i), "stroke", kSeries[i].light, fmt::format("c{}", i));
    text += rule(fmt::format("text.o{}", i), "fill", kSeries[i].on_light, fmt::format("o{}", i));
  }
  text += ".trainplan .none{fill:none}\n.trainplan .thin{stroke-width:1}\n.trainplan .thick{stroke-width:2.2}\n";
  text += ".trainplan .dashed{stroke-dasharray:5 4}\n.trainplan .mark{fill-opacity:.6;stroke-width:1.2}\n";
  text += ".trainplan .faint{fill-opacity:.18}\n";
  text += rule(".halo", "stroke", kPage[0].light, "page");
  return text + ".trainplan .halo{stroke-width:3.5;stroke-linejoin:round;paint-order:stroke}\n";
}

std::string series_class(char what, size_t series) { return fmt::format("{}{}", what, series % kSeriesColours); }

Shade shade(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kShades.size() - 1);
  const size_t low = std::min(static_cast<size_t>(at), kShades.size() - 2);
  const auto mixed = [&](int Rgb::*channel) {
    const double a = kShades[low].*channel, b = kShades[low + 1].*channel;
    return static_cast<int>(std::lround(a + (b - a) * (at - static_cast<double>(low))));
  };
  const Rgb c{mixed(&Rgb::r), mixed(&Rgb::g), mixed(&Rgb::b)};
  // Black has the larger contrast above a relative luminance of sqrt(1.05 x 0.05) - 0.05 (WCAG 2.1).
  const double luminance = 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  return {fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b), luminance > 0.179 ? "#000000" : "#ffffff"};
}

}  // namespace cli::svg
