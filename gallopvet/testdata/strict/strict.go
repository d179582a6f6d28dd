// Package strict has what is reported with -strict alone.
package strict

import (
	"os"
	"time"

	"github.com/gallop-go/gallop/actor"
)

type request struct{ done func() }

type shop struct {
	to     actor.Ref[shop]
	config []int
}

func (s *shop) Share(c *actor.Context, _ struct{}) {
	ints.Send(c, s.to, s.config) // want `s.config is sent but stays in the state \(shop.config\): the two may race`
}

func (s *shop) Read(c *actor.Context, _ struct{}) {
	all := []int{1}
	ints.Send(c, s.to, all) // want `all is sent and used afterwards`
	_ = all[0]
}

func (s *shop) File(c *actor.Context, _ struct{}) {
	_, _ = os.ReadFile("x") // want `os.ReadFile waits in a behaviour`
	actor.Every(c, time.Second, share, struct{}{})
}

func (s *shop) Ints(*actor.Context, []int) {}

var (
	shopType = actor.NewType[shop]("shop")
	ints     = actor.Declare[[]int](shopType, "ints")
	share    = actor.Declare[struct{}](shopType, "share")
	read     = actor.Declare[struct{}](shopType, "read")
	file     = actor.Declare[struct{}](shopType, "file")
	_        = actor.Declare[*request](shopType, "requests") // want `messages of requests hold func\(\) at .done`
	_        = shopType.Table(
		ints.Handle((*shop).Ints), share.Handle((*shop).Share), read.Handle((*shop).Read), file.Handle((*shop).File),
	)
)

// Spawn shares the state with the caller.
func Spawn(sys *actor.System) {
	config := []int{1}
	shopType.Spawn(sys, shop{config: config}) // want `shop{.*} becomes the state of an actor and written to afterwards`
	config[0] = 2
}
