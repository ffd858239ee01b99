// Short lists against vectors: the same items after the same steps, few of them or many.
#include "dsl/short_list.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace {

using List = dsl::ShortList<int, 3>;

std::vector<int> items(const List& list) { return {list.begin(), list.end()}; }

TEST_CASE("a list holds what was put in, within itself and beyond") {
  List list;
  CHECK(list.empty());
  for (int i = 0; i < 10; ++i) {
    list.push_back(i);
    CHECK(list.size() == static_cast<size_t>(i) + 1);
    CHECK(list.front() == 0);
    CHECK(list.back() == i);
  }
  CHECK(items(list) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(dsl::erase_if(list, [](int i) { return i % 2 == 0; }) == 5);
  CHECK(items(list) == std::vector<int>{1, 3, 5, 7, 9});
  list.erase(list.begin() + 1);
  list.pop_back();
  CHECK(items(list) == std::vector<int>{1, 5, 7});
  list.resize(5, 4);
  CHECK(items(list) == std::vector<int>{1, 5, 7, 4, 4});
  list.clear();
  CHECK(list.empty());
}

TEST_CASE("copies and moves keep the items, of short lists and of long ones") {
  for (const List& from : {List{}, List{1}, List{1, 2, 3}, List{1, 2, 3, 4, 5}})
    for (const List& to : {List{}, List{7}, List{7, 8, 9, 10, 11, 12}}) {
      List copy = from, assigned = to;
      assigned = from;
      CHECK(copy == from);
      CHECK(assigned == from);
      List moved = std::move(copy), taken = to;
      taken = std::move(assigned);
      CHECK(moved == from);
      CHECK(taken == from);
      copy = to;  // a moved-from list may be filled again
      CHECK(copy == to);
      List& self = taken;
      taken = self;
      CHECK(taken == from);
    }
}

}  // namespace
