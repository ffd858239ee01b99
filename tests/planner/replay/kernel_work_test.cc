// What kernels and copies do, by their names.
#include "planner/replay/kernel_work.h"

#include <doctest/doctest.h>

#include <string>

using namespace planner::replay;
using planner::trace::Event;
using planner::trace::Role;

namespace {

std::string work(const char* name, Role role = Role::compute) {
  Event event;
  event.role = role;
  return name_of(work_of(event, name));
}

}  // namespace

TEST_CASE("kernels of libraries by what limits them") {
  for (const char* name : {"volta_sgemm_128x32_nt", "ampere_bf16_s16816gemm_bf16_128x64", "void cutlass::Kernel2<...>",
                           "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32", "cudnn_volta_scudnn_winograd_128x128",
                           "Cijk_Ailk_Bjlk_BBS_BH_MT128x128x32", "void cudnn::detail::dgrad_engine<float, 512>",
                           "igemm_fwd_gtcx3_nhwc_bf16", "nvjet_tst_128x256", "_ZN2ck16tensor_operation6device"})
    CHECK_MESSAGE(work(name) == "matrix", name);
  for (const char* name : {"void pytorch_flash::flash_fwd_kernel<...>", "fmha_cutlassF_bf16_aligned_64x64_rf_sm80",
                           "fused_attention_kernel"})
    CHECK_MESSAGE(work(name) == "attention", name);
  for (const char* name : {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>",
                           "void cudnn::engines_precompiled::nchwToNhwcKernel<float>", "batched_transpose_32x32_half",
                           "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>", "split_embedding_backward_codegen_adagrad",
                           "triton_poi_fused_add_0"})
    CHECK_MESSAGE(work(name) == "vector", name);
}

TEST_CASE("copies by where they go, and collectives") {
  CHECK(work("Memcpy HtoD (Pageable -> Device)", Role::memory) == "host-copy");
  CHECK(work("Memcpy DtoH (Device -> Pinned)", Role::memory) == "host-copy");
  CHECK(work("CopyHostToDevice", Role::memory) == "host-copy");
  CHECK(work("Memcpy DtoD (Device -> Device)", Role::memory) == "device-copy");
  CHECK(work("Memset (Device)", Role::memory) == "device-copy");
  CHECK(work("Memcpy PtoP (Device -> Device)", Role::memory) == "peer-copy");
  CHECK(work("ncclDevKernel_AllGather_RING_LL", Role::communication) == "collective");
}

TEST_CASE("precisions of kernels by their names") {
  const struct {
    const char *name, *precision;
  } rows[] = {
      {"volta_sgemm_128x32_nt", "fp32"},
      {"volta_h884gemm_256x64_ldg8_tn", "fp16"},
      {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "fp16"},
      {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_nn", "bf16"},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(Params)", "tf32"},
      {"void cutlass::Kernel<cutlass_80_tensorop_f16_s1688gemm_f16_256x128_32x2_nn_align8>(Params)", "fp16"},
      {"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwc", "tf32"},
      {"Cijk_Ailk_Bjlk_BBS_BH_MT128x128x32", "bf16"},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n", "fp8"},  // its operands, not its result
  };
  for (const auto& row : rows)
    CHECK_MESSAGE(std::string(hw_profiles::name(precision_of_kernel(row.name))) == row.precision, row.name);
}
