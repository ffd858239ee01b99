// Launch scripts as words; layer patterns.
#include "planner/import/shell_words.h"

#include <doctest/doctest.h>

#include "planner/import/list_pattern.h"

namespace {

struct Shell {
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  planner::ShellText text;
  explicit Shell(std::string script) : source{"run.sh", std::move(script), ""} {
    text = planner::read_shell(source, diagnostics);
  }
  Shell(const Shell&) = delete;
};

/// "[a] [b c]; [d]": words in brackets, commands parted by semicolons.
std::string words(const std::string& script) {
  Shell shell(script);
  std::string out;
  for (const planner::ShellCommand& c : shell.text.commands) {
    if (!out.empty()) out += "; ";
    for (size_t i = 0; i < c.words.size(); ++i) out += (i ? " [" : "[") + c.words[i].text + "]";
  }
  for (const dsl::Diagnostic& d : shell.diagnostics.list)
    out += "! " + std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " + d.message;
  return out;
}

std::string pattern(const std::string& text) {
  const auto list = planner::list_pattern(text);
  if (!list) return "none";
  const auto period = planner::period_of_ones(*list);
  return std::to_string(list->size()) +
         (period ? " " + std::to_string(period->first) + " " + std::to_string(period->every) : " uneven");
}

}  // namespace

TEST_CASE("words, quotes and escapes are those of a shell") {
  CHECK(words("a b  c") == "[a] [b] [c]");
  CHECK(words("a 'b c' \"d e\" f\\ g ''") == "[a] [b c] [d e] [f g] []");
  CHECK(words("a'b'\"c\"d") == "[abcd]");
  CHECK(words("a \\\n  b # no words here\nc") == "[a] [b]; [c]");
  CHECK(words("a \\\r\n b\r\nc") == "[a] [b]; [c]");
  CHECK(words("a; b && c | d &") == "[a]; [b]; [c]; [d]");
  CHECK(words("'$x' \"\\$x\" a#b") == "[$x] [$x] [a#b]");
  CHECK(words("\"a\\\nb\"") == "[ab]");
  CHECK(words("") == "");
}

TEST_CASE("variables are put in, and part words outside quotes alone") {
  CHECK(words("N=8\nrun $N ${N} x${N}y \"$N\"") == "[run] [8] [8] [x8y] [8]");
  CHECK(words("A=\"--a 1 --b\"; run $A \"$A\"") == "[run] [--a] [1] [--b] [--a 1 --b]");
  CHECK(words("A=\" x \"; run a${A}b") == "[run] [a] [x] [b]");
  CHECK(words("E=; run $E \"$E\" end") == "[run] [] [end]");
  CHECK(words("A=(\n --x 1 # one\n --y '2 3'\n)\nrun ${A[@]} \"${A[*]}\"") ==
        "[run] [--x] [1] [--y] [2] [3] [--x 1 --y 2 3]");
  CHECK(words("A=(a); A+=(b c); B=x; B+=y; run ${A[@]} $B") == "[run] [a] [b] [c] [x] [y]");
  CHECK(words("export N=8 M=9; run $N$M") == "[run] [89]");
  CHECK(words("CUDA=1 OTHER=2 run --flag") == "[run] [--flag]");
  CHECK(words("run $UNSET ${UNSET} ${UNSET:-7} ${A[@]}") == "[run] [$UNSET] [${UNSET}] [7] [${A[@]}]");
  CHECK(words("N=${N:-\"8\"}\nrun $N ${M:-'a b'} ${M:-'} ${M:-}") == "[run] [8] [a] [b] [']");
  CHECK(words("N=8; M=$((N * 2 + ${N} / 3)); run $M $(hostname) $((NO))") == "[run] [18] [$(hostname)] [$((NO))]");
}

TEST_CASE("what is left open is told at its beginning") {
  CHECK(words("run 'a") == "[run] [a]! 1:5 the quote is never closed");
  CHECK(words("run\nA=(b c") == "[run]! 2:3 the bracket is never closed");
  CHECK(words("run ${A").find("the bracket is never closed") != std::string::npos);
  CHECK(words("run $((1 + 2").find("the bracket is never closed") != std::string::npos);
}

TEST_CASE("a variable that holds itself many times over ends in a message") {
  std::string script = "A=0123456789\n";
  for (int i = 0; i < 40; ++i) script += "A=\"$A $A\"\n";
  CHECK(words(script + "run $A").find("grow without end") != std::string::npos);
}

TEST_CASE("a word's place is where its text is written") {
  Shell shell("A=\"--x 1\"\nrun $A 'q'\n");
  const auto& found = shell.text.commands.at(0).words;
  CHECK(found[0].span.line == 2);
  CHECK(found[1].text == "--x");
  CHECK(found[1].span.line == 1);
  CHECK(found[1].span.column == 4);
  CHECK(found[2].span.column == 8);
  CHECK(shell.text.variables.at("A").text == "--x 1");
}

TEST_CASE("layer patterns are lists of zeros and ones") {
  CHECK(pattern("[0,1]") == "2 0 2");
  CHECK(pattern("([0]*3+[1]*58)") == "61 3 1");
  CHECK(pattern("([0]+[1]*23)") == "24 1 1");
  CHECK(pattern("([0]*3 + [1]*1)*3") == "12 0 4");
  CHECK(pattern("([1]*3+[0]*2)*2") == "10 uneven");
  CHECK(pattern("[0,0]") == "2 uneven");
  CHECK(pattern("[0,0,1,0,1]") == "5 1 2");
  for (const char* bad : {"", "3", "[1]*", "[1", "([1]", "[1]*1000000", "[1]]", "x", "[1]+"})
    CHECK(pattern(bad) == "none");
  CHECK(pattern(std::string(1000, '(')) == "none");
}
