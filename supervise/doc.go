// Package supervise restarts actors that fail, in trees that are declared as data.
//
// # What
//
// A supervisor is an actor that manages other actors, its children. It starts them in order, learns
// when one fails, and restarts it, alone or with its siblings, as its [Strategy] says. At the end
// it stops them in the opposite order. A child is a [Worker] or another supervisor, a [Spec]. So
// the whole is a tree:
//
//	                 app: one_for_one
//	                 /              \
//	    storage: rest_for_one      sessions: simple_one_for_one
//	      /             \              /       |       \
//	   disk            cache        ann       bob       …     made from one template, at any time
//
//	app := supervise.Spec{Name: "app", Children: []supervise.Child{
//		supervise.Spec{Name: "storage", Strategy: supervise.RestForOne, Children: []supervise.Child{
//			supervise.Worker[Disk]{Name: "disk", Type: DiskType, Init: (*Disk).open},
//			supervise.Worker[Cache]{Name: "cache", Type: CacheType},
//		}},
//		supervise.Spec{Name: "sessions", Strategy: supervise.SimpleOneForOne,
//			Template: supervise.Worker[Session]{Type: SessionType, Restart: supervise.Transient}},
//	}}
//	err := supervise.Serve(ctx, sys, app, 10*time.Second)
//
// Above, if disk fails, cache is restarted with it, and the sessions do not notice. If disk keeps
// failing, storage gives up: it fails itself, and app restarts it. If that does not help either,
// app gives up, the tree ends, and Serve returns the reason. A session that keeps failing ends
// alone.
//
// # Choosing
//
// [OneForOne] is for children that do not depend on each other, [OneForAll] for children that
// cannot work without each other, [RestForOne] for children that need the older ones, and
// [SimpleOneForOne] for many children of one kind. [Permanent] children are always restarted,
// [Transient] ones unless they ended normally, [Temporary] ones never. A [Backoff] delays restarts,
// longer with every consecutive failure, also by default; [NoBackoff] is for children that are
// cheap to restart.
//
// # At work
//
//   - [Serve] is for main: it starts the tree, waits, and shuts everything down in order.
//     [StartWait] returns when the tree is up, or an error that names the child that did not come
//     up. [Supervisor.Wait] waits for the end.
//   - A child finds its older siblings with [Sibling], in OnStart. From outside, [Find] asks
//     the supervisors. A child that wants a name for [actor.Lookup] registers it in OnStart,
//     and keeps it.
//   - [StartChild], [StopChild], [RestartChild] and [RemoveChild] change a running tree: requests to
//     the supervisor, for goroutines and for behaviours.
//   - Failures, restarts and ends are logged, WARN or ERROR, with the child's path: the 1st, 2nd,
//     4th, 8th and so on in a minute of one declared child, and of all children of one type that
//     were added later. OnEvent of a [Spec] is called for each.
//
// docs/supervision.md and docs/service.md are pages for users.
//
// # Guarantees
//
//   - A restart is in place: the actor keeps its ref, its links and watchers, and its queued mail,
//     which runs after the restart. The message that it was handling does not run again. State and
//     children are new. Timers are canceled without a notice, and OnStart must arm them
//     again. So a retry by [actor.After] is lost if a group restart includes the child. Instead
//     yield the message, stash it, leave it with a sibling that stays up, or give it to a child
//     that fails and is restarted with its [Backoff].
//   - Children start one after another, each when the child before it is up. They are suspended and
//     stopped youngest first, each when the child after it is down; children of SimpleOneForOne end
//     all at once.
//   - A start with a waiting caller is not retried: [StartWait], [StartChild], or [RestartChild] of
//     a child that had stopped. The error says why it failed, and siblings are not restarted. Every
//     other failed start is a failure of the child.
//   - A child in back-off blocks no caller: requests to it fail at once, and so do requests to
//     supervisors that wait for it.
//   - An end by order, with [actor.Stop], [actor.Drain] or [actor.Kill], is final: if the child is
//     restarted all the same, it is a new actor with a new ref, in the same position. All children
//     of a supervisor that was restarted are new actors, too.
//   - More restarts than the [Intensity] allows end the supervisor, with an [EscalationError], and
//     its children; or the child alone, if the Intensity is its own, or the strategy is
//     SimpleOneForOne. A group restart counts once.
//   - Delays, windows and deadlines use the system's clock: with an [actor.VirtualClock] they are
//     exact, and tests need not wait.
//   - Restarts, including jitter, are reproducible if the schedule is: with one worker and a seed.
//
// # Costs
//
// A child costs about 1.2 KB more than an actor without a supervisor: half of that belongs to its
// supervisor, the rest to its actor. Starting, stopping or restarting one child of OneForOne and
// SimpleOneForOne takes the same time however many there are. Supervision costs nothing per
// message.
//
// # Sources
//
// The rules are the rules of Erlang/OTP's supervisor, with these differences:
//
//   - A restart keeps the ref and, unless the declaration says otherwise, mail.
//   - In a restart, and with [Start], a failed start counts as a failure.
//   - Restarts are delayed.
//   - A child that StopChild has stopped stays down when its group is restarted.
//   - A supervisor that gives up ends with a reason that is not normal.
package supervise
