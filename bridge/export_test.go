package bridge

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// TellOfRoom tells the actor of a handler that ToChan has returned that its channel has room,
// whether it has room or not.
func TellOfRoom[M any](h actor.Handler[M]) {
	r, _ := kernel.ReceiverOf(h)
	r.B.Tell(r.B.Sys(), sinkReady[M]{o: kernel.StateOf[chanSink[M]](r.B)})
}
