package seam

import "testing"

// TestLockWords: a word that changes by chance in one look leaves the search undecided, and not for
// good. Mutant: a search that gives up when two words have changed.
func TestLockWords(t *testing.T) {
	var all lockWords
	free, locked := [wordsOfRecord]uintptr{1: 7}, [wordsOfRecord]uintptr{1: 7, 5: 1, 26: 8}
	if i := all.narrow(free, locked, free); i != -1 {
		t.Errorf("of two words, %d is taken", i)
	}
	locked[5] = 0
	if i := all.narrow(free, locked, free); i != 26 {
		t.Errorf("word %d, want 26", i)
	}
	locked[26] = 0
	if i := all.narrow(free, locked, free); i != -1 {
		t.Errorf("of none, %d is taken", i)
	}
}
