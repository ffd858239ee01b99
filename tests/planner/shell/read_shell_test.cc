// Launch scripts as bash reads them.
#include "planner/shell/read_shell.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>

#include "dsl/read_text.h"

namespace {

struct Shell {
  std::deque<dsl::Source> sources;
  dsl::Diagnostics diagnostics;
  planner::ShellText text;
  explicit Shell(const std::string& script, const std::map<std::string, std::string>& files = {},
                 planner::ShellInput input = {}) {
    sources.push_back({"run.sh", script, ""});
    input.open = [&](const std::string& path) -> const dsl::Source* {
      const auto file = files.find(path);
      return file == files.end() ? nullptr : &sources.emplace_back(dsl::Source{path, file->second, ""});
    };
    text = planner::read_shell(sources.front(), diagnostics, input);
  }
  Shell(const Shell&) = delete;

  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list)
      out += "! " + std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " + d.message;
    return out;
  }
};

/// "[a] [b c]; [d]": words in brackets, commands parted by semicolons.
std::string words_of(const std::vector<planner::ShellCommand>& commands) {
  std::string out;
  for (const planner::ShellCommand& c : commands) {
    if (!out.empty()) out += "; ";
    for (size_t i = 0; i < c.words.size(); ++i) out += (i ? " [" : "[") + c.words[i].text + "]";
  }
  return out;
}

std::string words(const std::string& script) {
  const Shell shell(script);
  return words_of(shell.text.usual.commands) + shell.told();
}

/// The other paths: what they turn, and their commands.
std::string paths(const std::string& script) {
  const Shell shell(script);
  std::string out = words_of(shell.text.usual.commands);
  for (const planner::ShellPath& path : shell.text.others) {
    out += " |";
    for (const planner::ShellQuestion& q : path.turned) out += " " + std::to_string(q.span.line) + ":" + q.what;
    out += " -> " + words_of(path.commands);
  }
  return out;
}

const std::string kScripts =
    std::filesystem::absolute(TRAINPLAN_SOURCE_DIR "/tests/planner/shell/scripts").lexically_normal().string() + "/";

/// What bash runs of a script: the words of each command that it does not know, in brackets.
std::string by_bash(const std::string& script) {
  const std::string folder = std::filesystem::temp_directory_path().string(), stub = kScripts + "by_bash";
  const std::string command = "cd '" + folder + "' && bash '" + stub + "' '" + script + "' 3>&1 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 4096> part;
  for (size_t n; pipe && (n = fread(part.data(), 1, part.size(), pipe.get())) > 0;) out.append(part.data(), n);
  return out;
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
  CHECK(words("a > out 2>&1 <in &>> log") == "[a]");
  CHECK(words("cat <<-'EOF' | b\n\tc $d\n\tEOF\ne") == "[cat]; [b]; [e]");
  CHECK(words("P=<to fill in>\nQ=2 R=<path>/x\nrun $Q") == "[fill] [in]; [run] [2]");
  CHECK(words("") == "");
}

TEST_CASE("scripts come out as bash runs them") {
  size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScripts)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".sh")) continue;
    CAPTURE(path);
    std::string why;
    const std::optional<std::string> text = dsl::read_file(path, 1 << 20, why);
    REQUIRE(text);
    dsl::Diagnostics diagnostics;
    const dsl::Source source{path, *text, ""};
    const planner::ShellText read = planner::read_shell(source, diagnostics);
    std::string ours;
    for (const planner::ShellCommand& command : read.usual.commands) {
      for (const planner::ShellWord& word : command.words) ours += "[" + word.text + "] ";
      ours += "\n";
    }
    CHECK(ours == by_bash(path));
    CHECK(diagnostics.list.empty());
    ++n;
  }
  CHECK(n >= 3);
}

TEST_CASE("what nothing sets stays as written") {
  CHECK(words("run $UNSET ${UNSET} ${UNSET:-7} ${A[@]}") == "[run] [$UNSET] [${UNSET}] [7] [${A[@]}]");
  CHECK(words("N=8; M=$((N * 2 + ${N} / 3)); run $M $(hostname) $((NO))") == "[run] [18] [$(hostname)] [$((NO))]");
  CHECK(words("X=$Y; run \"a$X\" ${X:-8} ${#X} ${X%b}") == "[run] [a$Y] [8] [${#X}] [${X%b}]");
  CHECK(words("run ${X:?it is missing} ${Y?no}") == "[run] [${X:?it is missing}] [${Y?no}]");
  CHECK(words("run $1 $# \"$@\"") == "[run] [$1] [$#]");
  const Shell shell("run --a $X \"$X\" x$X ${X}");
  std::string kinds;
  for (const planner::ShellWord& w : shell.text.usual.commands.at(0).words)
    kinds += w.is_absent ? "absent " : w.is_open ? "open " : "known ";
  CHECK(kinds == "known known absent open open absent ");
}

