// What operators of PyTorch move, from the shapes and types of their inputs.
#include "planner/replay/vector_shapes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "operator_models/calibrate/vector_shapes.h"
#include "planner/replay/moved_rows.h"

using namespace planner::replay;

namespace {

/// "op rows x columns precision read+written"; "none".
std::string moved(const char* name, const char* shapes, const char* types, const char* kernel = "") {
  const auto m = moved_by(name, planner::trace::inputs_of(shapes, types), kernel);
  if (!m) return "none";
  return fmt::format("{} {} x {} {} {:.0f}+{:.0f}{}", m->op, m->rows, m->columns, hw_profiles::name(m->precision),
                     m->read_bytes, m->written_bytes, m->backward ? " backward" : "");
}

struct Case {
  const char *name, *shapes, *types, *moved;
};
void check(std::initializer_list<Case> cases) {
  for (const Case& each : cases) {
    CAPTURE(each.name);
    CHECK(moved(each.name, each.shapes, each.types) == each.moved);
  }
}

}  // namespace

TEST_CASE("arithmetic reads each tensor once, and writes what they are broadcast to") {
  check({
      {"aten::add", "[[4, 8], [4, 8], []]", "['float', 'float', 'Scalar']", "add 4 x 8 fp32 256+128"},
      {"aten::add", "[[4, 8], [], []]", "['float', 'double', 'Scalar']", "add 4 x 8 fp32 128+128"},
      {"aten::add", "[[2, 4, 8], [4, 1], []]", "['c10::Half', 'c10::Half', '']", "add 8 x 8 fp16 136+128"},
      {"aten::add", "[[8], [4, 8], []]", "['float', 'c10::BFloat16', '']", "add 4 x 8 fp32 96+128"},
      {"aten::add_", "[[4, 8], [1, 8], []]", "['c10::BFloat16', 'c10::BFloat16', '']", "add 4 x 8 bf16 80+64"},
      {"aten::mul", "[[4, 8], [], [4, 8]]", "['float', 'double', 'float']", "mul 4 x 8 fp32 128+128"},
      {"aten::addcmul_", "[[6], [6], [6], []]", "['float', 'float', 'float', '']", "elementwise 1 x 6 fp32 72+24"},
      {"aten::where", "[[4], [4], [4]]", "['bool', 'float', 'float']", "elementwise 1 x 4 fp32 36+16"},
      {"aten::gt", "[[4, 8], []]", "['float', 'Scalar']", "elementwise 4 x 8 fp32 128+32"},
      {"aten::sqrt", "[[4, 8]]", "['float']", "elementwise 4 x 8 fp32 128+128"},
  });
}

TEST_CASE("activations and dropout, forward and backward") {
  check({
      {"aten::gelu", "[[4, 8], []]", "['c10::BFloat16', '']", "gelu 4 x 8 bf16 64+64"},
      {"aten::gelu_backward", "[[4, 8], [4, 8], []]", "['float', 'float', '']", "gelu 4 x 8 fp32 256+128 backward"},
      {"aten::clamp_min_", "[[4, 8], []]", "['float', 'Scalar']", "relu 4 x 8 fp32 128+128"},
      {"aten::threshold_backward", "[[4, 8], [4, 8], []]", "['float', 'float', '']",
       "relu 4 x 8 fp32 256+128 backward"},
      {"aten::native_dropout", "[[4, 8], [], []]", "['c10::Half', '', '']", "dropout 4 x 8 fp16 64+96"},
      {"aten::native_dropout_backward", "[[4, 8], [4, 8], []]", "['c10::Half', 'bool', '']",
       "dropout 4 x 8 fp16 96+64 backward"},
  });
}

TEST_CASE("norms have rows of what they normalise, softmax of the last dimension") {
  check({
      {"aten::native_layer_norm", "[[2, 3, 8], [], [8], [8], []]", "['float', '', 'float', 'float', '']",
       "layernorm 6 x 8 fp32 256+192"},
      {"aten::native_layer_norm", "[[2, 3, 8], [], [3, 8], [3, 8], []]", "['float', '', 'float', 'float', '']",
       "layernorm 2 x 24 fp32 384+192"},
      {"aten::native_layer_norm", "[[2, 3, 8], [], [], [], []]", "['float', '', '', '', '']", "none"},
      {"aten::native_layer_norm_backward", "[[6, 8], [6, 8], [], [6, 1], [6, 1], [8], [8], []]",
       "['float', 'float', '', 'float', 'float', 'float', 'float', '']", "layernorm 6 x 8 fp32 464+256 backward"},
      {"aten::_fused_rms_norm", "[[6, 8], [], [8], []]", "['c10::BFloat16', '', 'c10::BFloat16', '']",
       "rmsnorm 6 x 8 bf16 112+96"},
      {"aten::_softmax", "[[2, 3, 8], [], []]", "['float', '', '']", "softmax 6 x 8 fp32 192+192"},
      {"aten::_softmax_backward_data", "[[6, 8], [6, 8], [], []]", "['float', 'float', '', '']",
       "softmax 6 x 8 fp32 384+192 backward"},
  });
}

