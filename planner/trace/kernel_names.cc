#include "planner/trace/kernel_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace planner::trace {
namespace {

enum class WordPlace : uint8_t {
  front,
  anywhere,
  letters
};  // letters: anywhere, of the name's small letters and digits

struct NameRow {
  std::string_view word;
  WordPlace place;
  Role role;
};
// The first row that a name has counts.
constexpr std::array kNames{
    NameRow{"Memcpy", WordPlace::front, Role::memory},  // written as kernels by some profilers
    NameRow{"Memset", WordPlace::front, Role::memory},
    NameRow{"dma", WordPlace::front, Role::memory},
    // What PyTorch's compiler writes is named by the operators that it is fused of, collectives among them.
    NameRow{"triton_", WordPlace::front, Role::compute},
    NameRow{"nccl", WordPlace::front, Role::communication},
    NameRow{"rccl", WordPlace::front, Role::communication},
    NameRow{"hccl", WordPlace::front, Role::communication},
    NameRow{"oneccl", WordPlace::front, Role::communication},
    NameRow{"msccl", WordPlace::anywhere, Role::communication},  // MSCCL, and MSCCL++ ("mscclpp::")
    // DeepEP. What only counts tokens of its layout communicates nothing.
    NameRow{"deep_ep::layout", WordPlace::anywhere, Role::compute},
    NameRow{"deep_ep::", WordPlace::anywhere, Role::communication},
    // Libraries in which kernels put and get by themselves: of NVIDIA, AMD, Intel.
    NameRow{"nvshmem", WordPlace::anywhere, Role::communication},
    NameRow{"rocshmem", WordPlace::anywhere, Role::communication},
    NameRow{"ishmem", WordPlace::anywhere, Role::communication},
    NameRow{"cross_device_reduce", WordPlace::anywhere, Role::communication},  // vLLM
    NameRow{"userbuffers", WordPlace::anywhere, Role::communication},          // Transformer Engine
    // PyTorch's symmetric memory, TensorRT-LLM, FlashInfer, and whatever else is called by what it does.
    NameRow{"allreduce", WordPlace::letters, Role::communication},
    NameRow{"allgather", WordPlace::letters, Role::communication},
    NameRow{"reducescatter", WordPlace::letters, Role::communication},
    NameRow{"alltoall", WordPlace::letters, Role::communication},
    NameRow{"all2all", WordPlace::letters, Role::communication},
};

}  // namespace

std::string letters_of(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

// Its parameters name types, which do not say what it does.
Role role_of(EventKind kind, std::string_view name) {
  if (kind != EventKind::kernel) return is_with_server(kind) ? Role::communication : Role::memory;
  const std::string letters = letters_of(without_parameters(name));
  const auto* const row = std::ranges::find_if(kNames, [&](const NameRow& each) {
    if (each.place == WordPlace::front) return name.starts_with(each.word);
    return (each.place == WordPlace::letters ? std::string_view(letters) : name).find(each.word) !=
           std::string_view::npos;
  });
  return row == kNames.end() ? Role::compute : row->role;
}

// Returns the name up to its parameters. "(anonymous namespace)" is in brackets as well, but is not a parameter.
std::string_view without_parameters(std::string_view kernel) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  size_t open = kernel.find('(', 1);
  while (open != std::string_view::npos && kernel.substr(open).starts_with(kUnnamed)) open = kernel.find('(', open + 1);
  return kernel.substr(0, open);
}

}  // namespace planner::trace
