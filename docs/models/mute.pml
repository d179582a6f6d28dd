/* Muting with applied pressure on a ring (internal/kernel/mute.go, pressure.go,
 * pressure_deadlock.go; backpressure/README.md, steps D1-D3, G1-G2, T4-T5).
 *
 * N actors in a ring. Each sends DATA to its successor, SENDS times, once in each of its
 * turns. Actor 0 applies pressure in its first turn, sends its predecessor a question, and
 * releases the pressure when the answer comes; with TWO so does actor 1. The predecessor
 * is the one that is muted for it, so without the watch the answer may never come
 * (ponyc#3382). BATCH 1: a turn is one message, and an actor with mail left is overloaded.
 * Every actor has a gate with its waitList (a set), a count, and a load. The gate of an actor
 * that is only muted is ajar (internal/kernel/mute.go): LEEWAY - 1 messages pass and are
 * counted. With LEEWAY 1 no sender passes, as if it were shut.
 *
 * Proved: no actor stays parked, all mail is run, all gates are open in the end; an actor
 * that is blocked is in as many wait lists as it counts; no parked actor runs; none is released
 * twice; no more than LEEWAY - 1 messages pass a gate that is ajar before its actor has run its
 * mail.
 *
 * Mutants: NO_WATCH (none is released), MUTE_PRESSED (an actor under pressure may be muted,
 * K33), MUTE_OVER (an overloaded one may be), PARK_PRESSED (an actor that has met a gate
 * and then applied pressure parks), NO_CHAIN (an actor that is let go does not open its own
 * gate), OPEN_LATE (the waitList is read, and then the gate opens), OWE_LATE (enters, and then
 * owes), PARK_BLIND (parks without looking whether it still owes), WATCH_OPENS (the watch
 * unblocks without taking the waiter out of the wait list), LOOK_ONCE (the watch forgets an actor
 * for which another still waits). With LEEWAY: PASS_BLIND (a sender that finds a gate ajar
 * passes), COUNT_ANEW (the count is set back whenever the actor is muted).
 */
#ifndef N
#define N 3
#endif
#ifndef SENDS
#define SENDS 2
#endif
#ifndef LEEWAY
#define LEEWAY 1
#endif
#define next_(i) (((i) + 1) % N)
#define prev_(i) (((i) + N - 1) % N)
#ifdef TWO
#define presses(i) ((i) < 2)
#else
#define presses(i) ((i) == 0)
#endif

byte data[N], ask[N], reply[N], go_[N];  /* mailboxes, by kind */
bool shut[N];                            /* gates */
bool ajar[N];                            /* shut, but messages pass that are counted */
byte crowd[N];                           /* how many have */
byte passed[N];                          /* the same, and only set back when the mail has run */
byte waitList[N];                          /* who waits here, as bits */
byte count[N];
bool parked[N], running[N], queued[N];
bool over[N], pressed[N], muted[N], did[N];

#define mail(i) (data[i] + ask[i] + reply[i] + go_[i])
#define must(i) (over[i] || pressed[i] || muted[i])

inline wakeUp(i) { if :: !queued[i] && !running[i] && !parked[i] -> queued[i] = true :: else fi }

/* G1: the gate opens and hands its waitList over; G2 unblocks, one by one. */
#ifdef OPEN_LATE
inline open_(i) { todo = todo | waitList[i]; atomic { shut[i] = false; ajar[i] = false;
	waitList[i] = 0 } }
#else
inline open_(i) { atomic { shut[i] = false; ajar[i] = false; todo = todo | waitList[i];
	waitList[i] = 0 } }
#endif

#ifdef NO_CHAIN
#define chain(w) skip
#else
#define chain(w) settle(w)
#endif

/* C1 the count begins anew if no mail is left; C4 who is let go at the watermark is overloaded. */
#if LEEWAY > 1
#ifdef COUNT_ANEW
inline count_(i) { crowd[i] = 0 }
#else
inline count_(i) { if :: mail(i) == 0 -> forget(i) :: else fi }
#endif
inline forget(i) { atomic { crowd[i] = 0; passed[i] = 0 } }
inline recover_(i) { if :: crowd[i] >= LEEWAY -> over[i] = true; ajar[i] = false :: else fi }
#else
inline count_(i) { skip }
inline forget(i) { skip }
inline recover_(i) { skip }
#endif

inline settle(i) { if :: !must(i) && shut[i] -> open_(i) :: else fi }

/* G2 for all in todo; an actor that becomes runnable opens its own gate first. */
inline release_() {
	do
	:: todo != 0 ->
		w = 0;
		do :: !(todo & (1 << w)) -> w++ :: else -> break od;
		todo = todo & ~(1 << w);
		atomic {
			assert(count[w] > 0);
			count[w]--;
			if
			:: parked[w] && count[w] == 0 -> got = true  /* and it stays out of every queue */
			:: else -> got = false
			fi
		};
		if
		:: got ->
			muted[w] = false;
			recover_(w);
			chain(w);
			atomic { assert(parked[w] && !queued[w] && !running[w]); parked[w] = false; queued[w] = true }
		:: else
		fi
	:: else -> break
	od
}

