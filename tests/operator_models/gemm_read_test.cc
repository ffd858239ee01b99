// The layouts of GEMM tables: an excerpt of each, and the operators that it gives.
#include <numeric>

#include "operator_models/calibrate/readers.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;

namespace {

struct Read {
  Read(const char* gpu, Precision precision, std::string text)
      : source{"folder/t.csv", std::move(text), ""}, file{&source, dsl::read_csv(source, diagnostics), {}, {}} {
    const test::CalibratedGpu read = test::read_gpu(gpu);
    file.rows.resize(file.table.rows.size());
    std::iota(file.rows.begin(), file.rows.end(), size_t{0});
    file.counted.assign(file.rows.size(), 1);
    read_gemms({file, {.precision = precision, .kernel = ""}, {read.gpu, {}, 8, read.calibration}, set, diagnostics});
    for (const dsl::Diagnostic& d : diagnostics.list) FAIL_CHECK(dsl::render(d));
  }
  const Gemm& op(size_t i) const { return std::get<Gemm>(set.samples.at(i).op); }
  double microseconds(size_t i) const { return set.samples.at(i).seconds * 1e6; }

  dsl::Diagnostics diagnostics;
  dsl::Source source;
  DataFile file;
  SampleSet set;
};

void check_shape(const Gemm& op, int64_t batch, int64_t m, int64_t n, int64_t k) {
  CHECK(op.batch == batch);
  CHECK(op.m == m);
  CHECK(op.n == n);
  CHECK(op.k == k);
}

void check_bytes(const Gemm& op, double a, double b, double c) {
  CHECK(op.a_bytes == a);
  CHECK(op.b_bytes == b);
  CHECK(op.c_bytes == c);
}

}  // namespace

TEST_CASE("aiconfigurator's GEMMs are of the precision asked for") {
  const Read r("h100-sxm-80gb", Precision::fp8, "m,n,k,latency_us\n1,32,64,4.728\n");
  REQUIRE(r.set.samples.size() == 1);
  check_shape(r.op(0), 1, 1, 32, 64);
  check_bytes(r.op(0), 1, 1, 2);
  CHECK(r.op(0).precision == Precision::fp8);
  CHECK(r.microseconds(0) == doctest::Approx(4.728));
}

TEST_CASE("LLMCompass's GEMMs are plain ones in milliseconds") {
  const Read r("a100-sxm-80gb", Precision::fp16, "m,n,k,latency_ms,tflops\n64,12288,1024,0.19,101.7\n");
  REQUIRE(r.set.samples.size() == 1);
  check_shape(r.op(0), 1, 64, 12288, 1024);
  CHECK(r.microseconds(0) == doctest::Approx(190));
}

TEST_CASE("a plain table may say batch, precision and pass") {
  const Read r("a100-sxm-80gb", Precision::bf16,
               "batch,m,n,k,precision,layout,time_us\n4,64,128,256,bf16,wgrad,9\n4,64,128,256,fp16,wgrad,9\n");
  REQUIRE(r.set.samples.size() == 1);
  check_shape(r.op(0), 4, 64, 128, 256);
  CHECK(r.op(0).pass == GemmPass::wgrad);
  CHECK(r.set.passed_over == 1);
}

TEST_CASE("NeuSight's GEMMs are fp32, batched in B") {
  const Read r("v100-sxm2-32gb", Precision::fp32,
               "op,B,M,N,K,latency_ms,grid_x,grid_y,grid_z,block_x,kernel,set\n"
               "bmm,3,17,80,489,0.039424,16,1,1,128,volta_sgemm_32x32_sliced1x4_nn,train\n");
  REQUIRE(r.set.samples.size() == 1);
  check_shape(r.op(0), 3, 17, 80, 489);
  check_bytes(r.op(0), 4, 4, 4);
  CHECK(r.set.samples[0].values.at(4) == "bmm");
  CHECK(r.microseconds(0) == doctest::Approx(39.424));
}

TEST_CASE("DeepBench's GEMMs are columns first, of the precision of their sheet") {
  const std::string text =
      "sheet,application,m,n,k,a_trans,b_trans,time_ms,tflops\n"
      "Results FP32,DeepSpeech,1760,16,1024,N,N,0.038,2.6\n"
      "Results FP32,DeepSpeech,1760,16,1024,T,N,0.038,2.6\n"
      "Results FP32,DeepSpeech,1760,16,1024,N,T,0.038,2.6\n"
      "Results FP16,DeepSpeech,1760,16,1024,N,N,0.038,2.6\n";
  const Read r("v100-sxm2-32gb", Precision::fp32, text);
  REQUIRE(r.set.samples.size() == 3);
  check_shape(r.op(0), 1, 16, 1760, 1024);
  CHECK(r.op(0).pass == GemmPass::forward);
  CHECK(r.op(1).pass == GemmPass::dgrad);
  CHECK(r.op(2).pass == GemmPass::wgrad);
  CHECK(Read("v100-sxm2-32gb", Precision::fp16, text).set.samples.size() == 1);
}

