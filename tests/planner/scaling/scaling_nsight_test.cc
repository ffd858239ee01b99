// Profiles of Nsight Systems: names of files, steps and epochs, aggregation over steps, ranks and repetitions.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include "tests/dsl/folder.h"
#include "tests/planner/scaling/scaling_sample.h"

using planner::scaling::KernelCategory;
using planner::scaling::MeasurementSeries;
using planner::scaling::Phase;
using scaling_sample::Files;
using scaling_sample::Reading;

namespace {

// Columns that the reader uses, as the exports of Nsight Systems 2022 to 2024 have them (SQLite export schema
// reference).
constexpr const char* kTables = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'ncclDevKernel_AllReduce'), (3, 'cudaLaunchKernel'), (4, 'MPI_Allreduce'),
  (5, 'poll'), (6, 'registered'), (7, 'async');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, demangledName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, nameId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind INTEGER, bytes INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, bytes INTEGER);
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, nameId INTEGER);
CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER, end INTEGER, textId INTEGER, size INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, category INTEGER, text TEXT, textId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (0, NULL, 33, 1, 'training step', NULL), (0, NULL, 33, 2, 'testing step', NULL),
  (0, NULL, 33, 3, 'epoch', NULL);
)";

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  const std::string quick = "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN; " + sql + "; COMMIT";
  const int status = sqlite3_exec(database, quick.c_str(), nullptr, nullptr, nullptr);
  const std::string message = sqlite3_errmsg(database);
  CHECK_MESSAGE(status == SQLITE_OK, message);
  sqlite3_close(database);
}

std::string row(const std::string& table, const std::vector<long>& values) {
  std::string out = "INSERT INTO " + table + " VALUES (";
  for (size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + std::to_string(values[i]);
  return out + ");\n";
}
std::string kernel(long start, long end, long name) { return row("CUPTI_ACTIVITY_KIND_KERNEL", {start, end, name}); }
std::string mark(long at, int category, const std::string& text) {
  return "INSERT INTO NVTX_EVENTS VALUES (" + std::to_string(at) + ", NULL, 34, " + std::to_string(category) + ", '" +
         text + "', NULL);\n";
}
// A step from `start` for 100 ns.
std::string step(long start, int number, int category = 1) {
  const std::string name = "step:" + std::to_string(number) + ",type:";
  return mark(start, category, name + "started") + mark(start + 100, category, name + "ended");
}
std::string epoch(long start, long end, int number) {
  const std::string name = "epoch:" + std::to_string(number) + ",type:";
  return mark(start, 3, name + "started") + mark(end, 3, name + "ended");
}

// Profiles in a folder, read together.
struct Profiles {
  TestFolder folder;

  void add(const std::string& name, const std::string& rows) const {
    run_sql((folder.path / name).string(), kTables + rows);
  }
  /// Five configurations, p = 1 to 5, of the same rows.
  void add_five(const std::string& rows) const {
    for (int p = 1; p <= 5; ++p) add("app.p" + std::to_string(p) + ".r1.mpi0.sqlite", rows);
  }
  Reading read() const { return Reading(Files{{folder.name()}}); }
};

// "time" in ns of each point's repetitions, "" if there is no such series.
std::string values(const Reading& reading, const std::string& callpath, const std::string& metric) {
  REQUIRE(reading.experiment.has_value());
  for (const MeasurementSeries& series : reading.experiment->series) {
    if (series.callpath != callpath || series.metric != metric) continue;
    std::ostringstream out;
    for (const auto& repetitions : series.values)
      for (const double value : repetitions) out << (metric == "time" ? value * 1e9 : value) << ' ';
    return out.str();
  }
  return "";
}

}  // namespace

TEST_CASE("scaling profiles: events are summed in each step, and their median taken over the steps") {
  const Profiles profiles;
  // The first epoch is dropped. Steps of the second: 10 + 20, 40, 70 ns, medians 40 ns and one visit.
  profiles.add_five(epoch(0, 900, 0) + step(100, 0) + kernel(110, 190, 1) + epoch(1000, 1900, 1) + step(1000, 0) +
                    step(1200, 1) + step(1400, 2) + kernel(1000, 1010, 1) + kernel(1050, 1070, 1) +
                    kernel(1210, 1250, 1) + kernel(1499, 1569, 1) + kernel(5000, 5999, 1));
  const Reading reading = profiles.read();
  CHECK(reading.said() == "");
  CHECK(values(reading, "kernel->gemm", "time") == "40 40 40 40 40 ");
  CHECK(values(reading, "kernel->gemm", "visits") == "1 1 1 1 1 ");
  CHECK(values(reading, "kernel->gemm", "bytes") == "");
  CHECK(values(reading, "step", "time") == "100 100 100 100 100 ");
  CHECK(reading.experiment->median);
  CHECK(reading.experiment->parameters == std::vector<std::string>{"p"});
  CHECK(reading.experiment->points.size() == 5);
}

