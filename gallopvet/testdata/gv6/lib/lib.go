// Package lib waits.
package lib

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Nap waits, by another function.
func Nap() { nap() }

func nap() { time.Sleep(time.Minute) }

// NapIn waits in a behaviour: it is reported here.
func NapIn(c *actor.Context) {
	time.Sleep(time.Minute) // want `GV6: time.Sleep waits in a behaviour, and keeps its worker`
}

// NapWell says that it waits.
func NapWell(c *actor.Context) {
	c.Blocking(func() { time.Sleep(time.Minute) })
}
