// Names by which an item of a list calls its own fields: "cup.size" in shop.cups[2].
#include <doctest/doctest.h>

#include <algorithm>

#include "dsl/fields.h"
#include "dsl/node.h"
#include "dsl/record.h"
#include "dsl/space.h"

namespace {

struct Spoon {
  int64_t length = 0;
  int64_t twice = 0;
};
template <class V> void fields(V& v, Spoon& s) {
  v("length", s.length, {.otherwise = "cup.size", .least = 0, .doc = ""});
  v("twice", s.twice, {.otherwise = "2 * cup.size", .least = 0, .doc = ""});
}

struct Cup {
  int64_t size = 0, price = 0;
  std::vector<Spoon> spoons;
};
template <class V> void fields(V& v, Cup& c) {
  v("size", c.size, {.otherwise = "shop.usual", .least = 0, .doc = ""});
  v("price", c.price, {.otherwise = "3 * cup.size", .least = 0, .doc = ""});
  v.list("spoons", c.spoons);
}

struct Shop {
  int64_t usual = 0, most = 0;
  std::vector<Cup> cups;
};
template <class V> void fields(V& v, Shop& s) {
  v("usual", s.usual, {.otherwise = "1", .least = 0, .doc = ""});
  v("most", s.most, {.otherwise = "1", .least = 0, .doc = ""});
  v.list("cups", s.cups);
}

constexpr dsl::ItemWord kWords[] = {{"cup", "shop.cups"}};
constexpr dsl::Vocabulary kVocabulary{.item_words = kWords};

/// The shop that a text evaluates to, or the messages.
struct Evaluated {
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  dsl::Schema schema = dsl::schema_of<Shop>("shop.");
  dsl::Record record;

  explicit Evaluated(const std::string& text) : source{"a.yaml", text, ""} {
    const dsl::Node tree = dsl::parse_yaml(source, diagnostics);
    record = dsl::evaluate(tree, schema, {.vocabulary = kVocabulary}, diagnostics);
  }
  Evaluated(const Evaluated&) = delete;
  Shop shop() const {
    for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
    REQUIRE(!diagnostics.has_errors());
    return dsl::bind<Shop>(record, "shop.");
  }
  std::string told() const { return diagnostics.list.empty() ? "" : diagnostics.list[0].message; }
};

}  // namespace

TEST_CASE("an item's default reads the item's own field") {
  const Shop shop = Evaluated("shop: {usual: 5, cups: [{size: 2}, {}, {size: 7, price: 1}]}").shop();
  REQUIRE(shop.cups.size() == 3);
  CHECK(shop.cups[0].price == 6);
  CHECK(shop.cups[1].size == 5);
  CHECK(shop.cups[1].price == 15);
  CHECK(shop.cups[2].price == 1);
}

TEST_CASE("an item's written expression reads its own field and those of the file") {
  const Shop shop = Evaluated(
                        "shop: {usual: 5, cups: [{size: 2, price: cup.size + shop.usual}, "
                        "{size: 2 * shop.usual, price: 'shop.cups[0].price + cup.size'}]}")
                        .shop();
  CHECK(shop.cups[0].price == 7);
  CHECK(shop.cups[1].size == 10);
  CHECK(shop.cups[1].price == 17);
}

TEST_CASE("an item of a list inside an item reads the outer one's fields") {
  const Shop shop =
      Evaluated("shop: {cups: [{size: 2, spoons: [{}, {length: cup.price}]}, {size: 9, spoons: [{}]}]}").shop();
  CHECK(shop.cups[0].spoons[0].length == 2);
  CHECK(shop.cups[0].spoons[0].twice == 4);
  CHECK(shop.cups[0].spoons[1].length == 6);
  CHECK(shop.cups[1].spoons[0].length == 9);
}

TEST_CASE("outside of the list the word means nothing") {
  CHECK(Evaluated("shop: {most: cup.size, cups: [{size: 2}]}").told().starts_with("unknown name 'cup.size'"));
  CHECK(Evaluated("shop: {cups: [{size: cup.colour}]}").told().starts_with("unknown name 'cup.colour'"));
}

TEST_CASE("an item's field that reads itself goes round in a circle") {
  CHECK(Evaluated("shop: {cups: [{size: cup.price}]}").told().starts_with("values refer to each other in a circle"));
}

TEST_CASE("a choice of an item moves what reads it by the item's word, and nothing of other items") {
  const dsl::Source source{"a.yaml", "shop: {cups: [{size: [2, 3]}, {size: 5}]}", ""};
  dsl::Diagnostics diagnostics;
  const dsl::Schema schema = dsl::schema_of<Shop>("shop.");
  const dsl::Space space(dsl::parse_yaml(source, diagnostics), schema, {.vocabulary = kVocabulary}, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE(!diagnostics.has_errors());
  std::vector<std::string> open;
  for (const dsl::OpenItem& item : space.items()) open.push_back(item.path);
  CHECK(std::ranges::count(open, "shop.cups[0].size") == 1);
  CHECK(std::ranges::count(open, "shop.cups[0].price") == 1);
  CHECK(std::ranges::count(open, "shop.cups[1].price") == 0);
  std::string walked;
  for (dsl::Cursor cursor(space); cursor.next();)
    for (size_t i = 0; i < space.items().size(); ++i)
      walked += space.items()[i].path.substr(13) + "=" + dsl::to_text(cursor.value(i)) + " ";
  CHECK(walked == "size=2 price=6 size=3 price=9 ");
}
