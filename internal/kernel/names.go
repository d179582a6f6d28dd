package kernel

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/indexset"
)

// A name serves to find an actor, and not to send to it: a name is looked up once and gives a Ref.
// So no send uses the registry. It is a sync.Map: a look-up takes no lock, and if two callers take
// the same name, exactly one gets it.
//
// A name belongs to one actor. The spawner gives it before any other code knows the actor, or the
// actor takes it itself. So only the owner of the cell uses its list of names, and an actor that
// ends gives back its own names and no others. The order at the end is: names, timers, mailbox, and
// then dead letters, answers and all other news. So code that has learned of the actor's end finds
// its names free.

// ErrNameTaken is actor.ErrNameTaken, which documents it.
var ErrNameTaken = errors.New("gallop: name taken")

// names is the registry of a system. While a name is taken and its actor is not yet spawned, its
// entry in M is a nil *Cell. The map of has the first name of each actor that has names, for
// reports, which any goroutine makes. The owner of the actor writes it.
type names struct {
	M  sync.Map // string → *Cell
	of sync.Map // *Cell → string
}

// take gives a name to a, or reserves it if a is nil.
func (n *names) take(name string, a *Cell) error {
	if _, taken := n.M.LoadOrStore(name, a); taken {
		return fmt.Errorf("%w: %q", ErrNameTaken, name)
	}
	return nil
}

// nameList is the part with the names of an actor. Owner only.
type nameList struct{ indexset.Keys[string] }

// Ends implements Part. The names are given back before the mailbox is closed, so that code that
// learns of the end, by a dead letter, by ErrStopped or by a message, finds them free.
func (l *nameList) Ends(a *Cell, _ Env, at Ending, _ error) {
	if at == atClose {
		l.release(a)
	}
}

// release gives all names back.
func (l *nameList) release(a *Cell) {
	if invariant.On {
		verifyNameList(l, a)
	}
	for _, name := range l.All() {
		a.Sys().Names.M.CompareAndDelete(name, a)
	}
	if l.Len() > 0 {
		a.Cold.lastName = l.All()[0]
		a.Sys().Names.of.Delete(a)
		l.Keys = indexset.Keys[string]{}
	}
}

// renamed is called when another name has become the first. Owner only.
func (l *nameList) renamed(a *Cell) {
	a.Cold.logger = nil
	if l.Len() == 0 {
		a.Sys().Names.of.Delete(a)
		return
	}
	a.Sys().Names.of.Store(a, l.All()[0])
}

// namesOf returns the names of an actor. The first call makes the part. Owner only.
func namesOf(x *Cold) *nameList {
	return PartOf[nameList](x, NamesPart)
}

// Reserve takes a name for an actor of type t that is to be spawned.
func (t *TypeInfo) Reserve(e Env, name string) error {
	if name == "" {
		panic("gallop: SpawnNamed: an empty name")
	}
	t.Made("Spawn").Seal() // or panics, before it takes the name
	if err := e.mayAct(); err != nil {
		return err // even if the name is taken
	}
	return e.InSystem().Names.take(name, nil)
}

// LaunchNamed gives a new actor the name that is reserved for it, makes it known by that name, and
// starts it if necessary. If the system does not spawn any more, it gives the name back. The caller
// owns the actor until the launch. The list of names is made before the launch, because after it
// the actor may run, register other names, or have given its names back.
func LaunchNamed(a *Cell, e Env, name string) error {
	err := tryLaunchNamed(a, e, name)
	if err != nil {
		a.Sys().Names.M.CompareAndDelete(name, (*Cell)(nil))
	}
	return err
}

func tryLaunchNamed(a *Cell, e Env, name string) error {
	if a.System.Closed() {
		return ErrSystemStopped
	}
	x, names := a.MakeCold(), &a.Sys().Names
	namesOf(x).Add(name)
	names.of.Store(a, name)
	publish := func() { names.M.Store(name, a) }
	if a.Typ().OnStart == nil {
		publish()
		return nil
	}
	x.unstarted, x.down = true, true
	err := e.pushFirst(a, NewSignal(e, started{}), publish)
	if err != nil {
		names.of.Delete(a)
		a.Sys().unspawn()
	}
	return err
}

// Register implements actor.Context.Register.
func (c *Turn) Register(name string) error {
	if name == "" {
		panic("gallop: Register: an empty name")
	}
	MustRun(c, "Register")
	if c.Self.TakesNoMail() {
		return ErrStopped
	}
	l := namesOf(c.Self.MakeCold())
	if l.Position(name) >= 0 {
		return nil
	}
	if err := c.Sys.Names.take(name, c.Self); err != nil {
		return err
	}
	if l.Add(name); l.Len() == 1 {
		l.renamed(c.Self)
	}
	return nil
}

// Unregister implements actor.Context.Unregister.
func (c *Turn) Unregister(name string) bool {
	MustRun(c, "Unregister")
	x := c.Self.Cold
	if x == nil {
		return false
	}
	l := namesOf(x)
	i := l.Position(name)
	if i < 0 {
		return false
	}
	c.Sys.Names.M.CompareAndDelete(name, c.Self)
	if l.RemoveAt(i); i == 0 {
		l.renamed(c.Self)
	}
	return true
}

// verifyNameList checks the names of an actor.
func verifyNameList(l *nameList, a *Cell) {
	for i, name := range l.All() {
		invariant.Check(l.Position(name) == i, "%v has the name %q twice, or does not find it", a, name)
		v, _ := a.Sys().Names.M.Load(name)
		invariant.Check(v == a, "%v has the name %q, which leads to another", a, name)
	}
}