TEST_CASE("scaling profiles: what runs between two steps counts for the first, what runs outside them for none") {
  const Profiles profiles;
  // Between the steps 30 and 50 ns, behind the last one but in the epoch 40 ns.
  profiles.add_five(epoch(0, 90, 0) + step(0, 0) + epoch(1000, 2000, 1) + step(1000, 0) + step(1200, 1) +
                    step(1400, 2) + kernel(1150, 1180, 7) + kernel(1300, 1350, 7) + kernel(1900, 1940, 7) +
                    kernel(950, 999, 7) + kernel(2000, 2999, 7));
  CHECK(values(profiles.read(), "kernel->async", "time") == "40 40 40 40 40 ");
}

TEST_CASE("scaling profiles: a step without a kernel counts as zero") {
  const Profiles profiles;
  profiles.add_five(step(0, 0) + step(1000, 0) + step(1200, 1) + step(1400, 2) + kernel(1010, 1020, 1) +
                    kernel(1210, 1250, 1) + kernel(1010, 1090, 2));
  const Reading reading = profiles.read();  // the second 'step:0' begins the second epoch
  CHECK(values(reading, "kernel->gemm", "time") == "10 10 10 10 10 ");
  CHECK(values(reading, "kernel->ncclDevKernel_AllReduce", "time") == "");
  REQUIRE(reading.experiment->rare.size() == 1);
  CHECK(reading.experiment->rare[0].callpath == "kernel->ncclDevKernel_AllReduce");
  CHECK(reading.experiment->rare[0].configurations == 0);
}

TEST_CASE("scaling profiles: medians over ranks, repetitions kept, a rank without a kernel is zero") {
  const Profiles profiles;
  const auto steps = step(0, 0) + step(1000, 0);
  for (int p = 1; p <= 5; ++p) {
    const std::string app = "app.p" + std::to_string(p);
    for (int rank = 0; rank < 3; ++rank) {
      const long time = 10 * p + 20 * rank;
      const std::string only = rank == 0 ? kernel(1000, 1007, 2) : "";
      profiles.add(app + ".r1.mpi" + std::to_string(rank) + ".sqlite", steps + kernel(1000, 1000 + time, 1) + only);
    }
    profiles.add(app + ".r2.mpi0.sqlite", steps + kernel(1000, 1000 + 100 * p, 1));
  }
  const Reading reading = profiles.read();
  CHECK(values(reading, "kernel->gemm", "time") == "30 100 40 200 50 300 60 400 70 500 ");
  // In one of three ranks of one repetition: zero there, and in the median of the repetitions.
  CHECK(values(reading, "kernel->ncclDevKernel_AllReduce", "time") == "");
  // Of the application, the median over the repetitions: (30 + 100) / 2 ...
  CHECK(values(reading, "application->computation", "time") == "65 120 175 230 285 ");
}

