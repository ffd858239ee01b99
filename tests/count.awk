# Counts a ctest run from its JUnit file: doctest's test cases, and one for any other test.
# A doctest program that died without a summary counts as one failure.
function number(pattern) { return match($0, pattern) ? substr($0, RSTART, RLENGTH) + 0 : 0 }

/<testcase / { cases = 0; status = /status="run"/ ? "run" : /status="fail"/ ? "fail" : "skip"; bad_cases = 0 }
/\[doctest\] test cases:/ {
  ++cases
  passed += number("[0-9]+ passed")
  bad_cases += number("[0-9]+ failed")
}
/<\/testcase>/ {
  if (status == "fail") failed += bad_cases ? bad_cases : 1
  else if (status == "run" && !cases) ++passed
}
END { printf "%d passed, %d failed\n", passed, failed }
