#!/usr/bin/env bash
# Prints the test programs that `cargo test` with these arguments builds, one per line: executable, name, folder of its package, separated by tabs.
# The unit tests of a crate are named after it, without `warploom_`.
#
#   testing/programs.sh
#   testing/programs.sh --release -p warploom-corpus
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo test --no-run --message-format=json "$@" | python3 -c '
import json, os, sys
for line in sys.stdin:
    message = json.loads(line) if line.startswith("{") else {}
    if message.get("executable") and message["profile"]["test"]:
        folder = os.path.dirname(message["manifest_path"])
        target = message["target"]
        name = target["name"] if "test" in target["kind"] else target["name"].removeprefix("warploom_")
        print(message["executable"], name, folder, sep="\t")
'
