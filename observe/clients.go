package observe

import (
	"net"
	"net/http"
	"sync"
)

// Limits of one client. A window of the page makes three requests a second and has no stream.
const (
	requestsPerSecond = 200
	maxStreams        = 16
	maxClients        = 4096
)

// clients limits the requests and the streams of each client, which is known by its address. Behind
// a proxy all clients may have the same.
type clients struct {
	mu sync.Mutex
	by map[string]*client
}

type client struct {
	requests *bucket
	streams  int
}

func newClients() *clients { return &clients{by: map[string]*client{}} }

// clientOf returns the address of a client.
func clientOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}

// of returns a client. It returns nil if there are too many. Caller holds mu.
func (c *clients) of(address string) *client {
	if one := c.by[address]; one != nil {
		return one
	}
	if len(c.by) >= maxClients {
		for a, one := range c.by {
			if one.streams == 0 && one.requests.isFull() {
				delete(c.by, a)
			}
		}
	}
	if len(c.by) >= maxClients {
		return nil
	}
	one := &client{requests: newBucket(requestsPerSecond)}
	c.by[address] = one
	return one
}

// take reports whether a client may make one more request now.
func (c *clients) take(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of(address)
	return one != nil && one.requests.take()
}

// join counts a stream of a client. It reports false if the client has too many.
func (c *clients) join(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of(address)
	if one == nil || one.streams == maxStreams {
		return false
	}
	one.streams++
	return true
}

func (c *clients) leave(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by[address].streams--
}
