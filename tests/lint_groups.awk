# Groups of source files of a room that one translation unit can hold: no two define the same name for themselves alone.
# usage: ctags -L LIST -f - --kinds-C++=fvcsgtue --fields=+s | awk -v list=LIST -f tests/lint_groups.awk
# Prints the files of a group a line.
BEGIN { FS = "\t" }
/^!/ { next }
{
  own = 0
  for (i = 4; i <= NF; ++i) if ($i ~ /__anon/ || $i == "file:") own = 1
  if ($1 ~ /^__anon/ || $0 ~ /\tn\t/) own = 0
  if (own && !(($2, $1) in seen)) { seen[$2, $1] = 1; names[$2] = names[$2] " " $1 }
}
END {
  while ((getline file < list) > 0) {
    n = split(file, part, "/")
    room = part[1] (part[1] ~ /^(planner|cli)$/ ? "/" part[2] : "")
    m = split(names[file], name, " ")
    for (g = 1; g <= groups; ++g) {
      if (of[g] != room || size[g] >= 12) continue
      free = 1
      for (k = 1; k <= m && free; ++k) if ((g, name[k]) in taken) free = 0
      if (free) break
    }
    if (g > groups) { groups = g; of[g] = room }
    ++size[g]; members[g] = members[g] " " file
    for (k = 1; k <= m; ++k) taken[g, name[k]] = 1
  }
  for (g = 1; g <= groups; ++g) print substr(members[g], 2)
}
