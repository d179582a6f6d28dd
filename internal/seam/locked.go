package seam

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// A coroutine must not be switched to or from while its thread is locked (runtime.LockOSThread):
// Go ends the program then, by an error that nothing recovers from. Go does not say whether a
// goroutine has its thread locked, except in the first line of a stack trace, which costs a
// microsecond. But its record of the goroutine has a word for it, and Goroutine is the address of
// that record. Where in the record the word lies depends on the version of Go, so it is found out
// by locking a thread and looking which word changes: it then has the same value as another word of
// the record, which says on which thread the goroutine runs. If none is found, TestThreadLocked fails,
// and ThreadLocked is always false: then Go's own error is all there is.

// lockWord is where the word lies in Go's record of a goroutine; 0: unknown. Written once, by
// FindThreadLock, before it is read.
var lockWord uintptr

var findLock sync.Once

// FindThreadLock makes ThreadLocked ready. It costs some microseconds, once.
func FindThreadLock() {
	findLock.Do(func() {
		if !goroutineIsAddress {
			return
		}
		found := make(chan uintptr)
		go func() { found <- searchLockWord() }() // the caller may have locked its thread
		lockWord = <-found
	})
}

// wordsOfRecord are looked at. Go's record has been larger than that since its first version for
// 64 bits, and the word in its first half.
const wordsOfRecord = 48

const (
	// mostRounds ends a search in which several words seem to say it.
	mostRounds = 1000
	// A word that changes by chance, as when Go wants the goroutine to yield, hardly does so in each of
	// enoughRounds.
	enoughRounds = 8
)

// searchLockWord returns where the word lies, or 0. Its goroutine has not locked its thread. Each
// round looks at the thread free, locked, and free again, and Go's text has to say the same.
func searchLockWord() uintptr {
	var all lockWords
	for range mostRounds {
		before := stackSaysLocked()
		free := wordsOf(Goroutine())
		runtime.LockOSThread()
		locked, says := wordsOf(Goroutine()), stackSaysLocked()
		runtime.UnlockOSThread()
		again, after := wordsOf(Goroutine()), stackSaysLocked()
		if before || !says || after {
			return 0
		}
		if i := all.narrow(free, locked, again); i >= 0 {
			return uintptr(i) * unsafe.Sizeof(locked[i])
		}
		runtime.Gosched() // to another thread, perhaps
	}
	return 0
}

// lockWords are the words that may say that a thread is locked.
type lockWords struct {
	not    [wordsOfRecord]bool
	rounds int
}

// narrow drops the words that did not change to and fro, or do not belong to a thread. It returns
// the index of the last word left after enough rounds; -1 for several or none.
func (w *lockWords) narrow(free, locked, again [wordsOfRecord]uintptr) (only int) {
	only = -1
	left := 0
	for i, v := range locked {
		is := v != 0 && free[i] == 0 && again[i] == 0 && twice(&locked, v)
		if w.not[i] = w.not[i] || !is; !w.not[i] {
			only = i
			left++
		}
	}
	if w.rounds++; left != 1 || w.rounds < enoughRounds {
		return -1
	}
	return only
}

// twice reports whether two words or more have the value.
func twice(words *[wordsOfRecord]uintptr, v uintptr) bool {
	n := 0
	for _, w := range words {
		if w == v {
			n++
		}
	}
	return n >= 2
}

func stackSaysLocked() bool {
	var text [256]byte
	first, _, _ := strings.Cut(string(text[:runtime.Stack(text[:], false)]), "\n")
	return strings.Contains(first, "locked to thread")
}

// wordsOf returns the beginning of the record of the calling goroutine.
//
//go:norace
//go:nocheckptr
func wordsOf(goroutine uint64) (words [wordsOfRecord]uintptr) {
	for i := range words {
		words[i] = wordAt(goroutine, uintptr(i)*unsafe.Sizeof(words[i]))
	}
	return words
}

// wordAt reads a word of the record of the calling goroutine.
//
//go:norace
//go:nocheckptr
func wordAt(goroutine uint64, at uintptr) uintptr {
	record := uintptr(goroutine)
	return *(*uintptr)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&record)), at))
}

// ThreadLocked reports whether the calling goroutine, whose number it is given, has locked its
// thread. It is a load, and only a hint: false where Go does not say so, and for no goroutine, which is
// 0.
func ThreadLocked(goroutine uint64) bool {
	return lockWord != 0 && goroutine != 0 && wordAt(goroutine, lockWord) != 0
}

// mostLocks ends UnlockThread where the lock is Go's own, that of a call from C.
const mostLocks = 1 << 16

// UnlockThread takes back all that the calling goroutine has locked its thread by, and reports
// whether there was anything.
func UnlockThread() (was bool) {
	if !ThreadLocked(Goroutine()) {
		return false
	}
	for range mostLocks {
		if runtime.UnlockOSThread(); !ThreadLocked(Goroutine()) {
			break
		}
	}
	return true
}
