package sched

import "golang.org/x/sys/unix"

const canBind = true

// cpus are the processors that a worker's thread might use before it was bound; nil if they were
// not asked yet. They are asked for once: a bound thread may use only one, and a worker is bound
// anew with each slot.
type cpus = *unix.CPUSet

// bindTo binds the calling thread to the i-th of the allowed processors, modulo their number. An
// error leaves the thread where it is: binding is an optimisation, and containers may forbid it.
func bindTo(i int, allowed cpus) cpus {
	if allowed == nil {
		allowed = new(unix.CPUSet)
		_ = unix.SchedGetaffinity(0, allowed)
	}
	n := allowed.Count()
	if n == 0 {
		return nil
	}
	cpu := -1
	for i %= n; i >= 0; { // passes over i of them
		if cpu++; allowed.IsSet(cpu) {
			i--
		}
	}
	var one unix.CPUSet
	one.Set(cpu)
	_ = unix.SchedSetaffinity(0, &one)
	return allowed
}