#if defined(MUTE_OVER)
#define may(i) (!pressed[i])
#elif defined(MUTE_PRESSED)
#define may(i) (!over[i])
#else
#define may(i) (!over[i] && !pressed[i])
#endif
#ifdef PARK_BLIND
#define blind(owesNothing) false
#else
#define blind(owesNothing) owesNothing
#endif
#ifdef PARK_PRESSED
#define mayPark(i) true
#else
#define mayPark(i) (!pressed[i])
#endif

/* D1, D2: meet the gate of t. */
inline enter(i, t) {
	atomic { if :: shut[t] -> waitList[t] = waitList[t] | (1 << i); ajar[t] = false;
		entered = true :: else -> entered = false fi }
}
#ifdef OWE_LATE
inline owe(i, t) { enter(i, t); if :: entered -> count[i]++; owes = true :: else fi }
#else
inline owe(i, t) { count[i]++; enter(i, t); if :: entered -> owes = true :: else -> count[i]-- fi }
#endif
/* C2: a message passes a gate that is ajar, and is counted, from any sender. */
#if LEEWAY > 1
inline pass(i, t) {
	ok = false;
	if
	:: ajar[t] && i != t ->
		atomic {
#ifdef PASS_BLIND
			ok = true;
#else
			if :: crowd[t] < LEEWAY -> crowd[t]++; ok = crowd[t] < LEEWAY :: else fi;
#endif
			if :: ok -> passed[t]++; assert(passed[t] < LEEWAY) :: else fi
		}
	:: else
	fi
}
#else
inline pass(i, t) { skip }
#endif
inline meet(i, t) {
	pass(i, t);
	if
	:: !ok && shut[t] && i != t && may(i) && !(waitList[t] & (1 << i)) -> owe(i, t)
	:: else
	fi
}

proctype actor_(byte i) {
	byte todo, w, sent, t; bool mine, got, entered, owes, ok;
end:	do
	:: atomic { queued[i] -> queued[i] = false; assert(!parked[i] && !running[i]); running[i] = true };
		owes = false;
		if
		:: reply[i] > 0 -> reply[i]--; pressed[i] = false; settle(i); release_()
		:: reply[i] == 0 && ask[i] > 0 -> ask[i]--;
			t = next_(i); meet(i, t); atomic { reply[t]++; wakeUp(t) }
		:: reply[i] == 0 && ask[i] == 0 && data[i] > 0 -> data[i]--
		:: reply[i] == 0 && ask[i] == 0 && data[i] == 0 && go_[i] > 0 -> go_[i]--;
			t = next_(i);
			meet(i, t); atomic { data[t]++; wakeUp(t) };
			if
			:: presses(i) && !did[i] -> did[i] = true;
				pressed[i] = true; atomic { shut[i] = true; ajar[i] = false };
				t = prev_(i); meet(i, t); atomic { ask[t]++; wakeUp(t) }
			:: else
			fi
		:: mail(i) == 0
		fi;
		/* the end of the turn: D3, or overloaded, or idle */
		mine = false;
		if
		:: owes && mayPark(i) ->
			muted[i] = true; count_(i); atomic { shut[i] = true; ajar[i] = LEEWAY > 1 && waitList[i] == 0 };
			atomic {
				if
				:: blind(count[i] == 0) -> mine = false
				:: else -> mine = true; running[i] = false; parked[i] = true
				fi
			};
			if :: !mine -> muted[i] = false; recover_(i); settle(i); release_() :: else fi
		:: else
		fi;
		if
		:: mine                         /* parked: not ours any more */
		:: !mine ->
			if
			:: mail(i) > 1 -> over[i] = true; atomic { shut[i] = true; ajar[i] = false }
			:: else ->
				if :: over[i] -> forget(i) :: else fi;
				over[i] = false; settle(i); release_()
			fi;
			atomic { running[i] = false; if :: mail(i) > 0 -> queued[i] = true :: else fi }
		fi
	od
}

/* The watch releases the actors that wait for one under pressure, in a turn of that actor:
 * it is idle, and ours; T4 take the waitList; T5 unblock. */
#ifndef NO_WATCH
#define stuck(i) (pressed[i] && waitList[i] != 0 && !running[i] && !queued[i])

proctype watch() {
	byte todo, w, i; bool got;
end:	do
	:: atomic { stuck(0) -> running[0] = true; i = 0 };
		goto letGo;
back:		skip
#ifdef TWO
	:: atomic { stuck(1) -> running[1] = true; i = 1 };
		goto letGo
#endif
	od;
letGo:
#ifdef WATCH_OPENS
	todo = waitList[i];
#else
	atomic { todo = waitList[i]; waitList[i] = 0 };
#endif
	release_();
	atomic { running[i] = false; if :: mail(i) > 0 -> queued[i] = true :: else fi };
#ifndef LOOK_ONCE
	goto back
#endif
}
#endif

init {
	byte i;
	atomic {
		i = 0;
		do :: i < N -> go_[i] = SENDS; queued[i] = true; run actor_(i); i++ :: else -> break od;
#ifndef NO_WATCH
		run watch()
#endif
	}
	timeout;
	i = 0;
	do
	:: i < N ->
		assert(mail(i) == 0 && !parked[i] && !running[i] && count[i] == 0);
		assert(waitList[i] == 0 && !shut[i] && !pressed[i]);
		i++
	:: else -> break
	od
}
