package seam

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// A coroutine must not be switched to or from while its thread is locked (runtime.LockOSThread): Go
// would end the program, with an error from which no code can recover. Go says whether a goroutine
// has locked its thread only in the first line of a stack trace, which costs a microsecond. But
// Go's record of the goroutine has a word for it, and Goroutine is the address of that record. The
// offset of the word depends on the version of Go. FindThreadLock finds it by locking a thread and
// comparing the words of the record: the lock word then has the same value as the word that names
// the thread of the goroutine. If it finds no such word, TestThreadLocked fails, and ThreadLocked
// always returns false: then only Go's own error remains.

// lockWord is the offset of the word in Go's record of a goroutine; 0: unknown. Written once, by
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

// wordsOfRecord is the number of words of Go's record that are searched. The record has always been
// larger on 64-bit machines, and the lock word has always been in its first half.
const wordsOfRecord = 48

const (
	// mostRounds ends a search that still has several candidates.
	mostRounds = 1000
	// enoughRounds is the number of rounds that the lock word must pass. A word that changes by
	// chance, for example when Go asks the goroutine to yield, hardly passes all of them.
	enoughRounds = 8
)

// searchLockWord returns the offset of the lock word, or 0. Its goroutine has not locked its
// thread. Each round reads the record with the thread free, locked, and free again, and checks each
// time that Go's stack trace agrees.
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

// lockWords has the words that may be the lock word: all but those in not.
type lockWords struct {
	not    [wordsOfRecord]bool
	rounds int
}

// narrow excludes the words that are not zero in free and again, or that differ in locked from all
// other words. After enough rounds it returns the index of the only word left, and otherwise -1.
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

// twice reports whether at least two words have the value v.
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

// wordsOf returns the first words of the record of the calling goroutine.
//
//go:norace
//go:nocheckptr
func wordsOf(goroutine uint64) (words [wordsOfRecord]uintptr) {
	for i := range words {
		words[i] = wordAt(goroutine, uintptr(i)*unsafe.Sizeof(words[i]))
	}
	return words
}

// wordAt reads the word at an offset of the record of the calling goroutine.
//
//go:norace
//go:nocheckptr
func wordAt(goroutine uint64, at uintptr) uintptr {
	record := uintptr(goroutine)
	return *(*uintptr)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&record)), at))
}

// ThreadLocked reports whether the calling goroutine has locked its thread. goroutine is the number
// of the calling goroutine, or 0, for which ThreadLocked returns false. It costs a load. It is only
// a hint: it is always false where FindThreadLock has found no lock word.
func ThreadLocked(goroutine uint64) bool {
	return lockWord != 0 && goroutine != 0 && wordAt(goroutine, lockWord) != 0
}

// mostLocks bounds UnlockThread if the lock is Go's own, which a call from C has.
const mostLocks = 1 << 16

// UnlockThread undoes all LockOSThread calls of the calling goroutine, and reports whether its
// thread was locked.
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
