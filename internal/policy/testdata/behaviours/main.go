// Command behaviours has one of each: see TestBehaviourIsLight.
package main

import "github.com/gallop-go/gallop/actor"

// The fields make the types' shapes differ, so that each function that is made tells for what.
type (
	state struct{ state int }
	word  struct{ word int }
	query struct{ query int }
	reply struct{ reply int }
)

func (s *state) say(_ *actor.Context, w word) { s.state += w.word }

func (s *state) ask(_ *actor.Context, q query) (reply, error) {
	return reply{s.state + q.query}, nil
}

var (
	stateType = actor.NewType[state]("state")
	say       = actor.Declare[word](stateType, "say")
	ask       = actor.DeclareAsk[query, reply](stateType, "ask")
	_         = stateType.Table(say.Handle((*state).say), ask.Handle((*state).ask))
)

func main() {
	sys := actor.Start()
	say.Send(sys, stateType.Spawn(sys, state{}), word{1})
	_ = sys.Run()
}
