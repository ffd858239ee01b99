// Tables of memory-bound kernels: the meaning of their columns, their mistakes, and the parameters that a fit recovers.
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/holdout.h"
#include "operator_models/calibrate/readers.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

operator_models::Machine gpu() {
  const test::CalibratedGpu read = test::read_gpu("a100-sxm-80gb");
  return {.gpu = read.gpu, .network = {}, .gpus_per_node = 8, .calibration = read.calibration};
}

struct Read {
  explicit Read(std::string text, const char* name = "t.csv", const Task& task = {})
      : source{name, std::move(text), ""} {
    DataFile file{&source, dsl::read_csv(source, diagnostics), {}, {}};
    for (size_t i = 0; i < file.table.rows.size(); ++i) file.rows.push_back(i);
    file.counted.assign(file.rows.size(), 1);
    read_vectors({file, task, gpu(), set, diagnostics});
  }
  const Vector& op(size_t i) const { return std::get<Vector>(set.samples.at(i).op); }
  std::string message() const { return diagnostics.list.empty() ? "" : diagnostics.list[0].message; }
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  SampleSet set;
};

const std::string kPlain = "op,rows,columns,precision,backward,read_bytes,written_bytes,time_us\n";

}  // namespace

TEST_CASE("a sweep of eager calls is fp32, and an operand is read for each tensor") {
  const Read r("op,B,H,latency_ms,set\nadd,4,1000000,0.05,train\naddu,4,1000000,0.04,test\nln,8,4096,0.05,train\n");
  REQUIRE(r.set.samples.size() == 3);
  CHECK(r.op(0).read.value == 2 * 4e6 * 4);
  CHECK(r.op(1).read.value == 4e6 * 4);
  CHECK(r.op(0).written.value == 4e6 * 4);
  CHECK(r.op(0).called);
  CHECK(r.op(2).kind == VectorKind::normalization);
  CHECK(r.op(2).width == 4096);
  CHECK(r.set.samples[2].seconds == doctest::Approx(50e-6));
}

TEST_CASE("elements per second are a time, of the operator that the file is named after") {
  const Read r("m,n,gelem_per_s\n4096,1024,100\n", "data/softmax_fp16_A100.csv");
  REQUIRE(r.set.samples.size() == 1);
  CHECK(r.op(0).kind == VectorKind::softmax);
  CHECK(r.op(0).read.value == 2.0 * 4096 * 1024);
  CHECK(r.set.samples[0].seconds == doctest::Approx(4096 * 1024 / 100e9));
  CHECK(Read("numel,gelem_per_s\n1024,1\n", "gelu_fp16.csv").op(0).kind == VectorKind::activation);
  CHECK(Read("m,n,gelem_per_s\n4096,1024,100\n", "mystery.csv").message().find("says no operator") !=
        std::string::npos);
}

TEST_CASE("a row of Vidur's holds several kernels, those of the model alone") {
  const Read r(
      "num_tokens,num_tensor_parallel_workers,n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,emb_ms,"
      "input_layernorm_ms,attn_rope_ms,mlp_act_ms,add_ms\n1000,2,32,8,4096,11008,32768,True,0.1,0.02,0.03,,0.04\n");
  REQUIRE(r.set.samples.size() == 4);
  CHECK(r.op(0).read.value == 2 * 1000.0 * 4096);
  CHECK_FALSE(r.op(0).called);
  CHECK(r.op(1).kind == VectorKind::rope);
  CHECK(r.op(1).read.value == 2 * 1000.0 * 128 * (32 + 8) / 2);  // queries and keys, of half the heads
  CHECK(r.op(2).read.value == 2 * 2 * 1000.0 * 4096);
  CHECK(std::get<Lookup>(r.set.samples[3].op).rows == 1000);
}

