#include "planner/replay/kernel_work.h"

#include <array>

#include "dsl/enum_words.h"

namespace planner::replay {
namespace {

struct WorkRow {
  std::string_view word;
  KernelWork work;
};
// The first word that a name holds counts. Kernels of PyTorch, cuDNN and MIOpen that move, add or normalise stand
// before the words of those that multiply, which some of them hold as well.
constexpr std::array kKernels{
    WorkRow{"elementwise", KernelWork::vector},  WorkRow{"at::native::", KernelWork::vector},
    WorkRow{"nchwToNhwc", KernelWork::vector},   WorkRow{"nhwcToNchw", KernelWork::vector},
    WorkRow{"transpose", KernelWork::vector},    WorkRow{"bn_fw", KernelWork::vector},
    WorkRow{"bn_bw", KernelWork::vector},        WorkRow{"ooling", KernelWork::vector},
    WorkRow{"flash", KernelWork::attention},     WorkRow{"fmha", KernelWork::attention},
    WorkRow{"attention", KernelWork::attention}, WorkRow{"gemm", KernelWork::matrix},
    WorkRow{"cutlass", KernelWork::matrix},      WorkRow{"xmma", KernelWork::matrix},
    WorkRow{"conv", KernelWork::matrix},         WorkRow{"winograd", KernelWork::matrix},
    WorkRow{"cudnn", KernelWork::matrix},        WorkRow{"Cijk_", KernelWork::matrix},
    WorkRow{"dgrad", KernelWork::matrix},        WorkRow{"wgrad", KernelWork::matrix},
    WorkRow{"nvjet", KernelWork::matrix},        WorkRow{"tensor_operation", KernelWork::matrix},
};
// CUDA's copies, and ROCm's.
constexpr std::array kCopies{
    WorkRow{"HtoD", KernelWork::host_copy},         WorkRow{"DtoH", KernelWork::host_copy},
    WorkRow{"HostToDevice", KernelWork::host_copy}, WorkRow{"DeviceToHost", KernelWork::host_copy},
    WorkRow{"PtoP", KernelWork::peer_copy},
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

}  // namespace

const char* name_of(KernelWork work) { return dsl::word_of(work); }

KernelWork work_of(const trace::Event& event, std::string_view name) {
  if (event.role == trace::Role::communication) return KernelWork::collective;
  const bool computes = event.role == trace::Role::compute;
  const WorkRow* row = computes ? row_of(kKernels, name) : row_of(kCopies, name);
  if (row) return row->work;
  return computes ? KernelWork::vector : KernelWork::device_copy;
}

hw_profiles::Precision precision_of_kernel(std::string_view name) {
  const PrecisionRow* row = row_of(kPrecisions, name);
  return row ? row->precision : hw_profiles::Precision::fp32;
}

}  // namespace planner::replay
