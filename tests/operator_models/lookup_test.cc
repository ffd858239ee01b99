// Model `lookup: reuse`: rows that are used again come out of the cache as far as it holds them.
#include <map>
#include <set>

#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

Cost reuse(const Lookup& op, const Device& device) { return cost(op, device, {{"lookup", "reuse"}}); }

/// Forward lookups of one row per token as NeuSight measured them (model_op_traces_fp32.csv: word embeddings, single
/// calls of eager PyTorch): rows of the vocabulary, tokens, width, microseconds.
struct Measured {
  const char* gpu;
  double vocabulary;
  int64_t tokens, width;
  double us;
};
constexpr Measured kMeasured[] = {
    {"a100-pcie-80gb", 30522, 1024, 1024, 33.382},  {"a100-pcie-80gb", 30522, 4096, 1024, 61.235},
    {"a100-pcie-80gb", 50257, 1024, 1280, 33.587},  {"a100-pcie-80gb", 50257, 4096, 1280, 69.837},
    {"a100-pcie-80gb", 50257, 2048, 2560, 69.632},  {"a100-pcie-80gb", 50257, 2048, 3072, 78.848},
    {"a100-pcie-80gb", 50272, 2048, 2048, 60.826},  {"a100-pcie-80gb", 50272, 4096, 2048, 100.15},
    {"h100-sxm-80gb", 30522, 1024, 1024, 18.509},   {"h100-sxm-80gb", 30522, 4096, 1024, 35.699},
    {"h100-sxm-80gb", 30522, 4096, 1024, 35.693},   {"h100-sxm-80gb", 30522, 8192, 1024, 57.926},
    {"mi210", 30522, 1024, 1024, 32.448},           {"mi210", 30522, 4096, 1024, 61.472},
    {"mi210", 30522, 4096, 1024, 62.656},           {"mi210", 30522, 8192, 1024, 98.24},
    {"v100-sxm2-32gb", 30522, 1024, 1024, 39.302},  {"v100-sxm2-32gb", 30522, 4096, 1024, 86.618},
    {"v100-sxm2-32gb", 30522, 4096, 1024, 81.491},  {"v100-sxm2-32gb", 30522, 8192, 1024, 133.73},
    {"v100-sxm2-32gb", 50257, 1024, 1280, 44.013},  {"v100-sxm2-32gb", 50257, 4096, 1280, 94.618},
    {"v100-sxm2-32gb", 50257, 8192, 1280, 174.69},  {"v100-sxm2-32gb", 50257, 4096, 2560, 173.04},
    {"v100-sxm2-32gb", 50257, 4096, 3072, 193.95},  {"v100-sxm2-32gb", 50272, 4096, 2048, 144.59},
    {"v100-sxm2-32gb", 50272, 16384, 2048, 482.51},
};

Lookup lookup_of(const Measured& m) {
  const double n = static_cast<double>(m.tokens);
  return {.rows = m.tokens,
          .width = m.width,
          .bytes_per_element = 4,
          .distinct = m.vocabulary * -std::expm1(n * std::log1p(-1 / m.vocabulary)),
          .bags = n};
}

/// Microseconds of a call, and the row's share of the bandwidth.
struct Fit {
  double call = 0, efficiency = 1, error = 1e9;
};

double predicted_us(const Measured& m, const Fit& fit, Machine& machine) {
  machine.calibration.vector["lookup-reuse"] = {.efficiency = fit.efficiency};
  const Cost c = reuse(lookup_of(m), machine.device());
  return fit.call + 1e6 * (c.seconds - c.launch).value;
}

