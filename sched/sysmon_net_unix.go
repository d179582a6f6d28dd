//go:build unix && !race && !gallop_explore

package sched

import (
	"os"
	"syscall"
)

// canLook is false where workers do not look at the network: on platforms that do not wait for
// pipes as for connections, and in builds where the system calls would order events that the race
// detector and the explorer need unordered.
const canLook = true

// openNetwork returns a function that waits until the network was looked at, through a pipe to the
// process itself, in some 3 µs; with end it closes the pipe. It returns nil if no pipe can be
// opened.
//
// It returns a function rather than a struct: reflection reaches all types in a scheduler, so a
// struct's types would be in every program.
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
		// Here and not before conn.Read, which forgets earlier input before it calls talk.
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
