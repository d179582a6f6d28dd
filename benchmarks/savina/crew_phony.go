package main

import "github.com/Arceliar/phony"

type phonyCrew struct{}

type phonyNode struct {
	phony.Inbox
	do behaviour
}

func newPhony() crew { return phonyCrew{} }

func (n *phonyNode) send(from node, m msg) {
	var actor phony.Actor
	if f, ok := from.(*phonyNode); ok {
		actor = f
	}
	n.Act(actor, func() { n.do(n, m) })
}

func (phonyCrew) spawn(_ int, make func(self node) behaviour) node {
	n := new(phonyNode)
	n.do = make(n)
	return n
}

func (phonyCrew) stop() {}
