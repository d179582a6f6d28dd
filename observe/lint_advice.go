package observe

// advice says how to act on a lint, by its rule. docs/observe.md has a section for each.
var advice = map[string]string{
	"long-turn": "See its stack under Long turns. Put what blocks into Context.Blocking, split " +
		"what computes with Yield or messages to itself, or give the work to a pool.",
	"queue-grows": "Its senders are faster than it is. See what it runs and how long (Busiest, " +
		"Long turns); spread its work over a group.Pool, or bound its mailbox " +
		"(WithBound, WithWatermarks).",
	"mail-waits": "It takes longer for a message than there is time between two. See what it runs and " +
		"how long; spread its work over a group.Pool, or let its senders wait (WithBound).",
	"saturation": "The processors are the limit. Make what takes most of the time cheaper, or give the " +
		"program more processors.",
	"shutdown": "The system does not end before this does. End it before Shutdown, or give it a deadline; " +
		"see docs/operating.md.",
	"only-grows": "Code makes these and does not end them. Find where they are made, and stop, cancel, " +
		"reply to or release each of them.",
	"long-call":    "Look at the line in which the process waits. Give the calls a time-out (process.Within).",
	"full-channel": "No goroutine reads from the channel, or too few do. Its senders are muted meanwhile.",
	"long-mute": "The receiver does not catch up, or applies pressure and does not release it. See what " +
		"it runs; each ApplyPressure needs a ReleasePressure.",
	"start-fails": "See why it failed under Supervision. Its supervisor tries again after its back-off; " +
		"messages to it wait or become dead letters meanwhile.",
	"not-restarted": "It waits to be restarted, and no supervisor of package supervise has it in its tree. " +
		"Stop it, or its parent.",
	"garbage": "See in which line the memory is allocated. Allocate less there: reuse buffers, or give " +
		"the collector more room (GOGC, GOMEMLIMIT).",
	"mute-chain": "Look at the last of the chain in the mute graph: it is the one that does not " +
		"keep up; those before it are only patient.",
	"mute-crowd": "Its senders are faster than it is, and wait for it. If they must not, see what it " +
		"runs and how long; spread its work over a group.Pool, or let them use TrySend.",
	"mute-circle": "One of the circle has to send without waiting: break it with an actor between, " +
		"or let one of them not apply pressure while it waits for the others.",
	"ask-circle": "Use AskTo instead of Ask in one of the behaviours: the reply then comes as a " +
		"message, and its turn ends meanwhile.",
	"long-ask": "Look at the actor that is asked: its mailbox, what it runs. Give the ask a " +
		"time-out, or use AskTo, which does not hold up the actor that asks.",
	"self-send": "An actor that sends itself the next step at once never rests. Send after a " +
		"time (After), or only when there is something to do.",
	"put-off-reply": "A Deferred is kept and never answered. Its caller waits until its context " +
		"ends. Reply or fail it on every path of the code.",
	"hold": "A system ends when nothing is left, and every Hold is something. Release it " +
		"where what it stands for ends. It is meant so in a server that waits for " +
		"requests.",
	"imbalance": "Turns are queued, but a worker has little to do. Many actors of one pinned " +
		"type, or long turns in front of others, do this; see Workers and Long turns.",
	"too-many-blocked": "More behaviours block at once than WithMaxBlocked allows. " +
		"Allow more, or let a goroutine wait and send a message (Pipe, bridge.FromChan).",
	"dead-letters": "See the reason under Dead letters: stopped receivers need a monitor or a " +
		"supervisor; full mailboxes need slower senders; declare as BestEffort what may " +
		"get lost.",
	"restart-loop": "What it does at its start or with its first message fails each time. See the " +
		"panic with its stack under Panics. Past its Intensity the supervisor gives up.",
	"muted-forever": "All actors that are left wait for one that does not release its pressure. See " +
		"the mute graph: the actor at its end has to call ReleasePressure, or a Hold is " +
		"missing.",
	"pressure-deadlock": "An actor applies pressure while what would let it release that is in the " +
		"mailbox of one that waits for it. See the mute graph, and " +
		"docs/backpressure.md.",
	"panic": "The stack under Panics begins with the frame that failed. A supervisor can " +
		"restart the actor; without one it has ended.",
	"no-processor": "Other programs take the processors, or a limit of the container does. Long " +
		"turns and delays may come from that alone: give it more, or take less workers.",
	"page": "A text of an error, or a method of a state, panics when it is looked at. The rest " +
		"of the page is as it should be.",
	"small-sample": "Shares of time come from 100 looks a second. Wait some seconds before you " +
		"trust them; a system with little to do has few turns to see.",
}
