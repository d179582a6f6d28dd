package actors_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// herald says its number to its boss, and ends.
type herald struct {
	boss actor.Ref[chief]
	n    int
}

// chief watches heralds.
type chief struct {
	who         map[uint64]int // their numbers
	said        map[int]bool
	words, ends int
	early       bool // an end has overtaken a word
}

var (
	heraldType = actor.NewType[herald]("herald")
	heraldGo   = actor.Declare[struct{}](heraldType, "go")
	chiefType  = actor.NewType[chief]("chief")
	chiefGo    = actor.Declare[int](chiefType, "go")
	chiefWord  = actor.Declare[int](chiefType, "word")
	chiefHear  = actor.Declare[actor.Result[int]](chiefType, "hear")
	chiefDown  = actor.Declare[actor.Down](chiefType, "down")
	chiefExit  = actor.Declare[actor.Exit](chiefType, "exit")
	chiefShow  = actor.DeclareAsk[struct{}, chief](chiefType, "show")
	_          = heraldType.Table(heraldGo.Handle(func(h *herald, c *actor.Context, _ struct{}) {
		chiefWord.Send(c, h.boss, h.n)
		c.Stop()
	}))
	_ = chiefType.Table(chiefGo.Handle((*chief).begin), chiefWord.Handle((*chief).word),
		chiefHear.Handle(func(b *chief, c *actor.Context, r actor.Result[int]) { b.word(c, r.Value) }),
		chiefDown.Handle((*chief).down), chiefExit.Handle((*chief).exit),
		//gallop:allow GV2 it is asked when nothing runs any more
		chiefShow.Handle(func(b *chief, _ *actor.Context, _ struct{}) (chief, error) { return *b, nil }))
)

// begin starts heralds: actors that are watched, actors that are linked, processes, and processes that give
// their word as a reply.
func (b *chief) begin(c *actor.Context, n int) {
	me := actor.Self[chief](c)
	b.who, b.said = map[uint64]int{}, map[int]bool{}
	actor.TrapExit(c, chiefExit)
	for i := range n {
		if i%4 == 3 {
			p := process.Spawn(actors.Env(c), func(self *process.Self[process.ReplyTo[int]]) {
				self.Receive().Reply(self, i)
			})
			ref := actors.Ref(c, p.Process)
			b.who[ref.ID()] = i
			actor.Watch(c, ref, chiefDown)
			actors.AskTo(c, p, func(r process.ReplyTo[int]) process.ReplyTo[int] { return r }, chiefHear)
			continue
		}
		if i%4 == 2 {
			p := process.Go(actors.Env(c), func(p *process.Proc) {
				chiefWord.Send(actors.Sender(p), me, i)
			})
			ref := actors.Ref(c, p)
			b.who[ref.ID()] = i
			actor.Watch(c, ref, chiefDown)
			continue
		}
		h := heraldType.Spawn(c, herald{me, i})
		b.who[h.ID()] = i
		if i%4 == 0 {
			actor.Watch(c, h, chiefDown)
		} else {
			actor.Link(c, h)
		}
		heraldGo.Send(c, h, struct{}{})
	}
}

func (b *chief) word(_ *actor.Context, n int)        { b.words++; b.said[n] = true }
func (b *chief) down(_ *actor.Context, d actor.Down) { b.end(d.ActorID) }
func (b *chief) exit(_ *actor.Context, e actor.Exit) { b.end(e.ActorID) }

func (b *chief) end(id uint64) {
	b.ends++
	b.early = b.early || !b.said[b.who[id]]
}

// TestOrders_LastWord: in 300 orders no end of an actor or a process that is watched or linked overtakes
// its last word.
func TestOrders_LastWord(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		const heralds = 4
		b := chiefType.Spawn(r.System(), chief{})
		chiefGo.Send(r.System(), b, heralds)
		r.Quiet()
		got, err := chiefShow.Ask(r.Context(), b, struct{}{})
		if err != nil || got.words != heralds || got.ends != heralds || got.early {
			r.Errorf("%v, %d words, %d ends, an end overtook a word: %v", err, got.words, got.ends, got.early)
		}
	}, actortest.WithRuns(300))
}
