// Random spaces as files, for tests/same.sh.
//
// usage: trainplan_spaces FOLDER COUNT SEED [FILE...]    COUNT: spaces that are drawn; FILE: a space that is cut down
// to a few values of each choice
//
// The exit status is 1 where 60 spaces did not open every field of the schema.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/properties/draw_space.h"

namespace {

constexpr int64_t kRound = 60;
constexpr double kMost = 4000;

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

bool opens_all(const properties::SpaceDrawer& drawer) {
  if (!drawer.is_round()) fmt::print(stderr, "spaces: {} do not open every field\n", kRound);
  for (const std::string& field : drawer.refused()) fmt::print(stderr, "spaces: none opens {}\n", field);
  return drawer.is_round() && drawer.refused().empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return fmt::print(stderr, "usage: trainplan_spaces FOLDER COUNT SEED [FILE...]\n"), 2;
  const std::filesystem::path folder = argv[1];
  const int64_t count = std::atoll(argv[2]);
  const uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  for (int i = 4; i < argc; ++i)
    for (int64_t cut = 0; cut * kRound < std::max<int64_t>(count, 1); ++cut) {
      properties::Random random(seed, static_cast<uint64_t>(i + cut * argc));
      const std::filesystem::path file = argv[i];
      write(folder / fmt::format("{}-{}-{}.yaml", file.stem().string(), seed, cut),
            properties::cut_space(file, kMost, random));
    }
  properties::SpaceDrawer drawer(seed);
  for (int64_t i = 0; i < count; ++i) {
    write(folder / fmt::format("drawn-{}-{}.yaml", seed, i), drawer.next());
    if (i == kRound - 1 && !opens_all(drawer)) return 1;
  }
  return 0;
}
