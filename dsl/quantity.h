// Dimensions and quantities.
//
// A `Dim` is the exponents of five base dimensions. The same value tags C++
// quantities at compile time and language values at run time, so that one
// comparison decides whether `900 GB/s` may become a `BytesPerSecond`.
// A `Quantity<D>` is a double in SI base units (s, byte, FLOP, USD, joule).
// Adding seconds to bytes does not compile; dividing bytes by bytes per
// second gives seconds; a quotient of like quantities is a plain double.
#pragma once

#include <compare>

namespace dsl {

struct Dim {
  signed char time = 0, data = 0, flop = 0, money = 0, energy = 0;
  friend constexpr bool operator==(const Dim&, const Dim&) = default;
};

constexpr Dim scaled_sum(Dim a, Dim b, int sign) {
  auto add = [sign](signed char x, signed char y) { return static_cast<signed char>(x + sign * y); };
  return {add(a.time, b.time), add(a.data, b.data), add(a.flop, b.flop), add(a.money, b.money),
          add(a.energy, b.energy)};
}
constexpr Dim operator*(Dim a, Dim b) { return scaled_sum(a, b, 1); }
constexpr Dim operator/(Dim a, Dim b) { return scaled_sum(a, b, -1); }

inline constexpr Dim kNone{}, kTime{.time = 1}, kData{.data = 1}, kFlop{.flop = 1}, kMoney{.money = 1},
    kEnergy{.energy = 1};
inline constexpr Dim kFrequency = kNone / kTime, kBandwidth = kData / kTime, kFlopRate = kFlop / kTime,
                     kPower = kEnergy / kTime, kPrice = kMoney / kTime, kEnergyPrice = kMoney / kEnergy;

template <Dim D> struct Quantity {
  double value = 0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity o) { return value += o.value, *this; }
  constexpr Quantity& operator-=(Quantity o) { return value -= o.value, *this; }
  constexpr Quantity& operator*=(double k) { return value *= k, *this; }
  constexpr Quantity& operator/=(double k) { return value /= k, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, double k) { return {a.value * k}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return {k * a.value}; }
  friend constexpr Quantity operator/(Quantity a, double k) { return {a.value / k}; }
};

/// A product or quotient of quantities; plain double where the dimensions cancel.
template <Dim D> constexpr auto of(double value) {
  if constexpr (D == kNone) return value;
  else return Quantity<D>{value};
}
template <Dim A, Dim B> constexpr auto operator*(Quantity<A> a, Quantity<B> b) { return of<A * B>(a.value * b.value); }
template <Dim A, Dim B> constexpr auto operator/(Quantity<A> a, Quantity<B> b) { return of<A / B>(a.value / b.value); }

using Seconds = Quantity<kTime>;
using Bytes = Quantity<kData>;
using Flops = Quantity<kFlop>;
using Usd = Quantity<kMoney>;
using Joules = Quantity<kEnergy>;
using Hertz = Quantity<kFrequency>;
using BytesPerSecond = Quantity<kBandwidth>;
using FlopsPerSecond = Quantity<kFlopRate>;
using Watts = Quantity<kPower>;
using UsdPerSecond = Quantity<kPrice>;
using UsdPerJoule = Quantity<kEnergyPrice>;

}  // namespace dsl
