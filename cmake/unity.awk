# Groups of source files that one translation unit can hold: each file means what it means alone. Of the names that a file
# keeps in its unnamed namespace the others call no function and write nothing else, nor do they include a header that
# declares one of them beside it. Files that open whole namespaces to themselves meet those that open the same ones.
# usage: awk -f cmake/unity.awk LIST    LIST: a line "TARGET MOST FILE" for each file, by target; MOST: files of a group
# Prints a line "TARGET NUMBER FILE..." for each group. It takes for a declaration what the left edge of clang-format's lines may be
# one, and every word for a mention: too many only make groups smaller.

{ targets[NR] = $1; most[NR] = $2; files[NR] = $3; read_file($3) }

END {
  for (i = 1; i <= NR; ++i) find_risks(files[i])
  for (i = 1; i <= NR; ++i) {
    if (targets[i] != targets[i - 1]) first = groups + 1
    for (g = first; g <= groups; ++g) if (size[g] < most[i] && fits(files[i], g)) break
    if (g > groups) { groups = g; members[g] = targets[i] " " g - first + 1 }
    join(files[i], g)
  }
  for (g = 1; g <= groups; ++g) print members[g]
}

function read_file(file,    line, hidden) {
  if (file in has_read) return
  has_read[file] = 1
  while ((getline line < file) > 0) {
    if (line ~ /^#include "/) { split(line, part, "\""); included[file] = included[file] " " part[2]; read_file(part[2]) }
    if (line ~ /^namespace [a-z:_]+ \{/) { split(line, part, " "); space[file] = space[file] "::" part[2] }
    if (line ~ /^}  \/\/ namespace [a-z]/) sub("::" substr(line, 17) "$", "", space[file])
    if (line ~ /^namespace \{/) hidden = 1
    if (line ~ /^}  \/\/ namespace$/) hidden = 0
    if (line ~ /^ *\/\//) continue
    if (file ~ /\.h$/) { if (line ~ /^[A-Za-z]/) publish(file, line); continue }
    if (line ~ /^#define /) { split(line, part, /[ (]/); keep(file, part[2], "word") }
    if (line ~ /^using namespace /) opens[file] = opens[file] space[file] " " line
    if (line ~ /^using [A-Za-z:_]+;/) use(file, line)
    if (hidden && line ~ /^[A-Za-z]/ || line ~ /^static /) keep(file, declared(line), kind)
    if (hidden) constants(file, line)
    mention(file, line)
  }
  close(file)
}

# A function, which others must not call, or a word, which they must not write.
function keep(file, name, kind) {
  if (name == "" || (file, kind, name) in own) return
  own[file, kind, name] = 1
  kept[file] = kept[file] " " kind ":" name
  full[file] = full[file] " " space[file] "::" name
}

function publish(header, line,    name) {
  name = space[header] "::" declared(line)
  if (index(published[name] " ", " " header " ") == 0) published[name] = published[name] " " header
}

# The name that a line at its left edge declares: what stands before the first of ( = { ; [ that is outside of < >. Sets kind.
function declared(line,    i, letter, depth) {
  if (line ~ /^(namespace|template <.*>$|using namespace|static_assert)/) return ""
  if (line !~ /\(/) sub(/ : .*/, "", line)  # the bases of a struct
  for (i = 1; i <= length(line); ++i) {
    letter = substr(line, i, 1)
    if (letter == "<") ++depth
    else if (letter == ">") --depth
    else if (depth <= 0 && index("(={;[", letter)) break
  }
  kind = letter == "(" ? "call" : "word"
  return last(substr(line, 1, i - 1))
}

# "using other::name;": files that bring in the same may meet, if it is the first of this name.
function use(file, line,    name) {
  name = line
  sub(/;.*/, "", name)
  sub(/.*[: ]/, "", name)
  if (!(name in first_use)) first_use[name] = line
  if (first_use[name] == line) shares[file, name] = 1
  keep(file, name, "word")
}

# A line may declare several constants, and go on with those of the line before.
function constants(file, line,    name) {
  while (match(line, /[^A-Za-z0-9_]k[A-Z][A-Za-z0-9]*( =[^=]|\{|\[\])/)) {
    name = substr(line, RSTART + 1, RLENGTH - 1)
    sub(/[^A-Za-z0-9].*/, "", name)
    keep(file, name, "word")
    line = substr(line, RSTART + RLENGTH)
  }
}

function last(text) {
  sub(/[^A-Za-z0-9_]*$/, "", text)
  if (text ~ /(^|[^A-Za-z0-9_])[A-Z_]+$/) return ""  # a macro, as TEST_CASE
  if (text ~ /operator$/ || text ~ /::[A-Za-z0-9_]+$/) return ""
  sub(/.*[^A-Za-z0-9_]/, "", text)
  return text
}

function mention(file, line,    n, i, word, called) {
  if (line !~ /R"/ && gsub(/"/, "&", line) % 2 == 0) gsub(/"[^"]*"/, " ", line)
  gsub(/(\.|->|::)[A-Za-z0-9_]+/, " ", line)
  gsub(/ *\(/, "( ", line)
  n = split(line, word, /[^A-Za-z0-9_(]+/)
  for (i = 1; i <= n; ++i) {
    called = sub(/\(.*/, "", word[i])
    if (word[i] == "" || (file, word[i]) in shares) continue
    say(file, "word:" word[i])
    if (called) say(file, "call:" word[i])
  }
}

function say(file, what) {
  if ((file, what) in heard) return
  heard[file, what] = 1
  said[file] = said[file] " " what
}

# What the file includes, over other headers too.
function reach(file, from,    n, i, part) {
  n = split(included[from], part, " ")
  for (i = 1; i <= n; ++i) if (!((file, part[i]) in reached)) {
    reached[file, part[i]] = 1
    reaches[file] = reaches[file] " " part[i]
    reach(file, part[i])
  }
}

# Headers that declare what the file keeps, and that it does not include itself.
function find_risks(file,    n, m, i, k, part, header) {
  reach(file, file)
  n = split(full[file], part, " ")
  for (i = 1; i <= n; ++i) {
    m = split(published[part[i]], header, " ")
    for (k = 1; k <= m; ++k) if (!((file, header[k]) in reached)) risks[file] = risks[file] " " header[k]
  }
}

function fits(file, g) {
  return opens[file] == open[g] && !meets(kept[file], g, "said") && !meets(said[file], g, "kept") && !meets(risks[file], g, "reaches") &&
    !meets(reaches[file], g, "risks")
}

function meets(list, g, of,    n, i, part) {
  n = split(list, part, " ")
  for (i = 1; i <= n; ++i) if ((g, of, part[i]) in known) return 1
  return 0
}

function join(file, g) {
  ++size[g]
  open[g] = opens[file]
  members[g] = members[g] " " file
  know(kept[file], g, "kept")
  know(said[file], g, "said")
  know(reaches[file], g, "reaches")
  know(risks[file], g, "risks")
}

function know(list, g, of,    n, i, part) {
  n = split(list, part, " ")
  for (i = 1; i <= n; ++i) known[g, of, part[i]] = 1
}
