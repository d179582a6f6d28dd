package flow

import (
	"go/types"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// Pinned reports whether a turn is one of a type whose actors have a thread of their own: they may
// wait as they like.
func (p *Package) Pinned(t *Turn) bool {
	state := t.State()
	if state == nil {
		return false
	}
	for _, fn := range p.Funcs {
		for _, c := range p.calls[fn] {
			if c.API == nil || c.API.Role != api.MakeType || len(c.TypeArgs()) != 1 {
				continue
			}
			same := types.Identical(c.TypeArgs()[0], deref(state.Type()))
			if same && c.Options(c.Arg(2))[api.PinnedOption] != nil {
				return true
			}
		}
	}
	return false
}
