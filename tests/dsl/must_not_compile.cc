// Mistakes of dimension that the compiler must refuse (dsl/quantity.h). The tests compile this file
// once per CASE: 0 is right and must compile, each other one must not.
#include "dsl/quantity.h"

using namespace dsl;

constexpr Seconds kStep{2};
constexpr Bytes kBuffer{1e9};
constexpr BytesPerSecond kLink{25e9};

#if CASE == 0
constexpr Seconds kRight = kStep + kBuffer / kLink;
static_assert(kRight.value > 2);
static_assert(kBuffer / kBuffer == 1.0);
#elif CASE == 1
constexpr auto kWrong = kStep + kBuffer;  // seconds plus bytes
#elif CASE == 2
constexpr Seconds kWrong = kBuffer * kLink;  // not a time
#elif CASE == 3
constexpr Seconds kWrong = 1.5;  // a number without a unit
#elif CASE == 4
constexpr bool kWrong = kStep < kBuffer;  // seconds against bytes
#elif CASE == 5
constexpr double kWrong = kStep / kBuffer;  // a quotient that is not a plain number
#elif CASE == 6
constexpr auto kWrong = kStep + 1.0;  // seconds plus a number
#endif
