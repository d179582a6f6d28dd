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
//	root := supervise.Start(sys, app)
//
// Above, if disk falls, cache goes down and comes up with it, and the sessions do not
// notice. If disk keeps falling, storage gives up: it falls itself, and app restarts it. If
// that does not help either, app gives up, and the tree ends.
//
// # Choosing
//
// [OneForOne] is for children that do not know each other, [OneForAll] for children that
// are of no use without each other, [RestForOne] for children of which the later ones need
// the earlier ones, and [SimpleOneForOne] for many of one kind. [Permanent] children are
// always restarted, [Transient] ones unless they ended normally, [Temporary] ones never. A
// [Backoff] is for children that need something that may be away for a while. Children are
// found with [Find]. A child that wants a name for [actor.Lookup] registers it in OnStart,
// and keeps it.
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
//     youngest first, each when the one after it is down.
//   - An end by order, with [actor.Stop], [actor.Drain] or [actor.Kill], is final: if the
//     child is to be restarted, that is a new actor with a new ref, in the old place. All
//     children of a supervisor that was restarted are new actors, too.
//   - More restarts than the [Intensity] allows end the supervisor, with an
//     [EscalationError], and its children. One restart of a group counts once.
//   - Restarts, windows and deadlines go by the runtime's clock: on an [actor.VirtualClock]
//     they are exact, and tests need not wait. There, a sender that is muted for a child
//     that backs off keeps neither Wait nor Advance waiting.
//   - Restarts, including jitter, are reproducible where the schedule is: with one worker
//     and a seed.
//
// # Costs
//
// A child costs about 1.1 KB more than an actor that nobody supervises: half of that
// belongs to its supervisor, the rest to its actor. Whatever happens to one child of
// OneForOne and SimpleOneForOne takes the same time however many there are. Nothing is done
// per message.
//
// # Sources
//
// The rules are those of Erlang/OTP's supervisor. What differs: a restart keeps mail and ref;
// a start that fails counts as a fall; restarts can be put off; a supervisor that gives up
// says so with a reason that is not normal.
package supervise
