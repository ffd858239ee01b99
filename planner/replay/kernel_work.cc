#include "planner/replay/kernel_work.h"

#include <array>

namespace planner::replay {
namespace {

struct WorkRow {
  std::string_view word;
  Work work;
};
// The first word that a name holds counts. Kernels of PyTorch, cuDNN and MIOpen that move, add or normalise stand
// before the words of those that multiply, which some of them hold as well.
constexpr std::array kKernels{
    WorkRow{"elementwise", Work::vector},  WorkRow{"at::native::", Work::vector},
    WorkRow{"nchwToNhwc", Work::vector},   WorkRow{"nhwcToNchw", Work::vector},
    WorkRow{"transpose", Work::vector},    WorkRow{"bn_fw", Work::vector},
    WorkRow{"bn_bw", Work::vector},        WorkRow{"ooling", Work::vector},
    WorkRow{"flash", Work::attention},     WorkRow{"fmha", Work::attention},
    WorkRow{"attention", Work::attention}, WorkRow{"gemm", Work::matrix},
    WorkRow{"cutlass", Work::matrix},      WorkRow{"xmma", Work::matrix},
    WorkRow{"conv", Work::matrix},         WorkRow{"winograd", Work::matrix},
    WorkRow{"cudnn", Work::matrix},        WorkRow{"Cijk_", Work::matrix},
    WorkRow{"dgrad", Work::matrix},        WorkRow{"wgrad", Work::matrix},
    WorkRow{"nvjet", Work::matrix},        WorkRow{"tensor_operation", Work::matrix},
};
// CUDA's copies, and ROCm's.
constexpr std::array kCopies{
    WorkRow{"HtoD", Work::host_copy},         WorkRow{"DtoH", Work::host_copy},
    WorkRow{"HostToDevice", Work::host_copy}, WorkRow{"DeviceToHost", Work::host_copy},
    WorkRow{"PtoP", Work::peer_copy},
};

struct PrecisionRow {
  std::string_view word;
  hw_profiles::Precision precision;
};
// Of cuBLAS, cuDNN and CUTLASS, and of Tensile (BBS, HHS); what several words are in counts as the first.
constexpr std::array kPrecisions{
    PrecisionRow{"tf32", hw_profiles::Precision::tf32},
    PrecisionRow{"e4m3", hw_profiles::Precision::fp8},
    PrecisionRow{"e5m2", hw_profiles::Precision::fp8},
    PrecisionRow{"bf16", hw_profiles::Precision::bf16},
    PrecisionRow{"bfloat16", hw_profiles::Precision::bf16},
    PrecisionRow{"BBS_", hw_profiles::Precision::bf16},
    PrecisionRow{"f16", hw_profiles::Precision::fp16},
    PrecisionRow{"fp16", hw_profiles::Precision::fp16},
    PrecisionRow{"half", hw_profiles::Precision::fp16},
    PrecisionRow{"h884", hw_profiles::Precision::fp16},
    PrecisionRow{"hgemm", hw_profiles::Precision::fp16},
    PrecisionRow{"HHS_", hw_profiles::Precision::fp16},
    PrecisionRow{"s16816", hw_profiles::Precision::fp16},
    PrecisionRow{"tensorop_s1688", hw_profiles::Precision::tf32},
};

template <class Rows> const typename Rows::value_type* row_of(const Rows& rows, std::string_view name) {
  for (const auto& row : rows)
    if (name.find(row.word) != std::string_view::npos) return &row;
  return nullptr;
}

constexpr std::array kNames{"matrix", "attention", "vector", "collective", "host-copy", "device-copy", "peer-copy"};

}  // namespace

const char* name_of(Work work) { return kNames[static_cast<size_t>(work)]; }

Work work_of(const trace::Event& event, std::string_view name) {
  if (event.role == trace::Role::communication) return Work::collective;
  const bool computes = event.role == trace::Role::compute;
  const WorkRow* row = computes ? row_of(kKernels, name) : row_of(kCopies, name);
  if (row) return row->work;
  return computes ? Work::vector : Work::device_copy;
}

hw_profiles::Precision precision_of_kernel(std::string_view name) {
  const PrecisionRow* row = row_of(kPrecisions, name);
  return row ? row->precision : hw_profiles::Precision::fp32;
}

}  // namespace planner::replay
