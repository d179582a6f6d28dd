# Thin names for common commands. What is checked before a merge is in .ci/run.

.PHONY: test race ci bench models mutants nightly soak golangci

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

# Puts bugs into the code, one at a time, and each must be found. Some twenty minutes.
mutants:
	GALLOP_MUTANTS=$${GALLOP_MUTANTS-.} go test ./internal/mutants -run='^TestMutantsAreKilled$$' -v -timeout=0

# Hours: figures, the long forms of the tests, many more schedules, the large models.
nightly:
	.ci/run -2

# Builds golangci-lint with gallopvet in it: its list must be that of the command and of go vet.
golangci:
	gallopvet/golangci/check

# As long as it is told, and until then nothing must fail: make soak TIME=48h
TIME ?= 1h
soak:
	GALLOP_SOAK=$(TIME) go test -v -count=1 -timeout=0 -run='^TestSwarm$$' ./actor
