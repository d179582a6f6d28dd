package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

const maxBody = 1 << 16 // bytes of a line

func (s *service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /users/{user}", s.post)
	mux.HandleFunc("DELETE /users/{user}", s.delete)
	mux.HandleFunc("GET /tree", s.showTree)
	mux.Handle("/gallop/", http.StripPrefix("/gallop", s.page))
	return mux
}

// post gives a line to the user's session. The request's context bounds the wait.
func (s *service) post(w http.ResponseWriter, r *http.Request) {
	line, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ref, err := s.session(r.Context(), r.PathValue("user"))
	if err != nil {
		refuse(w, err)
		return
	}
	n, err := say.Ask(r.Context(), ref, string(line))
	if err != nil {
		refuse(w, err)
		return
	}
	fmt.Fprintln(w, n)
}

func (s *service) delete(w http.ResponseWriter, r *http.Request) {
	_, err := supervise.RemoveChild.Ask(r.Context(), s.sessions.Ref, r.PathValue("user"))
	if err != nil {
		refuse(w, err)
	}
}

func (s *service) showTree(w http.ResponseWriter, r *http.Request) {
	n, err := supervise.Tree(r.Context(), s.sessions)
	if err != nil {
		refuse(w, err)
		return
	}
	fmt.Fprint(w, n)
}

// refuse maps an error to a status. ErrStopped comes first, since it may wrap the panic with which
// the session, or the service, has ended: that panic is not of this request.
func refuse(w http.ResponseWriter, err error) {
	code := http.StatusServiceUnavailable
	switch {
	case errors.Is(err, actor.ErrStopped), errors.Is(err, actor.ErrSuspended),
		errors.Is(err, actor.ErrRestarted):
	case errors.Is(err, actor.ErrPanicked):
		code = http.StatusInternalServerError
	case errors.Is(err, supervise.ErrNoChild):
		code = http.StatusNotFound
	}
	http.Error(w, err.Error(), code)
}
