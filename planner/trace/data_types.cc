#include "planner/trace/data_types.h"

#include <algorithm>
#include <array>

namespace planner::trace {
namespace {

using hw_profiles::Precision;

struct TypeRow {
  std::string_view name;
  int64_t bytes;
  std::optional<Precision> precision = {};
};
// c10/core/ScalarType.h ("Float"), and what typeid says of the same on operators' inputs ("float", "c10::Half").
constexpr std::array kTypes{
    TypeRow{"Byte", 1},
    TypeRow{"Char", 1},
    TypeRow{"Bool", 1},
    TypeRow{"Short", 2},
    TypeRow{"Int", 4},
    TypeRow{"Long", 8},
    TypeRow{"Half", 2, Precision::fp16},
    TypeRow{"Float", 4, Precision::fp32},
    TypeRow{"Double", 8},
    TypeRow{"BFloat16", 2, Precision::bf16},
    TypeRow{"ComplexFloat", 8},
    TypeRow{"ComplexDouble", 16},
    TypeRow{"Float8_e5m2", 1, Precision::fp8},
    TypeRow{"Float8_e4m3fn", 1, Precision::fp8},
    TypeRow{"Float8_e5m2fnuz", 1, Precision::fp8},
    TypeRow{"Float8_e4m3fnuz", 1, Precision::fp8},
    TypeRow{"unsigned char", 1},
    TypeRow{"signed char", 1},
    TypeRow{"bool", 1},
    TypeRow{"short", 2},
    TypeRow{"short int", 2},
    TypeRow{"int", 4},
    TypeRow{"long", 8},
    TypeRow{"long int", 8},
    TypeRow{"float", 4, Precision::fp32},
    TypeRow{"double", 8},
    TypeRow{"c10::Half", 2, Precision::fp16},
    TypeRow{"c10::BFloat16", 2, Precision::bf16},
    TypeRow{"c10::complex<float>", 8},
    TypeRow{"c10::Float8_e5m2", 1, Precision::fp8},
    TypeRow{"c10::Float8_e4m3fn", 1, Precision::fp8},
    TypeRow{"c10::Float8_e5m2fnuz", 1, Precision::fp8},
    TypeRow{"c10::Float8_e4m3fnuz", 1, Precision::fp8},
};

/// null: the type is unknown.
const TypeRow* row_of(std::string_view type) {
  const auto* const row = std::ranges::find(kTypes, type, &TypeRow::name);
  return row == kTypes.end() ? nullptr : row;
}

}  // namespace

int64_t bytes_of_type(std::string_view type) {
  const TypeRow* row = row_of(type);
  return row ? row->bytes : 0;
}

std::optional<Precision> precision_of_type(std::string_view type) {
  const TypeRow* row = row_of(type);
  return row ? row->precision : std::nullopt;
}

}  // namespace planner::trace
