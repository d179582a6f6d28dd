package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel"
)

// The generic functions here are compiled once for each type of message, for all types of state.
// Code that does not depend on the type of message is compiled once (decision 1).

// There are two ways through this file. The hot way is send[M] and kernel.Turn.Send. It is inlined
// by hand, and its only call is the swap of the mailbox's head. It needs all of these:
//
//   - a behaviour sends to an actor of its own system;
//   - the node is in the worker's cache;
//   - the gate is open;
//   - the mailbox is idle, busy or biased.
//
// The cold way is everything else: sendSlow and trySend find out where the sender is (kernel.Env),
// and leave the rest to send_inside.go and send_outside.go of package kernel.
//
// The fate of a message depends on the state of its receiver:
//
//	gate open, busy      it is pushed; no more
//	gate open, idle      it is pushed, and its sender makes the receiver runnable
//	gate not open        the mail policy decides: the sender is muted as its behaviour returns, or
//	                     the message is queued, dropped, refused or postponed
//	ended                a dead letter; a request is answered with the reason
//
// A goroutine outside cannot be muted. In its place it waits in SendWait, or is refused in TrySend;
// its plain Send is not held back.

// send is [Behaviour.Send].
//
// Each check is one compare of words that are needed anyway. Behaviour and receiver must be of one
// type and one system. A misuse goes to the cold way, which panics with an explanation.
func send[M any](d *kernel.Descriptor, from Sender, to *kernel.Cell, m M) {
	// An assertion that also assigns c takes a jump more.
	if _, inside := from.(*Context); inside && d != nil && to != nil {
		c, k := from.(*Context).kernel(), to.Shared()
		if c != nil && c.Sys == k.Sys && d.Typ == k.Typ {
			if n := c.Cache.Take(d.SizeID); n != nil {
				*kernel.PayloadOf[M](n) = m
				c.Send(to, n, d)
				return
			}
		}
	}
	sendSlow(d, from, to, m)
}

// sendSlow is send outside of the common case, which is a behaviour of the same system with a node
// in the cache. It stands apart so that send keeps everything in registers.
//
//go:noinline
func sendSlow[M any](d *kernel.Descriptor, from Sender, to *kernel.Cell, m M) {
	e, n := d.Begin(envOf(from), to)
	*kernel.PayloadOf[M](n) = m
	d.Deliver(carriedBy(from), e, to, n)
}

// trySend is [Behaviour.TrySend]. It decides before it makes the message, so that a refusal costs
// no node, and the caller keeps the parcels and regions that the message would own.
func trySend[M any](d *kernel.Descriptor, from Sender, to *kernel.Cell, m M) error {
	e, n, err := d.BeginTry(envOf(from), to)
	if err != nil {
		return err
	}
	*kernel.PayloadOf[M](n) = m
	return d.TryDeliver(carriedBy(from), e, to, n)
}

// sendWait is [Behaviour.SendWait]. It is for goroutines outside: a behaviour that waited would
// block its worker. It waits for a permit to send the message: see package permits. A message with
// a permit is always accepted, unless the actor has ended.
func sendWait[M any](ctx context.Context, d *kernel.Descriptor, to *kernel.Cell, m M) error {
	n, err := d.BeginWait(ctx, to)
	if err != nil {
		return err
	}
	*kernel.PayloadOf[M](n) = m
	return d.TryDeliver(nil, to.Shared().Sys, to, n)
}

// WaitForRoom returns a context with which an Ask waits for an actor whose mailbox is at its
// bound ([WithBound]), or which does not keep up with a behaviour that is [DropOnOverload],
// instead of failing with [ErrOverloaded]. It waits in line as [Behaviour.SendWait] does,
// until there is room or the context ends; in the latter case the request is a dead letter.
// Give the context a deadline. The mark is inherited by contexts that are made from the one
// returned. It is for [AskBehaviour.Ask] alone, which waits anyhow.
//
// An urgent request needs no room: see [Urgent].
func WaitForRoom(ctx context.Context) context.Context {
	kernel.MustHave(ctx, "WaitForRoom")
	return context.WithValue(ctx, kernel.RoomKey{}, true)
}
