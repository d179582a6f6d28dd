//go:build !linux

package sched

// canBind is false where binding a thread to a processor is not implemented.
const canBind = false

func bindTo(int) {}
