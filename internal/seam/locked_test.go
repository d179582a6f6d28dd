package seam_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// TestThreadLocked: ThreadLocked is true for a goroutine that has locked its thread, and false
// after it has unlocked it, on the machines where Goroutine is an address. If the test fails with a
// new version of Go, read locked.go for the reason and the consequences.
func TestThreadLocked(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("goroutines are known by their number") // there is no assembly for this machine
	}
	seam.FindThreadLock()
	locked := func() bool { return seam.ThreadLocked(seam.Goroutine()) }
	if locked() {
		t.Fatal("locked before")
	}
	if seam.ThreadLocked(0) {
		t.Error("no goroutine has locked its thread")
	}
	runtime.LockOSThread()
	runtime.LockOSThread()
	if !locked() {
		t.Error("not locked after two LockOSThread")
	}
	runtime.UnlockOSThread()
	if !locked() {
		t.Error("not locked after one UnlockOSThread")
	}
	if !seam.UnlockThread() || locked() || seam.UnlockThread() {
		t.Error("UnlockThread has not taken it back, or has done so twice")
	}
}
