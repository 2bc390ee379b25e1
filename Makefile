SHELL := bash
# Each target is one script; `make help` lists them.

.DEFAULT_GOAL := help
.PHONY: help run test dev cluster cluster-stop fmt lint doc lint-wasm deny typos test-native test-differential \
	test-wasm build budgets test-cluster test-e2e bench bench-page bench-e2e bench-peers screenshots clean-cache

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Set up, build and serve: your cluster, or the demo (CLUSTER=kubectl|demo, PORT=N, EXEC=1)
	@scripts/run

test: ## Set up and run everything
	@scripts/test

dev: ## Serve with reload while you edit, beside kubectl proxy
	@scripts/dev

cluster: ## Start a real cluster for tests, and print its KUBECONFIG
	@scripts/setup test
	@. scripts/env && "$$cluster_command" start --dir "$$cluster_folder"

cluster-stop: ## Stop it; nothing is left behind
	@. scripts/env && "$$cluster_command" stop --dir "$$cluster_folder"

fmt: ## Check the formatting
lint: ## Clippy for native targets
doc: ## The documentation of the public items, without warnings
lint-wasm: ## Clippy for the page, with rules of its own
deny: ## Licenses, sources and bans of the dependencies
typos: ## Spelling
test-native: ## Tests that need nothing but the machine
test-differential: ## client-go's own informer and ours side by side (DIFFERENTIAL_SCRIPTS=200, DIFFERENTIAL_SEED=1)
test-wasm: ## Tests in headless Chromium
build: ## Release builds of the dashboard and the demo
budgets: build ## Size budgets of the release build
test-cluster: ## Rust tests against the real cluster
test-e2e: build ## End-to-end tests in Chromium, through kubectl proxy
bench: ## Native benches, printing figures
bench-page: build ## Figures of the page in Chromium (BENCH_PAGE="--runs 5 list updates")
bench-e2e: build ## The page with 20,000 pods beside a plain one that polls
screenshots: build ## Pictures of the page in both themes

fmt lint doc lint-wasm deny typos test-native test-differential test-wasm build budgets test-cluster test-e2e bench \
bench-page bench-e2e screenshots:
	@scripts/setup test
	@scripts/part $@

bench-peers: ## Our informer and page beside client-go and kube-rs (PODS=20000, ROUNDS=5, EVENTS=5000)
	@scripts/bench-peers

clean-cache: ## Remove everything that the set-up built
	@. scripts/env && { [ ! -x "$$cluster_command" ] || "$$cluster_command" stop --dir "$$cluster_folder"; } && rm -rf "$$WATCHGLASS_CACHE"
