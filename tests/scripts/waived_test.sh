#!/usr/bin/env bash
# How the report of ctest becomes a list of waived tests and three numbers.
set -euo pipefail
awk_program="$(dirname "${BASH_SOURCE[0]}")/../../scripts/waived.awk"
report="$(mktemp)"
trap 'rm -f "$report"' EXIT
cat >"$report" <<'XML'
<testsuite name="(empty)"
	tests="6"
	failures="1"
	>
	<testcase name="a/good" classname="a/good" time="0.1" status="run">
		<system-out>It says "waived: " and is not.
waived: never mind</system-out>
	</testcase>
	<testcase name="a/bad" classname="a/bad" time="0.1" status="fail">
		<failure message=""/>
		<system-out></system-out>
	</testcase>
	<testcase name="a/no_gpu" classname="a/no_gpu" time="0.1" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>waived: no &quot;GPU&quot; &amp; no driver
</system-out>
	</testcase>
	<testcase name="a/no_gpu_either" classname="a/no_gpu_either" time="0.1" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out>waived: no &quot;GPU&quot; &amp; no driver
</system-out>
	</testcase>
	<testcase name="a/silent" classname="a/silent" time="0.1" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out></system-out>
	</testcase>
	<testcase name="a/not_built" classname="a/not_built" time="0" status="notrun">
		<skipped message="Unable to find executable"/>
		<system-out></system-out>
	</testcase>
</testsuite>
XML
diff - <(awk -v counts_only=1 -f "$awk_program" "$report") <<<"1 3 2"
diff - <(awk -f "$awk_program" "$report") <<'TEXT'

Waived: no "GPU" & no driver
  a/no_gpu
  a/no_gpu_either

Skipped without a reason, which counts as failed:
  a/silent

TEXT