TEST_CASE("scaling profiles: tables, their metrics and categories") {
  const Profiles profiles;
  profiles.add_five(
      step(0, 0) + step(1000, 0) + kernel(1000, 1010, 1) + kernel(1000, 1020, 2) +
      row("CUPTI_ACTIVITY_KIND_RUNTIME", {1000, 1003, 3}) + row("CUPTI_ACTIVITY_KIND_MEMCPY", {1000, 1004, 1, 4096}) +
      row("CUPTI_ACTIVITY_KIND_MEMCPY", {1000, 1005, 8, 100}) +
      row("CUPTI_ACTIVITY_KIND_MEMCPY", {1010, 1015, 8, 100}) + row("CUPTI_ACTIVITY_KIND_MEMSET", {1000, 1006, 512}) +
      row("OSRT_API", {1000, 1007, 5}) + row("MPI_COLLECTIVES_EVENTS", {1000, 1008, 4, 64}) +
      "INSERT INTO NVTX_EVENTS VALUES (1000, 1030, 59, NULL, 'main->train', NULL), "
      "(1000, 1040, 59, NULL, NULL, 6), (1000, 1050, 59, NULL, 'MPI_Send', NULL), "
      "(1000, NULL, 59, NULL, 'never ends', NULL);");
  const Reading reading = profiles.read();
  std::ostringstream table;
  for (const MeasurementSeries& series : reading.experiment->series)
    table << series.callpath << " " << series.metric << " " << series.values[0][0] * (series.metric == "time" ? 1e9 : 1)
          << " " << static_cast<int>(series.category) << "\n";
  CHECK(table.str() == R"(kernel->gemm time 10 1
kernel->gemm visits 1 1
kernel->ncclDevKernel_AllReduce time 20 2
kernel->ncclDevKernel_AllReduce visits 1 2
memcpy->device to device time 10 3
memcpy->device to device visits 2 3
memcpy->device to device bytes 200 3
memcpy->host to device time 4 3
memcpy->host to device visits 1 3
memcpy->host to device bytes 4096 3
memset time 6 3
memset visits 1 3
memset bytes 512 3
mpi->MPI_Allreduce time 8 2
mpi->MPI_Allreduce visits 1 2
mpi->MPI_Allreduce bytes 64 2
mpi->MPI_Send time 50 2
mpi->MPI_Send visits 1 2
nvtx->main->train time 30 0
nvtx->main->train visits 1 0
nvtx->registered time 40 0
nvtx->registered visits 1 0
os->poll time 7 1
os->poll visits 1 1
runtime->cudaLaunchKernel time 3 1
runtime->cudaLaunchKernel visits 1 1
step time 100 0
step visits 1 0
application->computation time 20 1
application->computation visits 3 1
application->communication time 78 2
application->communication visits 3 2
application->memory time 20 3
application->memory visits 4 3
application->memory bytes 4808 3
)");
}

TEST_CASE("scaling profiles: what was profiled is all marked steps of the longest profile of a configuration") {
  const Profiles profiles;
  const std::string three = epoch(0, 900, 0) + step(100, 0) + epoch(1000, 1900, 1) + step(1000, 0) + step(1200, 0, 2);
  profiles.add_five(three);
  profiles.add("app.p3.r1.mpi1.sqlite", three + step(1400, 1));
  std::ostringstream found;
  const Reading read = profiles.read();
  for (const auto& p : read.experiment->profiled) found << p.seconds * 1e9 << ' ' << p.epochs << ", ";
  CHECK(found.str() == "300 2, 300 2, 400 2, 300 2, 300 2, ");
}

TEST_CASE("scaling profiles: validation steps are series of their own") {
  const Profiles profiles;
  profiles.add_five(step(0, 0) + step(200, 0, 2) + step(1000, 0) + step(1200, 0, 2) + step(1400, 1, 2) +
                    kernel(1000, 1050, 1) + kernel(1210, 1220, 1) + kernel(1410, 1440, 1));
  const Reading reading = profiles.read();
  CHECK(values(reading, "kernel->gemm", "time") == "50 50 50 50 50 ");
  CHECK(values(reading, "validation->kernel->gemm", "time") == "20 20 20 20 20 ");
  CHECK(values(reading, "validation->application->computation", "time") == "20 20 20 20 20 ");
  for (const MeasurementSeries& series : reading.experiment->series)
    CHECK((series.phase == Phase::validation) == (series.callpath.find("validation->") == 0));
}

TEST_CASE("scaling profiles: steps and epochs as NVTX ranges") {
  const Profiles profiles;
  profiles.add_five(
      "UPDATE NVTX_EVENTS SET text = 'training_step' WHERE category = 1;"
      "INSERT INTO NVTX_EVENTS VALUES (0, 500, 59, 3, 'e', NULL), (1000, 1500, 59, 3, 'e', NULL), "
      "(0, 100, 59, 1, 's', NULL), (1000, 1100, 59, 1, 's', NULL), (1200, 1300, 59, 1, 's', NULL);" +
      kernel(0, 90, 1) + kernel(1000, 1010, 1) + kernel(1200, 1220, 1));
  const Reading reading = profiles.read();
  CHECK(reading.said() == "");
  CHECK(values(reading, "kernel->gemm", "time") == "15 15 15 15 15 ");
  CHECK(values(reading, "nvtx->s", "time") == "");
}

