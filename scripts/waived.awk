# Reads the JUnit report of ctest. Lists the tests that were waived, by reason; with counts_only=1
# prints "passed failed waived" instead. What neither ran well nor gave a reason has failed.
function plain(text) {
  gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text)
  gsub(/&apos;/, "'", text); gsub(/&amp;/, "\\&", text)
  return text
}
function attribute(name) {
  if (!match($0, " " name "=\"[^\"]*\"")) return ""
  return plain(substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4))
}
/^[ \t]*tests="/ { split($0, parts, "\""); total = parts[2] }
/<testcase / { test = attribute("name"); status = attribute("status"); skip = ""; reason = "" }
/<skipped message="SKIP_/ { skip = "yes" }
/waived: / && reason == "" { reason = plain(substr($0, index($0, "waived: ") + 8)) }
/<\/testcase>/ {
  if (status == "run") passed++
  else if (skip && reason != "") {
    waived++
    if (!(reason in tests)) reasons[++known] = reason
    tests[reason] = tests[reason] "\n  " test
  } else if (skip) silent = silent "\n  " test
}
END {
  if (counts_only) {
    print passed + 0, total - passed - waived, waived + 0
    exit
  }
  for (i = 1; i <= known; i++) printf "\nWaived: %s%s\n", reasons[i], tests[reasons[i]]
  if (silent) printf "\nSkipped without a reason, which counts as failed:%s\n", silent
  print ""
}
