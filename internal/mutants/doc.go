// Package mutants tests the tests: the files *.json beside this one are mutants of the
// production source, one bug each, and each must be killed. An entry says which text of
// which file is replaced by what, and which tests of which package, with which build
// tags, must fail then; row is the bug of docs/bugs.md that it brings back, if any.
//
//	make mutants                        all of them
//	GALLOP_MUTANTS='^ring' make mutants those whose name matches
//
// A mutant that does not compile is none, one whose tests pass has survived, and a run
// that had to be timed out is no kill either: a lost wake-up counts when the explorer
// says deadlock, not when a processor has been waiting for long. What the explorer kills
// it kills after the same number of schedules every time.
//
// That each entry still fits the source is tested at every commit.
package mutants