TEST_CASE("copies change a type or an order, reductions leave nothing that counts, lookups read rows") {
  check({
      {"aten::copy_", "[[4, 8], [4, 8], []]", "['float', 'c10::Half', '']", "cast 4 x 8 fp16 64+128"},
      {"aten::copy_", "[[4, 8], [4, 8], []]", "['float', 'float', '']", "permutation 4 x 8 fp32 128+128"},
      {"aten::sum", "[[4, 8], [], [], []]", "['float', '', '', '']", "reduction 4 x 8 fp32 128+0"},
      {"aten::embedding", "[[1000, 16], [4, 8], [], [], []]", "['c10::Half', 'long int', '', '', '']",
       "embedding 32 x 16 fp16 1024+1024"},
      {"aten::embedding_dense_backward", "[[4, 8, 16], [4, 8], [], [], []]", "['float', 'long int', '', '', '']",
       "embedding 32 x 16 fp32 4096+2048 backward"},
  });
}

TEST_CASE("lists of tensors have the type that their kernel's name says") {
  const char* adam = "multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, FusedAdamMathFunctor<float, 4>>";
  const char *lists = "[[[8, 2], [16]], [[8, 2], [16]], [[8, 2], [16]], [[8, 2], [16]], [], [[], []]]",
             *types = "['TensorList', 'TensorList', 'TensorList', 'TensorList', 'TensorList', 'TensorList', '']";
  CHECK(moved("aten::_fused_adamw_", lists, types, adam) == "adam 1 x 32 fp32 512+384");
  CHECK(moved("aten::_fused_adamw_", lists, types, "some_kernel") == "none");
  const char* add =
      "multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpListAlphaFunctor<c10::BFloat16, 2, 2, 0>>";
  CHECK(moved("aten::_foreach_add_", "[[[8], [4]], [[8], [4]], []]", "['TensorList', 'TensorList', 'Scalar']", add) ==
        "add 1 x 12 bf16 48+24");
  CHECK(moved("aten::_foreach_copy_", "[[[8]], [[8]], []]", "['TensorList', 'TensorList', '']", add) == "none");
}

TEST_CASE("what is in no table, of no precision or does not fit moves nothing that is known") {
  check({
      {"aten::max_pool2d", "[[4, 8]]", "['float']", "none"},
      {"add", "[[4, 8], [4, 8]]", "['float', 'float']", "none"},
      {"aten::add", "[[4, 8], [4, 8]]", "['long int', 'long int']", "none"},
      {"aten::add", "[[4, 8], [4, 8]]", "['float', 'unheard']", "none"},
      {"aten::add", "[[4, 8], [3, 8]]", "['float', 'float']", "none"},
      {"aten::add", "[[], []]", "['float', 'float']", "none"},
      {"aten::add", "[[0, 8], [0, 8]]", "['float', 'float']", "none"},
      {"aten::add", "", "", "none"},
      {"aten::embedding", "[[1000, 16]]", "['float']", "none"},
      {"aten::embedding", "[[1000, 16], [4]]", "['long int', 'long int']", "none"},
  });
  CHECK(moves("aten::add"));
  CHECK(moves("aten::_foreach_mul_"));
  CHECK(moves("aten::embedding"));
  CHECK_FALSE(moves("aten::cat"));
  CHECK_FALSE(moves("add"));
}

TEST_CASE("every operator is one that calibrate vector knows") {
  for (const char* name : {"aten::gelu", "aten::rsub", "aten::copy_", "aten::norm", "aten::sigmoid_backward"}) {
    const MovedRow* row = moved_row(name).row;
    REQUIRE_MESSAGE(row, name);
    CHECK_MESSAGE(operator_models::find_vector_name(row->op), name);
  }
  CHECK(moved_row("aten::add_").in_place);
  CHECK_FALSE(moved_row("aten::copy_").in_place);
  CHECK_FALSE(moved_row("aten::add").in_place);
}
