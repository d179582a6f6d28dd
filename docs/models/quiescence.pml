/* Quiescence, its end and Stop (sched/quiescence.go, admission.go, scheduler.go,
 * monitor.go; steps Q1-Q4, A1-A4, P1-P4 of sched/README.md).
 *
 * Two workers with a next-slot each, and the inject queue. Messages 0 and 1 go from two
 * senders outside to actor 0, whose first turn sends message 2 to actor 1. Sender 1
 * then waits for quiescence. RUN: a goroutine runs the system to its end. STOP: a goroutine
 * stops it at any moment. MUTED: actor 1 is muted and waits for actor 0, with message 3
 * in its mailbox. MONITOR: the monitor revokes a next-slot once. ONE: sender 0 is left out.
 * LONE: sender 1 does not wait, so only the runner does.
 *
 * Proved: at the moment of the verdict nothing is queued, in hand or unread anywhere;
 * every message is run or becomes a dead letter, once; every waiter is released, and
 * every process comes to an end.
 *
 * Mutants: NO_HOLD (the monitor revokes without a hold), NO_ADMIT (senders push without an
 * admission), HOLD_BLIND (A1 does not read the idle word after its hold), UNBLOCK_LATE
 * (a worker takes work with its bit set: an ACK with an actor in hand), NO_FREEZE (Q1
 * only reads), NO_Q2, NO_Q3, NO_DISCARD (A4 dropped), RELEASE_QUIET (the last release does
 * not check), SLEEP_QUIET (the last sleeper does not check), ASK_LATE (a waiter checks
 * and only then says that it waits), MUTED_FREE (a muted actor does not hold),
 * DISCARD_LOCKED (the check wakes, and so discards, under its lock), STOP_BLIND (a worker that
 * sees Stop only retracts), RETRACT_THROUGH (retract does not wait while the word is
 * frozen).
 */
#define W 2
#define ALL 3
#define NOWORKER 14
#define CLOSED 15
#define NONE 7                          /* no actor */

byte bits = ALL, searching;             /* the idle word */
bool frozen, closed;
byte holds;
bool queued[2];                         /* the inject queue holds actor a */
byte slot[W] = NONE, handed[W] = NONE, hand[W] = NONE, revoked = NONE;
bool token[W], idly[W];
bool stop, finished, monitored, once;
byte left = W;

/* actors: mail is a set of messages */
byte mail[2];
bool busy[2], gone[2], muted, sent2;
byte done[4];                           /* how often a message was run or died */

/* waiters */
bool mu, ended, wantsEnd;
byte asked, waiting[2], released[2];    /* 0: not yet, 1: quiescent, 2: stopped */
bool over[16];

#define empty_ (!queued[0] && !queued[1])
#define SET(i) ((bits >> (i)) & 1)
#define LOCALS byte j, k, a = NONE; bool more, ok

inline quiet() {
	assert(empty_ && revoked == NONE && !busy[0] && !busy[1] && mail[0] == 0 && mail[1] == 0);
	assert(slot[0] == NONE && slot[1] == NONE && hand[0] == NONE && hand[1] == NONE);
	assert(handed[0] == NONE && handed[1] == NONE)
}

inline wake(search) {
	do
	:: atomic { closed -> j = CLOSED; break }
	:: atomic { (!closed && (searching > 0 || bits == 0)) -> j = NOWORKER; break }
	:: atomic { (!closed && searching == 0 && bits != 0 && !frozen) ->
			j = (SET(0) -> 0 : 1);
			bits = bits & ~(1 << j); searching = searching + search; break }
	od
}

inline grant(i) { atomic { assert(!token[i]); token[i] = 1 } }

inline discard() {
#ifndef NO_DISCARD
	atomic { k = run discarder(); over[k] = 0 };
	over[k]
#else
	skip
#endif
}

inline notify() {
	wake(1);
	if
	:: j < W -> grant(j)
	:: j == CLOSED -> discard()
	:: else
	fi
}

