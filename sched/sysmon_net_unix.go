//go:build unix && !race && !gallop_explore

package sched

import (
	"os"
	"syscall"
)

// canLook is false where nothing is done for the network: on platforms that do not wait for pipes
// as they do for connections, and in builds where the system calls would order what the race
// detector and the explorer want to see unordered.
const canLook = true

// openNetwork returns a function that waits until the network was looked at, through a pipe to the
// process itself, in some 3 µs; with end it closes the pipe. It returns nil if there is no pipe to
// be had.
//
// It returns a function rather than a struct: reflection finds all that a scheduler is made of, so
// a struct's types would be in every program.
func openNetwork() (look func(end bool) bool) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	conn, _ := r.SyscallConn()
	sent, buf := false, make([]byte, 8)
	talk := func(fd uintptr) (done bool) {
		if sent = !sent; !sent { // the byte has come
			_, _ = syscall.Read(int(fd), buf)
			return true
		}
		// Here and not before: Read has forgotten what came before, and waits for this.
		_, err := w.Write(buf[:1])
		return err != nil
	}
	// Called by one worker at a time: see network.
	return func(end bool) bool {
		if end {
			return r.Close() == nil && w.Close() == nil
		}
		return conn.Read(talk) == nil
	}
}
