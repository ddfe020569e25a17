#!/usr/bin/env bash
# Opens a page of every kind in Chromium, uses it as a reader does, and fails on any error in the console.
# Usage: pages.sh CUPOLA. With SCREENSHOTS=DIR it leaves pictures of the pages there, to be looked at.
set -euo pipefail
cupola=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

browser() {
  timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$work/profile" \
    --virtual-time-budget=5000 "$@"
}

# page NAME COMMAND…: writes the page, tests it at two widths, and says what came out.
page() {
  local name=$1 size status
  shift
  status=0
  "$cupola" "$@" --html "$work/$name.html" --quiet > /dev/null || status=$?
  case $status in 0 | 5 | 10) ;; *) echo "$name: cupola ended with $status"; failed=1; return ;; esac
  size=$(stat -c %s "$work/$name.html")
  [ "$size" -lt 1000000 ] || { echo "$name: $size bytes are too many"; failed=1; }
  # The recorder of errors stands before everything else, the test behind it.
  awk -v script="$here/pages.js" '
    { print }
    /^<head>$/ { print "<script>window.pageErrors = []; addEventListener(\"error\", (e) => pageErrors.push(String(e.message)));"
                 print "console.error = (...words) => pageErrors.push(words.join(\" \"));</script>" }
    /^<\/main>$/ { open = 1 }
    open && /^<\/script>$/ { print "<script>"; while ((getline line < script) > 0) print line; print "</script>" }
  ' "$work/$name.html" > "$work/$name.test.html"
  for width in 1400 420; do
    browser --window-size="$width",900 --enable-logging=stderr --dump-dom "file://$work/$name.test.html" \
      > "$work/dom" 2> "$work/log" || { echo "$name: the browser failed"; cat "$work/log"; failed=1; return; }
    result=$(sed -n 's/.*<pre id="page-test">\(.*\)<\/pre>.*/\1/p' "$work/dom")
    if grep 'CONSOLE' "$work/log"; then result="FAILED something is in the console"; fi
    printf '%-12s %5s px  %8s bytes  %s\n' "$name" "$width" "$size" "${result:-FAILED no result}"
    case $result in PASSED*) ;; *) failed=1 ;; esac
    if [ -n "${SCREENSHOTS:-}" ]; then
      mkdir -p "$SCREENSHOTS"
      browser --window-size="$width",1200 --screenshot="$SCREENSHOTS/$name-$width.png" "file://$work/$name.test.html" > /dev/null 2>&1
    fi
  done
}

# A trace of more than 60 steps, and a program with everything that would be markup.
{
  echo 'shared x, y; thread P { local r, n = 0; while (n < 20) { n = n + 1; x = n; r = x; }'
  echo '  assert(r == 0, "</script><b>&amp;"); } // <script>alert(1)</script>'
} > "$work/long.cup"

page translate translate examples/peterson.cup --model all -k 2
page long500 translate examples/bakery-3.cup --model pso -k 8
page verify verify examples/bakery.cup
page violated verify examples/peterson.cup --fences none --model pso
page explore explore examples/peterson.cup --model pso --fences none
page trace60 explore "$work/long.cup" --model tso
page fences fences examples/dekker.cup --model pso
page put-in fences examples/peterson.cup --model tso --places stores
page litmus litmus tests/litmus/sb.litmus --model tso --witness
exit "$failed"
