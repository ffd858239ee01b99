#!/usr/bin/env bash
# One comment of the pull request, written anew each time. Without a changed scenario there is none.
set -euo pipefail
page=$RUNNER_TEMP/trainplan.md mark='<!-- trainplan -->'
[[ -s $page ]] || exit 0
printf '%s\n%s\n' "$mark" "$(<"$page")" >"$RUNNER_TEMP/comment.md"
comments=repos/$REPOSITORY/issues/$PULL_REQUEST/comments
old=$(gh api "$comments" --paginate --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
if [[ -n $old ]]; then
  gh api --method PATCH "repos/$REPOSITORY/issues/comments/$old" -F "body=@$RUNNER_TEMP/comment.md" >/dev/null
else
  gh api --method POST "$comments" -F "body=@$RUNNER_TEMP/comment.md" >/dev/null
fi
