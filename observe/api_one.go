package observe

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/gallop-go/gallop/internal/inspect"
)

// apiOne is one actor in detail. All of it is at hand, except its state.
type apiOne struct {
	Actor apiActor `json:"actor"`
	// Runs is the behaviour in which it was seen at work at the last look.
	Runs     string        `json:"runs,omitempty"`
	Turn     []apiLongTurn `json:"turn"` // its turn, if that has lasted for half a second
	Findings []apiLint     `json:"findings"`
	Mail     []apiMail     `json:"mail"`
	Busy     []apiBusy     `json:"busy"`
	Waits    []apiEdge     `json:"waits_for"`
	Waited   []apiEdge     `json:"is_waited_for_by"`
	Procs    []apiProcess  `json:"processes_that_wait"` // for it
	Holders  []apiHolder   `json:"holders"`             // as in why
	Long     []apiLongTurn `json:"long_turns"`
	Panics   []apiPanic    `json:"panics"`
	apiState
}

type apiMail struct {
	Behaviour string `json:"behaviour"` // empty: messages of the runtime
	Count     int    `json:"count"`
}

// apiOneProcess is one process in detail.
type apiOneProcess struct {
	Process  apiProcess    `json:"process"`
	Turn     []apiLongTurn `json:"turn"`
	Findings []apiLint     `json:"findings"`
	Busy     []apiBusy     `json:"busy"`
	Procs    []apiProcess  `json:"processes_that_wait"` // for it
	Stack    string        `json:"stack,omitempty"`
}

// one returns an actor in detail, without its state and its mail. mayLook is that of turnsOf.
func (p present) one(a inspect.Actor, mayLook func() bool) apiOne {
	k := actorKey(a)
	one := apiOne{Actor: p.actor(a), Findings: p.findingsOf(k), Turn: p.turnsOf(k, mayLook), Busy: p.busyOf(k),
		Mail: []apiMail{}, Waits: []apiEdge{}, Waited: []apiEdge{}, Holders: []apiHolder{},
		Long: []apiLongTurn{}, Panics: []apiPanic{}}
	for _, w := range p.v.waits {
		if w.actor.ID == a.ID {
			one.Actor.Waits = max(one.Actor.Waits, w.delay.Seconds())
		}
	}
	for _, w := range p.v.workers {
		if w.Actor == a.ID && a.ID != 0 {
			one.Runs = w.Behaviour
		}
	}
	for _, e := range slices.Concat(p.v.graph.Mutes, p.v.graph.Asks) {
		edge := apiEdge{p.actor(e.From), p.actor(e.To), e.Behaviour, e.AtLeast.Seconds()}
		if e.From.ID == a.ID && len(one.Waits) < mostRecent {
			one.Waits = append(one.Waits, edge)
		}
		if e.To.ID == a.ID && len(one.Waited) < mostRecent {
			one.Waited = append(one.Waited, edge)
		}
	}
	one.Procs = p.waitingProcesses(func(w inspect.Process) bool { return w.For.ID == a.ID })
	for _, h := range p.why().Holders {
		if h.Actor != nil && h.Process == 0 && h.Actor.ID == a.ID || h.For != nil && h.For.ID == a.ID {
			one.Holders = append(one.Holders, h)
		}
	}
	for _, t := range p.longTurns() {
		if t.Actor.ID == a.ID && !t.Now && len(one.Long) < mostEvents {
			one.Long = append(one.Long, t)
		}
	}
	for _, r := range p.panics() {
		if r.Actor.ID == a.ID && len(one.Panics) < mostEvents {
			one.Panics = append(one.Panics, r)
		}
	}
	return one
}

// mostEvents is the number of panics and long turns on the page of an actor.
const mostEvents = 5

// findingsOf returns the findings about an actor or a process, as a culprit or together with it.
func (p present) findingsOf(k key) []apiLint {
	all := []apiLint{}
	for i, l := range p.lints() {
		about := &p.v.lints[i]
		if about.key() == k || !k.process && slices.ContainsFunc(about.about,
			func(a inspect.Actor) bool { return actorKey(a) == k }) {
			all = append(all, l)
		}
	}
	return all
}

