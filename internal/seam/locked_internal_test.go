package seam

import "testing"

// TestLockWords: the word that says that a thread is locked is the one which has the value of another
// word then, in each of enough rounds, and which is zero before and after. Mutants: a search that takes
// the first word which changes; one that does not compare it with the word of the thread.
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
		if name == "the thread is not looked" { // then the word was wrong in one round, and is left out
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
