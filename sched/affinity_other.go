//go:build !linux

package sched

// canBind is false where binding a thread to a processor is not implemented.
const canBind = false

// cpus are of no use here.
type cpus = struct{}

func bindTo(int, cpus) (none cpus) { return }
