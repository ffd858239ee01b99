// The bytes of a file, plain or packed, are the same however they come and however they are read.
#include "planner/unpack/byte_reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"
#include "tests/planner/unpack/deflated.h"

using planner::unpack::ByteReader;

namespace {

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::to_string(i * 7919 % 1009) + "\n";
  return out;
}

/// All bytes of a reader, read at most `most` at a time; followed by the mistake.
std::pair<std::string, std::string> read_all(ByteReader& reader, size_t most) {
  std::string text;
  std::vector<char> part(most);
  while (const size_t got = reader.read(part.data(), most)) {
    if (got > most) FAIL(got);
    text.append(part.data(), got);
  }
  return {text, reader.wrong()};
}
std::pair<std::string, std::string> read_all(const std::string& bytes, size_t piece = 1 << 20, size_t most = 4096) {
  ByteReader reader(sample::pieces(bytes, piece));
  return read_all(reader, most);
}
std::pair<std::string, std::string> good(const std::string& text) { return {text, ""}; }

}  // namespace

TEST_CASE("byte reader: plain and packed bytes come out whole, in pieces of any size") {
  for (const std::string& text : {std::string(), std::string("a"), std::string("\x1F"), std::string("\x1Fx\x8B"),
                                  std::string("\0\0b", 3), lines(100), std::string(20'000, 'x')})
    for (const size_t piece : {1, 2, 3, 17, 1 << 20})
      for (const size_t most : {1, 5, 4096}) {
        CAPTURE(piece);
        CAPTURE(most);
        CHECK(read_all(text, piece, most) == good(text));
        CHECK(read_all(gzipped(text), piece, most) == good(text));
      }
}

TEST_CASE("byte reader: members of a packed file follow each other") {
  const std::string packed = gzipped("one ") + gzipped("") + gzipped(lines(50)) + gzipped("two");
  for (const size_t piece : {1, 2, 19, 1 << 20}) CHECK(read_all(packed, piece) == good("one " + lines(50) + "two"));
  // A file is packed or it is not: bytes behind the first ones do not matter.
  CHECK(read_all("x" + gzipped("one"), 1) == good("x" + gzipped("one")));
}

TEST_CASE("byte reader: a packed file that is cut off gives what is there, and says so") {
  const std::string text = lines(60), packed = gzipped(text);
  for (size_t length = 2; length < packed.size(); ++length)
    for (const size_t piece : {1, 7, 1 << 20}) {
      const auto [part, wrong] = read_all(packed.substr(0, length), piece);
      CHECK(wrong == "it is cut off");
      CHECK(text.starts_with(part));
    }
  const auto [first, wrong] = read_all(gzipped("one ") + packed.substr(0, 12), 1);
  CHECK(first == "one ");
  CHECK(wrong == "it is cut off");
  CHECK(read_all(packed.substr(0, 1)) == good("\x1F"));  // nothing says that it is packed
}

TEST_CASE("byte reader: damaged bytes are no text") {
  const std::string text = lines(60), packed = gzipped(text);
  CHECK(read_all(packed + "more").second == "it is damaged");
  CHECK(read_all(packed + "more", 1).second == "it is damaged");
  for (size_t at = 10; at < packed.size(); ++at) {  // behind the head, of which not every bit counts
    std::string damaged = packed;
    damaged[at] ^= 1;
    CHECK_FALSE(read_all(damaged).second.empty());
  }
  ByteReader reader(sample::pieces(packed + "more"));
  CHECK(read_all(reader, 100).second == "it is damaged");
  char c = 0;
  CHECK(reader.read(&c, 1) == 0);  // it stays so
}

TEST_CASE("byte reader: bytes of an open file and of a pipe, and of none") {
  const TestFolder folder;
  const std::string text = lines(100'000);  // more than one piece
  for (const std::string& bytes : {text, gzipped(text), std::string()}) {
    const int file = open(folder.add("file", bytes).c_str(), O_RDONLY);
    REQUIRE(file >= 0);
    std::string wrong;
    ByteReader reader(planner::unpack::bytes_of(file, wrong));
    CHECK(read_all(reader, 1 << 16) == good(bytes.empty() ? "" : text));
    CHECK(wrong.empty());
    CHECK(close(file) == 0);  // it stayed open
    ByteReader closed(planner::unpack::bytes_of(file, wrong));
    CHECK(read_all(closed, 10) == good(""));
    CHECK(wrong == "Bad file descriptor");
  }
  int ends[2] = {};
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "a", 1) == 1);
  std::string wrong;
  planner::unpack::Supply bytes = planner::unpack::bytes_of(ends[0], wrong);
  CHECK(bytes() == "a");
  REQUIRE(write(ends[1], "bc", 2) == 2);
  close(ends[1]);
  CHECK(bytes() == "bc");
  CHECK(bytes().empty());
  CHECK(wrong.empty());
  close(ends[0]);
  const int directory = open(folder.name().c_str(), O_RDONLY);
  CHECK(planner::unpack::bytes_of(directory, wrong)().empty());
  CHECK(wrong == "Is a directory");
  close(directory);
}
