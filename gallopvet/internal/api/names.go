package api

import "slices"

// This file is the only one that knows the names of gallop's API. After a rename there, change
// the names here: nothing else in the analyser has to follow.

// Module is the path that every package of gallop begins with.
const Module = "github.com/gallop-go/gallop"

// Names of types that the rules ask for, as package and name.
const (
	Context   = "actor.Context"
	Iso       = "capability.Iso"
	Immutable = "capability.Immutable"
	Shared    = "capability.Shared"

	Interceptor = "actor.Interceptor"
	Handler     = "actor.Handler"
	System      = "actor.System"

	ProcessSelf = "process.Self"
	Proc        = "process.Proc"
	Party       = "process.Party"
	ReplyTo     = "process.ReplyTo"
)

// Names of functions that one rule alone asks for.
const (
	Self          = "actor.Self"
	ContextSystem = "actor.Context.System"
	Checkpoint    = "actor.Context.Checkpoint"
	NewIso        = "capability.NewIso"
	IsoUse        = "capability.Iso.Use"
	IsoGone       = "capability.Iso.Gone"
	ValGet        = "capability.Val.Get"
	ValView       = "capability.Val.View"
	DeferReply    = "actor.Defer"
	Hold          = "actor.System.Hold"
	FromChan      = "bridge.FromChan"
	Yield         = "actor.Yield"
	Stash         = "actor.Behaviour.Stash"
	AskStash      = "actor.AskBehaviour.Stash"
	Pinned        = "actor.WithPinnedThread"

	ProcessRef  = "process.Self.Ref"
	OwnProcess  = "process.Proc.Process"
	ProcString  = "process.Proc.String"
	Ask         = "process.Ask"
	AskedReply  = "process.Asked.Reply"
	Call        = "process.Call"
	NewChan     = "process.NewChan"
	ChanSend    = "process.Chan.Send"
	ChanTrySend = "process.Chan.TrySend"
	ChanRecv    = "process.Chan.Recv"
	ChanTryRecv = "process.Chan.TryRecv"
	ChanClose   = "process.Chan.Close"
	SendTo      = "process.SendTo"
	Select      = "process.Select"
	TrySelect   = "process.TrySelect"
	Receive     = "process.Self.Receive"
	Lock        = "process.Mutex.Lock"
	Unlock      = "process.Mutex.Unlock"
	SystemWait  = "process.System.Wait"
	SystemRun   = "process.System.Run"
	SystemStop  = "process.System.Stop"
)

// sendable lists the types of gallop that may be sent. Of the type arguments of those in
// sendableIfArgs, all must be sendable, too.
var (
	sendable = Names(`
		actor.Ref actor.AnyRef actor.Type actor.Behaviour actor.AskBehaviour actor.Handler actor.Asker
		actor.Deferred actor.System actor.Monitor actor.Timer actor.Down actor.Exit
		actor.Variant actor.VirtualClock actor.Target capability.Iso capability.Val capability.Tag
		heap.Region heap.Parcel heap.Blob group.Pool group.Topic group.AskPool group.Registry
		supervise.Supervisor supervise.Spec supervise.Child supervise.Worker actortest.Probe heap.Ptr
		heap.Slice heap.String heap.Map heap.TextMap process.Process process.Ref process.Chan
		process.System process.Monitor process.Mutex process.WaitGroup process.Once process.Event
		process.Asked process.Mark`)
	sendableIfArgs = Names(`
		actor.Result actor.Reply group.Change process.ReplyTo`)
)

// Recv stands for the receiver of a method where a parameter is asked for. Parameters are counted
// from 1; 0 means that there is none.
const Recv = -1

