// `--format svg` through the command line.
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/pages/search_report.h"
#include "cli/pages/sweep_report.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/cli/svg/xml.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using sample::KinetoText;

namespace {

const char* const kOpen = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism:
  tp: [1, 2]
  pp: [1, 2]
  microbatch: [1, 2, 4]
goal: {minimize: step}
)";

Xml picture(const std::vector<std::string>& args, const std::string& in, int status = 0) {
  const Ran r = ran(args, in);
  CHECK(r.status == status);
  const Xml xml = read_xml(r.out);
  CHECK(xml.wrong == "");
  CHECK_FALSE(has_nan(r.out));
  CHECK(outside(xml) == "");
  return xml;
}

size_t lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

TEST_CASE("every command whose row says so has a picture, and no other") {
  const std::string shard = ran({"search", "-", "--shard", "1/1", "--format", "json"}, kOpen).out;
  const struct {
    std::string name;
    std::string in;
    std::vector<std::string> more = {};
  } rows[] = {{"plan", kSmallJob},
              {"search", kOpen},
              {"sweep", kOpen},
              {"merge", shard},
              {"clusters", kSmallJob},
              {"ops", kSmallJob},
              {"comm", kSmallJob},
              {"roadmap", kSmallJob, {"--set", "roadmap=[flop-vs-bw]"}},
              {"replay", KinetoText().kernel("gemm", 7, 10, 30).kernel("nccl", 9, 20, 40).text()},
              {"shard", "rows,dim,pooling\n1000,64,3\n", {"--on", "dgx-h100", "--ranks", "2", "--batch", "64"}},
              {"seqpoint", "length,seconds\n2,4\n4,8\n"},
              {"scale", "p,time\n2,4\n4,8\n8,16\n16,32\n32,64\n"}};
  for (const cli::Command& command : cli::commands()) {
    if (command.name == std::string_view("compare")) continue;  // of two files: below
    CAPTURE(std::string(command.name));
    const auto row = std::ranges::find(rows, command.name, [](const auto& r) { return r.name; });
    CHECK((row != std::end(rows)) == command.pictures);
    if (row == std::end(rows)) continue;
    std::vector<std::string> args{row->name, "-", "--format", "svg"};
    args.insert(args.end(), row->more.begin(), row->more.end());
    picture(args, row->in);
  }
}

TEST_CASE("replay --format svg has a bar for each step, of parts that sum to it") {
  KinetoText text;
  text.event("user_annotation", "ProfilerStep#1", 100, "1", "0", "100");
  text.event("user_annotation", "ProfilerStep#2", 100, "1", "100", "50");
  text.kernel("gemm", 7, 10, 30).kernel("nccl", 9, 20, 40).kernel("gemm", 7, 110, 30);
  const Xml xml = picture({"replay", "-", "--format", "svg"}, text.text());
  for (const char* part : {"rank 0, ProfilerStep#1", "rank 0, ProfilerStep#2", "100.0 us", "50.00 us", "host-bound",
                           "ProfilerStep#1: computation 0.03", "ProfilerStep#1: exposed transfers 0.02"})
    CHECK_MESSAGE(ran({"replay", "-", "--format", "svg"}, text.text()).out.find(part) != std::string::npos, part);
  CHECK(ran({"replay", "-", "--format", "svg"}, R"({"schema": "1.0.1", "nodes": []})").status != 0);
}

TEST_CASE("ops --format svg has a mark for each operator and the roofs of the GPU") {
  const size_t operators = lines(ran({"ops", "-", "--format", "tsv"}, kSmallJob).out) - 1;
  const Xml xml = picture({"ops", "-", "--format", "svg"}, kSmallJob);
  CHECK(count(xml, "circle") == operators);
  CHECK(says(xml, "megatron-1.7b on 8 x a100-sxm-80gb: roofline"));
  CHECK(says(xml, "fp16, bf16 312.0 TFLOP/s"));
  CHECK(says(xml, "memory 2.039 TB/s"));
  CHECK(says(xml, "communication"));
}

TEST_CASE("ops --group --format svg has a bar for each group, the largest first") {
  const Xml xml = picture({"ops", "-", "--group", "class", "--format", "svg"}, kSmallJob);
  CHECK(says(xml, "megatron-1.7b on 8 x a100-sxm-80gb: operators by class"));
  const std::vector<std::string> all = texts(xml);
  const auto at = [&](const char* name) { return std::find(all.rbegin(), all.rend(), name); };
  CHECK(at("fc-gemm") > at("optimizer"));  // counted from the end
  CHECK(at("optimizer") != all.rend());
}

