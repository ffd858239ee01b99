// `--output FILE`: whole or not at all, for every command.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "cli/commands/whole_file.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace fs = std::filesystem;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Names in a folder, the hidden too.
size_t files_in(const TestFolder& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder.path), {}));
}

/// Limits files of this process to a size, as on a disk that is full there.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

}  // namespace

TEST_CASE("--output holds what standard output would, and nothing else is in its folder") {
  const struct {
    std::vector<std::string> args;
    int status;
  } rows[] = {
      {{"plan", "-"}, 0},
      {{"plan", "-", "--format", "json", "--set", "parallelism.tp=3"}, 3},
      {{"ops", "-", "--format", "csv"}, 0},
      {{"sweep", "-", "--format", "ndjson", "--set", "parallelism.tp=[1,2]"}, 0},
      {{"search", "-", "--format", "svg", "--set", "parallelism.tp=[1,2]"}, 0},
      {{"export", "-", "--to", "megatron"}, 0},
      {{"list", "model"}, 0},
      {{"schema", "scenario"}, 0},
  };
  for (const auto& row : rows) {
    const TestFolder folder;
    const std::string file = folder.add("out", "before");
    std::vector<std::string> args = row.args;
    const Ran plain = ran(args, kSmallJob);
    args.insert(args.end(), {"--output", file});
    const Ran r = ran(args, kSmallJob);
    INFO(args.front(), r.err);
    CHECK(r.status == row.status);
    CHECK(r.out == "");
    CHECK(r.err == plain.err);
    CHECK(text_of(file) == plain.out);
    CHECK(files_in(folder) == 1);
  }
}

