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
// by locking a thread and looking which word changes. If none is found, TestThreadLocked fails, and
// ThreadLocked is always false: then Go's own error is all there is.

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

// searchLockWord returns where the word lies, or 0. Its goroutine has not locked its thread.
func searchLockWord() uintptr {
	if stackSaysLocked() {
		return 0
	}
	free := wordsOf(Goroutine())
	runtime.LockOSThread()
	locked, says := wordsOf(Goroutine()), stackSaysLocked()
	runtime.UnlockOSThread()
	again := wordsOf(Goroutine())
	at := uintptr(0)
	for i, v := range locked {
		if v == 0 || free[i] != 0 || again[i] != 0 {
			continue
		}
		if at != 0 {
			return 0 // two words: it is not known which
		}
		at = uintptr(i) * unsafe.Sizeof(v)
	}
	if !says {
		return 0
	}
	return at
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
// thread. It is a load, and only a hint: false where Go does not say so.
func ThreadLocked(goroutine uint64) bool {
	return lockWord != 0 && wordAt(goroutine, lockWord) != 0
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
