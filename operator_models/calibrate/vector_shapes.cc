#include "operator_models/calibrate/vector_shapes.h"

#include <algorithm>
#include <iterator>

namespace operator_models {
namespace {

using enum VectorKind;
constexpr VectorName kNames[] = {
    {"ln", normalization, 1, 1, 2, 1},          // x; x and dy
    {"layernorm", normalization, 1, 1, 2, 1},   //
    {"layer-norm", normalization, 1, 1, 2, 1},  //
    {"rmsnorm", normalization, 1, 1, 2, 1},     //
    {"rms-norm", normalization, 1, 1, 2, 1},    //
    {"softmax", softmax, 1, 1, 2, 1},           // x; y and dy
    {"gelu", activation, 1, 1, 2, 1},           //
    {"relu", activation, 1, 1, 2, 1},           //
    {"tanh", activation, 1, 1, 2, 1},           //
    {"silu", activation, 1, 1, 2, 1},           //
    {"activation", activation, 1, 1, 2, 1},     // any other
    {"swiglu", activation, 2, 1, 3, 2},         // two halves
    {"add", elementwise, 2, 1, 0, 0},           // the gradient passes through
    {"sub", elementwise, 2, 1, 0, 0},           //
    {"mul", elementwise, 2, 1, 4, 2},           // one kernel for each factor
    {"div", elementwise, 2, 1, 4, 2},           //
    {"addu", elementwise, 1, 1, 0, 0},          // with a scalar
    {"subu", elementwise, 1, 1, 0, 0},          //
    {"mulu", elementwise, 1, 1, 1, 1},          //
    {"divu", elementwise, 1, 1, 1, 1},          //
    {"elementwise", elementwise, 1, 1, 1, 1},   // any other
    {"copy", elementwise, 1, 1, 0, 0},          //
    {"pow", power, 2, 1, 4, 2},                 //
    {"powu", power, 1, 1, 2, 1},                //
    {"dropout", dropout, 1, 1.25, 1.25, 1},     // and a mask of one byte beside fp32
    {"rope", rope, 1, 1, 1, 1},                 //
    {"cross-entropy", cross_entropy, 1, 1, 2, 2},
    {"reduction", reduction, 1, 0, 0, 1},
    {"cast", cast, 2, 1, 1, 2},
    {"permutation", permutation, 1, 1, 1, 1},
};

}  // namespace

const VectorName* find_vector_name(std::string_view name) {
  const auto found = std::find_if(std::begin(kNames), std::end(kNames), [&](auto& n) { return n.name == name; });
  return found == std::end(kNames) ? nullptr : &*found;
}

std::string vector_names() {
  std::string all;
  for (const VectorName& n : kNames) all += (all.empty() ? "" : ", ") + std::string(n.name);
  return all;
}

std::string vector_row_name(const Operator& op) {
  const auto* vector = std::get_if<Vector>(&op);
  return vector ? name(vector->kind) : kind_of(op);
}

Vector vector_of(const VectorName& name, double elements, double bytes, int64_t width, bool backward) {
  const double size = elements * bytes;
  return {.kind = name.kind,
          .elements = elements,
          .read = {size * (backward ? name.backward_reads : name.reads)},
          .written = {size * (backward ? name.backward_writes : name.writes)},
          .width = width,
          .backward = backward};
}

}  // namespace operator_models
