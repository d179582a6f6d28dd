# Thin names for common commands. What is checked before a merge is in .ci/run.

.PHONY: test race ci bench models nightly

test:
	go test ./...

race:
	go test -race -shuffle=on ./...

ci:
	.ci/run

bench:
	go test -run='^$$' -bench=. -benchmem ./...

models:
	docs/models/run

# Up to three hours: the long forms of the tests, and many more schedules.
nightly: export GALLOP_NIGHTLY = 1
nightly:
	go test -count=1 -timeout=1h ./...
	go test -race -shuffle=on -count=3 -timeout=1h ./...
	GALLOP_EXPLORE_SCALE=20 go test -tags=gallop_explore -count=1 -timeout=1h ./...
