package main

import "sync"

// The actor-shaped sides share their programs: the behaviours of the actors are the same on
// goroutines with channels, on phony and on protoactor-go. A message is one struct for all, so that
// sending it costs no more than the library makes it cost: nothing to allocate with channels, a
// closure with phony, a boxed struct with protoactor.

// node is an actor of a crew's.
type node interface {
	// send gives it a message. from is the actor that runs, or nil outside of any.
	send(from node, m msg)
}

// msg is a message: an operation of the program, and a few values.
type msg struct {
	op      int
	x, y, z int
	from    node
	data    any
}

// behaviour handles a message in the turn of self.
type behaviour func(self node, m msg)

// crew makes actors.
type crew interface {
	// spawn makes one. With channels, room is for how many messages its channel has room: a sender
	// to a full one waits.
	spawn(room int, make func(self node) behaviour) node
	// stop ends all actors, which have nothing to do any more.
	stop()
}

// channelCrew has a goroutine and a channel for each actor.
type channelCrew struct {
	mu  sync.Mutex
	all []channelNode
	wg  sync.WaitGroup
}

type channelNode chan msg

func newChannels() crew { return new(channelCrew) }

func (n channelNode) send(_ node, m msg) { n <- m }

func (c *channelCrew) spawn(room int, make_ func(self node) behaviour) node {
	n := make(channelNode, room)
	c.mu.Lock()
	c.all = append(c.all, n)
	c.mu.Unlock()
	b := make_(n)
	c.wg.Go(func() {
		for m := range n {
			b(n, m)
		}
	})
	return n
}

func (c *channelCrew) stop() {
	for _, n := range c.all {
		close(n)
	}
	c.wg.Wait()
}
