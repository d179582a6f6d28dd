package supervise

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
)

// Node describes a supervisor or a child at one moment. It prints as a tree.
type Node struct {
	// Name is the name as declared; Type is the name of the actor type.
	Name, Type string
	// Ref is the actor; zero if there is none at the moment.
	Ref actor.AnyRef
	// State, Restarts and Last, the reason of the last end, are as the node's supervisor knows
	// them. A supervisor that was started by [Start] is Running.
	State    State
	Restarts int
	Last     error
	// LastAt is the time of the last failure, or of the last end that was not ordered; zero if
	// there was none.
	LastAt time.Time
	// Supervises reports whether the node is a supervisor, with that Strategy.
	Supervises bool
	Strategy   Strategy
	// Children are the nodes below, in their order.
	Children []Node
}

// Tree returns the tree below a supervisor. The errors are the errors of [actor.AskBehaviour.Ask].
//
// Each supervisor in the tree is asked separately, so the tree may mix several moments. A
// supervisor that is not up is shown without children.
func Tree(ctx context.Context, s Supervisor) (Node, error) {
	n, err := showTree.Ask(ctx, s.asked("Tree"), struct{}{})
	if err != nil {
		return Node{}, err
	}
	n.Ref = s.Any()
	return n, n.fill(ctx)
}

// fill adds the children of supervisors below.
func (n *Node) fill(ctx context.Context) error {
	for i := range n.Children {
		k := &n.Children[i]
		r, ok := actor.As[supervisor](k.Ref)
		if !ok || !k.State.up() {
			continue
		}
		below, err := Tree(ctx, Supervisor{r})
		if err != nil && !guard.Is(err, actor.ErrStopped) && !guard.Is(err, actor.ErrSuspended) {
			return err
		}
		k.Children = below.Children // none if it has ended by now
	}
	return nil
}

func (s *supervisor) node(*actor.Context, struct{}) (Node, error) {
	n := Node{Name: s.spec.name, Type: supervisorType.Name(), State: Running, Supervises: true,
		Strategy: s.spec.strategy}
	for ch := s.children.oldest; ch != nil; ch = ch.newer {
		n.Children = append(n.Children, ch.node())
	}
	return n, nil
}

func (ch *child) node() Node {
	n := Node{Name: ch.name, Type: ch.spec.typeName, Ref: ch.ref, State: ch.state,
		Restarts: ch.restarts, Last: ch.lastReason}
	if cold := ch.cold; cold != nil {
		n.LastAt = cold.lastTime
	}
	if sp := ch.spec.supervisor; sp != nil {
		n.Supervises, n.Strategy = true, sp.strategy
	}
	return n
}

// String draws the tree with a line for each node: name, ref, state, restarts and last
// reason.
func (n Node) String() string {
	var b strings.Builder
	n.draw(&b, "", "")
	return b.String()
}

// draw writes a node and its children. at is the prefix of its own line, below that of the lines of
// its children.
func (n Node) draw(b *strings.Builder, at, below string) {
	b.WriteString(at + n.line() + "\n")
	for i, k := range n.Children {
		if i == len(n.Children)-1 {
			k.draw(b, below+"└─ ", below+"   ")
		} else {
			k.draw(b, below+"├─ ", below+"│  ")
		}
	}
}

// shorten makes a reason fit on one line: errors.Join prints several.
var shorten = strings.NewReplacer("gallop: ", "", "\r", "", "\n", "; ")

func (n Node) line() string {
	s := n.Name + ": " + n.Type
	if !n.Ref.IsZero() {
		s = n.Name + ": " + n.Ref.String()
	}
	if n.Supervises {
		s += ", " + n.Strategy.String()
	}
	s += ", " + n.State.String()
	if n.Restarts > 0 {
		s += fmt.Sprintf(", %d×", n.Restarts)
	}
	if n.Last != nil {
		s += ", " + shorten.Replace(guard.Text(n.Last))
	}
	return s
}
