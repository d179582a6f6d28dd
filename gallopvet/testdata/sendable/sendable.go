// Package sendable has types of processes and of actors for TestSendable: the names of variables
// say what is right.
package sendable

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

type (
	pair[A, B any] struct {
		a A
		b B
	}
	request      struct{ reply process.ReplyTo[int] }
	lists        struct{ reply process.ReplyTo[[]int] }
	worker       struct{ by process.Party }
	guarded      struct{ mu *process.Mutex }
	embedded     struct{ *process.Proc }
	alias        = process.Ref[request]
	wrapped      struct{ self *process.Self[int] }
	loop         struct{ next process.Ref[loop] }
	inner[T any] struct{ c *process.Chan[T] }
)

// Whatever the messages are: a ref, a channel or a reply that was asked for is an address, and what
// goes through it is judged where that is made or given.
var (
	harmless0  process.Ref[int]
	harmless1  process.Ref[[]int]
	harmless2  process.Ref[func()]
	harmless3  process.ReplyTo[int]
	harmless4  process.ReplyTo[process.Ref[[]int]]
	harmless5  *process.Chan[int]
	harmless6  *process.Chan[[]int]
	harmless7  process.Process
	harmless8  process.Monitor
	harmless9  *process.Mutex
	harmless10 *process.WaitGroup
	harmless11 *process.Once
	harmless12 *process.Event
	harmless13 *process.System
	harmless14 process.Asked[int]
	harmless15 process.Down
	harmless16 process.Exit
	harmless17 process.Status
	harmless18 process.Mark
	harmless19 request
	harmless20 guarded
	harmless21 alias
	harmless22 loop
	harmless23 inner[[]int]
	harmless24 pair[process.Process, error]
	harmless25 [2]process.Ref[any]
	harmless26 chan process.Ref[int]
	harmless27 actor.Ref[request]
	harmless28 actor.AnyRef
	harmless29 *actor.System
	harmless30 actor.Result[int]

	shares0  *process.Proc
	shares1  *process.Self[int]
	shares2  process.Self[int]
	shares3  *process.Goroutine
	shares4  process.Party
	shares5  worker
	shares6  embedded
	shares7  wrapped
	shares8  process.ReplyTo[[]int]
	shares9  process.ReplyTo[*request]
	shares10 lists
	shares11 process.Blocked
	shares12 []process.Ref[int]
	shares13 map[string]process.Process
	shares14 *process.Down
	shares15 pair[process.Ref[int], *process.Proc]
	shares16 *actor.Context
	shares17 struct{ c *actor.Context }
	shares18 actor.Result[[]int]

	channel0 chan *process.Proc
	channel1 chan process.Party
	channel2 chan process.ReplyTo[[]int]

	opaque0 process.DeadLetter
	opaque1 process.ReplyTo[any]
	opaque2 process.ReplyTo[func()]
)
