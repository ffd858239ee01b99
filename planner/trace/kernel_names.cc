#include "planner/trace/kernel_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace planner::trace {
namespace {

enum class Place : uint8_t { front, anywhere, letters };  // letters: anywhere, of the name's small letters and digits

struct NameRow {
  std::string_view word;
  Place place;
  Role role;
};
// The first row that a name has counts.
constexpr std::array kNames{
    NameRow{"Memcpy", Place::front, Role::memory},  // written as kernels by some profilers
    NameRow{"Memset", Place::front, Role::memory},
    NameRow{"dma", Place::front, Role::memory},
    // What PyTorch's compiler writes is named by the operators that it is fused of, collectives among them.
    NameRow{"triton_", Place::front, Role::compute},
    NameRow{"nccl", Place::front, Role::communication},
    NameRow{"rccl", Place::front, Role::communication},
    NameRow{"hccl", Place::front, Role::communication},
    NameRow{"oneccl", Place::front, Role::communication},
    NameRow{"msccl", Place::anywhere, Role::communication},  // MSCCL, and MSCCL++ ("mscclpp::")
    // DeepEP. What only counts tokens of its layout communicates nothing.
    NameRow{"deep_ep::layout", Place::anywhere, Role::compute},
    NameRow{"deep_ep::", Place::anywhere, Role::communication},
    // Libraries in which kernels put and get by themselves: of NVIDIA, AMD, Intel.
    NameRow{"nvshmem", Place::anywhere, Role::communication},
    NameRow{"rocshmem", Place::anywhere, Role::communication},
    NameRow{"ishmem", Place::anywhere, Role::communication},
    NameRow{"cross_device_reduce", Place::anywhere, Role::communication},  // vLLM
    NameRow{"userbuffers", Place::anywhere, Role::communication},          // Transformer Engine
    // PyTorch's symmetric memory, TensorRT-LLM, FlashInfer, and whatever else is called by what it does.
    NameRow{"allreduce", Place::letters, Role::communication},
    NameRow{"allgather", Place::letters, Role::communication},
    NameRow{"reducescatter", Place::letters, Role::communication},
    NameRow{"alltoall", Place::letters, Role::communication},
    NameRow{"all2all", Place::letters, Role::communication},
};

std::string letters_of(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

}  // namespace

// Its parameters name types, which do not say what it does.
Role role_of(Kind kind, std::string_view name) {
  if (kind != Kind::kernel) return is_with_server(kind) ? Role::communication : Role::memory;
  const std::string letters = letters_of(without_parameters(name));
  const auto* const row = std::ranges::find_if(kNames, [&](const NameRow& each) {
    if (each.place == Place::front) return name.starts_with(each.word);
    return (each.place == Place::letters ? std::string_view(letters) : name).find(each.word) != std::string_view::npos;
  });
  return row == kNames.end() ? Role::compute : row->role;
}

// Returns the name up to its parameters. "(anonymous namespace)" is in brackets as well, and is no parameter.
std::string_view without_parameters(std::string_view kernel) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  size_t open = kernel.find('(', 1);
  while (open != std::string_view::npos && kernel.substr(open).starts_with(kUnnamed)) open = kernel.find('(', open + 1);
  return kernel.substr(0, open);
}

}  // namespace planner::trace
