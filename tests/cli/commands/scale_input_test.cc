// What `scale` says of files that are damaged, cut off, empty, packed, or wrongly named: as a user sees it.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>
#include <iterator>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"
#include "tests/planner/unpack/deflated.h"

namespace {

const std::string kTable = "p,time\n4,4\n8,8\n16,16\n32,32\n64,64\n";
const std::string kDamaged = std::string("SQLite format 3\0", 16) + std::string(4096, 'x');

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A database of SQLite with an empty table, of several pages.
std::string database(const TestFolder& folder) {
  const std::string path = folder.add("made", "");
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  REQUIRE(sqlite3_exec(handle, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)", nullptr, nullptr,
                       nullptr) == SQLITE_OK);
  sqlite3_close(handle);
  return bytes_of(path);
}

/// The first line of the message about a file with these bytes, without its folder; nothing else is printed.
std::string said(const TestFolder& folder, const std::string& name, const std::string& bytes) {
  const Ran r = ran({"scale", folder.add(name, bytes)});
  CHECK(r.status == 1);
  CHECK(r.out.empty());
  std::string line = r.err.substr(0, r.err.find('\n'));
  const size_t at = line.find(folder.name() + "/");
  return at == std::string::npos ? line : line.erase(at, folder.name().size() + 1);
}
Ran piped(const std::string& bytes) { return ran({"scale", "-"}, bytes); }
bool says(const Ran& r, const std::string& text) { return r.status == 1 && r.err.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("scale input: a damaged profile is told before its name is") {
  const TestFolder folder;
  const std::string good = database(folder);
  for (const char* name : {"app.sqlite", "app.p4.sqlite"}) {
    CAPTURE(name);
    const std::string at = std::string(name) + ":1:1: error: ";
    const std::string malformed = at + "cannot read the SQLite database: database disk image is malformed";
    CHECK(said(folder, name, kDamaged) == at + "not an SQLite database");
    CHECK(said(folder, name, kTable) == at + "not an SQLite database");
    CHECK(said(folder, name, good.substr(0, 100)) == malformed);
    CHECK(said(folder, name, good.substr(0, good.size() / 2)) == malformed);
    CHECK(said(folder, name, "") == "error: cannot read '" + std::string(name) + "': it is empty");
  }
  CHECK(said(folder, "app.sqlite", good) == "app.sqlite:1:1: error: the name says no parameter");
  const Ran r = ran({"scale", folder.add("app.sqlite", good)});
  CHECK(says(r, "hint: profiles are named app.p4.r1.mpi0.sqlite: parameters, repetition, rank\n"));
}

TEST_CASE("scale input: a profile on standard input") {
  const TestFolder folder;
  const std::string good = database(folder);
  CHECK(says(piped(kDamaged), "<stdin>:1:1: error: not an SQLite database\n"));
  CHECK(says(piped(good.substr(0, 100)), "error: cannot read the SQLite database: database disk image is malformed\n"));
  const Ran r = piped(good);
  CHECK(says(r, "error: a profile on standard input has no name that says its configuration\n"));
  CHECK(says(r, "hint: give it as a file with a name such as app.p4.r1.mpi0.sqlite: parameters, repetition, rank\n"));
}

TEST_CASE("scale input: empty files, and files packed by gzip") {
  const TestFolder folder;
  for (const char* name : {"a.csv", "a.txt", "a.json", "a.jsonl", "a.yaml", "a.extra-p", "noname"}) {
    CHECK(said(folder, name, "") == "error: cannot read '" + std::string(name) + "': it is empty");
    for (const std::string& packed : {gzipped(kTable), gzipped(kTable).substr(0, 30)})
      CHECK(said(folder, name, packed) == "error: cannot read '" + std::string(name) + "': it is packed by gzip");
  }
  CHECK(says(piped(""), "error: cannot read '<stdin>': it is empty\n"));
  CHECK(says(piped(gzipped(kTable)), "hint: `gunzip` unpacks it; `gzip -t` tells whether it is whole\n"));
}

TEST_CASE("scale input: figures beyond any measurement") {
  const auto table = [](const std::string& scale, const std::string& value) {
    std::string out = "p,time\n";
    for (const char* digit : {"1", "2", "3", "5", "8"}) out += digit + scale + "," + digit + value + "\n";
    return out;
  };
  for (const char* scale : {"e300", "e16", "e-16", "e-300"}) {  // ranks that no double counts ended never
    const Ran r = piped(table(scale, ""));
    CHECK_MESSAGE(says(r, "expected a value from 1e-15 to 1e15\n"), r.err);
    CHECK(says(r, "<stdin>:2:1: error: parameter 'p' is 1e"));
    CHECK(says(r, "hint: models take powers of it; a larger or smaller unit keeps them within what a number holds\n"));
  }
  const Ran large = piped(table("", "e307"));
  CHECK_MESSAGE(says(large, "<stdin>:2:3: error: '' (time) is 1e+307, expected a value of at most 1e100\n"), large.err);
  for (const Ran& r : {piped(table("e14", "e99")), piped(table("e-15", "e-300"))}) {
    CHECK(r.status == 0);
    CHECK_FALSE(has_nan(r.out));
  }
}

TEST_CASE("scale input: given models at points that no count reaches end") {
  const Ran r = piped("parameters: p\npoints: [1e30, 2e30]\nmodels:\n  - {metric: time, model: 3 + 2 * p}\n");
  CHECK(r.status == 0);
}

TEST_CASE("scale input: a folder that holds no profiles") {
  const TestFolder folder;
  folder.add("inner/a.csv", kTable);
  const Ran r = ran({"scale", folder.name() + "/inner"});
  CHECK(says(r, "error: cannot read '" + folder.name() + "/inner': a folder without .sqlite files\n"));
}

TEST_CASE("scale input: a broken line of JSON Lines is told where it is") {
  std::string lines;
  for (int p = 4; p <= 64; p *= 2) {
    const std::string line =
        R"({"params":{"p":)" + std::to_string(p) + R"(},"metric":"time","callpath":"a","value":1})";
    lines += (p == 16 ? line.substr(0, line.size() - 2) : line) + "\n";
  }
  const Ran r = piped(lines);
  CHECK(says(r, "<stdin>:3:59: error: the line ends inside a value\n"));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 4);  // and nothing of the lines behind it
}

TEST_CASE("scale input: line ends of Windows are none, a byte order mark is told") {
  std::string windows;
  for (const char c : kTable) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(piped(windows).out == piped(kTable).out);
  const Ran r = piped("\xEF\xBB\xBF" + kTable);
  CHECK(says(r, "<stdin>:1:1: error: the text begins with a byte order mark\n"));
  CHECK(says(r, "hint: save it as UTF-8 without one\n"));
}
