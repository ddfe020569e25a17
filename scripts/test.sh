#!/usr/bin/env bash
# Runs all tests, then prints which of them took longest.
#
# A test program measures its tests if it has the option --report-time, which a stable toolchain accepts
# where RUSTC_BOOTSTRAP is set. The runner sets it for the test programs alone: cargo and rustc do not
# see it, so that they build the same as for a plain `cargo test`. Documentation tests are not measured.
set -euo pipefail

cargo=${CARGO:-cargo}
shown=10
color=never
[ -t 1 ] && color=always

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The tests of a log with their times, the slowest first. A line reads `test NAME ... ok <1.234s>`; the
# words may be coloured.
slowest() {
  awk '{ gsub(/\033(\(B|\[[0-9;]*m)/, "") }
       /^test .* <[0-9.]+s>$/ { time = substr($NF, 2, length($NF) - 3); printf "%9.3f s  %s\n", time, $2 }' "$1" \
    | LC_ALL=C sort -k1,1nr | sed -n "1,${shown}p"
}

runner='target."cfg(all())".runner = ["env", "RUSTC_BOOTSTRAP=1"]'
status=0
# $cargo may have a toolchain behind it: `cargo +nightly`.
$cargo --color "$color" --config "$runner" test --workspace --lib --bins --tests -- \
  -Z unstable-options --report-time --color "$color" 2>&1 | tee "$log" || status=$?
[ "$status" != 0 ] || $cargo test --workspace --doc || status=$?

found=$(slowest "$log")
# There are none if the build failed.
[ -z "$found" ] || printf 'The slowest tests:\n%s\n' "$found"
exit "$status"