// turnsOf returns the turn of an actor or a process, if it has lasted for long. It looks for its
// stack if mayLook reports true.
func (p present) turnsOf(k key, mayLook func() bool) []apiLongTurn {
	all := []apiLongTurn{}
	for i, t := range p.longTurns()[:len(p.v.now)] {
		now := p.v.now[i]
		if k != (key{process: now.Process != 0, id: max(now.Process, now.Actor.ID)}) {
			continue
		}
		if t.Stack == "" && now.Stack != nil && mayLook() { // the looks take the stacks of some turns
			stack := now.Stack()
			t.Stack, t.Line = p.redact("stack", string(stack)), inspect.UserFrame(stack)
		}
		all = append(all, t)
	}
	return all
}

func (p present) busyOf(k key) []apiBusy {
	all := []apiBusy{}
	for _, b := range p.busy(len(p.v.busy)) {
		if k == (key{process: b.Process != 0, id: max(b.Process, b.Actor)}) {
			all = append(all, b)
		}
	}
	return all
}

func (p present) waitingProcesses(wait func(inspect.Process) bool) []apiProcess {
	all := []apiProcess{}
	for _, w := range p.v.processes.Processes {
		if wait(w) && len(all) < mostRecent {
			all = append(all, p.process(w))
		}
	}
	return all
}

// serveActor serves the page of one actor. It does not wait for the actor, which may never come to
// tell its state.
func (h *handler) serveActor(w http.ResponseWriter, r *http.Request) {
	v, a, ok := h.actorOf(w, r)
	if !ok {
		return
	}
	one := present{v, h.redact}.one(a, h.dear.take)
	for _, m := range h.src.mail(a) {
		one.Mail = append(one.Mail, apiMail(m))
	}
	one.apiState = h.states.of(r.Context(), a)
	write(w, r, v, one)
}

func (h *handler) serveProcess(w http.ResponseWriter, r *http.Request) {
	v, id, ok := h.viewFor(w, r)
	if !ok {
		return
	}
	if !h.dear.take() {
		tooMany(w)
		return
	}
	one, stack, ok := h.src.process(id)
	if !ok {
		http.Error(w, "gallop: observe: this process has ended, or is none of those that can be found",
			http.StatusNotFound)
		return
	}
	p, k := present{v, h.redact}, key{process: true, id: id}
	answer := apiOneProcess{Process: p.process(one), Findings: p.findingsOf(k), Turn: p.turnsOf(k, h.dear.take), Busy: p.busyOf(k),
		Procs: p.waitingProcesses(func(w inspect.Process) bool { return w.Asked == id })}
	if stack != "" {
		answer.Stack = h.redact("stack", stack)
	}
	write(w, r, v, answer)
}

// viewFor returns the latest view, and the number in the path of a request. If it reports false, it
// has answered the request.
func (h *handler) viewFor(w http.ResponseWriter, r *http.Request) (v *view, id uint64, ok bool) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil || len(r.URL.RawQuery) > 0 {
		http.Error(w, "gallop: observe: the number of an actor or a process is wanted", http.StatusBadRequest)
		return nil, 0, false
	}
	if !h.clients.take(clientOf(r)) {
		tooMany(w)
		return nil, 0, false
	}
	ctx, cancel := context.WithTimeout(r.Context(), firstSample)
	defer cancel()
	v, _, err = h.look.current(ctx)
	if err != nil {
		http.Error(w, "gallop: observe: no sample yet", http.StatusServiceUnavailable)
		return nil, 0, false
	}
	return v, id, true
}

// actorOf finds the actor of a request. If there is none, it has answered the request.
func (h *handler) actorOf(w http.ResponseWriter, r *http.Request) (*view, inspect.Actor, bool) {
	v, id, ok := h.viewFor(w, r)
	if !ok {
		return nil, inspect.Actor{}, false
	}
	a, ok := h.look.open(v, id)
	if !ok {
		a, ok = h.src.find(id)
	}
	if !ok {
		http.Error(w, fmt.Sprintf("gallop: observe: actor %d has ended, or is none of those that can be found", id),
			http.StatusNotFound)
	}
	return v, a, ok
}

// serveStop stops an actor. Without WithActions, refuses turns the request away before.
func (h *handler) serveStop(w http.ResponseWriter, r *http.Request) {
	if !h.dear.take() {
		tooMany(w)
		return
	}
	if _, a, ok := h.actorOf(w, r); ok {
		h.src.stop(a)
		w.WriteHeader(http.StatusNoContent)
	}
}
