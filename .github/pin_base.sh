#!/usr/bin/env bash
# pin_base.sh DOCKERFILE DIGEST: every "FROM python:TAG" gets the digest behind the tag.
set -euo pipefail
[[ $2 =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "not a digest: $2" >&2; exit 1; }
sed -i -E "s/^(FROM python:[^ @]+)(@[^ ]+)?/\1@$2/" "$1"
if grep -E '^FROM ' "$1" | grep -qv "@$2"; then
  echo "a FROM of $1 could not be pinned" >&2
  exit 1
fi