TEST_CASE("scaling profiles: without marks, and with one epoch") {
  const Profiles unmarked, single;
  unmarked.add_five(kernel(0, 90, 1) + kernel(1000, 1010, 1));
  const Reading whole = unmarked.read();
  CHECK(whole.said(unmarked.folder.name()) ==
        R"(app.p1.r1.mpi0.sqlite:1:1: warning: 5 of 5 profiles mark no steps: all of such a profile counts as one step
   1 | app.p1.r1.mpi0.sqlite
     | ^~~~~~~~~~~~~~~~~~~~~
hint: NVTX marks 'step:0,type:started' and 'step:0,type:ended', or ranges of category 'training_step', mark them
)");
  CHECK(values(whole, "kernel->gemm", "time") == "100 100 100 100 100 ");
  CHECK(values(whole, "step", "time") == "");
  single.add_five(step(0, 0) + step(200, 1) + kernel(0, 90, 1) + kernel(200, 210, 1));
  const Reading warm = single.read();
  CHECK(
      warm.said(single.folder.name()) ==
      R"(app.p1.r1.mpi0.sqlite:1:1: warning: 5 of 5 profiles have one epoch alone: its steps are taken, though they may hold the warm-up
   1 | app.p1.r1.mpi0.sqlite
     | ^~~~~~~~~~~~~~~~~~~~~
hint: of two epochs the first is dropped
)");
  CHECK(values(warm, "kernel->gemm", "time") == "50 50 50 50 50 ");
}

TEST_CASE("scaling profiles: kernels in fewer than five configurations are reported; the application is modelled") {
  const Profiles profiles;
  const std::string steps = step(0, 0) + step(1000, 0);
  for (int p = 1; p <= 5; ++p)
    profiles.add("app.p" + std::to_string(p) + ".sqlite",
                 steps + kernel(1000, 1010, 1) + (p < 4 ? kernel(1000, 1005, 7) : ""));
  const Reading reading = profiles.read();
  CHECK(reading.said(profiles.folder.name()) ==
        R"(app.p1.sqlite:1:1: warning: 1 kernel is in fewer than 5 configurations, without a model: kernel->async (3)
   1 | app.p1.sqlite
     | ^~~~~~~~~~~~~
hint: a model of a kernel needs it in five configurations
)");
  CHECK(values(reading, "application->computation", "time") == "15 15 15 10 10 ");
}

TEST_CASE("scaling profiles: parameters in the names") {
  const Profiles profiles;
  const std::string rows = step(0, 0) + step(1000, 0) + kernel(1000, 1010, 1);
  for (const char* name : {"app.x10y8.n3.r1.mpi0", "app.x2y8.n3.r1.mpi0", "app.x2y0,5.n3.mpi0.r1"})
    profiles.add(name + std::string(".sqlite"), rows);
  const Reading reading = profiles.read();
  REQUIRE(reading.experiment.has_value());
  CHECK(reading.experiment->parameters == std::vector<std::string>{"x", "y"});
  CHECK(reading.experiment->points == std::vector<std::vector<double>>{{2, 0.5}, {2, 8}, {10, 8}});
  CHECK(reading.said(profiles.folder.name()).find("warning: parameter 'n' is 3 in all profiles: left out") !=
        std::string::npos);
}

TEST_CASE("scaling profiles: names that do not say what a profile is of") {
  const auto said = [](const std::vector<std::string>& names) {
    const Profiles profiles;
    Files files;
    for (const std::string& name : names) {
      profiles.add(name, kernel(0, 1, 1));
      files.paths.push_back((profiles.folder.path / name).string());
    }
    const Reading reading(files);
    CHECK_FALSE(reading.experiment.has_value());
    return reading.said(profiles.folder.name());
  };
  const std::string hint = "hint: profiles are named app.p4.r1.mpi0.sqlite: parameters, repetition, rank\n";
  CHECK(said({"app.p4.what.sqlite"}) ==
        R"(app.p4.what.sqlite:1:8: error: expected a name and a number such as 'p4', got 'what'
   1 | app.p4.what.sqlite
     |        ^~~~
)" + hint);
  CHECK(said({"app.r1.mpi0.sqlite"}) == R"(app.r1.mpi0.sqlite:1:1: error: the name says no parameter
   1 | app.r1.mpi0.sqlite
     | ^~~~~~~~~~~
)" + hint);
  CHECK(said({"app.p4..sqlite"}).find("app.p4..sqlite:1:8: error: expected a name and a number") == 0);
  CHECK(said({"app.4.sqlite"}).find("app.4.sqlite:1:5: error: expected a name and a number") == 0);
  CHECK(said({"app.p4.sqlite", "other.p8.sqlite"}) ==
        R"(other.p8.sqlite:1:1: error: a profile of other with p, expected app with p as before
   1 | other.p8.sqlite
     | ^~~~~~~~~~~~~~~
hint: profiles of one program are read together
)");
  CHECK(said({"app.p4.sqlite", "app.p4.r1.sqlite"}) ==
        R"(app.p4.r1.sqlite:1:1: error: a second profile of this configuration, repetition and rank
   1 | app.p4.r1.sqlite
     | ^~~~~~~~~~~~~~~~
)");
  CHECK(said({"app.a1b1c1d1e1.sqlite", "app.a2b2c2d2e2.sqlite"}).find("error: a fifth parameter 'e'") !=
        std::string::npos);
}

