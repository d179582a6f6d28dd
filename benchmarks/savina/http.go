package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Sessions over HTTP: each request asks the actor of its session for the next number. Clients and
// server share the processors.
var sessions = program{
	name: "http", about: "HTTP with a session per user", n: 4000,
	gallop: sessionsGallop, plain: sessionsPlain, message: sessionsMessage,
}

const (
	sessionUsers   = 100
	sessionClients = 16
)

type session struct{ count int }

var (
	sessionType = actor.NewType[session]("session")
	sessionNext = actor.DeclareAsk[int, int](sessionType, "next")
	_           = sessionType.Table(sessionNext.Handle((*session).next))
)

func (s *session) next(_ *actor.Context, by int) (int, error) {
	s.count += by
	return s.count, nil
}

// requestTimes are those of the last run: how long each request took, as its client saw it.
var requestTimes []time.Duration

// lateRequest returns the 99th percentile of the last run's requests, or 0 if there were none.
func lateRequest() time.Duration {
	slices.Sort(requestTimes)
	if len(requestTimes) == 0 {
		return 0
	}
	return requestTimes[len(requestTimes)*99/100]
}

// serveSessions has clients make n requests; next gives the session's next number. The checksum is
// the sum of all answers, which does not depend on the order.
func serveSessions(n int, next func(ctx context.Context, user, by int) (int, error)) uint64 {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, _ := strconv.Atoi(r.URL.Query().Get("user"))
		v, err := next(r.Context(), user, 1)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, v)
	}))
	defer server.Close()
	sums := make([]uint64, sessionClients)
	took := make([][]time.Duration, sessionClients)
	var wg sync.WaitGroup
	for c := range sessionClients {
		wg.Go(func() {
			client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
			defer client.CloseIdleConnections()
			for i := c; i < n; i += sessionClients {
				begin := time.Now()
				sums[c] += request(&client, server.URL, i%sessionUsers)
				took[c] = append(took[c], time.Since(begin))
			}
		})
	}
	wg.Wait()
	requestTimes = slices.Concat(took...)
	return sumOf(sums)
}

func request(client *http.Client, url string, user int) uint64 {
	r, err := client.Get(url + "/?user=" + strconv.Itoa(user))
	if err != nil {
		panic(err)
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	v, err2 := strconv.Atoi(string(body))
	if err != nil || err2 != nil {
		panic(fmt.Sprint(err, err2))
	}
	return uint64(v)
}

func sessionsGallop(sys *actor.System, n int) uint64 {
	all := make([]actor.Ref[session], sessionUsers)
	for i := range all {
		all[i] = sessionType.Spawn(sys, session{})
	}
	return serveSessions(n, func(ctx context.Context, user, by int) (int, error) {
		return sessionNext.Ask(ctx, all[user], by)
	})
}

// sessionsPlain has a lock for each session.
func sessionsPlain(n int) uint64 {
	var all [sessionUsers]struct {
		sync.Mutex
		session
	}
	return serveSessions(n, func(_ context.Context, user, by int) (int, error) {
		s := &all[user]
		s.Lock()
		defer s.Unlock()
		s.count += by
		return s.count, nil
	})
}

func sessionsMessage(c crew, n int) uint64 {
	all := make([]node, sessionUsers)
	for i := range all {
		count := 0
		all[i] = c.spawn(sessionClients, func(node) behaviour {
			return func(_ node, m msg) {
				count += m.x
				m.data.(chan int) <- count
			}
		})
	}
	return serveSessions(n, func(ctx context.Context, user, by int) (int, error) {
		reply := make(chan int, 1)
		all[user].send(nil, msg{x: by, data: reply})
		select {
		case v := <-reply:
			return v, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	})
}