TEST_CASE("sweep --format svg has a point for each combination that works, over two of its columns") {
  const Ran rows = ran({"sweep", "-", "--format", "csv", "--columns", "feasible"}, kOpen);
  size_t feasible = 0;
  for (size_t at = 0; (at = rows.out.find("true", at)) != std::string::npos; ++at) ++feasible;
  REQUIRE(feasible > 3);
  const Xml xml = picture({"sweep", "-", "--format", "svg"}, kOpen);
  CHECK(count(xml, "circle") >= feasible);
  CHECK(says(xml, "step, s"));
  CHECK(says(xml, "memory of the fullest GPU, GiB"));
  const Xml other = picture({"sweep", "-", "--format", "svg", "--axes", "days,mfu"}, kOpen);
  CHECK(says(other, "run, days"));
  CHECK(says(other, "MFU"));
  CHECK(says(picture({"sweep", "-", "--format", "svg", "--set", "where=[\"step < 1 us\"]"}, kOpen, 3),
             "no combination works that has both figures"));
  const Ran unknown = ran({"sweep", "-", "--axes", "days,choices"}, kOpen);
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("no column of numbers is called 'choices'; there are step_seconds") != std::string::npos);
  CHECK(ran({"sweep", "-", "--axes", "days"}, kOpen).err.find("expected two columns, got 1") != std::string::npos);
}

TEST_CASE("every axis of a sweep is a column of its rows") {
  const cli::Report report = cli::sweep_report();
  for (const std::string& axis : cli::sweep_axes())
    CHECK_MESSAGE(std::ranges::find(report.table.columns, axis, &cli::Column::name) != report.table.columns.end(),
                  axis);
}

TEST_CASE("compare --format svg goes from one step to the other, a bar for each difference") {
  const TestFolder folder;
  const std::string a = folder.add("a.yaml", kSmallJob);
  const std::string other = std::string(kSmallJob) + "software: {fusion: {norm: false}}\n";
  const Xml xml = picture({"compare", a, "-", "--format", "svg"}, other);
  CHECK(says(xml, "What each difference is worth"));
  CHECK(says(xml, "software"));
  CHECK(says(xml, "seconds per step"));
  CHECK(says(xml, "slower"));
  const Xml none = picture({"compare", a, "-", "--format", "svg", "--set", "parallelism.tp=3"}, kSmallJob, 3);
  CHECK(says(none, "a layout that does not work or does not fit is not compared"));
}

TEST_CASE("what is not feasible is a picture that says so") {
  const Xml ops = picture({"ops", "-", "--set", "parallelism.tp=3", "--format", "svg"}, kSmallJob, 3);
  CHECK(says(ops, "the layout is not feasible: there are no operators"));
  const Xml search = picture({"search", "-", "--set", "where=[\"step < 1 us\"]", "--format", "svg"}, kOpen, 3);
  CHECK(says(search, "no plan is feasible"));
}

TEST_CASE("search --format svg: time against memory, and against dollars or GPUs where machines are open") {
  const Xml memory = picture({"search", "-", "--format", "svg"}, kOpen);
  CHECK(says(memory, "run, days"));
  CHECK(says(memory, "memory of the fullest GPU, GiB"));
  CHECK(count(memory, "circle") >= 10);
  const std::vector<std::string> open{"search", "-", "--format", "svg", "--set", "cluster.gpus=[4, 8]"};
  CHECK(says(picture(open, kOpen), "cost of the run, USD"));
  std::vector<std::string> endless = open;
  endless.insert(endless.end(), {"--set", "job.tokens=null"});
  const Xml step = picture(endless, kOpen);
  CHECK(says(step, "step, s"));
  CHECK(says(step, "GPUs"));
}

TEST_CASE("--pareto names the axes of the picture") {
  const Xml xml = picture({"search", "-", "--format", "svg", "--pareto", "mfu,memory.headroom"}, kOpen);
  CHECK(says(xml, "MFU"));
  CHECK(says(xml, "memory left on the fullest GPU, GiB"));
  const Xml one = picture({"search", "-", "--format", "svg", "--pareto", "exposed_comm"}, kOpen);
  CHECK(says(one, "exposed communication of a step, s"));
  CHECK(says(one, "run, days"));
}

TEST_CASE("every result can be an axis") {
  for (const planner::ResultRow& row : planner::result_rows()) {
    CAPTURE(std::string(row.name));
    planner::SearchResult result;
    result.plans.resize(2);
    for (planner::Found& f : result.plans) row.set(f.results, 1), f.results.days = f.results.usd = 1.0;
    const planner::SearchOptions options{.pareto = {&row}};
    const cli::svg::Front chart = cli::search_picture({.title = "t", .goal = "g"}, options, result);
    CHECK(chart.points.size() == 2);
    CHECK((chart.x.title != row.name || std::string(row.name) == "goodput"));  // a title of its own
    CHECK(chart.x.more == row.about.more);
  }
}

TEST_CASE("a picture is the same bytes for any number of threads") {
  const std::vector<std::string> args{"search", "-", "--format", "svg", "--threads"};
  std::vector<std::string> one = args, four = args;
  one.emplace_back("1"), four.emplace_back("4");
  CHECK(ran(one, kOpen).out == ran(four, kOpen).out);
}
