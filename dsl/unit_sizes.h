// Units in which figures are printed and read, in SI base units.
#pragma once

namespace dsl {

inline constexpr double kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour, kWeek = 7 * kDay;  // s
inline constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB, kTiB = 1024 * kGiB;  // bytes
inline constexpr double kKilowattHour = 1000 * kHour;                                             // J
inline constexpr double kTera = 1e12;  // FLOP of a TFLOP, tokens that a price is quoted for

}  // namespace dsl
