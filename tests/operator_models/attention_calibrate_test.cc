// Tables of attention: the meaning of their columns, their mistakes, and the parameters that a fit recovers.
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/holdout.h"
#include "operator_models/calibrate/readers.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

operator_models::Machine gpu(const char* name = "a100-sxm-80gb") {
  const test::CalibratedGpu read = test::read_gpu(name);
  return {.gpu = read.gpu, .network = {}, .gpus_per_node = 8, .calibration = read.calibration};
}

struct Read {
  explicit Read(std::string text, const Task& task = {}) : source{"t.csv", std::move(text), ""} {
    DataFile file{&source, dsl::read_csv(source, diagnostics), {}, {}};
    for (size_t i = 0; i < file.table.rows.size(); ++i) file.rows.push_back(i);
    file.counted.assign(file.rows.size(), 1);
    read_attentions({file, task, gpu(), set, diagnostics});
  }
  const Attention& op(size_t i) const { return std::get<Attention>(set.samples.at(i).op); }
  std::string error() const { return diagnostics.list.empty() ? "" : diagnostics.list[0].message; }
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  SampleSet set;
};

/// Times of a known row on a grid, with `noise` up and down in turn.
SampleSet synthetic(const operator_models::Machine& machine, const char* model, double noise) {
  SampleSet set{{"batch", "heads", "kv_heads", "keys", "head_dim"}, {}, 0};
  double sign = 1;
  for (int64_t batch : {1, 4, 16, 64})
    for (int64_t heads : {1, 4, 16, 32})
      for (int64_t keys : {128, 256, 512, 1024, 2048, 4096, 8192, 16384}) {
        Attention op{.kernel = "mine",
                     .batch = batch,
                     .heads = heads,
                     .kv_heads = heads,
                     .queries = keys,
                     .keys = keys,
                     .head_dim = 128};
        const double exact = cost(op, device_of(machine, machine.calibration), {{"attention", model}}).seconds.value;
        set.samples.push_back({.op = op,
                               .seconds = exact * (1 + noise * (sign = -sign)),
                               .values = {std::to_string(batch), std::to_string(heads), std::to_string(heads),
                                          std::to_string(keys), "128"}});
      }
  return set;
}

}  // namespace

TEST_CASE("a sweep with KV heads is causal and writes a cache, one without sees the square") {
  const Read decoder("batch_size,seq_len,num_heads,num_kv_heads,head_dim,latency_us\n2,4096,40,8,128,1850.4\n",
                     {.kernel = "flash2"});
  REQUIRE(decoder.set.samples.size() == 1);
  CHECK(decoder.op(0).kernel == "flash2");
  CHECK(decoder.op(0).causal);
  CHECK(decoder.op(0).cached);
  CHECK(decoder.op(0).kv_heads == 8);
  CHECK(decoder.set.samples[0].seconds == doctest::Approx(1850.4e-6));
  const Read encoder("batch_size,seq_len,num_heads,head_dim,latency_us\n2,4096,16,64,900\n");
  REQUIRE(encoder.set.samples.size() == 1);
  CHECK_FALSE(encoder.op(0).causal);
  CHECK_FALSE(encoder.op(0).cached);
  CHECK(encoder.op(0).kv_heads == 16);
  CHECK_FALSE(encoder.op(0).kernel.empty());
  const Read said("batch_size,seq_len,num_heads,head_dim,causal,latency_us\n2,4096,16,64,1,900\n");
  CHECK(said.op(0).causal);
}

TEST_CASE("a share of the whole square's FLOPs becomes the time it stands for") {
  const Read r(
      "op,peak_tflops,efficiency,batch,seq_len,head_num,kv_head_num,qk_head_dim,v_head_dim,qkv_contiguous\n"
      "sdp_fwd,312,1.187,1,4096,64,8,128,128,True\nsdp_bwd,312,1.0051,1,4096,64,8,128,128,True\n");
  REQUIRE(r.set.samples.size() == 2);
  const double square = 4.0 * 64 * 128 * 4096 * 4096;
  CHECK(r.set.samples[0].seconds == doctest::Approx(square / (312e12 * 1.187)));
  CHECK(r.set.samples[1].seconds == doctest::Approx(2.5 * square / (312e12 * 1.0051)));
  CHECK(r.op(0).causal);
  CHECK(r.op(1).backward);
}

TEST_CASE("the kit's layout says everything, and one kernel of several may be asked for") {
  const std::string text =
      "kernel,batch,heads,kv_heads,queries,keys,head_dim,causal,backward,precision,time_us\n"
      "flash2,1,32,8,4096,4096,128,1,0,bf16,900\nsdpa,1,32,8,4096,8192,128,0,1,fp16,9000\n";
  const Read all(text);
  REQUIRE(all.set.samples.size() == 2);
  CHECK(all.op(1).kernel == "sdpa");
  CHECK(all.op(1).keys == 8192);
  CHECK_FALSE(all.op(1).causal);
  CHECK(all.op(1).precision == Precision::fp16);
  const Read one(text, {.kernel = "flash2"});
  CHECK(one.set.samples.size() == 1);
  CHECK(one.set.passed_over == 1);
}