TEST_CASE("a command that has no result leaves the file as it was") {
  const TestFolder folder;
  const std::string file = folder.add("out", "before");
  const Ran bad = ran({"plan", "-", "--output", file, "--format", "json"}, "jub: 1\n");
  CHECK(bad.status == 1);
  CHECK(holds(bad.out, "trainplan.diagnostics/1"));
  CHECK(ran({"plan", "-", "--output", file, "--columns", "none"}, kSmallJob).status == 2);
  CHECK(text_of(file) == "before");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("files that cannot be written are told before anything is computed, with the reason") {
  const TestFolder folder;
  const std::string scenario = folder.add("a.yaml", kSmallJob);
  const struct {
    std::string path;
    const char* says;
    int status = 1;
  } rows[] = {{folder.name() + "/none/out", "/none/out': No such file or directory; make its folder first"},
              {folder.name(), "': Is a directory"},
              {"/proc/out", "cannot write '/proc/out': No such file or directory"},
              {scenario, "a.yaml': it is an input of the same command; give another name"},
              {"", "--output: expected the name of a file", 2}};
  for (const auto& row : rows) {
    const Ran r = ran({"plan", scenario, "--output", row.path});
    INFO(r.err);
    CHECK(r.status == row.status);
    CHECK(r.out == "");
    CHECK(holds(r.err, row.says));
  }
  CHECK(text_of(scenario) == kSmallJob);
  if (geteuid() == 0) return;  // may write anything
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(holds(ran({"plan", scenario, "--output", folder.name() + "/out"}).err,
              "Permission denied; its folder must be writable"));
  fs::permissions(folder.path, fs::perms::owner_all);
}

TEST_CASE("where the disk is full the file stays as it was, and nothing is left beside it") {
  const TestFolder folder;
  const std::string file = folder.add("out", "before");
  {
    const SmallFiles full(100);
    const Ran r = ran({"plan", "-", "--output", file}, kSmallJob);
    CHECK(r.status == 1);
    CHECK(holds(r.err, "trainplan: cannot write '" + file + "': File too large"));
  }
  CHECK(text_of(file) == "before");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a full device and a closed pipe are told; a device is written, not replaced") {
  const TestFolder folder;
  CHECK(holds(ran({"plan", "-", "--output", "/dev/full"}, kSmallJob).err, "'/dev/full': No space left on device"));
  CHECK(ran({"plan", "-", "--output", "/dev/null"}, kSmallJob).status == 0);
  CHECK(fs::is_character_file("/dev/null"));
  const std::string pipe = folder.name() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::string read;
  std::thread reader([&] { read = text_of(pipe); });
  CHECK(ran({"plan", "-", "--output", pipe}, kSmallJob).status == 0);
  reader.join();
  CHECK(read == ran({"plan", "-"}, kSmallJob).out);
  std::thread gone([&] { std::ifstream(pipe).close(); });
  cli::WholeFile closed(pipe);
  REQUIRE(closed.open() == "");
  gone.join();
  CHECK(closed.write("lost") == "cannot write '" + pipe + "': Broken pipe; whoever read the pipe has closed it");
  std::signal(SIGPIPE, before);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("a link stays a link, and a file keeps its mode") {
  const TestFolder folder;
  const std::string file = folder.add("there/out", "before"), link = folder.name() + "/link";
  fs::create_symlink("there/out", link);
  fs::permissions(file, fs::perms::owner_all);
  CHECK(cli::write_whole(link, "after") == "");
  CHECK(fs::is_symlink(link));
  CHECK(text_of(file) == "after");
  CHECK(fs::status(file).permissions() == fs::perms::owner_all);
}

TEST_CASE("a link behind which nothing is yet is followed, and a circle of links is told") {
  const TestFolder folder;
  const std::string link = folder.name() + "/link", circle = folder.name() + "/circle";
  fs::create_directory(folder.path / "there");
  fs::create_symlink("there/second", link);
  fs::create_symlink("../there/out", folder.path / "there/second");
  fs::create_symlink("back", circle);
  fs::create_symlink("circle", folder.path / "back");
  CHECK(ran({"plan", "-", "--output", link}, kSmallJob).status == 0);
  CHECK(fs::is_symlink(link));
  CHECK(text_of(folder.name() + "/there/out") == ran({"plan", "-"}, kSmallJob).out);
  const Ran r = ran({"plan", "-", "--output", circle}, kSmallJob);
  CHECK(r.status == 1);
  CHECK(holds(r.err, "/circle': Too many levels of symbolic links; the link leads back to itself"));
  CHECK(fs::is_symlink(circle));
}

TEST_CASE("two files to write are no one file, by whatever names, and none is an input") {
  const TestFolder folder;
  const std::string scenario = folder.add("a.yaml", kSmallJob), out = folder.name() + "/out";
  fs::create_symlink("out", folder.path / "link");
  for (const std::string& other : {out, folder.name() + "/./out", folder.name() + "/link"}) {
    const Ran r = ran({"plan", scenario, "--output", out, "--timeline", other});
    INFO(r.err);
    CHECK(r.status == 2);
    CHECK(holds(r.err, "--timeline and --output name one file, '" + out + "'; usage: trainplan plan"));
    CHECK_FALSE(fs::exists(out));
  }
  CHECK(ran({"plan", scenario, "--output", "/dev/null", "--timeline", "/dev/null"}).status == 0);
  CHECK(ran({"plan", scenario, "--timeline", ""}).status == 2);
  const Ran r = ran({"plan", scenario, "--timeline", scenario});
  CHECK(r.status == 1);
  CHECK(holds(r.err, "it is an input of the same command"));
  CHECK(text_of(scenario) == kSmallJob);
}

TEST_CASE("what a killed process has left beside a file goes, and nothing else does") {
  const TestFolder folder;
  const pid_t killed = fork();
  if (killed == 0) {
    cli::WholeFile whole(folder.name() + "/out");
    if (!whole.open().empty()) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(killed, &status, 0) == killed);
  REQUIRE(WIFSIGNALED(status));
  CHECK(files_in(folder) == 1);
  const std::string left = fs::directory_iterator(folder.path)->path().filename().string();
  folder.add(left + "x", "a file of someone");
  folder.add(".trainplan-otherhost-" + std::to_string(killed) + "-0", "of another machine");
  cli::WholeFile alive(folder.name() + "/alive");
  REQUIRE(alive.open() == "");
  CHECK(cli::write_whole(folder.name() + "/out", "after") == "");
  CHECK_FALSE(fs::exists(folder.path / left));
  CHECK(files_in(folder) == 4);
  CHECK(alive.commit() == "");
}

TEST_CASE("a file is the old one until it is committed, and one that is not goes away") {
  const TestFolder folder;
  const std::string file = folder.add("out", "before");
  {
    cli::WholeFile whole(file);
    CHECK(whole.open() == "");
    CHECK(whole.write("after") == "");
    CHECK(text_of(file) == "before");
    CHECK(files_in(folder) == 2);
  }
  CHECK(files_in(folder) == 1);
  CHECK(cli::write_whole(file, "after") == "");
  CHECK(text_of(file) == "after");
}
