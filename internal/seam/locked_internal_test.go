package seam

import "testing"

// TestLockWords: the lock word has the value of another word while the thread is locked, in each of
// enoughRounds, and is zero before and after. Mutants: a search that takes the first word that
// changes; a search that does not compare the word with others.
func TestLockWords(t *testing.T) {
	type words = [wordsOfRecord]uintptr
	const thread, lock, chance = 6, 26, 5
	free, locked := words{1: 7, thread: 8}, words{1: 7, thread: 8, lock: 8}
	with := func(w words, i int, v uintptr) words {
		w[i] = v
		return w
	}
	for name, odd := range map[string]words{
		"as ever":                  locked,
		"another word":             with(locked, chance, 9),
		"two words of a thread":    with(locked, chance, 8),
		"the thread is not looked": with(locked, thread, 9),
	} {
		var all lockWords
		after, found := 0, -1
		for found < 0 && after < 3*enoughRounds {
			look := locked
			if after++; after == 1 {
				look = odd // by chance, once
			}
			found = all.narrow(free, look, free)
		}
		want := lock
		if name == "the thread is not looked" { // the lock word was excluded by one round
			want = -1
		}
		if found != want || want >= 0 && after < enoughRounds {
			t.Errorf("%s: word %d after %d rounds, want %d after %d", name, found, after, want, enoughRounds)
		}
	}
	for name, looks := range map[string][3]words{
		"set before":         {locked, locked, free},
		"set afterwards":     {free, locked, locked},
		"never set":          {free, free, free},
		"of no thread":       {free, with(locked, lock, 9), free},
		"another beside it":  {free, with(locked, chance, 8), free},
		"changes, no thread": {free, with(free, chance, 9), free},
	} {
		all := lockWords{rounds: enoughRounds}
		if i := all.narrow(looks[0], looks[1], looks[2]); i != -1 {
			t.Errorf("%s: word %d", name, i)
		}
	}
}
