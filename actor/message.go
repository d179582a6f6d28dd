package actor

import "github.com/gallop-go/gallop/actor/internal/msg"

// The typed face of package msg, which has the memory of messages.

// message is the header of every message. The payload lies behind it.
type message = msg.Message

// messageList is a queue of messages.
type messageList = msg.List

// sizeClass is one layout of messages.
type sizeClass = msg.SizeClass

// payloadOf returns where the payload of m lies. M must be the payload type of the size class that
// m came from, or share its shape.
func payloadOf[M any](m *message) *M { return (*M)(m.Payload()) }
