// Data types as profilers write them: bytes, and precisions of the models.
#include "planner/trace/data_types.h"

#include <doctest/doctest.h>

using namespace planner::trace;
using hw_profiles::Precision;

TEST_CASE("bytes of data types as profilers write them") {
  CHECK(bytes_of_type("Float") == 4);
  CHECK(bytes_of_type("c10::BFloat16") == 2);
  CHECK(bytes_of_type("long int") == 8);
  CHECK(bytes_of_type("") == 0);
  CHECK(bytes_of_type("complicated") == 0);
}

TEST_CASE("precisions of floating-point types, under both their names") {
  const struct {
    const char* type;
    Precision precision;
  } rows[] = {{"Float", Precision::fp32},          {"float", Precision::fp32},
              {"Half", Precision::fp16},           {"c10::Half", Precision::fp16},
              {"BFloat16", Precision::bf16},       {"c10::BFloat16", Precision::bf16},
              {"Float8_e4m3fn", Precision::fp8},   {"c10::Float8_e5m2", Precision::fp8},
              {"Float8_e5m2fnuz", Precision::fp8}, {"c10::Float8_e4m3fnuz", Precision::fp8}};
  for (const auto& row : rows) {
    CHECK_MESSAGE(precision_of_type(row.type) == row.precision, row.type);
    CHECK_MESSAGE(bytes_of_type(row.type) > 0, row.type);
  }
  for (const char* type : {"double", "int", "Bool", "TensorList", "", "floats"})
    CHECK_MESSAGE(precision_of_type(type) == std::nullopt, type);
}