inline inject(t) {
	wake(0);
	if
	:: j < W -> handed[j] = t; grant(j)
	:: else -> atomic { assert(!queued[t]); queued[t] = 1 }; notify()
	fi
}

/* A store of the whole word: it must not have changed meanwhile. */
inline thaw() { atomic { frozen = 0; bits = ALL; searching = 0 } }

/* more: the inject queue holds a task of which no worker may know */
inline decide() {
	atomic { !mu -> mu = 1 };
	more = 0;
	if
	:: closed -> release((stop -> 2 : 1))
	:: else ->
Q1:		atomic {
#ifdef NO_FREEZE
			ok = (bits == ALL && searching == 0 && waiting[0] + waiting[1] > 0)
#else
			ok = (bits == ALL && searching == 0 && !frozen && !closed && waiting[0] + waiting[1] > 0);
			if :: ok -> frozen = 1 :: else fi
#endif
		};
		if
		:: ok ->
#ifndef NO_Q2
Q2:			if :: holds != 0 -> ok = 0 :: else fi;
#endif
#ifndef NO_Q3
Q3:			if :: !empty_ -> ok = 0 :: else fi;
#endif
			if
			:: ok ->
Q4:				atomic { quiet(); thaw(); if :: wantsEnd -> closed = 1 :: else fi };
				release(1)
			:: else ->
				thaw();
				more = !empty_
			fi
		:: else
		fi
	fi;
#ifdef DISCARD_LOCKED
	if :: more -> more = 0; notify() :: else fi;
#endif
	mu = 0
}

inline release(verdict) {
	d_step {
		if :: waiting[0] -> released[0] = verdict; asked--; waiting[0] = 0 :: else fi;
		if :: waiting[1] -> released[1] = verdict; asked--; waiting[1] = 0 :: else fi;
		wantsEnd = 0
	}
}

inline check() {
	if
	:: asked != 0 -> decide(); if :: more -> more = 0; notify() :: else fi
	:: else
	fi
}

inline letGo() {
	atomic { assert(holds > 0); holds--; ok = (holds == 0) };
#ifndef RELEASE_QUIET
	if :: ok -> check() :: else fi
#endif
}

/* ok: the scheduler has not ended */
inline hold() {
	holds++;
#ifdef HOLD_BLIND
	ok = 1
#else
	atomic { !frozen -> ok = !closed };
	if :: !ok -> holds-- :: else fi
#endif
}

inline finish(m) { assert(done[m] == 0); done[m]++ }

inline all(set) {
	if :: (set) & 1 -> finish(0) :: else fi;
	if :: (set) & 2 -> finish(1) :: else fi;
	if :: (set) & 4 -> finish(2) :: else fi;
	if :: (set) & 8 -> finish(3) :: else fi
}

/* takes a task from the inject queue: a becomes it, or NONE */
inline pop() {
	d_step {
		if
		:: queued[0] -> a = 0; queued[0] = 0
		:: !queued[0] && queued[1] -> a = 1; queued[1] = 0
		:: else -> a = NONE
		fi
	}
}

/* task a dies */
inline die() {
	atomic { assert(!gone[a] && busy[a]); gone[a] = 1; busy[a] = 0; all(mail[a]); mail[a] = 0 };
	if
	:: a == 0 && muted -> muted = 0; inject(1); letGo()
	:: else
	fi;
	a = NONE
}

proctype discarder() {
	LOCALS;
	do
	:: pop();
		if :: a == NONE -> break :: else -> die() fi
	od;
	atomic { over[_pid] = 1; j = 0; k = 0; more = 0; ok = 0 }
}

/* a worker makes task t runnable */
inline schedule(t) {
	if
	:: atomic { slot[me] == NONE -> slot[me] = t }
	:: atomic { slot[me] != NONE -> assert(!queued[t]); queued[t] = 1 }; notify()
	fi
}

