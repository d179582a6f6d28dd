package sched

import "time"

// Impatient makes a driver report a stuck turn at once.
func Impatient(d Driver) Driver {
	d.(*driver).stuck = 10 * time.Millisecond
	return d
}
