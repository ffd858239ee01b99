// Shapes and types of an operator's inputs, as profilers write them.
#include "planner/trace/inputs.h"

#include <doctest/doctest.h>

#include <random>

using namespace planner::trace;

namespace {

/// "2x3:float 1,4:TensorList": the sizes of each tensor, of each input.
std::string told(std::string_view shapes, std::string_view types) {
  std::string text;
  for (const OperatorInput& input : inputs_of(shapes, types)) {
    if (!text.empty()) text += " ";
    for (size_t t = 0; t < input.tensors.size(); ++t) {
      if (t > 0) text += ",";
      for (size_t s = 0; s < input.tensors[t].size(); ++s)
        text += (s > 0 ? "x" : "") + std::to_string(input.tensors[t][s]);
    }
    text += ":" + input.type;
  }
  return text;
}

int64_t bytes(std::string_view shapes, std::string_view types) { return bytes_of(inputs_of(shapes, types)); }

}  // namespace

TEST_CASE("inputs are tensors, numbers, and lists of tensors") {
  CHECK(told("[[128, 48], [], [4]]", "['float', 'Scalar', 'c10::Half']") == "128x48:float :Scalar 4:c10::Half");
  CHECK(told(R"([[[4, 1, 768], [4, 196]], []])", R"(["TensorList","Scalar"])") == "4x1x768,4x196:TensorList :Scalar");
  CHECK(told("[[2,3]]", "") == "2x3:");
  CHECK(told("[[2], [3]]", "['int']") == "2:int 3:");
  CHECK(told("[]", "[]").empty());
  CHECK(told("", "").empty());
}

TEST_CASE("texts that are no shapes have no inputs") {
  for (const char* wrong : {"[[2]", "[2]", "2", "[[2]]]", "[[a]]", "[[-1]]", "[[[[2]]]]", "[[[2], 3]]", "[[1.5]]",
                            "[[99999999999999999999]]", "[[3000000000, 3000000000]]"})
    CHECK_MESSAGE(told(wrong, "['float']").empty(), wrong);
}

TEST_CASE("bytes are those of tensors whose type is known") {
  CHECK(bytes("[[6144]]", "['float']") == 24576);
  CHECK(bytes("[[24], [], []]", "['long int', 'Scalar', '']") == 192);
  CHECK(bytes("[[2, 3], [5]]", "['c10::BFloat16', 'unsigned char']") == 17);
  CHECK(bytes("[[]]", "['double']") == 8);  // a number on the device
  CHECK(bytes("[[0]]", "['float']") == 0);
  CHECK(bytes("[[], []]", "['TensorList', 'Scalar']") == -1);
  CHECK(bytes("[[7]]", "") == -1);
  CHECK(bytes("[[4503599627370496]]", "['float']") == -1);  // 2^54 bytes
}

TEST_CASE("no text of brackets and numbers does any harm") {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int n = static_cast<int>(random() % 24); n > 0; --n) text += "[[]],3 907'f\""[random() % 13];
    const std::vector<OperatorInput> inputs = inputs_of(text, text);
    for (const OperatorInput& input : inputs) CHECK(!input.tensors.empty());
    CHECK(bytes_of(inputs) >= -1);
  }
}
