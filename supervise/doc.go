// Package supervise restarts actors that fall, in trees that are declared as data.
//
// # What
//
// A supervisor is an actor whose work is its children. It starts them in order, hears when
// one falls, and restarts it, alone or with its siblings, as its [Strategy] says. At the
// end it stops them in the opposite order. A child is a [Worker] or a supervisor of its
// own, a [Spec], and the whole is a tree:
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
// Above, if disk falls, cache goes down and comes up with it, and the sessions do not notice.
// If disk keeps falling, storage gives up: it falls itself, and app restarts it. If that does
// not help either, app gives up, the tree ends, and Serve returns why. A session that keeps
// falling ends alone.
//
// # Choosing
//
// [OneForOne] is for children that do not know each other, [OneForAll] for children that
// are of no use without each other, [RestForOne] for children of which the later ones need
// the earlier ones, and [SimpleOneForOne] for many of one kind. [Permanent] children are
// always restarted, [Transient] ones unless they ended normally, [Temporary] ones never. A
// [Backoff] puts restarts off, more with every fall in a row, by default too; [NoBackoff] is for
// children that are cheap to restart.
//
// # At work
//
//   - [Serve] is what a main calls: it starts the tree, waits, and ends all in good order.
//     [StartWait] returns when the tree is up, or says which child did not come up.
//     [Supervisor.Wait] waits for the end.
//   - A child finds its older siblings with [Sibling], in OnStart. From outside, [Find] asks
//     the supervisors. A child that wants a name for [actor.Lookup] registers it in OnStart,
//     and keeps it.
//   - [StartChild], [StopChild], [RestartChild] and [RemoveChild] change a tree that runs.
//   - What happens is logged, WARN or ERROR, with the child's path, and OnEvent of a [Spec]
//     hears of it.
//
// docs/supervision.md and docs/service.md are pages for users.
//
// # Guarantees
//
//   - A restart is in place: the actor keeps its ref, its links and watchers, and its
//     queued mail, which runs after the restart. The message over which it fell does not
//     run again. State and children are new. Timers are gone without a trace: OnStart must
//     arm what each life needs. So a retry by [actor.After] is lost if a sibling falls that
//     takes the child along. Instead yield it, stash it, leave it with a sibling that stays
//     up, or give it to a child of its own that falls and comes back with its [Backoff].
//   - Children start one after another, each when the one before it is up. They go down
//     youngest first, each when the one after it is down; those of SimpleOneForOne end all at once.
//   - A start that somebody waits for, with [StartWait], [StartChild] or [RestartChild] of a
//     child that had stopped, is not tried again if it fails: the error says why, and siblings
//     do not notice. Every other start that fails is a fall.
//   - A child whose restart is put off holds up nobody: requests to it fail at once, and so do
//     questions to supervisors that wait behind it.
//   - An end by order, with [actor.Stop], [actor.Drain] or [actor.Kill], is final: if the
//     child is to be restarted, that is a new actor with a new ref, in the old place. All
//     children of a supervisor that was restarted are new actors, too.
//   - More restarts than the [Intensity] allows end the supervisor, with an
//     [EscalationError], and its children; or the child alone, if the Intensity is its own, or the
//     strategy is SimpleOneForOne. One restart of a group counts once.
//   - Restarts, windows and deadlines go by the runtime's clock: on an [actor.VirtualClock]
//     they are exact, and tests need not wait.
//   - Restarts, including jitter, are reproducible where the schedule is: with one worker
//     and a seed.
//
// # Costs
//
// A child costs about 1.2 KB more than an actor that nobody supervises: half of that
// belongs to its supervisor, the rest to its actor. Whatever happens to one child of
// OneForOne and SimpleOneForOne takes the same time however many there are. Nothing is done
// per message.
//
// # Sources
//
// The rules are those of Erlang/OTP's supervisor. What differs: a restart keeps the ref and,
// unless the declaration says otherwise, mail; in a restart, and with [Start], a start that
// fails counts as a fall; restarts are put off; a child that StopChild has stopped stays down
// when its group is restarted; a supervisor that gives up says so with a reason that is not
// normal.
package supervise
