// Which kernels communicate.
#include "planner/trace/kernel_names.h"

#include <doctest/doctest.h>

#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;

TEST_CASE("what a kernel does is seen by the name that its library gives it") {
  const struct {
    const char* name;
    Role role;
  } rows[] = {
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", Role::communication},
      {"rccl_main_kernel", Role::communication},
      {"void vllm::cross_device_reduce_2stage<float>", Role::communication},
      {"void deep_ep::internode::dispatch<false, 4, false, 7, 4>(int4*)", Role::communication},
      {"void deep_ep::internode_ll::combine<false, 8>(void*)", Role::communication},
      {"void deep_ep::intranode::notify_dispatch<8>(int const*)", Role::communication},
      {"deep_ep::layout::get_dispatch_layout<256>(long const*)", Role::compute},
      {"nvshmemi_transfer_kernel", Role::communication},
      {"void mscclpp::executionKernel<__half>(int)", Role::communication},
      {"mscclKernel_Sum_half_Simple", Role::communication},
      {"rocshmem_put_kernel", Role::communication},
      {"void trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(x)", Role::communication},
      {"multimem_all_reduce_kernel<c10::BFloat16, 16>", Role::communication},
      {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long)",
       Role::communication},
      {"void at::native::(anonymous namespace)::gemm_k<1>(AllReduceParams)", Role::compute},
      {"void twoShotAllReduceKernel<half, 8>(AllReduceParams)", Role::communication},
      {"void reduce_scatter_rms_norm(float*)", Role::communication},
      {"void moe::AllToAllDispatch<4>()", Role::communication},
      {"kuserbuffers_pushrecv", Role::communication},
      {"triton_poi_fused_all_gather_into_tensor_out_wait_tensor_3", Role::compute},
      {"void at::native::reduce_kernel<512, 1>(x)", Role::compute},
      {"void at::native::_scatter_gather_elementwise_kernel<128>(x)", Role::compute},
      {"gemm(AllReduceParams)", Role::compute},  // a parameter's type says nothing
      {"hipblaslt_gemm", Role::compute},
      {"Memset kernel", Role::memory},
  };
  for (const auto& row : rows) CHECK_MESSAGE(role_of(EventKind::kernel, row.name) == row.role, row.name);
  CHECK(role_of(EventKind::copy, "nccl") == Role::memory);
}

TEST_CASE("a kernel whose arguments, or whose operator's, name a collective communicates, whatever its name") {
  KinetoText text;
  text.kernel("fused_thing", 9, 10, 20, R"("Collective name": "allreduce", "Group size": 2)");
  text.event("cpu_op", "record_param_comms", 100, "1", "40", "30", R"("External id": 5, "Collective name": "x")");
  text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", "45", "1", R"("correlation": 900, "External id": 5)");
  text.event("kernel", "nameless", 0, "9", "50", "20", R"("correlation": 900, "stream": 9)");
  text.kernel("gemm", 7, 80, 5);
  const auto trace = sample::rank(text.text());
  REQUIRE(trace.has_value());
  for (const Event& event : trace->events)
    if (event.kind == EventKind::kernel) CHECK((event.role == Role::communication) == (trace->name(event) != "gemm"));
}
