// The optimizer near memory against hand-written commands (Pati 2024, sections 6.3 and 6.4).
#include "tests/operator_models/devices.h"

using operator_models::Cost;
using operator_models::NearUpdate;
using operator_models::Update;
using test::Machine;

namespace {

constexpr double kParameters = 32.0 * 64 * 16 / 4 * 1000;  // a thousand columns of each array in each bank

Update adam() {
  return {.algorithm = "adam",
          .parameters = kParameters,
          .read_bytes = 16,
          .written_bytes = 12,
          .flops_per_parameter = 12,
          .register_commands = 5};
}
Cost cost(const Machine& m, const Update& u) { return operator_models::cost(NearUpdate{u}, m.device()); }
double seconds(const Machine& m, const Update& u) { return cost(m, u).seconds.value; }
double commands(const Machine& m, const Update& u) {
  const Cost c = cost(m, u);
  return (c.seconds - c.launch).value;
}

}  // namespace

TEST_CASE("each bank takes a command for a column that it reads or writes, and one for each on registers") {
  const Machine m = test::machine(test::kA100);
  CHECK(commands(m, adam()) == doctest::Approx(1000 * (7 + 5) * 3.33e-9 + 1000 * 7 * 28e-9 / 16));
  Update sgd = adam();
  sgd.read_bytes = 12, sgd.written_bytes = 8, sgd.register_commands = 0;
  CHECK(commands(m, sgd) == doctest::Approx(1000 * 5 * 3.33e-9 + 1000 * 5 * 28e-9 / 16));
}

TEST_CASE("its bytes stay near memory, but for the parts of sums that the GPU adds up") {
  const Machine m = test::machine(test::kA100);
  const Cost c = cost(m, adam());
  CHECK(c.near_bytes == kParameters * 28);
  CHECK(c.bytes_read + c.bytes_written == 0);
  Update norm = adam();
  norm.sums = 2;
  const Cost with = cost(m, norm);
  CHECK(with.near_bytes == c.near_bytes);
  CHECK(with.bytes_read == 2 * 64 * 16 * 32);
  const double parts = with.bytes_read / (m.calibration.update_efficiency * m.gpu.memory_bandwidth.value);
  CHECK(with.seconds.value == doctest::Approx(c.seconds.value + 2 * c.launch.value + parts));
  CHECK(with.launch.value == doctest::Approx(3 * c.launch.value));
}

TEST_CASE("more registers, more banks and shorter commands are never slower") {
  const Machine m = test::machine(test::kA100);
  const auto with = [&](auto change) {
    Machine other = m;
    change(other.gpu.near_memory);
    return seconds(other, adam());
  };
  const double before = seconds(m, adam());
  CHECK(with([](auto& n) { n.registers *= 4; }) < before);
  CHECK(with([](auto& n) { n.banks *= 2; }) < before);
  CHECK(with([](auto& n) { n.channels *= 2; }) < before);
  CHECK(with([](auto& n) { n.command = n.command / 2; }) < before);
  CHECK(with([](auto& n) { n.row_switch = {}; }) < before);
}

TEST_CASE("banks as slow as the channel's burst gain nothing") {
  Machine m = test::machine(test::kA100);
  hw_profiles::NearMemory& n = m.gpu.near_memory;
  Update copies = adam();
  copies.register_commands = 0;
  n.row_switch = {};
  // All banks of a channel in the time in which it would pass their columns on one after the other.
  n.command = n.column * n.units() / m.gpu.memory_bandwidth;
  const double streamed = kParameters * 28 / m.gpu.memory_bandwidth.value;
  CHECK(commands(m, copies) == doctest::Approx(streamed));
}

TEST_CASE("no parameters cost nothing, with or without units") {
  Machine m = test::machine(test::kA100);
  m.gpu.near_memory = {};
  CHECK(seconds(m, Update{}) == 0);
}
