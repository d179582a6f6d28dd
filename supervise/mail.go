package supervise

// MailPolicy says what a restart does with the mail that waits for the actor.
type MailPolicy uint8

const (
	// KeepMail keeps queued and stashed messages. They run in the next life, in order. Requests
	// whose callers have given up by the restart are dropped all the same, for the reason
	// [actor.ErrRestarted].
	KeepMail MailPolicy = iota
	// DropMail makes a dead letter of each message that waits when the life ends, also of stashed
	// and of urgent ones, with the reason [actor.ErrRestarted]: the caller of a request among them is
	// told so. Messages that come later run in the next life.
	DropMail
)
