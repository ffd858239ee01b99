#include "planner/replay/vector_shapes.h"

#include <algorithm>

#include "planner/replay/moved_rows.h"
#include "planner/trace/data_types.h"

namespace planner::replay {
namespace {

using trace::OperatorInput;
using trace::Shape;

/// PyTorch's kernels over lists of tensors take their type as the first argument of their functor:
/// "multi_tensor_apply_kernel<..., FusedAdamMathFunctor<float, 4>, ...>".
std::string_view listed_type(std::string_view kernel) {
  constexpr std::string_view kWord = "Functor<";
  const size_t at = kernel.find(kWord);
  if (at == std::string_view::npos) return {};
  kernel.remove_prefix(at + kWord.size());
  return kernel.substr(0, kernel.find_first_of(",>"));
}

/// A tensor, or a list of them laid end to end.
struct VectorOperand {
  Shape shape;  // none: a number
  int64_t bytes_each = 0;
  std::optional<hw_profiles::Precision> precision;

  double elements() const { return shape.empty() ? 0 : trace::elements_of(shape); }
  double bytes() const { return elements() * static_cast<double>(bytes_each); }
};
VectorOperand operand_of(const OperatorInput& input, std::string_view kernel) {
  const bool listed = input.type == "TensorList";
  const std::string_view type = listed ? listed_type(kernel) : std::string_view(input.type);
  VectorOperand operand{.shape = input.tensors.front(),
                        .bytes_each = trace::bytes_of_type(type),
                        .precision = trace::precision_of_type(type)};
  if (!listed) return operand;
  double elements = 0;
  for (const Shape& shape : input.tensors) elements += shape.empty() ? 0 : trace::elements_of(shape);
  operand.shape = elements > 0 ? Shape{static_cast<int64_t>(elements)} : Shape{};
  return operand;
}

/// Makes a shape what it and another are broadcast to. False: they do not fit.
bool broadcast(Shape& to, const Shape& other) {
  if (other.size() > to.size()) to.insert(to.begin(), other.size() - to.size(), 1);
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& size = to[to.size() - 1 - i];
    const int64_t its = other[other.size() - 1 - i];
    if (size != its && size != 1 && its != 1) return false;
    if (size == 1) size = its;
  }
  return true;
}

/// Adds up what a row moves.
class Mover {
 public:
  Mover(const FoundRow& found, const std::vector<OperatorInput>& inputs, std::string_view kernel)
      : row_(*found.row), in_place_(found.in_place), inputs_(inputs), kernel_(kernel) {}

  std::optional<Moved> moved() {
    if (!row_.unchanged.empty() && lists()) return {};  // of which no name says both types
    for (const char place : row_.reads)
      if (!read(place)) return {};
    if (!widest_.precision || result_.empty() || trace::elements_of(result_) == 0) return {};
    for (const char place : in_place_ ? std::string_view("0") : row_.writes)
      if (!write(place)) return {};
    const std::optional<int64_t> width = width_of_row();
    if (!width) return {};
    moved_.columns = *width;
    moved_.rows = static_cast<int64_t>(trace::elements_of(result_)) / *width;
    moved_.op = !row_.unchanged.empty() && !changes_type_ ? row_.unchanged : row_.op;
    moved_.precision = *widest_.precision;
    moved_.backward = row_.backward;
    return moved_;
  }

 private:
  bool lists() const { return std::ranges::count(inputs_, "TensorList", &OperatorInput::type) > 0; }
  /// No operand: a number, or an input that is not there. nullopt: of an unknown type.
  std::optional<VectorOperand> at(char place) const {
    const auto i = static_cast<size_t>(place - '0');
    if (i >= inputs_.size() || inputs_[i].tensors.empty()) return VectorOperand{};
    VectorOperand operand = operand_of(inputs_[i], kernel_);
    if (!operand.shape.empty() && operand.bytes_each == 0) return {};
    return operand;
  }

  bool read(char place) {
    const std::optional<VectorOperand> operand = at(place);
    if (!operand) return false;
    if (operand->shape.empty()) return true;
    moved_.read_bytes += operand->bytes();
    if (operand->precision && (!widest_.precision || operand->bytes_each > widest_.bytes_each)) widest_ = *operand;
    return broadcast(result_, operand->shape);
  }

  bool write(char place) {
    const double elements = trace::elements_of(result_);
    if (place == '*') moved_.written_bytes += elements * static_cast<double>(widest_.bytes_each);
    if (place == 'b') moved_.written_bytes += elements;
    if (place == '*' || place == 'b') return true;
    const std::optional<VectorOperand> operand = at(place);
    if (!operand) return false;
    moved_.written_bytes += operand->bytes();
    changes_type_ |= operand->precision != widest_.precision;
    return true;
  }

  std::optional<int64_t> width_of_row() const {
    if (row_.width == MovedRow::kLastSize) return result_.back();
    const std::optional<VectorOperand> row = at(static_cast<char>('0' + row_.width));
    const auto width = static_cast<int64_t>(row ? row->elements() : 0);
    const auto elements = static_cast<int64_t>(trace::elements_of(result_));
    return width > 0 && elements % width == 0 ? std::optional(width) : std::nullopt;
  }

  const MovedRow& row_;
  const bool in_place_;
  const std::vector<OperatorInput>& inputs_;
  const std::string_view kernel_;
  Shape result_;          // of all that is read
  VectorOperand widest_;  // of those with a precision
  bool changes_type_ = false;
  Moved moved_;
};

/// Forward reads the rows and writes them out; backward reads gradients and adds them to the table's rows.
std::optional<Moved> looked_up(const LookupRow& row, const std::vector<OperatorInput>& inputs) {
  if (inputs.size() < 2 || inputs[0].tensors.size() != 1 || inputs[1].tensors.size() != 1) return {};
  const VectorOperand table = operand_of(inputs[0], ""), places = operand_of(inputs[1], "");
  if (!table.precision || table.elements() == 0 || places.elements() == 0) return {};
  const double bytes = places.elements() * static_cast<double>(table.shape.back() * table.bytes_each);
  return Moved{.op = "embedding",
               .rows = static_cast<int64_t>(places.elements()),
               .columns = table.shape.back(),
               .precision = *table.precision,
               .backward = row.backward,
               .read_bytes = row.backward ? 2 * bytes : bytes,
               .written_bytes = bytes};
}

}  // namespace

std::optional<Moved> moved_by(std::string_view name, const std::vector<OperatorInput>& inputs,
                              std::string_view kernel) {
  if (const LookupRow* lookup = lookup_row(name)) return looked_up(*lookup, inputs);
  const FoundRow row = moved_row(name);
  return row.row ? Mover(row, inputs, kernel).moved() : std::nullopt;
}

bool moves(std::string_view name) { return lookup_row(name) || moved_row(name).row; }

}  // namespace planner::replay
