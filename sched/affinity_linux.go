package sched

import "golang.org/x/sys/unix"

const canBind = true

// bindTo binds the calling thread to the i-th processor that the process may use,
// modulo their number. An error leaves the thread where it is: binding is an
// optimisation, and containers may forbid it.
func bindTo(i int) {
	var allowed, one unix.CPUSet
	if unix.SchedGetaffinity(0, &allowed) != nil || allowed.Count() == 0 {
		return
	}
	i %= allowed.Count()
	for cpu := 0; ; cpu++ {
		if !allowed.IsSet(cpu) {
			continue
		}
		if i == 0 {
			one.Set(cpu)
			_ = unix.SchedSetaffinity(0, &one)
			return
		}
		i--
	}
}
