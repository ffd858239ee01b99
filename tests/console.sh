# shellcheck shell=bash
# Commands that a page shows in ```console blocks, and their output. Sourced by tests of the documentation.

# The pages whose ```console blocks are compared, from the root of the sources.
shown_pages() { printf '%s\n' README.md docs/{index,tutorial,faq,concepts}.md docs/questions/*.md; }

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

# compare PRINTED SHOWN: the shown lines occur in this order, ignoring padding; `...` matches any lines.
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

# run_shown DIR: runs the commands of split_commands and compares. On standard output what differs; 1 then. A command exits
# as its comment says (`# exit 3`), or 0.
run_shown() {
  local command want status
  for command in "$1"/*.command; do
    want=0 status=0
    if [[ $(<"$command") =~ \#\ exit\ ([0-9]+) ]]; then want=${BASH_REMATCH[1]}; fi
    bash -o pipefail "$command" >"$1/now" 2>&1 </dev/null || status=$?
    if [[ $status -ne $want ]]; then
      printf 'exit status %s, expected %s: %s\n' "$status" "$want" "$(<"$command")" && cat "$1/now"
      return 1
    fi
    compare "$1/now" "${command%.command}.shown" >"$1/why" && continue
    cat "$command" "$1/why" && echo 'it prints:' && cat "$1/now"
    return 1
  done
}
