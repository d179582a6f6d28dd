package actortest_test

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Package supervise starts, suspends and restarts actors by the kernel. The tests of this package do
// so without its policies.

// spawnUnder spawns a child of the running actor. Its behaviour fell is called when the child fails.
func spawnUnder[S, T any](c *actor.Context, t *actor.Type[S],
	fell actor.Behaviour[T, kernel.ChildDown]) actor.Ref[S] {
	return actor.Ref[S](kernel.SpawnUnder(kernel.TurnOf(c), (*kernel.AnyType)(t).Info(), func(*S) {},
		kernel.ChildOptions{Down: kernel.AnyBehaviour(fell).Descriptor()}))
}

func standby(c *actor.Context, child kernel.AnyRef) { child.PutOnStandby(kernel.EnvOf(c)) }

func suspend(from actor.Sender, child actor.AnyRef) {
	kernel.AnyRef(child).Suspend(kernel.EnvOf(from))
}

func restart(from actor.Sender, child kernel.AnyRef) { child.Restart(kernel.EnvOf(from)) }
