#!/usr/bin/env bash
# Before a commit: format, lint, warnings as errors, tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift format lint --strict --recursive --configuration .swift-format Sources Tests Package.swift
swift build --build-tests
swift test --skip-build
