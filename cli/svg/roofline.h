// A roofline (Williams, Waterman, Patterson 2009): the rates of a step's operators, below the limits of the machine.
//
//     FLOP/s |         ______ bf16 matrix      x: FLOP per byte read or written
//            |       /  O                      a mark's area: its share of the time
//            |     / o  ______ vector
//            |___/___________________
//
// Marks without FLOP (copies, communication) have no place there; they are on a strip below it, by their bytes per
// second.
#pragma once

#include <string>
#include <vector>

namespace cli::svg {

struct Roof {
  std::string label;            // "bf16 matrix 312 TFLOP/s"
  double flops_per_second = 0;  // > 0
  bool strong = true;           // the step uses it; else drawn weakly
};

struct RooflineMark {
  std::string label;                         // may be dropped if there is no room
  std::string tip;                           // the tooltip
  double flops = 0, bytes = 0, seconds = 0;  // of one call; seconds > 0
  double share = 0;                          // of the time
  size_t series = 0;                         // its colour: index into `series`
};

struct Roofline {
  std::string title, subtitle;
  std::vector<std::string> series;  // the legend; an empty name leaves a colour out
  std::vector<Roof> roofs;
  std::string memory_label;
  double memory_bytes_per_second = 0;  // > 0
  std::vector<RooflineMark> marks;
  std::string nothing;  // why there are no marks
};

std::string draw(const Roofline& chart);

}  // namespace cli::svg
