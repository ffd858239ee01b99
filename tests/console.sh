# shellcheck shell=bash
# Commands that a page shows in ```console blocks, and what they print. Sourced by tests of the documentation.

# split_commands DIR: of the page on standard input, command after command: numbered files of the command and of what
# it shows.
split_commands() {
  awk -v to="$1" '
    /^```/ { inside = $0 == "```console"; next }
    inside && sub(/^\$ /, "") {
      name = sprintf("%s/%02d", to, ++count)
      print > (name ".command")
      printf "" > (name ".shown")
      next
    }
    inside { print > (name ".shown") }'
}

# compare PRINTED SHOWN: the lines that are shown come one after the other, whatever the padding; `...` stands for any
# lines.
compare() {
  awk '
    { gsub(/ +/, " "); sub(/ $/, "") }
    FILENAME == ARGV[1] { now[++lines] = $0; next }
    $0 == "..." { gap = 1; next }
    { do ++at; while (gap && at < lines && now[at] != $0)
      gap = 0
      if (at > lines || now[at] != $0) { print "the page shows: " $0; exit failed = 1 } }
    END { if (!failed && !gap && at < lines) { print "the page leaves out: " now[at + 1]; exit 1 } }' "$1" "$2"
}

# run_shown DIR: runs the commands of split_commands and compares. On standard output what differs; 1 then.
run_shown() {
  local command
  for command in "$1"/*.command; do
    if ! bash -o pipefail "$command" >"$1/now" 2>&1 </dev/null; then
      printf 'this fails: %s\n' "$(<"$command")" && cat "$1/now"
      return 1
    fi
    compare "$1/now" "${command%.command}.shown" >"$1/why" && continue
    cat "$command" "$1/why" && echo 'it prints:' && cat "$1/now"
    return 1
  done
}