proctype worker(byte me) {
	LOCALS;
	bool counted, late;
	goto park;

turn:	/* hand[me] is the task */
	atomic {
		a = hand[me];
		assert(busy[a] && !gone[a] && !(a == 1 && muted));
		more = (a == 0 && mail[0] != 0 && !sent2);
		if                                      /* the oldest message; the order does not matter */
		:: mail[a] & 1 -> mail[a] = mail[a] & ~1; finish(0)
		:: mail[a] & 2 && !(mail[a] & 1) -> mail[a] = mail[a] & ~2; finish(1)
		:: mail[a] & 12 -> all(mail[a] & 12); mail[a] = 0
		:: else
		fi
	};
	if
	:: more -> atomic { more = 0; sent2 = 1; ok = 0;
			if
			:: gone[1] -> finish(2)
			:: else -> mail[1] = mail[1] | 4; ok = !busy[1]; busy[1] = 1
			fi };
		if :: ok -> schedule(1) :: else fi
	:: else
	fi;
	if
	:: a == 0 && muted -> muted = 0; schedule(1); letGo()
	:: else
	fi;
	atomic {                                        /* rest;
		prepared: from here on the slot is taken */
		ok = (mail[a] == 0);
		hand[me] = (ok -> NONE : a);
		if :: ok -> busy[a] = 0 :: else fi
	};
	if
	:: !ok -> schedule(a); hand[me] = NONE
	:: else
	fi;
	a = NONE;
#ifdef UNBLOCK_LATE
	if
	:: late -> late = 0; atomic { if :: SET(me) -> bits = bits & ~(1 << me) :: else goto park fi }
	:: else
	fi;
#endif
	if :: stop -> goto leave :: else fi;
	atomic { hand[me] = slot[me]; slot[me] = NONE };
	if :: hand[me] != NONE -> goto turn :: else fi;

find:	if :: stop -> goto leave :: else fi;
	atomic { pop(); hand[me] = a; a = NONE };
	if
	:: hand[me] != NONE ->
		if
		:: counted -> atomic { searching--; counted = 0 };
			if :: !empty_ -> notify() :: else fi    /* at most one searches: it is the last */
		:: else
		fi;
		goto turn
	:: else
	fi;

	atomic { bits = bits | (1 << me); searching = searching - counted; counted = 0;
		ok = (bits == ALL) };
	if
#ifdef STOP_BLIND
	:: stop || !empty_ ->
#else
	:: stop -> atomic { !frozen ->
			if
			:: SET(me) -> bits = bits & ~(1 << me); searching++; counted = 1; goto find
			:: else
			fi }
	:: !stop && !empty_ ->
#endif
#ifdef UNBLOCK_LATE
		atomic { pop(); hand[me] = a; a = NONE };
		if :: hand[me] != NONE -> late = 1; goto turn :: else goto park fi
#else
		atomic {
#ifndef RETRACT_THROUGH
			!frozen || closed || !SET(me) ->
#endif
			if
			:: SET(me) && !closed -> bits = bits & ~(1 << me); goto find
			:: else
			fi }
#endif
#ifndef SLEEP_QUIET
	:: !stop && empty_ && ok -> check()
#endif
	:: else
	fi;

park:	atomic { token[me] -> token[me] = 0;
		hand[me] = handed[me]; handed[me] = NONE;
		counted = (hand[me] == NONE && !idly[me]); idly[me] = 0; ok = 0 };
	if :: hand[me] != NONE -> goto turn :: else -> goto find fi;

leave:	left--
}

/* a goroutine from outside sends message me to actor 0 */
inline send() {
	atomic {
		ok = 0; more = 0;
		if
		:: busy[0] -> mail[0] = mail[0] | (1 << me)
		:: gone[0] -> finish(me)
		:: else -> ok = 1
		fi
	};
	if
	:: ok ->
#ifdef NO_ADMIT
		push();
		if :: ok -> inject(0) :: else fi
#else
A1:		wake(0);
		if
		:: j < W ->
A2:			push();
			if
			:: ok -> handed[j] = 0
			:: else -> idly[j] = 1
			fi;
			grant(j)
		:: j == NOWORKER ->
			hold();
			if
			:: ok -> push();
				if
				:: ok ->
A3:					atomic { assert(!queued[0]); queued[0] = 1 };
A4:					notify()
				:: else
				fi;
				letGo()
			:: else -> finish(me)
			fi
		:: else -> finish(me)
		fi
#endif
	:: else
	fi
}

