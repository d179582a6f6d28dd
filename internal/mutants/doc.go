// Package mutants tests the tests. The files *.json beside this one list mutants of the
// production source, one bug each, and each must be killed. An entry names a file, a text
// in it and its replacement, and then the package, the tests that must fail, and the build
// tags. Its row, if it has one, is the bug of docs/bugs.md that it brings back.
//
//	make mutants                        all of them
//	GALLOP_MUTANTS='^ring' make mutants the mutants whose names match
//
// A mutant that does not compile does not count. One whose tests pass has survived. A run
// that timed out is not a kill either: a lost wake-up counts when the explorer says
// deadlock, not when a processor has been waiting for a long time. The explorer kills a
// mutant after the same number of schedules every time.
//
// A test checks at every commit that each entry still fits the source.
package mutants
