package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// An incident is a fault of a service that the page has to name.
type incident struct {
	name string
	// culprits are names of the culprit, one of which must be in the first finding: a type, the name
	// of an actor, a path of a supervisor, a behaviour, a place in the source. More of them are known
	// only when the incident runs: see service.accuse.
	culprits []string
	// begin starts the incident and returns at once.
	begin func(s *service)

	// alone says that the incident takes the processors, so that no other runs beside it.
	alone bool
	// short says that the incident is one of the handful for each merge, which a browser plays too.
	short bool
	// inShutdown says that the system does not end, and that the error must name the culprit too.
	inShutdown bool
	load       int // orders a second; someLoad if 0
	options    []actor.Option
}

// Orders a second. someLoad takes some 5 % of two processors, and fullLoad as much as there is.
const (
	someLoad = 2_000
	fullLoad = 100_000
)

// String is a line of a list: the name, "each" merge or "night", and the culprits.
func (in incident) String() string {
	when := "night"
	if in.short {
		when = "each"
	}
	return fmt.Sprintf("%-24s %-5s %s", in.name, when, strings.Join(in.culprits, " | "))
}

func is(names ...string) []string { return names }

func incidents() []incident {
	all := slices.Concat(turns, queues, chains, asks, growth, failures, machine, shutdown)
	for i := range all {
		all[i].load = cmp.Or(all[i].load, someLoad)
	}
	return all
}

// find returns an incident by its name, and none for an empty name.
func find(name string) (incident, error) {
	if name == "" {
		return incident{load: someLoad}, nil
	}
	all := incidents()
	i := slices.IndexFunc(all, func(in incident) bool { return in.name == name })
	if i < 0 {
		return incident{}, fmt.Errorf("there is no incident %q: see -list", name)
	}
	return all[i], nil
}

const (
	// afterBegin is how long an incident runs before the page is opened.
	afterBegin = 5 * time.Second
	// findWithin is how long the page may take to name the culprit.
	findWithin = 15 * time.Second
)
