package kernel

import "time"

// AskOption is an option of one request. An AskOption of package actor converts to it.
type AskOption struct {
	limited bool
	within  time.Duration
}

// Within gives a request a time-out.
func Within(d time.Duration) AskOption { return AskOption{limited: true, within: d} }

// Limit returns the time-out of a request. It reports false if the option is none.
func (o AskOption) Limit() (d time.Duration, limited bool) { return o.within, o.limited }

// MustOwn panics if no actor runs, or if d is not a behaviour of the actor that runs. d is not nil.
func (c *Turn) MustOwn(d *Descriptor) {
	MustRun(c, d.Name)
	if d.Typ != c.Self.Shared().Typ {
		panic("gallop: " + d.FullName() + " is not one of " + c.Self.String() + "'s behaviours")
	}
}

// Prepare makes the message of an outcome when the actor asks, since the message has to keep a
// mark, or the context under which the actor has asked. Owner only, in a turn.
func (c *Turn) Prepare(d *Descriptor, life uint16) *Message {
	m := c.Node(d.Size)
	c.Sys.Sim.Count(-1) // it is not sent yet
	m.ID, m.Life, m.Next = d.ID, life, nil
	if c.Travels != nil {
		m = Carry(c, c.Travels, m, d)
		PayloadOf[carried](m).waits = c.Waits
	}
	return m
}

// Prepared returns the message into which an outcome is written, and the descriptor by which m is
// sent. m was made by Turn.Prepare, and may carry that message. The outcome is written as a Result,
// also if the payload is a Reply: both types begin with the same fields.
func Prepared(m *Message, d *Descriptor) (in *Message, as *Descriptor) {
	if m.ID == CarriedID {
		d = carriedDesc
	}
	return Contents(m), d
}
