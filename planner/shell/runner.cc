#include "planner/shell/runner.h"

#include <algorithm>

namespace planner::shell {
namespace {

using CommandKind = CommandNode::CommandKind;
using Link = CommandNode::Link;

constexpr size_t kMostSteps = 100'000;  // commands that run
constexpr int kDeepest = 100;           // functions and files inside each other

/// The words of a list joined by blanks.
PlacedText joined(const ShellVariable& variable) {
  PlacedText all;
  for (const auto& [key, value] : variable.items) {
    if (!all.text.empty()) all.add(' ', value.at.empty() ? 0 : value.at[0]);
    all.add(value);
  }
  return all;
}

/// Whether the command does nothing but answer.
bool is_condition(const CommandNode& node) {
  if (node.kind == CommandKind::test || node.kind == CommandKind::arithmetic) return true;
  const std::string_view first = node.words.empty() ? "" : node.words[0].in(node.script->code.text);
  return node.kind == CommandKind::simple && (first == "[" || first == "test");
}

}  // namespace

ScriptRunner::ScriptRunner(const ShellInput& input, const std::vector<size_t>& turned, dsl::Diagnostics& diagnostics)
    : input_(input), turned_(turned), diagnostics_(diagnostics) {
  capture_ = [this](const PlacedText& commands) { return capture(commands); };
}

void ScriptRunner::run(const dsl::Source& source) {
  const uint32_t from = places_.end();
  const PlacedText code = places_.placed(source);
  state_.script_name = source.name;
  for (const auto& [name, value] : input_.variables) state_.set(name, computed_text(value, from));
  state_.has_arguments = input_.arguments.has_value();
  for (const std::string& word : input_.arguments.value_or(std::vector<std::string>{}))
    state_.arguments.push_back(computed_text(word, from));
  read_headers(source.text, from);
  run_all(parsed(code).commands);
}

ShellPath ScriptRunner::path() {
  ShellPath path{std::move(commands_), {}, std::move(files_), {}};
  for (const auto& [name, variable] : state_.variables) path.variables[name] = word_of(joined(variable));
  for (const AskedQuestion& asked : asked_)
    if (asked.is_turned) path.turned.push_back(asked.question);
  return path;
}

const ParsedScript& ScriptRunner::parsed(PlacedText code) {
  ParsedScript& script = scripts_.emplace_back();
  script.code = std::move(code);
  parse_commands(script, [&](size_t offset, const char* message) {
    const std::vector<uint32_t>& at = script.code.at;
    fail(at.empty() ? 0 : at[std::min(offset, at.size() - 1)], message);
  });
  return script;
}

void ScriptRunner::fail(uint32_t place, const char* message) {
  if (!failed_) diagnostics_.error(places_.span(place, 1), message);
  failed_ = true;
}

bool ScriptRunner::has_budget(size_t bytes, const CommandNode& node) {
  bytes_ += bytes;
  if (bytes_ > kMostBytes) fail(place_of(node), "the variables of the text grow without end");
  if (++steps_ > kMostSteps) fail(place_of(node), "the script runs without end");
  return !failed_;
}

ShellWord ScriptRunner::word_of(const PlacedText& text) const {
  return {text.text, places_.span(text.at.empty() ? 0 : text.at[0], text.text.size()), text.is_open(), text.is_absent};
}

bool ScriptRunner::decide(TestVerdict verdict, bool usual, const CommandNode& node) {
  if (verdict != TestVerdict::open) return verdict == TestVerdict::yes;
  const bool turned = std::ranges::find(turned_, asked_.size()) != turned_.end();
  const size_t size = std::min(node.all.to, node.script->code.text.find('\n', node.all.from)) - node.all.from;
  asked_.push_back({{places_.span(place_of(node), size), what_}, turned});
  return usual != turned;
}

TestVerdict ScriptRunner::run_all(const std::vector<CommandNode>& nodes) {
  TestVerdict last = TestVerdict::yes;
  const CommandNode* before = nullptr;
  for (const CommandNode& node : nodes) {
    if (failed_ || flow_ != ControlFlow::on) break;
    if (node.link == Link::if_done && !decide(last, !is_condition(*before), *before)) last = TestVerdict::no;
    else if (node.link == Link::if_failed && decide(last, true, *before)) last = TestVerdict::yes;
    else last = run_node(node);
    before = &node;
  }
  return last;
}

TestVerdict ScriptRunner::run_node(const CommandNode& node) {
  if (++depth_ > kDeepest) fail(place_of(node), "commands are nested too deeply");
  const TestVerdict answer = has_budget(1, node) ? run_kind(node) : TestVerdict::no;
  --depth_;
  return node.is_negated ? opposite(answer) : answer;
}

TestVerdict ScriptRunner::run_kind(const CommandNode& node) {
  switch (node.kind) {
    case CommandKind::simple:
      return run_simple(node);
    case CommandKind::test:
      return run_test(node);
    case CommandKind::arithmetic:
      return run_arithmetic(node);
    case CommandKind::group:
      return run_group(node);
    case CommandKind::branch:
      return run_branch(node);
    case CommandKind::match:
      return run_match(node);
    case CommandKind::each:
      return node.name.empty() ? run_counted(node) : run_each(node);
    case CommandKind::repeat:
      return run_repeat(node);
    case CommandKind::function:
      if (!node.clauses.empty() && !node.clauses[0].body.empty())
        state_.functions[node.name] = &node.clauses[0].body[0];
  }
  return TestVerdict::yes;
}

TestVerdict ScriptRunner::run_branch(const CommandNode& node) {
  for (const CommandClause& clause : node.clauses) {
    if (!clause.condition.empty()) {
      const TestVerdict answer = run_all(clause.condition);
      if (!decide(answer, false, clause.condition.back())) continue;
    }
    return run_all(clause.body);
  }
  return TestVerdict::yes;
}

bool ScriptRunner::fits_any(const CommandClause& clause, const PlacedText& subject, const CommandNode& node) {
  for (const TextRange& range : clause.patterns) {
    const PlacedText pattern = expander(node).pattern(range);
    if (pattern.text == "*") return true;
    if (!subject.is_open() && !pattern.is_open() && fits_pattern(subject.text, pattern.text)) return true;
    if (!subject.is_open() && !pattern.is_open()) continue;
    what_ = subject.is_open() ? subject.text : pattern.text;
    if (decide(TestVerdict::open, false, node)) return true;
  }
  return false;
}

TestVerdict ScriptRunner::run_match(const CommandNode& node) {
  if (node.words.empty()) return TestVerdict::yes;
  const PlacedText subject = expander(node).whole(node.words[0]);
  for (const CommandClause& clause : node.clauses)
    if (fits_any(clause, subject, node)) return run_all(clause.body);
  return TestVerdict::yes;
}

bool ScriptRunner::run_body(const std::vector<CommandNode>& body) {
  run_all(body);
  if (flow_ == ControlFlow::next) flow_ = ControlFlow::on;
  if (flow_ != ControlFlow::leave) return flow_ == ControlFlow::on && !failed_;
  flow_ = ControlFlow::on;
  return false;
}

TestVerdict ScriptRunner::run_each(const CommandNode& node) {
  std::vector<PlacedText> items = node.takes_arguments ? state_.arguments : std::vector<PlacedText>{};
  for (const TextRange& word : node.words) std::ranges::move(expander(node).fields(word), std::back_inserter(items));
  for (const PlacedText& item : items) {
    state_.set(node.name, item);
    if (node.clauses.empty() || !has_budget(item.text.size(), node) || !run_body(node.clauses[0].body)) break;
  }
  return TestVerdict::yes;
}

TestVerdict ScriptRunner::run_counted(const CommandNode& node) {
  if (node.words.size() != 3 || node.clauses.empty()) return TestVerdict::yes;
  const auto value = [&](size_t i) {
    const PlacedText text = expander(node).whole(node.words[i]);
    if (i == 1 && text.text.find_first_not_of(" \t") == std::string::npos) return std::optional<int64_t>(1);
    return text.is_open() ? std::nullopt : shell_arithmetic(text.text, state_);
  };
  value(0);
  for (std::optional<int64_t> more = value(1); more.value_or(0) != 0; more = value(1)) {
    if (!has_budget(1, node) || !run_body(node.clauses[0].body)) break;
    value(2);
  }
  return TestVerdict::yes;
}

TestVerdict ScriptRunner::run_repeat(const CommandNode& node) {
  if (node.clauses.empty() || node.clauses[0].condition.empty()) return TestVerdict::yes;
  const CommandClause& clause = node.clauses[0];
  for (bool again = true; again && !failed_ && flow_ == ControlFlow::on;) {
    const TestVerdict answer = run_all(clause.condition);
    // Where nothing decides how often, the body runs once or not at all.
    again = answer != TestVerdict::open;
    if (decide(answer, node.is_until, clause.condition.back()) == node.is_until) break;
    if (!run_body(clause.body)) break;
  }
  return TestVerdict::yes;
}

TestVerdict ScriptRunner::run_group(const CommandNode& node) {
  if (node.clauses.empty()) return TestVerdict::yes;
  if (!node.is_subshell) return run_all(node.clauses[0].body);
  ScriptState outside = state_;
  const std::string directory = directory_;
  const TestVerdict answer = run_all(node.clauses[0].body);
  if (flow_ == ControlFlow::exit) flow_ = ControlFlow::on;
  state_ = std::move(outside);
  directory_ = directory;
  return answer;
}

TestVerdict ScriptRunner::run_test(const CommandNode& node) {
  std::vector<TestOperand> operands;
  for (const TextRange& word : node.words) {
    const std::string_view raw = word.in(node.script->code.text);
    const bool plain = raw.find_first_of("'\"\\$`") == std::string_view::npos;
    const bool after_match = !operands.empty() && operands.back().text.text == "=~";
    if (after_match) operands.push_back({expander(node).whole(word), "", false});
    else operands.push_back({expander(node).whole(word), expander(node).pattern(word).text, plain});
  }
  return test_verdict(operands, true, state_, what_);
}

TestVerdict ScriptRunner::run_arithmetic(const CommandNode& node) {
  if (node.words.empty()) return TestVerdict::yes;
  const PlacedText formula = expander(node).whole(node.words[0]);
  const std::optional<int64_t> value = formula.is_open() ? std::nullopt : shell_arithmetic(formula.text, state_);
  if (value) return *value != 0 ? TestVerdict::yes : TestVerdict::no;
  what_ = formula.text;
  return TestVerdict::open;
}

}  // namespace planner::shell
