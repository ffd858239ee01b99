// Deflated bytes are restored, whole or with a message.
#include "planner/unpack/inflate.h"

#include "tests/planner/unpack/deflated.h"

using planner::unpack::inflated;
using planner::unpack::Packing;

namespace {

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::to_string(i * 7919 % 1009) + "\n";
  return out;
}

struct Form {
  Packing packing;
  std::string (*pack)(const std::string&);
};
const Form kForms[] = {{Packing::bare, [](const std::string& text) { return deflated(text); }},
                       {Packing::gzip, gzipped}};

}  // namespace

TEST_CASE("inflate: a text of any length comes out as it was") {
  for (const Form& form : kForms)
    for (const std::string& text :
         {std::string(), std::string("a"), lines(100), std::string(70'000, 'x'), lines(40'000)}) {
      const planner::unpack::Inflated out = inflated(form.pack(text), form.packing, text.size());
      CHECK(out.wrong.empty());
      CHECK(out.text == text);
    }
}

TEST_CASE("inflate: any shorter input is cut off, and a longer output than expected is refused") {
  const std::string text = lines(60);
  for (const Form& form : kForms) {
    const std::string packed = form.pack(text);
    for (size_t length = 0; length < packed.size(); ++length)
      CHECK(inflated(packed.substr(0, length), form.packing, text.size()).wrong == "it is cut off");
    CHECK(inflated(packed, form.packing, text.size() - 1).wrong ==
          "unpacked it is larger than " + std::to_string(text.size() - 1) + " bytes");
    CHECK(inflated(packed + "more", form.packing, text.size()).wrong == "it is damaged");
  }
  const std::string bomb = deflated(std::string(10'000'000, '0'));
  CHECK(inflated(bomb, Packing::bare, 1000).text.size() < 100'000);  // no more memory than it takes to know
}

TEST_CASE("inflate: members of gzip follow each other, bare data stand alone") {
  CHECK(inflated(gzipped("one ") + gzipped("") + gzipped("two"), Packing::gzip, 100).text == "one two");
  CHECK(inflated(gzipped("one ") + gzipped("two"), Packing::gzip, 6).wrong == "unpacked it is larger than 6 bytes");
  CHECK(inflated(deflated("one ") + deflated("two"), Packing::bare, 100).wrong == "it is damaged");
  CHECK(inflated(deflated("one"), Packing::gzip, 100).wrong == "it is damaged");
}

TEST_CASE("inflate: the checksum is that of ITU-T V.42") {
  CHECK(planner::unpack::checksum_of("123456789") == 0xCBF43926);
  CHECK(planner::unpack::checksum_of("") == 0);
}