TEST_CASE("a trace gives forward and backward kernels of fp32, and passes over the rest") {
  const std::string header = "gpu,run,name,target,input_shapes,output_shape,dtype,fw_ms,bw_ms,acc_ms\n";
  const Read r(
      header +
      "A100,bert-train-512-8,n,bert.LayerNorm,\"[[8, 512, 1024]]\",\"(8, 512, 1024)\",torch.float32,0.05,0.08,0\n"
      "A100,bert-train-512-8,s,size,\"[[8, 512]]\",\"(1,)\",,0.007,0.0,0\n"
      "A100,bert-train-512-8,a,<built-in function add>,\"[[8, 512, 1024], [8, 512, 1024]]\",\"(8, 512, "
      "1024)\",torch.float32,0.05,0.007,0\n"
      "A100,bert-train-512-8,d,dropout,\"[[8, 512, 1024]]\",\"(8, 512, 1024)\",torch.float32,0.01,0.0,0\n");
  REQUIRE(r.set.samples.size() == 3);
  CHECK_FALSE(r.op(0).backward);
  CHECK(r.op(0).width == 1024);
  CHECK(r.op(1).backward);
  CHECK(r.op(1).read.value == 2 * r.op(0).read.value);
  CHECK(r.op(2).kind == VectorKind::elementwise);
  CHECK(r.op(2).read.value == 2.0 * 4 * 8 * 512 * 1024);
  CHECK(r.set.passed_over == 2);
  CHECK(r.set.samples[0].values[2] == "bert-train-512-8");
}

TEST_CASE("the kit's layout says its bytes, also of lookups and the optimizer") {
  const Read r(kPlain +
               "rms-norm,4096,8192,bf16,0,67108864,67108864,90\nembedding,4096,8192,bf16,1,67108864,67108864,200\n"
               "adam,16,1000000,fp32,0,256000000,192000000,400\n");
  REQUIRE(r.set.samples.size() == 3);
  CHECK(r.op(0).width == 8192);
  CHECK(std::get<Lookup>(r.set.samples[1].op).backward);
  CHECK(std::get<Update>(r.set.samples[2].op).read_bytes == 16);
}

TEST_CASE("a kernel may write nothing that counts, and be of no name of its own") {
  const Read r(kPlain +
               "reduction,4096,8192,bf16,0,67108864,0,50\nelementwise,64,64,fp32,0,16384,16384,9\n"
               "activation,64,64,fp32,1,32768,16384,9\n");
  REQUIRE_MESSAGE(r.set.samples.size() == 3, r.message());
  CHECK(r.op(0).written.value == 0);
  CHECK(r.op(1).kind == VectorKind::elementwise);
  CHECK(r.op(2).kind == VectorKind::activation);
  CHECK(Read(kPlain + "reduction,4096,8192,bf16,0,0,0,50\n").message() == "expected 'read_bytes' above zero, got 0");
  CHECK(Read(kPlain + "reduction,4096,8192,bf16,0,9,-1,50\n").message() ==
        "expected 'written_bytes' above zero, got -1");
}

TEST_CASE("wrong tables of vector kernels are told, and what memory cannot move is a warning") {
  CHECK(Read("op,B,H,latency_ms,set\nfft,4,1000,0.05,train\n").message() == "unknown operator 'fft'");
  CHECK(Read("op,B,H,latency_ms,set\nln,4,1000,-1,train\n").message() == "expected 'latency_ms' above zero, got -1");
  CHECK(Read("op,B,H,latency_ms,set\nln,4,1000,5 us,train\n").diagnostics.has_errors());
  CHECK(Read("op,B\nln,4\n").message() == "no known layout has the columns op, B");
  const Read fast(kPlain + "add,4096,65536,bf16,0,1073741824,536870912,90\nadd,16,1024,bf16,0,65536,32768,0.01\n");
  CHECK(fast.set.samples.size() == 2);
  CHECK_FALSE(fast.diagnostics.has_errors());
  CHECK(fast.message() == "1 rows move more than the 2039 GB/s of a100-sxm-80gb, this one 1.79e+04 GB/s");
}

