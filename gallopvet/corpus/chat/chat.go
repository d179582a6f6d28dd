// Package chat is a chat server, after the one in the examples of hollywood: clients connect with
// a name, and a message from a client is sent to all others.
package chat

import (
	"maps"
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Message is a text from a client.
type Message struct {
	From string
	Text string
}

// connect is the first message of a client.
type connect struct {
	name   string
	client actor.Ref[Client]
}

// Server knows the clients.
type Server struct {
	names   map[actor.Ref[Client]]string
	history []*Message
}

func (s *Server) connect(c *actor.Context, m connect) {
	if s.names == nil {
		s.names = map[actor.Ref[Client]]string{}
	}
	s.names[m.client] = m.name
	actor.Watch(c, m.client, gone)
	past.Send(c, m.client, slices.Clone(s.history))
}

func (s *Server) say(c *actor.Context, m *Message) {
	s.history = append(s.history, m)
	for client, name := range s.names {
		if name != m.From {
			heard.Send(c, client, m)
		}
	}
}

func (s *Server) gone(_ *actor.Context, d actor.Down) {
	maps.DeleteFunc(s.names, func(r actor.Ref[Client], _ string) bool { return r.ID() == d.ActorID })
}

func (s *Server) who(*actor.Context, struct{}) ([]string, error) {
	return slices.Sorted(maps.Values(s.names)), nil
}

// Client records the messages of the other clients.
type Client struct {
	Name  string
	Heard []string
}

func (s *Client) heard(_ *actor.Context, m *Message) {
	s.Heard = append(s.Heard, m.From+": "+m.Text)
}

func (s *Client) past(c *actor.Context, all []*Message) {
	for _, m := range all {
		s.heard(c, m)
	}
}

// The two types.
var (
	ServerType = actor.NewType[Server]("server")
	Connect    = actor.Declare[connect](ServerType, "connect")
	Say        = actor.Declare[*Message](ServerType, "say")
	Who        = actor.DeclareAsk[struct{}, []string](ServerType, "who")
	gone       = actor.Declare[actor.Down](ServerType, "gone")
	_          = ServerType.Table(
		Connect.Handle((*Server).connect), Say.Handle((*Server).say), Who.Handle((*Server).who),
		gone.Handle((*Server).gone),
	)
	ClientType = actor.NewType[Client]("client")
	heard      = actor.Declare[*Message](ClientType, "heard")
	past       = actor.Declare[[]*Message](ClientType, "past")
	_          = ClientType.Table(heard.Handle((*Client).heard), past.Handle((*Client).past))
)

// Join makes a client and connects it.
func Join(sys *actor.System, server actor.Ref[Server], name string) actor.Ref[Client] {
	client := ClientType.Spawn(sys, Client{Name: name})
	Connect.Send(sys, server, connect{name, client})
	return client
}