TEST_CASE("SimuMax's GEMMs say their layout, and what is added into fp32") {
  const Read r("a100-pcie-80gb", Precision::bf16,
               "op,peak_tflops,efficiency,b,m,k,n,layout,accumulate,out_dtype,time_us\n"
               "matmul,312,0.78767,1,4096,5120,1536,TN,False,bf16,262.15\n"
               "matmul,312,0.7,2,1536,4096,5120,NT,True,fp32,600\n");
  REQUIRE(r.set.samples.size() == 2);
  check_shape(r.op(0), 1, 4096, 1536, 5120);
  CHECK(r.op(0).pass == GemmPass::forward);
  check_bytes(r.op(0), 2, 2, 2);
  CHECK_FALSE(r.op(0).accumulate);
  check_shape(r.op(1), 2, 1536, 5120, 4096);
  CHECK(r.op(1).pass == GemmPass::wgrad);
  check_bytes(r.op(1), 2, 2, 4);
  CHECK(r.op(1).accumulate);
}

TEST_CASE("SimuMax's grouped GEMMs say a share of the peak in place of a time") {
  const Read r("a100-pcie-80gb", Precision::bf16,
               "op,peak_tflops,efficiency,accumulate,out_dtype,ng,M,N,K,dtype,main_grad_dtype,stage,grad,"
               "use_split_accumulator,single_output\n"
               "group_matmul,312,0.5,False,bf16,40,616,3072,5120,bf16,fp32,bwd_grad_act,True,True,False\n");
  REQUIRE(r.set.samples.size() == 1);
  check_shape(r.op(0), 40, 616, 3072, 5120);
  CHECK(r.op(0).pass == GemmPass::dgrad);
  CHECK(r.set.samples[0].seconds == doctest::Approx(2.0 * 40 * 616 * 3072 * 5120 / (0.5 * 312e12)));
}

TEST_CASE("AITER's GEMMs are those of the GPU's compute units and the precision of their family") {
  const std::string text =
      "gfx,cu_num,family,dt,M,N,K,us,tflops,key_model\n"
      "gfx942,304,a8w8,float8_e4m3fnuz,1,64,7168,10.109,0.1,dsv3\n"
      "gfx942,80,a8w8,float8_e4m3fnuz,2,64,7168,10.109,0.1,dsv3\n"
      "gfx942,304,a8w8_blockscale,float8_e4m3fnuz,3,64,7168,10.109,0.1,dsv3\n"
      "gfx942,304,bf16,bf16,8,32,6144,8.4056,0.4,glm5\n"
      "gfx942,304,a8w8,int8,5,64,7168,10.109,0.1,dsv3\n";
  for (const auto& [precision, m] :
       std::vector<std::pair<Precision, int64_t>>{{Precision::fp8, 1}, {Precision::mxfp8, 3}, {Precision::bf16, 8}}) {
    const Read r("mi300x-192gb", precision, text);
    REQUIRE(r.set.samples.size() == 1);
    CHECK(r.op(0).m == m);
    CHECK(r.set.passed_over == 4);
  }
}

TEST_CASE("Vidur's rows hold four linear layers of one of its GPUs") {
  const Read r(
      "a100-sxm-80gb", Precision::fp16,
      "num_tokens,num_tensor_parallel_workers,n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,"
      "attn_pre_proj_ms,attn_post_proj_ms,mlp_up_proj_ms,mlp_down_proj_ms\n"
      "128,2,32,8,4096,14336,51200,True,0.1,0.2,0.5,0.4\n"
      "256,1,32,32,2560,10240,51200,False,,0.2,0.5,0.4\n");
  REQUIRE(r.set.samples.size() == 7);
  check_shape(r.op(0), 1, 128, (32 + 2 * 8) * 128 / 2, 4096);
  check_shape(r.op(1), 1, 128, 4096, 4096 / 2);
  check_shape(r.op(2), 1, 128, 2 * 14336 / 2, 4096);
  check_shape(r.op(3), 1, 128, 4096, 14336 / 2);
  check_shape(r.op(4), 1, 256, 2560, 2560);  // a layer without a time is skipped
  check_shape(r.op(5), 1, 256, 10240, 2560);
  CHECK(r.microseconds(3) == doctest::Approx(400));
  CHECK(r.set.samples[0].values.at(4) == "attn_pre_proj_ms");
  CHECK(r.set.samples[0].values.at(5) == "t.csv");
}
