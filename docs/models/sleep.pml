/* Sleeping and waking (sched/idle.go, park.go, steal.go; steps W1-W4, S1-S4, P1-P2
 * of sched/README.md), with the governor's limit and with Stop at any moment.
 *
 * W workers with a ring each, an inject queue, P tasks from outside; turns make SPAWN
 * more. Stop comes when all is done; with EARLY at any moment. One turn may block until
 * every other task has run, so that work which only a sleeper could run is a deadlock and
 * not merely late. A compare-and-swap loop is one step here: only its success has an
 * effect.
 *
 * Proved: no worker is left asleep beside work; every worker leaves after Stop; a token
 * is never granted twice; the counts of the idle word add up; each task is run once or
 * left to be discarded.
 *
 * Mutants: NO_RECHECK (S2 dropped), LOOK_FIRST (S2 before S1), WAKE_FIRST (W2 before
 * W1), NONSTICKY (a token for a worker that does not wait yet is lost), STALE (S3
 * failed, and the token is not taken), WRONG_ONE (the token goes to another worker),
 * NO_LAST_LOOK (the last searcher does not look again), UNCOUNTED (a searcher that
 * announces stays in the count), SPAWN_QUIET (a turn's work wakes no worker), NO_FLAG (S2
 * does not look for Stop), RESUSPEND (a worker that is woken without work parks again at
 * once), DOUBLE (P2 grants a token to those who are awake, too), RETIRE_BLIND (a worker
 * that retires does not look for Stop), RETIRE_LAST (the last one awake may retire),
 * RAISE_QUIET (a raised limit wakes no worker).
 *
 * With LEAVES the bits are in words of their own, and the idle word has the number of sleepers
 * that can be claimed (sched/idle_leaves.go); which bit a claim clears is left open. Mutants:
 * ROOT_ONLY (an empty root is taken for a token on its way), FORGOTTEN (a claim for which the own
 * bit is gone is dropped), UNDO_BLIND (a worker that does not retire after all, and whose bit was
 * cleared, does not count itself in), TAKE_STORE (a bit is cleared in two steps), SET_LATE (the
 * own bit is set after the root counts it, and a claim does not wait for a bit).
 */
#ifndef W
#define W 2
#endif
#ifndef P
#define P 2
#endif
#ifndef SPAWN
#define SPAWN 1
#endif
#define NOWORKER 15

/* the idle word */
byte bits = (1 << W) - 1, searching = 0;
byte limit = W;

byte q, ring[W];
bool token[W], handed[W], waits[W], idly[W];
bool stop;
#ifdef LEAVES
byte root = W;
#endif
byte left = W;
byte made, ran, spawned, pushers;
bool blocker;            /* there has been one, or there may be none */
bool raises;             /* the governor will raise the limit again */

#define SET(i) ((bits >> (i)) & 1)
#ifdef LEAVES
#define awake (W - root)
#define asleep root
#else
#define awake (W - ((bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1)))
#define asleep bits
#endif

inline counts() { assert(searching <= W); assert(bits < (1 << W)); assert(awake <= W) }

/* the bit that a claim clears: any */
inline take() {
	atomic {
#ifdef SET_LATE
		assert(bits != 0);
#endif
		(bits != 0);
		j = 0;
		do :: !SET(j) -> j++ :: SET(j) -> break :: (SET(j) && bits >> (j + 1)) -> j++ od;
#ifndef TAKE_STORE
		bits = bits & ~(1 << j)
#endif
	};
#ifdef TAKE_STORE
	bits = bits & ~(1 << j)
#endif
}

/* W2, W3: j becomes the worker that is owed a token, or NOWORKER */
inline wake(search) {
	atomic {
		j = NOWORKER;
		if
		:: (searching > 0 || asleep == 0 || awake >= limit) -> skip
		:: else ->
			j = 0;
#ifdef LEAVES
			root--;
#else
			do :: !SET(j) -> j++ :: else -> break od;
			bits = bits & ~(1 << j);
#endif
			searching = searching + search;
			counts()
		fi
	};
#ifdef LEAVES
	if :: j != NOWORKER -> take() :: else fi
#endif
}

