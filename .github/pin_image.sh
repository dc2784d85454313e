#!/usr/bin/env bash
# pin_image.sh ACTION IMAGE@DIGEST: the action uses that image instead of building its own.
set -euo pipefail
[[ $2 =~ ^[a-z0-9./_-]+@sha256:[0-9a-f]{64}$ ]] || { echo "not a pinned image: $2" >&2; exit 1; }
sed -i "s|^  image: Dockerfile\$|  image: docker://$2|" "$1"
grep -Fqx "  image: docker://$2" "$1" || { echo "$1 names no Dockerfile" >&2; exit 1; }
