#!/usr/bin/env bash
# What each changed scenario gains or loses against the base, as Markdown: into the summary, and into trainplan.md.
source "${BASH_SOURCE%/*}/files.sh"
before=$RUNNER_TEMP/trainplan-base page=$RUNNER_TEMP/trainplan.md
# A checkout has its newest commit alone.
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth 1 origin "$BASE"
git worktree add --quiet --force --detach "$before" "$BASE"
trap 'git worktree remove --force "$before"' EXIT
: >"$page"
for file in "${files[@]}"; do
  if [[ ! -f $before/$file ]]; then
    printf '### %s (new)\n\n' "$file"
    trainplan plan "$file" --pick best --quiet --format md || true  # a plan that does not fit is one
  elif ! cmp -s "$file" "$before/$file"; then
    printf '### %s\n\n' "$file"
    trainplan compare "$before/$file" "$file" --pick best --quiet --format md || true
  fi
done >"$page"
cat "$page" >>"$GITHUB_STEP_SUMMARY"