TEST_CASE("scaling profiles: files that are no profile") {
  const Profiles profiles;
  const auto said = [&](const std::string& path) {
    const Reading reading(Files{{path}});
    CHECK_FALSE(reading.experiment.has_value());
    return reading.said(profiles.folder.name());
  };
  CHECK(said(profiles.folder.add("app.p4.sqlite", "hello, this is no database")) ==
        R"(app.p4.sqlite:1:1: error: not an SQLite database
   1 | app.p4.sqlite
     | ^~~~~~~~~~~~~
hint: `nsys export --type sqlite` writes one
)");
  const std::string magic("SQLite format 3\0", 16);
  CHECK(said(profiles.folder.add("app.p5.sqlite", magic + std::string(200, 'x'))).find("app.p5.sqlite:1:1: error: ") ==
        0);
  const std::string empty = (profiles.folder.path / "app.p6.sqlite").string();
  run_sql(empty, "CREATE TABLE other (x INTEGER)");
  CHECK(said(empty).find("app.p6.sqlite:1:1: error: the profile has no events\n") == 0);
  const std::string foreign = (profiles.folder.path / "app.p7.sqlite").string();
  run_sql(foreign, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, kernel INTEGER)");
  CHECK(said(foreign).find(
            "app.p7.sqlite:1:1: error: table CUPTI_ACTIVITY_KIND_KERNEL has no column 'demangledName'") == 0);
}

TEST_CASE("scaling profiles: tables alone are read, not what a schema runs") {
  const Profiles profiles;
  const auto said = [&](const char* sql) {
    const std::string path = (profiles.folder.path / "app.p4.r1.mpi0.sqlite").string();
    std::filesystem::remove(path);
    run_sql(path, sql);
    return Reading(Files{{path}}).said(profiles.folder.name());
  };
  const char* endless =
      "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) "
      "SELECT i AS start, i + 1 AS end, 0 AS demangledName FROM n";
  CHECK(said(endless).find("error: 'CUPTI_ACTIVITY_KIND_KERNEL' is a view, expected a table\n") != std::string::npos);
  CHECK(said("CREATE VIEW StringIds AS SELECT 1 AS id, 'a' AS value").find("'StringIds' is a view") !=
        std::string::npos);
}

TEST_CASE("scaling profiles: very many ranges with texts of their own are read in no time") {
  const Profiles profiles;
  profiles.add_five(
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 20000) INSERT INTO NVTX_EVENTS "
      "SELECT i * 10, i * 10 + 5, 59, NULL, 'range ' || i, NULL FROM n;");
  const Reading reading = profiles.read();
  REQUIRE(reading.experiment.has_value());
  CHECK(reading.experiment->series.size() >= 40000);
  CHECK(values(reading, "nvtx->range 19999", "visits") == "1 1 1 1 1 ");
}

TEST_CASE("scaling profiles: texts by id need no index") {
  const Profiles profiles;
  const std::string path = (profiles.folder.path / "app.p4.r1.mpi0.sqlite").string();
  run_sql(
      path,
      "CREATE TABLE StringIds (id, value); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT "
      "20000) INSERT INTO StringIds SELECT i, 'k' || i FROM n; CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, "
      "demangledName); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT id * 10, id * 10 + 5, id FROM StringIds");
  CHECK(Reading(Files{{path}}).said(profiles.folder.name()).find("cannot read") == std::string::npos);
}

TEST_CASE("scaling profiles: a step may last longer than whole numbers reach") {
  const Profiles profiles;
  profiles.add_five("INSERT INTO NVTX_EVENTS VALUES (-9223372036854775807, 9223372036854775807, 59, 1, 's', NULL); " +
                    kernel(5, 10, 1));
  CHECK(values(profiles.read(), "step", "time") == "1.84467e+19 1.84467e+19 1.84467e+19 1.84467e+19 1.84467e+19 ");
}