inline push() {
	atomic {
		ok = 0;
		if
		:: gone[0] -> finish(me)
		:: else -> mail[0] = mail[0] | (1 << me); ok = !busy[0]; busy[0] = 1
		fi
	}
}

/* waits for quiescence as waiter i: released[i] is the outcome */
inline await(i, last) {
#ifdef ASK_LATE
	check();
#endif
	atomic { !mu -> mu = 1 };
	if
	:: ended -> released[i] = 2; mu = 0
	:: else ->
		waiting[i] = 1;
		wantsEnd = wantsEnd | last;
		asked++;
		mu = 0;
#ifndef ASK_LATE
		check();
#endif
		released[i] != 0
	fi
}

inline halt() {
	if
	:: atomic { !once -> once = 1 };
P1:		stop = 1;
		!monitored;                             /* monitor.stop waits for its tick */
		k = 0;
		do
		:: k < W ->
P2:			atomic { (!frozen || !SET(k)) ->
				ok = SET(k);
				if :: ok -> bits = bits & ~(1 << k); searching++ :: else fi };
			if :: ok -> grant(k) :: else fi;
			k++
		:: else -> break
		od;
P3:		left == 0;
		closed = 1; bits = ALL; frozen = 0;
P4:		k = 0;
		do
		:: k < W ->
			a = slot[k]; slot[k] = NONE;
			if :: a != NONE -> die() :: else fi;
			k++
		:: else -> break
		od;
		do
		:: pop();
			if :: a == NONE -> break :: else -> die() fi
		od;
		atomic { !mu -> mu = 1 };
		ended = 1; release(2);
		mu = 0;
		finished = 1
	:: atomic { once -> skip }; finished
	fi
}

proctype sender(byte me) {
	LOCALS;
	send();
#ifndef LONE
	if
	:: me == 1 ->
		await(1, 0);
		assert(released[1] == 2 || done[1])
	:: else
	fi
#endif
}

proctype runner() {
	LOCALS;
	await(0, 1);
	halt()
}

proctype stopper() {
	LOCALS;
	halt()
}

proctype monitor() {
	LOCALS;
	byte i;
	if
	:: atomic { !stop -> monitored = 1 };
		if :: i = 0 :: i = 1 fi;
#ifndef NO_HOLD
		hold();
#else
		ok = 1;
#endif
		if
		:: ok ->
			atomic { revoked = slot[i]; slot[i] = NONE; a = revoked };
			if
			:: a != NONE ->
				wake(0);
				if
				:: j < W -> atomic { handed[j] = a; revoked = NONE }; grant(j)
				:: else -> atomic { assert(!queued[a]); queued[a] = 1; revoked = NONE }; notify()
				fi
			:: else
			fi;
#ifndef NO_HOLD
			letGo()
#endif
		:: else
		fi;
		monitored = 0
	:: atomic { stop -> skip }
	fi
}

init {
	atomic {
#ifdef MUTED
		muted = 1; busy[1] = 1; mail[1] = 8;
#ifndef MUTED_FREE
		holds = 1;
#endif
#endif
		run worker(0); run worker(1); run sender(1);
#ifdef ONE
		done[0] = 1;
#else
		run sender(0);
#endif
#ifdef MONITOR
		run monitor();
#endif
#ifdef RUN
		run runner();
#endif
#ifdef STOP
		run stopper();
#endif
	};
	finished && (_nr_pr == 1);
	assert(done[0] == 1 && done[1] == 1 && (done[2] == sent2));
#ifdef MUTED
	assert(done[3] == 1)
#endif
}
