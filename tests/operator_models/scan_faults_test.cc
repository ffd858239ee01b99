// What tables of recurrent mixers and of the choice of keys must not let pass, each once a mistake of the readers.
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

operator_models::Machine machine(const char* gpu) { return test::machine_of(gpu, 8); }

struct Read : test::MeasuredText {
  explicit Read(std::string text, bool selections = false)
      : MeasuredText(std::move(text), Task{}, machine("b200-180gb"), selections ? read_selections : read_scans) {}
};

const std::string kParts = "gpu,op,batch_size,seq_len,prefix_len,latency_us\n";

std::string told(const dsl::Diagnostics& diagnostics) {
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list) out += d.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("a backward pass is what is left of the same GPU's both") {
  const Read read(
      "gpu,mode,batch_size,seq_len,num_heads,head_dim,op,ms\n"
      "a,fwd,1,8192,96,128,chunk_gdn,1\n"
      "b,fwd,1,8192,96,128,chunk_gdn,3\n"
      "b,fwdbwd,1,8192,96,128,chunk_gdn,9\n");
  CHECK(told(read.diagnostics) == "");
  REQUIRE(read.set.samples.size() == 3);
  CHECK(read.set.samples[2].seconds == doctest::Approx(6e-3));
}

TEST_CASE("keys before the queries are a whole number that a kernel may have") {
  struct Prefix {
    const char* cell;
    bool good;
  };
  for (const Prefix& row :
       {Prefix{"0", true}, {"4096", true}, {"0.5", false}, {"1e25", false}, {"-1", false}, {"many", false}}) {
    CAPTURE(std::string(row.cell));
    const Read read(kParts + "x,glm5_mqa_logits,1,8192," + row.cell + ",5000\n", true);
    CHECK(read.set.samples.size() == (row.good ? 1 : 0));
    CHECK(read.diagnostics.has_errors() == !row.good);
  }
}

TEST_CASE("scores faster than the machine's peak are an error at their place") {
  const Read read(kParts + "x,glm5_mqa_logits,64,65536,0,1\n", true);
  CHECK(read.set.samples.empty());
  REQUIRE(read.diagnostics.list.size() == 1);
  CHECK(read.diagnostics.list[0].message.find("is above the fp8 peak of b200-180gb") != std::string::npos);
  CHECK(read.diagnostics.list[0].span.line == 2);
}

TEST_CASE("a rule of which too few rows are there gets no row") {
  const operator_models::Machine a100 = machine("a100-sxm-80gb");
  std::string text = "rule,batch,heads,key_heads,length,key_dim,value_dim,chunk,backward,time_us,precision\n";
  for (const char* length : {"1024", "2048", "4096", "8192", "16384", "32768"})
    text += std::string("delta,1,32,16,") + length + ",128,128,64,0,9000,bf16\n";
  text += "decay,1,32,32,1024,128,128,64,0,900,bf16\ndecay,1,32,32,2048,128,128,64,0,1800,bf16\n";
  const test::MeasuredText read(text, Task{}, a100, read_scans);
  REQUIRE(told(read.diagnostics) == "");
  const Fitted fitted = fit_scan(read.set, a100);
  CHECK(!fitted.empty);
  CHECK(fitted.calibration.scan.contains("delta"));
  CHECK(!fitted.calibration.scan.contains("decay"));
  CHECK(std::ranges::any_of(fitted.warnings, [](const std::string& w) { return w.starts_with("decay: fewer"); }));
}
