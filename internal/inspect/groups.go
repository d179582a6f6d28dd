package inspect

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Group is a pool, a topic or a registry of package group.
type Group struct {
	Actor Actor // the actor of the group
	// What is "pool", "ask pool", "topic" or "registry". Of is the Go type of its messages. An ask
	// pool has the types of questions and replies, a registry the types of keys and members.
	What, Of string
	// Members is the number of members or subscribers, of which Down wait for their restart. Some
	// may have ended: a group removes them when it needs the place.
	Members, Down int
	Keys          int // of a registry
	// Silent means that the actor did not answer: its turn is long, it waits for its restart, or
	// the system is deterministic. Of, Members, Down and Keys are unknown then.
	Silent bool
}

// MaxGroups is the largest number of groups examined.
const MaxGroups = 1000

// Groups returns the pools, topics and registries of the system, sorted by number. It finds groups
// that were made since [Begin] and have not ended, and groups among inTrees, the actors in trees of
// supervisors. If there are more than MaxGroups, it returns the groups in trees and the oldest
// others, and leftOut is the number of the rest. It asks all of them at the same time, as [State]
// does, and waits for the answers until ctx ends. A group.NewAskPool has no actor and is not
// included.
func Groups(ctx context.Context, sys *actor.System, inTrees []actor.AnyRef) (
	all []Group, leftOut int) {
	s := of(sys)
	refs := map[kernel.AnyRef]bool{}
	for _, ref := range inTrees {
		if at := kernel.AnyRef(ref); isGroup(at.Cell().Typ()) {
			refs[at] = true
		}
	}
	for _, ref := range kernel.Groups.Of(s) {
		if len(refs) >= MaxGroups {
			leftOut++
			continue
		}
		refs[ref] = true
	}
	for _, a := range describeAll(refs) {
		if a.Status != actor.StatusEnded {
			all = append(all, Group{Actor: a, What: groupTypes[a.Type], Silent: true})
		}
	}
	if s.Sim == nil {
		askGroups(ctx, all)
	}
	return all, leftOut
}

// groupTypes has the actor types of package group, with their value of Group.What.
var groupTypes = map[string]string{"pool": "pool", "topic": "topic", "registry": "registry",
	"ask pool": "ask pool"}

// isGroup reports whether a type is one of package group. A type of the user's may have the same
// name.
func isGroup(t *kernel.TypeInfo) bool {
	return groupTypes[t.Name] != "" && strings.HasPrefix(stateType(t), "group.")
}

// askGroups asks all groups, and stores the answers that come in time.
func askGroups(ctx context.Context, all []Group) {
	type reply struct {
		i int
		kernel.GroupLook
	}
	replies := make(chan reply, len(all)) // no actor waits for a caller that has given up
	for i, g := range all {
		kernel.AnyRef(g.Actor.Ref).LookAtState(func(state any, err error) {
			var l kernel.GroupLook
			if err == nil {
				v, _ := shown(state)
				l, _ = v.(kernel.GroupLook)
			}
			replies <- reply{i, l}
		})
	}
	for range all {
		select {
		case r := <-replies:
			if r.What != "" {
				g := &all[r.i]
				g.What, g.Of, g.Members, g.Down, g.Keys = r.What, r.Of, r.Members, r.Down, r.Keys
				g.Silent = false
			}
		case <-ctx.Done():
			return
		}
	}
}