// funcs has the meanings of the functions and methods of gallop.
var funcs = slices.Concat([]Func{
	// Declarations.
	{Name: "actor.NewType", NonEmpty: in(1)},
	{Name: "actor.Declare", Role: Declare, Messages: 1, NonNil: in(1), NonEmpty: in(2)},
	{Name: "actor.DeclareAsk", Role: Declare, Messages: 2, NonNil: in(1), NonEmpty: in(2)},
	{Name: "actor.Behaviour.Handle", Role: Handle, Turn: 1, NonNil: in(1), NonZero: in(Recv)},
	{
		Name: "actor.AskBehaviour.Handle", Role: Handle, Turn: 1, Replies: true, NonNil: in(1),
		NonZero: in(Recv),
	},
	{Name: "actor.Type.OnStart", Role: StartHook, Turn: 1, NonNil: in(Recv, 1)},
	{Name: "actor.Type.OnStop", Turn: 1, NonNil: in(Recv, 1)},

	// Options.
	{Name: "actor.WithWatermarks", Least: at(2, 0)},
	{Name: Pinned},
	{Name: "actor.WithLongTurn", Least: at(1, 1_000_000)},

	// Spawning.
	{Name: "actor.Type.Spawn", Role: Spawn, State: 2, NonNil: in(Recv)},
	{Name: "actor.Type.SpawnChild", Role: Spawn, State: 2, NonNil: in(Recv)},
	{Name: "actor.Type.SpawnFunc", Role: Spawn, NonNil: in(Recv, 2)},
	{Name: "actor.Type.SpawnNamed", Role: Spawn, State: 3, NonNil: in(Recv), NonEmpty: in(2)},

	// Sends.
	{Name: "actor.Behaviour.Send", Payload: 3, To: 2, NonZero: in(Recv, 2)},
	{Name: "actor.Behaviour.TrySend", Payload: 3, To: 2, Refuses: true, NonZero: in(Recv, 2)},
	{Name: "actor.Behaviour.SendWait", Payload: 3, To: 2, Refuses: true, NonZero: in(Recv, 2), InTurn: Panics},
	{Name: "actor.Behaviour.To", To: 1, NonZero: in(Recv, 1)},
	{Name: "actor.Handler.Send", Payload: 2, NonNil: in(Recv)},
	{Name: "actor.Handler.TrySend", Payload: 2, Refuses: true, NonNil: in(Recv)},
	{Name: "actor.AskBehaviour.Ask", Payload: 3, To: 2, Waits: true, NonZero: in(Recv, 2), InTurn: AskOfSelf},
	{Name: "actor.AskBehaviour.To", To: 1, NonZero: in(Recv, 1)},
	{Name: "actor.Asker.Ask", Payload: 2, Waits: true, NonNil: in(Recv)},
	{Name: "actor.Asker.AskTo", Payload: 2, NonNil: in(Recv, 3)},
	{Name: "bridge.AskAll", Payload: 4, Waits: true, NonZero: in(2)},
	{Name: "actor.AskTo", Payload: 4, To: 3, Own: in(5), NonZero: in(2, 3, 5)},
	{Name: "actor.AskToWith", Payload: 4, To: 3, Own: in(5), NonZero: in(2, 3, 5)},
	{Name: "actor.Deferred.HandOver", NonZero: in(Recv, 2)},
	{Name: "group.Pool.TrySend", Payload: 2, Refuses: true, NonZero: in(Recv)},
	{Name: "group.Pool.SendWait", Payload: 2, Refuses: true, NonZero: in(Recv), InTurn: Panics},
	{Name: "group.Topic.Send", Payload: 2, Many: true, NonZero: in(Recv)},
	{Name: "group.Topic.Publish", Payload: 2, Many: true, NonZero: in(Recv)},
	{Name: "group.Topic.TrySend", Payload: 2, Many: true, Refuses: true, NonZero: in(Recv)},
	{Name: "group.Topic.SendWait", Payload: 2, Many: true, Refuses: true, NonZero: in(Recv), InTurn: Panics},

	// Messages of an actor to itself.
	{Name: Yield, Payload: 3, ToSelf: true, Own: in(2), NonZero: in(2)},
	{Name: "actor.After", Payload: 4, ToSelf: true, Own: in(3), NonZero: in(3)},
	{Name: "actor.Every", Payload: 4, ToSelf: true, Own: in(3), NonZero: in(3), Least: at(2, 1)},
	{Name: "actor.Pipe", Own: in(2), Elsewhere: in(3), NonNil: in(3), NonZero: in(2)},
	{Name: "actor.PipeWith", Own: in(2), Elsewhere: in(4), NonNil: in(4), NonZero: in(2)},
	{Name: FromChan, Own: in(3), NonNil: in(2), NonZero: in(3)},
	{Name: "bridge.ToChan", NonNil: in(2)},

	// Life.
	{Name: "actor.Become", Own: in(2), NonNil: in(2)},
	{Name: "actor.Watch", Own: in(3), NonZero: in(2, 3)},
	{Name: "actor.TrapExit", Own: in(2), NonZero: in(2)},

	// A context.
	{Name: "actor.Context.Blocking", Role: Blocking, Sync: in(1), NonNil: in(1)},
	{Name: "actor.Context.Shield", Sync: in(1), NonNil: in(1)},
	{Name: "actor.Context.Gas", Least: at(1, 0)},
	{Name: "actor.Context.Register", NonEmpty: in(1)},

	// A system.
	{Name: "actor.System.Wait", NonNil: in(Recv), InTurn: PanicsOfSystem},
	{Name: "actor.System.Run", NonNil: in(Recv), InTurn: PanicsOfSystem},
	{Name: "actor.System.Shutdown", NonNil: in(Recv), InTurn: PanicsOfSystem},
	{Name: "actor.System.Stop", NonNil: in(Recv), InTurn: PanicsOfSystem},
	{Name: "actor.System.With", NonNil: in(Recv)},
	{Name: "actor.VirtualClock.Advance", Syncs: true, NonNil: in(Recv), Least: at(2, 0)},
	{Name: "actor.VirtualClock.Jump", NonNil: in(Recv), Least: at(1, 0)},

	// Capabilities.
	{Name: NewIso, Sync: in(1)},
	{Name: "capability.NewVal", Payload: 1, Freezes: true},
	{Name: "capability.Iso.Use", Role: UseIso, Sync: in(1), NonNil: in(1)},
	{Name: "capability.Val.View", Sync: in(1), NonNil: in(1), NonZero: in(Recv)},

	// Supervision.
	{Name: "supervise.StartWait", NonNil: in(2), InTurn: Panics},
	{Name: "supervise.Supervisor.Wait", NonZero: in(Recv), InTurn: Panics},
	{Name: "actortest.In", Turn: 4},
	{Name: "actortest.R.Quiet", Syncs: true},
	{Name: "actortest.R.Advance", Syncs: true},
	{Name: "supervise.Supervisor.Ready", Syncs: true, NonZero: in(Recv)},
	{Name: "supervise.Serve", NonNil: in(2), Least: at(4, 0), InTurn: Panics},

	// Processes.
	{Name: "process.Spawn", Messages: 1, Turn: 2, Process: true, Elsewhere: in(2)},
	{Name: "process.SpawnLinked", Messages: 1, Turn: 2, Process: true, Elsewhere: in(2)},
	{Name: "process.WithWatermarks", Least: at(2, 0)},
	{Name: "process.Go", Turn: 2, Process: true, Elsewhere: in(2)},
	{Name: "process.WaitGroup.Go", Turn: 2, Process: true, Elsewhere: in(2)},
	{Name: "process.Ref.Send", Payload: 2, To: Recv, NonZero: in(Recv)},
	{Name: Ask, Request: 3, To: 2, Sync: in(3), NonNil: in(3), NonZero: in(2)},
	{Name: Call, Suspends: true, Request: 3, To: 2, Waits: true, Sync: in(3), NonNil: in(3), NonZero: in(2)},
	{Name: "process/actors.Ask", Payload: 4, To: 3},
	{Name: "process/actors.Call", Payload: 4, To: 3, Waits: true, Suspends: true},
	{Name: "process/actors.CallContext", Payload: 5, To: 4, Waits: true, Suspends: true},
	{Name: "process/actors.AskTo", Request: 3, To: 2, Sync: in(3)},
	{Name: "process/actors.AskToWith", Request: 3, To: 2, Sync: in(3)},
	{Name: AskedReply, Suspends: true, Syncs: true, NonZero: in(Recv)},

	// Waits of a process.
	{Name: Receive, Suspends: true, Syncs: true},
	{Name: "process.Self.ReceiveMatch", Suspends: true, Syncs: true, Sync: in(1)},
	{Name: "process.Self.ReceiveWithin", Suspends: true, Syncs: true, Sync: in(2)},
	{Name: "process.Self.ReceiveAfter", Suspends: true, Syncs: true, Sync: in(3)},
	{Name: "process.Self.Receives", Sync: in(2)},
	{Name: NewChan, Messages: 1, Least: at(1, 0)},
	{Name: ChanSend, Suspends: true, Payload: 2},
	{Name: ChanTrySend, Payload: 2, Refuses: true},
	{Name: ChanTryRecv, Syncs: true},
	{Name: ChanClose, NonNil: in(Recv)},
	{Name: TrySelect, Syncs: true},
	{Name: "process.When", Sync: in(2), NonNil: in(1, 2)},
	{Name: "process.Block", Suspends: true, Syncs: true, Sync: in(3), NonNil: in(2, 3)},
	{Name: "process.Process.Join", Suspends: true, Syncs: true, NonZero: in(Recv)},
	{Name: "process.Once.Do", Syncs: true, Sync: in(2), NonNil: in(2)},
	{Name: "process.Proc.Blocking", Role: Blocking, Sync: in(1), NonNil: in(1)},
	{Name: "process.Proc.Sleep", Suspends: true},
	{Name: "process.Proc.Yield", Suspends: true},

	// Life of a process, and of a system of processes.
	{Name: "process.Self.Watch", Elsewhere: in(2), NonZero: in(1)},
	{Name: "process.Self.TrapExit", Elsewhere: in(1)},
	{Name: "process.Register", NonZero: in(2)},
	{Name: SystemWait, Syncs: true, NonNil: in(Recv)},
	{Name: SystemRun, Syncs: true, NonNil: in(Recv)},
	{Name: SystemStop, Syncs: true, NonNil: in(Recv)},
},
	// Other functions, by their meaning.
	same(Func{},
		ContextSystem, "actor.Context.ShouldYield", Checkpoint, IsoGone, "process.Start", ProcessRef,
		OwnProcess, ProcString, SendTo, "process.RecvFrom", "group.Topic.Subscribe", "actor.Self",
		"actor.Unbecome", "actor.StashLen", "actor.UnstashAll", "actor.Sleep",
		"actor.Context.SetContext", "actor.Context.With", "process.Done", Unlock,
		"process.WaitGroup.Add", "process.WaitGroup.Done", "process.Event.Notify",
	),
	same(Func{Least: at(1, 1)},
		"actor.WithStashLimit", "actor.WithBound", "actor.WithBatch", "actor.WithGas",
		"actor.WithWorkers", "actor.WithMaxBlocked", "process.WithBound",
	),
	same(Func{NonNil: in(1)},
		"actor.WithKeep", "actor.WithClock", "heap.New", "heap.TryNew", "process.Lookup",
	),
	same(Func{NonNil: in(1), Least: at(2, 0)},
		"actor.Unstash", "heap.MakeSlice", "heap.TryMakeSlice",
	),
	same(Func{NonZero: in(2)},
		DeferReply, "actor.Stop", "actor.StopWith", "actor.Drain", "actor.Kill", "actor.Link",
		"actor.Unlink",
	),
	same(Func{NonZero: in(2), InTurn: Panics},
		"actor.StopWait", "actor.DrainWait", "actor.KillWait", "actor.Join",
	),
	same(Func{NonNil: in(Recv)},
		"actor.Type.Name", "actor.Type.Table", "actor.Type.Variant", Hold, "actor.System.Stats",
		"actor.System.Why",
	),
	same(Func{NonZero: in(1)},
		"actor.WithInterceptor", "actor.StatusOf", "actor.SystemOf", "process.Proc.Link",
	),
	same(Func{NonZero: in(Recv)},
		Stash, AskStash, "process.Process.Cancel", "process.Process.Kill", "actor.Ref.Status",
		"capability.Val.Get", "capability.Val.Tag", "process.Asked.Replied",
		"process.Process.Done", "process.Process.Status", "process.Process.Result",
	),
	same(Func{Payload: 2, NonZero: in(Recv)},
		"actor.Deferred.Reply", "group.Pool.Send", "process.ReplyTo.Reply",
	),
	same(Func{Role: EndIso},
		"capability.Iso.Move", "capability.Iso.Take", "capability.Iso.Freeze",
		"heap.Region.Move", "heap.Region.Join", "heap.Region.Discard",
	),
	same(Func{Role: UseIso}, "capability.Iso.Tag", "heap.Region.Arena", "heap.Region.Root", "heap.Region.SetRoot"),
	same(Func{Suspends: true, Syncs: true},
		ChanRecv, "process.Chan.All", Select, Lock, "process.WaitGroup.Wait", "process.Proc.Wait",
	),
)

// same gives several functions one meaning.
func same(f Func, names ...string) []Func {
	var all []Func
	for _, f.Name = range names {
		all = append(all, f)
	}
	return all
}

// callers lists the types of first arguments that say who calls: none may be nil.
var callers = Names("actor.Sender actor.Context process.Env process.Party process.Proc")

// elsewhereFields lists the fields that hold functions which run in the turn of another actor:
// variables captured by such a function are shared between actors.
var elsewhereFields = Names("supervise.Worker.Init group.MemberSpec.Init")