/* W4 */
inline grant(k) {
#ifdef WRONG_ONE
	atomic { assert(!token[(k + 1) % W]); token[(k + 1) % W] = 1 }
#else
#ifdef NONSTICKY
	atomic { if :: waits[k] -> token[k] = 1 :: else fi }
#else
	atomic { assert(!token[k]); token[k] = 1 }
#endif
#endif
}

inline notify() {
	wake(1);
	if
	:: j != NOWORKER -> grant(j); j = NOWORKER
	:: else
	fi
}

inline inject() {
	wake(0);
	if
	:: j != NOWORKER -> handed[j] = 1; grant(j); j = NOWORKER
	:: else ->
#ifdef WAKE_FIRST
		q++
#else
		q++;                       /* W1 */
		notify()
#endif
	fi
}

/* got: whether any queue holds a task */
inline workLeft() {
	got = (q > 0);
	k = 0;
	do
	:: (!got && k < W) -> got = (ring[k] > 0); k++
	:: else -> break
	od;
	k = 0
}

/* got: whether a task was taken from the inject queue or another's ring */
inline look() {
	d_step {
		got = (q > 0); q = q - got;
		do
		:: (!got && k < W && k != me) -> got = (ring[k] > 0); ring[k] = ring[k] - got; k++
		:: (!got && k < W && k == me) -> k++
		:: else -> break
		od;
		k = 0
	}
}

inline announce() {
#if defined(LEAVES) && !defined(SET_LATE)
	atomic { assert(!SET(me)); bits = bits | (1 << me) };
#endif
	atomic {
#ifdef LEAVES
		root++;
#else
		assert(!SET(me));
		bits = bits | (1 << me);
#endif
#ifndef UNCOUNTED
		searching = searching - counted;
#endif
		counted = 0;
		counts()
	};
#ifdef SET_LATE
	bits = bits | (1 << me)
#endif
}

/* Clears the bit of worker i: j is i, or NOWORKER if a token is on its way to i, or a worker that
 * is owed a token while another one is on its way to i. */
inline clearBit(i) {
#ifdef LEAVES
	do
	:: !SET(i) -> j = NOWORKER; break
#ifdef ROOT_ONLY
	:: atomic { root == 0 -> j = NOWORKER; break }
#endif
	:: atomic { root > 0 -> root-- };
		atomic {
			if
			:: SET(i) -> bits = bits & ~(1 << i); j = i
			:: else -> j = W
			fi
		};
#ifdef FORGOTTEN
		if :: j == W -> j = NOWORKER :: else fi;
#else
		if :: j == W -> take() :: else fi;
#endif
		break
	od
#else
	atomic {
		if
		:: SET(i) -> bits = bits & ~(1 << i); j = i
		:: else -> j = NOWORKER
		fi;
		counts()
	}
#endif
}

/* Wakes the worker j with no task, and not counted. */
inline grantIdly() {
	if
	:: j != NOWORKER -> idly[j] = 1; grant(j); j = NOWORKER
	:: else
	fi
}

/* Stop has come: P2 on oneself, in case it came by too early */
inline wakeMyself() {
	clearBit(me);
	if
	:: j == me -> j = NOWORKER; goto find
	:: else -> grantIdly()
	fi
}