TEST_CASE("a script gets variables, arguments and files from outside") {
  const Shell given("run $A $1 $2 $#", {}, {.variables = {{"A", "x y"}}, .arguments = {{"7B", "4"}}});
  CHECK(words_of(given.text.usual.commands) == "[run] [x] [y] [7B] [4] [2]");
  const Shell files("source \"$(dirname \"$0\")/a.sh\"; . b.sh 3\nrun $A $B; bash c.sh q; source none.sh",
                    {{"./a.sh", "A=1\n"}, {"b.sh", "B=$1"}, {"c.sh", "inner $1 $A"}});
  CHECK(words_of(files.text.usual.commands) == "[run] [1] [3]; [inner] [q] [1]");
  CHECK(files.told() == "! 2:32 'none.sh' is not read: what it sets is not known");
  CHECK(words("a\n#SBATCH ") == "[a]");
  CHECK(words("#SBATCH --nodes=4\n#SBATCH --gres=gpu:8  # all\nrun $SLURM_NNODES ${SLURM_GPUS_ON_NODE}") ==
        "[run] [4] [8]");
  const Shell written("N=2\ncat > a.json <<EOT\n{\"n\": $N}\nEOT\n");
  CHECK(written.text.usual.files.at("a.json").text == "{\"n\": 2}\n");
}

TEST_CASE("conditions that a script decides are decided") {
  CHECK(paths("S=1B\nif [ $S = 1B ]; then a; elif [ $S = 7B ]; then b; fi") == "[a]");
  CHECK(paths("case 7B in 1B) a;; 7*|8*) b;; *) c;; esac") == "[b]");
  // A test of whether a name is set finds that it is not.
  CHECK(paths("[ -z \"$X\" ] && X=3; run $X") == "[run] [3]");
  CHECK(paths("if [ -n \"$X\" ]; then a; fi; if [[ \"x$X\" == x ]]; then b; fi; : ${Y:=4}; run $Y") ==
        "[b]; [run] [4]");
}

TEST_CASE("each answer of a condition that the script does not decide is followed") {
  CHECK(paths("if [ $X = 1 ]; then a; else b; fi") == "[b] | 1:$X -> [a]");
  CHECK(paths("\nif [ -f x ]; then N=2; fi\nrun ${N:-1}") == "[run] [1] | 2:-f x -> [run] [2]");
  CHECK(paths("case $1 in 7B) a;; esac") == " | 1:$1 -> [a]");
  CHECK(paths("while [ $# -gt 0 ]; do a; shift; done; b") == "[b] | 1:$# -> [a]; [b]");
  CHECK(paths("if [ $X = 1 ] && [ $Y = 2 ]; then a; fi") == " | 1:$X ->  | 1:$X 1:$Y -> [a]");
  CHECK(paths("probe || exit 1\nrun") == "[probe]; [run] | 1:probe -> [probe]");
}

TEST_CASE("what is left open is told at its beginning") {
  CHECK(words("run 'a") == "! 1:5 the quote is never closed");
  CHECK(words("run\nA=(b c") == "! 2:3 the bracket is never closed");
  CHECK(words("run ${A").find("the bracket is never closed") != std::string::npos);
  CHECK(words("run $((1 + 2").find("the bracket is never closed") != std::string::npos);
  CHECK(words("a\nif b; then\n c") == "! 2:1 'if' is never closed by 'fi'");
  CHECK(words("while a\n b").find("! 1:1 the loop is not followed by 'do'") != std::string::npos);
  CHECK(words("case x in\n a) b").find("'case' is never closed by 'esac'") != std::string::npos);
}

TEST_CASE("a script that grows or runs without end, or is nested without end, ends in a message") {
  std::string script = "A=0123456789\n";
  for (int i = 0; i < 40; ++i) script += "A=\"$A $A\"\n";
  CHECK(words(script + "run $A").find("grow without end") != std::string::npos);
  CHECK(words("while true; do :; done").find("runs without end") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "{ ";
  CHECK(words("f() { f; }; f").find("nested too deeply") != std::string::npos);
  CHECK(words(deep).find("nested too deeply") != std::string::npos);
  CHECK(words("X='$X'; eval eval eval \"echo $X\"") == "");
  CHECK(words("run " + std::string(3000, '{')) == "[run] [" + std::string(3000, '{') + "]");
  const Shell self("source a.sh", {{"a.sh", "source a.sh"}});
  CHECK(self.told().find("nested too deeply") != std::string::npos);
  std::string questions;
  for (int i = 0; i < 60; ++i) questions += "if [ $X" + std::to_string(i) + " = 1 ]; then a; fi\n";
  CHECK(Shell(questions).text.is_cut);
}

TEST_CASE("a word's place is where its text is written") {
  const Shell shell("A=\"--x 1\"\nrun $A 'q'\n");
  const auto& found = shell.text.usual.commands.at(0).words;
  CHECK(found[0].span.line == 2);
  CHECK(found[1].text == "--x");
  CHECK(found[1].span.line == 1);
  CHECK(found[1].span.column == 4);
  CHECK(found[2].span.column == 8);
  CHECK(shell.text.usual.variables.at("A").text == "--x 1");
}