TEST_CASE("wrong tables of attention are told, and give no sample") {
  const std::string sweep = "batch_size,seq_len,num_heads,head_dim,latency_us\n";
  struct Case {
    std::string text, message;
  };
  for (const Case& c :
       {Case{sweep + "2,4096,16,64,1\n", "1.374e+05 TFLOP/s is above the bf16 peak of a100-sxm-80gb, 312 TFLOP/s"},
        Case{sweep + "2,4096,16,64,0\n", "expected 'latency_us' above zero, got 0"},
        Case{sweep + "2,many,16,64,9\n", "expected a number in 'seq_len', got 'many'"},
        Case{"a,b\n1,2\n", "no known layout has the columns a, b"},
        Case{"kernel,batch,heads,kv_heads,queries,keys,head_dim,causal,backward,precision,time_us\n"
             "flash2,1,32,8,4096,4096,128,perhaps,0,bf16,900\n",
             "expected 0 or 1 in 'causal', got 'perhaps'"},
        Case{"kernel,batch,heads,kv_heads,queries,keys,head_dim,causal,backward,precision,time_us\n"
             "flash2,1,32,8,4096,4096,128,1,0,bf17,900\n",
             "unknown precision 'bf17'"}}) {
    const Read r(c.text);
    CHECK(r.error() == c.message);
    CHECK(r.set.samples.empty());
  }
}

TEST_CASE("a fit finds a known surface again, and says its residual") {
  operator_models::Machine truth = gpu();
  AttentionCut cut{.head_dim = 128, .base = {4e-6}, .tail = 0.3};
  cut.keys = {128, 1024, 8192};
  cut.efficiency = {0.35, 0.5, 0.6};
  cut.work = {0.25, 4, 64};
  cut.share = {0.6, 0.8, 1};
  truth.calibration.attention["mine"] = {.forward = 0.6, .backward = 0.5, .small_head = 0.8, .table = {cut}};
  const SampleSet set = synthetic(truth, "table", 0.02);
  const Fitted fitted = fit_attention_table(set, gpu());
  REQUIRE_FALSE(fitted.empty);
  const AttentionCalibration& row = fitted.calibration.attention.at("mine");
  REQUIRE(row.table.size() == 1);
  CHECK(row.table[0].efficiency.back() == doctest::Approx(0.6).epsilon(0.05));
  CHECK(row.relative_error == doctest::Approx(0.02).epsilon(0.5));
  const FitRow fit{"attention", "table", "", 2, fit_attention_table};
  const Holdout left_out = cross_validate(fit, set, gpu(), 4);
  CHECK(*left_out.all.geomean <
        0.1);  // a length that was left out has no knot, and the surface is level beyond the last
  CHECK(*left_out.all.geomean >
        *errors_of(log_ratios(set, device_of(gpu(), fitted.calibration), choice_of(fit))).geomean);
}

TEST_CASE("few rows scale the surface of the catalogue, and give backward its own rate") {
  operator_models::Machine truth = gpu();
  truth.calibration.attention["mine"] = truth.calibration.attention.at("flash2");
  REQUIRE_FALSE(truth.calibration.attention.at("mine").table.empty());
  operator_models::Machine known = truth;
  truth.calibration.attention["mine"].scale = 0.9;
  truth.calibration.attention["mine"].backward = 0.5;
  SampleSet set{{"keys"}, {}, 0};
  for (int64_t keys : {2048, 4096, 8192})
    for (bool backward : {false, true}) {
      const Attention op{.kernel = "mine",
                         .batch = 2,
                         .heads = 32,
                         .kv_heads = 8,
                         .queries = keys,
                         .keys = keys,
                         .head_dim = 128,
                         .backward = backward};
      set.samples.push_back({.op = op,
                             .seconds = cost(op, device_of(truth, truth.calibration)).seconds.value,
                             .values = {std::to_string(keys)}});
    }
  const Fitted fitted = fit_attention_table(set, known);
  CHECK(fitted.calibration.attention.at("mine").scale == doctest::Approx(0.9).epsilon(0.01));
  CHECK(fitted.calibration.attention.at("mine").backward == doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("a row far from the fit is said with its place, and kept") {
  operator_models::Machine truth = gpu();
  truth.calibration.attention["mine"] = truth.calibration.attention.at("flash2");
  SampleSet set = synthetic(truth, "fused", 0.01);
  const dsl::Source source{"far.csv", "", ""};
  set.samples[40].seconds *= 5;
  set.samples[40].place = {&source, 42, 1, 1};
  const Fitted fitted = fit_attention_fused(set, truth);
  REQUIRE(fitted.warnings.size() == 1);
  CHECK(fitted.warnings[0].find("1 of 128 attention rows") == 0);
  CHECK(fitted.warnings[0].find("far.csv:42") != std::string::npos);
  CHECK(fitted.calibration.attention.at("mine").relative_error > 0.1);
}