proctype worker(byte me) {
	byte j = NOWORKER, k;
	bool got, counted, lookAgain, saw;
	goto park;

turn:	/* a task is in hand */
	if
	:: atomic { spawned < SPAWN -> spawned++; made++; ring[me]++ };   /* W1 */
#ifndef SPAWN_QUIET
		notify()
#endif
	:: true
	fi;
	if
	:: atomic { !blocker -> blocker = 1 };
		atomic { ((pushers == P && ran + 1 == made) || stop) -> ran++ }
	:: ran++
	fi;

next:	if :: stop -> goto leave :: else fi;
	if
	:: awake > limit -> goto retire
	:: else
	fi;
	atomic { got = (ring[me] > 0); ring[me] = ring[me] - got };
	if :: got -> goto turn :: else fi;

find:	if :: stop -> goto leave :: else fi;
	if
	:: !counted ->
		look();
		if :: got -> goto turn :: else fi;
		atomic {
			if
			:: (searching > 0 && 2 * (searching + 1) > W) -> goto sleep
			:: else -> searching++; counted = 1; counts()
			fi
		}
	:: else
	fi;
	look();
	if
	:: got ->
		atomic { searching--; counted = 0; lookAgain = (searching == 0); counts() };
#ifndef NO_LAST_LOOK
		if
		:: lookAgain -> workLeft(); if :: got -> notify() :: else fi
		:: else
		fi;
#endif
		lookAgain = 0;
		goto turn
	:: else
	fi;

sleep:
#ifdef LOOK_FIRST
	workLeft();
#endif
S1:	announce();
#ifndef NO_FLAG
	if
	:: stop -> wakeMyself(); goto park
	:: else
	fi;
#endif
#ifdef NO_RECHECK
	got = 0;
#else
#ifndef LOOK_FIRST
S2:	workLeft();
#endif
#endif
	if
	:: got ->
S3:		clearBit(me);
		if
		:: j == me -> j = NOWORKER; goto find
		:: else -> grantIdly()
		fi;
		saw = 1;
#ifdef STALE
		goto find
#endif
	:: else
	fi;

park:	waits[me] = 1;
S4:	atomic { token[me] -> token[me] = 0; waits[me] = 0 };
	atomic {
		got = handed[me]; handed[me] = 0;
		counted = (!got && !idly[me]); idly[me] = 0
	};
	if
	:: got ->
		if
		:: saw -> saw = 0; workLeft(); if :: got -> notify() :: else fi
		:: else
		fi;
		goto turn
	:: else -> saw = 0
	fi;
#ifdef RESUSPEND
	if
	:: q == 0 -> announce(); goto park
	:: else
	fi;
#endif
	goto find;

retire:	/* the governor wants fewer */
	do
	:: atomic { ring[me] > 0 -> ring[me]--; q++ }
	:: atomic { ring[me] == 0 -> break }
	od;
#ifdef LEAVES
	bits = bits | (1 << me);
	if
	:: atomic { awake > limit -> root++; counts() }
	:: atomic { awake <= limit -> skip };
		atomic {
			if
			:: SET(me) -> bits = bits & ~(1 << me); goto find
			:: else
			fi
		};
#ifndef UNDO_BLIND
		root++
#endif
	fi;
	saw = 1;
#else
	atomic {
		if
#ifdef RETIRE_LAST
		:: true -> bits = bits | (1 << me)
#else
		:: awake > limit -> bits = bits | (1 << me)
		:: else -> goto find
#endif
		fi
	};
#endif
#ifndef RETIRE_BLIND
	if
	:: stop -> wakeMyself()
	:: else
	fi;
#endif
	goto park;

leave:	left--
}

proctype pusher() {
	byte j = NOWORKER;
	made++;
	inject();
	pushers++
}

proctype governor() {
	byte j = NOWORKER, k;
	bool got;
	limit = 1;
	if
	:: raises ->
		limit = W;
#ifndef RAISE_QUIET
		workLeft();
		if :: got -> notify() :: else fi
#endif
	:: else
	fi
}

proctype stopper() {
	byte i, j = NOWORKER;
#ifndef EARLY
	(pushers == P && ran == made);         /* nothing is left to do */
#endif
P1:	stop = 1;
	do
	:: i < W ->
#ifdef DOUBLE
P2:		bits = bits & ~(1 << i);
		j = i;
#else
P2:		clearBit(i);
#endif
		grantIdly();
		i++
	:: else -> break
	od;
	left == 0
}

init {
	byte i;
	atomic {
		do :: i < W -> run worker(i); i++ :: else -> break od;
		i = 0;
		do :: i < P -> run pusher(); i++ :: else -> break od;
#ifdef GOVERN
		if :: raises = 1 :: blocker = 1 fi;
		run governor();
#endif
		run stopper(); i = 0
	};
	(_nr_pr == 1);
	/* all workers have left; what remains is discarded */
	do :: i < W -> ran = ran + ring[i] + handed[i]; assert(!token[i]); i++ :: else -> break od;
	assert(ran + q == made)
}