TEST_CASE("a fit finds efficiencies by width and what a call costs again") {
  operator_models::Machine truth = gpu();
  VectorCalibration& row = truth.calibration.vector["softmax"];
  row.widths = {512, 1024, 1025, 4096};
  row.efficiencies = {0.8, 0.7, 0.4, 0.6};
  row.call_base = {12e-6};
  row.call_least = {30e-6};
  SampleSet set{{"rows", "columns", "model", "op"}, {}, 0, 1};
  double sign = 1;
  for (int64_t width : {512, 700, 1000, 1024, 1025, 1500, 2048, 3000, 4096})
    for (int64_t rows : {16, 256, 4096, 16384, 65536}) {
      const double bytes = static_cast<double>(width) * static_cast<double>(rows) * 4;
      Vector op{
          .kind = VectorKind::softmax, .elements = bytes / 4, .read = {bytes}, .written = {bytes}, .width = width};
      op.called = true;
      const double exact = cost(op, device_of(truth, truth.calibration)).seconds.value;
      set.samples.push_back({.op = op,
                             .seconds = exact * (1 + 0.01 * (sign = -sign)),
                             .values = {std::to_string(rows), std::to_string(width), "m", "softmax"}});
    }
  const Fitted fitted = fit_vector(set, gpu());
  const VectorCalibration& found = fitted.calibration.vector.at("softmax");
  CHECK(found.call_base.value == doctest::Approx(12e-6).epsilon(0.1));
  CHECK(found.call_least.value == doctest::Approx(30e-6).epsilon(0.02));
  CHECK(found.efficiencies.front() == doctest::Approx(0.8).epsilon(0.05));
  CHECK(found.efficiencies.back() == doctest::Approx(0.6).epsilon(0.05));
  CHECK(found.relative_error < 0.02);
  const FitRow fit{"vector", "streaming", "", 6, fit_vector};
  const Holdout left_out = cross_validate(fit, set, gpu());
  CHECK(*left_out.all.geomean < 0.1);
  CHECK(*left_out.all.geomean > 0.005);
}

TEST_CASE("backward rows give a factor, and few rows of a kind leave its row alone") {
  const operator_models::Machine machine = gpu();
  operator_models::Machine truth = machine;
  truth.calibration.vector["activation"].backward = 0.6;
  truth.calibration.vector["rope"].efficiency = 0.2;
  SampleSet set{{"rows"}, {}, 0};
  for (int64_t i = 1; i <= 12; ++i) {
    const VectorKind kind = i == 12 ? VectorKind::rope : VectorKind::activation;
    const double bytes = 1e7 * static_cast<double>(i);
    const Vector op{.kind = kind, .elements = bytes / 2, .read = {bytes}, .written = {bytes}, .backward = i % 2 == 1};
    set.samples.push_back({.op = op,
                           .seconds = cost(op, device_of(truth, truth.calibration)).seconds.value,
                           .values = {std::to_string(i)}});
  }
  const Fitted fitted = fit_vector(set, machine);
  CHECK(fitted.calibration.vector.at("activation").backward == doctest::Approx(0.6).epsilon(0.35));
  CHECK(fitted.calibration.vector.at("rope").efficiency == machine.calibration.vector.at("rope").efficiency);
}

TEST_CASE("neither direction has rows enough, but both together: one efficiency, and the factor stays") {
  const operator_models::Machine machine = gpu();
  operator_models::Machine truth = machine;
  truth.calibration.vector["activation"].efficiency = 0.5;
  SampleSet set{{"rows"}, {}, 0};
  for (int64_t i = 1; i <= 8; ++i) {
    const double bytes = 1e8 * static_cast<double>(i);
    const Vector op{.kind = VectorKind::activation,
                    .elements = bytes / 2,
                    .read = {bytes},
                    .written = {bytes},
                    .backward = i % 2 == 1};
    set.samples.push_back({.op = op,
                           .seconds = cost(op, device_of(truth, truth.calibration)).seconds.value,
                           .values = {std::to_string(i)}});
  }
  const VectorCalibration found = fit_vector(set, machine).calibration.vector.at("activation");
  CHECK(found.efficiency == doctest::Approx(0.5).epsilon(0.01));
  CHECK(found.backward == machine.calibration.vector.at("activation").backward);
  CHECK(found.relative_error < 0.02);
}
