// Package choice measures one counter, kept by a goroutine with a channel, by a mutex and by an
// actor. Run it in turns, and compare within one run:
//
//	go test -run '^$' -bench . -count 5 .
package choice
