#include "cli/svg/labels.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace cli::svg;

namespace {

constexpr PixelBox kFrame{0, 0, 400, 300};

std::vector<PixelBox> marks_of(const std::vector<Anchor>& anchors) {
  std::vector<PixelBox> boxes;
  for (const Anchor& a : anchors) boxes.push_back({a.x - a.radius, a.y - a.radius, 2 * a.radius, 2 * a.radius});
  return boxes;
}

}  // namespace

TEST_CASE("boxes overlap where they share area, and hold what lies inside") {
  const PixelBox box{10, 10, 20, 20};
  CHECK(box.overlaps({25, 25, 20, 20}));
  CHECK_FALSE(box.overlaps({30, 10, 5, 5}));  // they touch
  CHECK_FALSE(box.overlaps({10, 31, 20, 5}));
  CHECK(box.holds({10, 10, 20, 20}));
  CHECK_FALSE(box.holds({10, 10, 21, 20}));
}

TEST_CASE("a label alone stands to the right of its mark; at the right edge it finds another place") {
  const auto free = place_labels({{100, 100, 5, 50, 12}}, kFrame, {}, {});
  REQUIRE(free[0]);
  CHECK(free[0]->box.x == doctest::Approx(108));
  CHECK(free[0]->box.y == doctest::Approx(94));
  CHECK_FALSE(free[0]->apart);
  const auto edge = place_labels({{390, 100, 5, 50, 12}}, kFrame, {}, {});
  REQUIRE(edge[0]);
  CHECK(kFrame.holds(edge[0]->box));
  CHECK(edge[0]->box.x < 350);
  CHECK_FALSE(edge[0]->apart);
}

TEST_CASE("marks are avoided where there is room, and written over where there is none") {
  const Anchor mark{20, 10, 4, 40, 12};
  const PixelBox row{0, 0, 80, 24}, right{26, 0, 54, 24};
  CHECK(place_labels({mark}, row, {}, {})[0]);
  CHECK(place_labels({mark}, row, {}, {right})[0]);  // there is nowhere else
  CHECK_FALSE(place_labels({{20, 10, 4, 40, 12, false}}, row, {}, {right})[0]);
  CHECK_FALSE(place_labels({mark}, row, {row}, {})[0]);  // but never over taken boxes
  const auto lower = place_labels({{20, 30, 4, 40, 12}}, {0, 0, 80, 80}, {}, {{26, 0, 54, 80}});
  REQUIRE(lower[0]);
  CHECK_FALSE(lower[0]->box.overlaps({26, 0, 54, 80}) == lower[0]->apart);
}

TEST_CASE("labels of many marks in one place stand apart from each other") {
  const std::vector<Anchor> crowd(9, Anchor{200, 150, 10, 90, 14});
  const auto places = place_labels(crowd, kFrame, {}, marks_of(crowd));
  size_t placed = 0, apart = 0;
  for (const auto& p : places) placed += p.has_value(), apart += p && p->apart;
  CHECK(placed == 9);
  CHECK(apart > 0);
  CHECK_FALSE(places[0]->apart);  // the first is served first
}

TEST_CASE("no two labels overlap, whatever the marks") {
  // Conditions in parentheses of their own: RC_ASSERT would evaluate both sides of || and &&.
  CHECK(rc::check("random marks", [] {
    std::vector<Anchor> anchors;
    const int n = *rc::gen::inRange(1, 40);
    for (int i = 0; i < n; ++i)
      anchors.push_back({1.0 * *rc::gen::inRange(0, 401), 1.0 * *rc::gen::inRange(0, 301),
                         1.0 * *rc::gen::inRange(2, 30), 1.0 * *rc::gen::inRange(10, 150),
                         1.0 * *rc::gen::inRange(12, 60)});
    const PixelBox taken{250, 40, 100, 20};
    const auto places = place_labels(anchors, kFrame, {taken}, marks_of(anchors));
    RC_ASSERT(places.size() == anchors.size());
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      RC_ASSERT(kFrame.holds(places[i]->box));
      RC_ASSERT(!places[i]->box.overlaps(taken));
      RC_ASSERT((places[i]->box.width == anchors[i].width && places[i]->box.height == anchors[i].height));
      for (size_t j = 0; j < i; ++j) RC_ASSERT((!places[j] || !places[i]->box.overlaps(places[j]->box)));
    }
  }));
}
