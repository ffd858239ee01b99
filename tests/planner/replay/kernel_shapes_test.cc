// Kernels as operators, from the shapes around their launch.
#include "planner/replay/kernel_shapes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/planner/trace/kineto_text.h"

using namespace planner::replay;
using operator_models::Attention;
using operator_models::Gemm;
using sample::KinetoText;

namespace {

KinetoText& inside(KinetoText& text, const char* name, int start, int duration, const std::string& shapes,
                   const std::string& types) {
  return text.event("cpu_op", name, 100, "1", std::to_string(start), std::to_string(duration),
                    R"("Input Dims": )" + shapes + R"(, "Input type": )" + types);
}

std::string told(const operator_models::Operator& op) {
  if (const auto* g = std::get_if<Gemm>(&op))
    return fmt::format("gemm {} x {} x {} x {} {} {}", g->batch, g->m, g->n, g->k, name(g->precision), g->a_bytes);
  const auto& a = std::get<Attention>(op);
  return fmt::format("attention {} x {}/{} x {}/{} x {} {}{}", a.batch, a.heads, a.kv_heads, a.queries, a.keys,
                     a.head_dim, name(a.precision), a.backward ? " backward" : "");
}

/// Of the only kernel of a trace.
std::string typed(const KinetoText& text) {
  const planner::trace::RankTrace rank = sample::rank(text.text()).value();
  const KernelShapes shapes(rank);
  for (size_t i = 0; i < rank.events.size(); ++i) {
    if (rank.events[i].kind != planner::trace::EventKind::kernel) continue;
    const auto shaped = shapes.of(i);
    return shaped ? told(shaped->op) : "none";
  }
  return "no kernel";
}

/// Of a kernel that one operator launched.
std::string typed(const char* op, const std::string& shapes, const std::string& types, const char* kernel = "gemm") {
  KinetoText text;
  inside(text, op, 5, 20, shapes, types);
  return typed(text.kernel(kernel, 7, 10, 5));
}

}  // namespace

TEST_CASE("products of matrices") {
  CHECK(typed("aten::mm", "[[256, 16], [16, 13]]", R"(["float", "float"])") == "gemm 1 x 256 x 13 x 16 fp32 4");
  CHECK(typed("aten::addmm", "[[512], [16, 367], [367, 512], [], []]",
              R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar"])") == "gemm 1 x 16 x 512 x 367 fp16 2");
  CHECK(typed("aten::bmm", "[[4, 8, 16], [4, 16, 32]]", R"(["c10::BFloat16", "c10::BFloat16"])") ==
        "gemm 4 x 8 x 32 x 16 bf16 2");
  CHECK(typed("aten::linear", "[[2, 8, 16], [32, 16], [32]]", R"(["float", "float", "float"])") ==
        "gemm 1 x 16 x 32 x 16 fp32 4");
}

TEST_CASE("single precision that tensor cores read is tf32") {
  CHECK(typed("aten::mm", "[[8, 16], [16, 8]]", R"(["float", "float"])", "sm80_xmma_gemm_tf32f32") ==
        "gemm 1 x 8 x 8 x 16 tf32 4");
  CHECK(typed("aten::mm", "[[8, 16], [16, 8]]", R"(["c10::Half", "c10::Half"])", "sm80_xmma_gemm_tf32f32") ==
        "gemm 1 x 8 x 8 x 16 fp16 2");
}

TEST_CASE("convolutions are products of their unfolded input") {
  const std::string types = R"(["float", "float", "float"])";
  CHECK(typed("aten::cudnn_convolution", "[[4, 3, 224, 224], [64, 3, 7, 7], []]", types) ==
        "gemm 1 x 200704 x 64 x 147 fp32 4");
  // The gradient's places are those of the output.
  CHECK(typed("aten::convolution_backward", "[[4, 64, 112, 112], [4, 3, 224, 224], [64, 3, 7, 7]]", types) ==
        "gemm 1 x 50176 x 64 x 147 fp32 4");
  CHECK(typed("aten::_convolution", "[[2, 32, 10], [32, 1, 3]]", types) == "gemm 32 x 20 x 1 x 3 fp32 4");
  for (const char* wrong : {"[[4, 3, 8, 8], [64, 0, 7, 7], []]", "[[4, 3, 8, 8], [64, 2, 7, 7], []]",
                            "[[4, 3], [64, 3], []]", "[[4, 3, 8, 8], [64, 3, 7], []]", "[[0, 3, 8, 8], [64, 3, 7, 7]]"})
    CHECK_MESSAGE(typed("aten::cudnn_convolution", wrong, types) == "none", wrong);
}

TEST_CASE("fused attention, heads first or lengths first") {
  const std::string types = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
  CHECK(typed("aten::_flash_attention_forward", "[[1, 141, 8, 64], [1, 141, 2, 64], [1, 141, 2, 64], []]", types) ==
        "attention 1 x 8/2 x 141/141 x 64 bf16");
  CHECK(typed("aten::_scaled_dot_product_flash_attention", "[[1, 8, 141, 64], [1, 8, 70, 64], [1, 8, 70, 64]]",
              types) == "attention 1 x 8/8 x 141/70 x 64 bf16");
  CHECK(typed("aten::_scaled_dot_product_flash_attention_backward",
              "[[1, 8, 9, 64], [1, 8, 9, 64], [1, 8, 9, 64], [1, 8, 9, 64]]",
              types) == "attention 1 x 8/8 x 9/9 x 64 bf16 backward");
  CHECK(typed("aten::_flash_attention_forward", "[[141, 8, 64], [141, 8, 64], [141, 8, 64]]", types) == "none");
}

TEST_CASE("the innermost operator that is known counts") {
  KinetoText text;
  inside(text, "aten::linear", 2, 40, "[[2, 8, 16], [32, 16]]", R"(["float", "float"])");
  inside(text, "aten::addmm", 3, 30, "[[32], [16, 16], [16, 33]]", R"(["float", "float", "float"])");
  inside(text, "aten::empty", 4, 20, "[[7]]", R"(["float"])");
  CHECK(typed(text.kernel("gemm", 7, 10, 5)) == "gemm 1 x 16 x 33 x 16 fp32 4");
}

TEST_CASE("what is not recorded, or does not fit, is no operator") {
  CHECK(typed("aten::mm", "[[256, 16], [17, 13]]", R"(["float", "float"])") == "none");
  CHECK(typed("aten::mm", "[[256, 16]]", R"(["float"])") == "none");
  CHECK(typed("aten::mm", "[[256, 16], [16, 13]]", R"(["int", "int"])") == "none");
  CHECK(typed("aten::mm", "[[[2, 2]], [[2, 2]]]", R"(["float", "float"])") == "gemm 1 x 2 x 2 x 2 fp32 4");
  CHECK(typed("aten::mm", "[[[2, 2], [3]], [2, 2]]", R"(["float", "float"])") == "none");
  CHECK(typed("aten::mul", "[[256, 16], [16, 13]]", R"(["float", "float"])") == "none");
  CHECK(typed(KinetoText().kernel("gemm", 7, 10, 5)) == "none");
  CHECK(typed(KinetoText().event("kernel", "gemm", 0, "7", "5", "2")) == "none");
}
