#!/usr/bin/env bash
# The page of `puppetry preview` in a real browser: opens it from disk, searches, filters, opens a clip, plays it in
# 3D, and takes pictures of all that. Needs Chromium, node and the npm package playwright-core; without them it says
# what is missing and ends well.
#
# usage: tests/gallery.sh [FOLDER-FOR-PICTURES]
#   PUPPETRY   the program          [default: target/release/puppetry]
#   GALLERY    a page made before   [default: one of the built-in motions]
#   NODE_PATH  where playwright-core is
set -euo pipefail
cd "$(dirname "$0")/.."
pictures="${1:-$(mktemp -d)}"
mkdir -p "$pictures"
skip() { echo "skipped: tests/gallery.sh: $*" | tee -a "${PUPPETRY_SKIPPED:-/dev/null}"; exit 0; }
browser="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
[ -n "$browser" ] || skip "there is no Chromium"
command -v node >/dev/null || skip "there is no node"
node -e 'require.resolve("playwright-core")' 2>/dev/null || skip "npm install playwright-core, and set NODE_PATH"

gallery="${GALLERY:-}"
if [ -z "$gallery" ]; then
  gallery="$(mktemp -d)/gallery"
  "${PUPPETRY:-target/release/puppetry}" preview motions -o "$gallery"
fi
BROWSER="$browser" node tests/gallery.js "$(realpath "$gallery")" "$pictures"
echo "pictures are in $pictures"
