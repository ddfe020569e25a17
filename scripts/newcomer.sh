#!/usr/bin/env bash
# Runs what a newcomer runs: `make demo`, then every command that README.md and docs/tutorial.md show, in a clean clone. The
# machine needs what the README asks for: Debian with Rust and a C compiler. Usage: newcomer.sh [FOLDER-OF-THE-PROJECT]
set -euo pipefail
project=$(cd "${1:-.}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet "$project" "$folder/cupola"
cd "$folder/cupola"
make demo >/dev/null
export PATH="$PWD/target/release:$PATH"

# Verdicts have exit codes of their own; what is no verdict is a failure, at any place of a pipe.
count=0
while IFS= read -r command; do
  count=$((count + 1))
  code=0
  bash -o pipefail -c "$command" </dev/null >"$folder/output" 2>"$folder/errors" || code=$?
  case $code in
    0 | 5 | 10) ;;
    *)
      printf 'exit code %s: %s\n' "$code" "$command" >&2
      cat "$folder/errors" >&2
      exit 1
      ;;
  esac
done < <(awk '/^```/ { inside = ($0 == "```console" || $0 == "```text") } inside && /^\$ / { print substr($0, 3) }' README.md docs/tutorial.md)
echo "$count commands of README.md and docs/tutorial.md ran."
[ "$count" -gt 0 ]