/// The least sum of squares of logarithms over a grid.
Fit fitted(const std::vector<Measured>& rows, Machine& machine) {
  Fit best;
  for (double efficiency = 0.2; efficiency < 1; efficiency *= 1.02) {
    for (double call = 0; call < 50; call += 1) {
      Fit fit{call, efficiency, 0};
      for (const Measured& m : rows) {
        const double log = std::log(predicted_us(m, {0, efficiency}, machine) + call) - std::log(m.us);
        fit.error += log * log;
      }
      if (fit.error < best.error) best = fit;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("a table that the cache holds is read once; of a larger one what it lacks is read again") {
  const Machine m = machine(kA100);  // a cache of 40 MiB
  const double cache = 40.0 * 1024 * 1024, row = 128 * 4.0;
  Lookup op{.rows = 1'000'000, .width = 128, .bytes_per_element = 4, .distinct = 50'000, .bags = 1000};
  CHECK(reuse(op, m.device()).bytes_read == doctest::Approx(50'000 * row));  // 25.6 MB
  op.distinct = 200'000;                                                     // 102.4 MB
  const double missing = 1 - cache / (200'000 * row);
  CHECK(reuse(op, m.device()).bytes_read == doctest::Approx(row * (200'000 + 800'000 * missing)));
  CHECK(reuse(op, m.device()).bytes_written == 1000 * row);
}

TEST_CASE("backward reads the rows and the bags' gradients, and writes the rows") {
  const Machine m = machine(kA100);
  const Lookup op{
      .rows = 100'000, .width = 64, .bytes_per_element = 2, .backward = true, .distinct = 10'000, .bags = 2000};
  const Cost c = reuse(op, m.device());
  CHECK(c.bytes_read == 12'000.0 * 128);
  CHECK(c.bytes_written == 10'000.0 * 128);
  CHECK(std::string(c.model) == "reuse");
}

TEST_CASE("a lookup that says nothing of its rows moves what model streaming moves, forward") {
  const Machine m = machine(kA100);
  const Lookup op{.rows = 4096, .width = 1024};
  const Cost c = reuse(op, m.device()), streamed = cost(op, m.device());
  CHECK(c.bytes_read == streamed.bytes_read);
  CHECK(c.bytes_written == streamed.bytes_written);
  CHECK(reuse(Lookup{}, m.device()).seconds.value == 0);
}

TEST_CASE("the calibration's row lookup-reuse goes before that of all lookups") {
  Machine m = machine(kA100);
  const Lookup op{.rows = 1'000'000, .width = 128};
  m.calibration.vector["lookup"] = {.efficiency = 0.2};
  m.calibration.vector.erase("lookup-reuse");
  const Cost all = reuse(op, m.device());
  m.calibration.vector["lookup-reuse"] = {.efficiency = 0.4, .provenance = Provenance::measured};
  const Cost own = reuse(op, m.device());
  CHECK((all.seconds - all.launch).value == doctest::Approx(2 * (own.seconds - own.launch).value));
  CHECK(own.provenance == Provenance::measured);
}

TEST_CASE("a larger cache, or fewer distinct rows, never slows a lookup") {
  Machine m = machine(kA100), larger = m;
  larger.gpu.cache = larger.gpu.cache * 2;
  double last = 1e9;
  for (double distinct = 1e6; distinct >= 1; distinct /= 2) {
    const Lookup op{.rows = 1'000'000, .width = 64, .distinct = distinct, .bags = 4096};
    const double seconds = reuse(op, m.device()).seconds.value;
    CHECK(seconds <= last);
    CHECK(reuse(op, larger.device()).seconds.value <= seconds);
    last = seconds;
  }
}

TEST_CASE("measured lookups of shapes that a fit has not seen are within 15 %") {
  for (const char* name : {"a100-pcie-80gb", "h100-sxm-80gb", "mi210", "v100-sxm2-32gb"}) {
    CAPTURE(std::string(name));
    const CalibratedGpu gpu = read_gpu(name);
    Machine machine{gpu.gpu, gpu.calibration, {}};
    std::vector<Measured> all;
    std::set<std::pair<int64_t, int64_t>> shapes;
    for (const Measured& m : kMeasured)
      if (std::string(m.gpu) == name) all.push_back(m), shapes.insert({m.tokens, m.width});
    for (const auto& [tokens, width] : shapes) {
      std::vector<Measured> seen, left;
      for (const Measured& m : all) (m.tokens == tokens && m.width == width ? left : seen).push_back(m);
      const Fit fit = fitted(seen, machine);
      for (const Measured& m : left) CHECK(predicted_us(m, fit, machine) == doctest::Approx(m.us).epsilon(0.15));
    }
    // What the catalogue holds is the fit of all of them.
    const double share = gpu.calibration.vector.at("lookup-reuse").efficiency;
    CHECK(within(fitted(all, machine).efficiency, share, 0.03));
  }
}
