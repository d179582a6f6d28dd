package actor

// child is an actor that ends before the one that spawned it. What links it to its
// siblings belongs to the parent.
type child struct {
	b, parent      *body
	older, younger *child
	told           bool // it has been told to end
	verb           verb
}

// family is the children of an actor, in the order of their births. Owner only.
type family struct{ youngest *child }

func (f *family) add(k *child) {
	k.older = f.youngest
	if k.older != nil {
		k.older.younger = k
	}
	f.youngest = k
}

func (f *family) remove(k *child) {
	if k.younger != nil {
		k.younger.older = k.older
	} else {
		f.youngest = k.older
	}
	if k.older != nil {
		k.older.younger = k.younger
	}
	k.older, k.younger = nil, nil
}

// SpawnChild is [Type.Spawn] for an actor that ends before the running one does: when
// that is stopped, drained or killed, or fails, or is restarted, its children are told
// to end in the same way, one after another, the youngest first, and waited for. A
// child that ends does nothing to its parent: link or watch it if it should.
func (t *Type[S]) SpawnChild(c *Context, state S) Ref[S] {
	cell := t.newCell(c)
	cell.state = state
	cell.adopt(c)
	if t.info.onStart != nil {
		cell.launch(c)
	}
	return Ref[S]{&cell.body}
}

// adopt makes a new actor a child of the running one.
func (b *body) adopt(c *Context) {
	k := &child{b: b, parent: c.self}
	b.mine().kid = k
	c.self.mine().children.add(k)
}

// order tells a child to end, once for each verb.
func (k *child) order(r replier, v verb) {
	if k.told && k.verb >= v {
		return
	}
	k.told, k.verb = true, v
	o := order{verb: v, why: ErrShutdown}
	if v == verbKill {
		o.why = ErrKilled
	}
	k.b.tell(r, o)
}

// childEnded tells a parent.
type childEnded struct {
	unanswered
	kid *child
}

func (s childEnded) serve(b *body, c *Context) {
	x := b.mine()
	x.children.remove(s.kid)
	if s.kid.b.supervised {
		x.guards--
	}
	if x.phase == leaving {
		b.left(c)
	}
}
