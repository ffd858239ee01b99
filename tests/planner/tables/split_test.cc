// What a table comes to whole, cut and copied.
#include "planner/tables/split.h"

#include "tests/planner/tables/site.h"

using namespace planner::tables;

namespace {

const Option& option_of(const std::vector<Option>& options, Split split, int64_t ways) {
  for (const Option& o : options)
    if (o.split == split && o.ways == ways) return o;
  FAIL("no such option");
  return options.front();
}

}  // namespace

TEST_CASE("each split has a row, in the order of its words, and options begin with the whole table") {
  for (size_t i = 0; i < splits().size(); ++i) CHECK(static_cast<size_t>(splits()[i].split) == i);
  CHECK(splits().size() == kSplitNames.size());
  const sample::TableSite at(6);
  const std::vector<Option> options = options_of(sample::table(1000, 128, 3), at.site);
  CHECK(options.front().split == Split::whole);
  std::vector<std::pair<std::string, int64_t>> all;
  for (const Option& o : options) all.emplace_back(name(o.split), o.ways);
  // 128 values are four of the least width of 32; 6 does not divide them.
  CHECK(all ==
        std::vector<std::pair<std::string, int64_t>>{
            {"whole", 1}, {"rows", 2}, {"rows", 4}, {"rows", 6}, {"columns", 2}, {"columns", 4}, {"replicas", 6}});
}

TEST_CASE("one rank has whole tables alone, and a table of one row no parts of rows") {
  const sample::TableSite alone(1), two(2);
  CHECK(options_of(sample::table(1000, 128, 3), alone.site).size() == 1);
  for (const Option& o : options_of(sample::table(1, 128, 3), two.site)) CHECK(o.split != Split::rows);
}

TEST_CASE("memory and messages of parts sum to those of the table, or to what the split says") {
  const sample::TableSite at(4, 4096);
  const Table t = sample::table(1000, 128, 3);
  const std::vector<Option> options = options_of(t, at.site);
  const double bytes = table_bytes(t, at.site), sums = 4096.0 * 128 * 4;
  CHECK(bytes == 1000.0 * 128 * 4);
  CHECK(options.front().part.memory_bytes == bytes);
  CHECK(options.front().part.sent_bytes == sums);
  const Option &rows = option_of(options, Split::rows, 4), &columns = option_of(options, Split::columns, 4),
               &copies = option_of(options, Split::replicas, 4);
  CHECK(4 * rows.part.memory_bytes == bytes);
  CHECK(rows.part.sent_bytes == sums);  // each part has a sum for each sample
  CHECK(4 * columns.part.memory_bytes == bytes);
  CHECK(4 * columns.part.sent_bytes == sums);
  CHECK(copies.part.memory_bytes == 2 * bytes);  // and the gradient
  CHECK(copies.part.sent_bytes == 0);
  CHECK(copies.reduced_bytes == bytes);
  CHECK(rows.reduced_bytes == 0);
}

TEST_CASE("parts of a large table take about their share of its lookups") {
  const sample::TableSite at(4, 65536);
  const std::vector<Option> options = options_of(sample::table(10'000'000, 128, 30), at.site);
  const double whole = options.front().part.forward_seconds;
  CHECK(option_of(options, Split::columns, 4).part.forward_seconds == doctest::Approx(whole / 4).epsilon(0.05));
  const double rows = option_of(options, Split::rows, 4).part.forward_seconds;
  CHECK(rows > whole / 4);  // the sums of all samples are written by each part
  CHECK(rows < whole / 3);
  CHECK(option_of(options, Split::replicas, 4).part.forward_seconds == doctest::Approx(whole / 4).epsilon(0.1));
}

TEST_CASE("a table that nobody looks up in takes memory and no time") {
  const sample::TableSite at(2);
  const Load load = options_of(sample::table(1000, 64, 0), at.site).front().part;
  CHECK(load.forward_seconds == 0);
  CHECK(load.backward_seconds == 0);
  CHECK(load.memory_bytes == 1000.0 * 64 * 4);
}

TEST_CASE("rows that are used again and again cost less") {
  const sample::TableSite at(2, 4096);
  Table hot = sample::table(10'000'000, 128, 20), even = hot;
  hot.reuse.emplace();
  (*hot.reuse)[0] = 1 - 1e-3;
  (*hot.reuse)[4] = 1e-3;  // 10,000 rows, eight times and more
  CHECK(options_of(hot, at.site).front().part.forward_seconds <
        0.6 * options_of(even, at.site).front().part.forward_seconds);
}

TEST_CASE("more bandwidth of the memory never slows a part") {
  sample::TableSite slow(4), fast(4);
  fast.machine.gpu.memory_bandwidth = fast.machine.gpu.memory_bandwidth * 2;
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (const Table& t : sample::drawn_tables(10, 0.2, seed)) {
      const std::vector<Option> before = options_of(t, slow.site), after = options_of(t, fast.site);
      for (size_t i = 0; i < before.size(); ++i) {
        CHECK(after[i].part.forward_seconds <= before[i].part.forward_seconds);
        CHECK(after[i].part.backward_seconds <= before[i].part.backward_seconds);
      }
    }
}
