//go:build !gallop_explore

package seam

import "time"

// Timer is a time.Timer that calls a function.
type Timer = time.Timer

// AfterFunc is time.AfterFunc.
func AfterFunc(d time.Duration, f func()) *Timer { return time.AfterFunc(d, f) }
