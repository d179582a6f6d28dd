/* Hand-over of a blocked worker (sched/worker_state.go, handover.go, idle_workers.go,
 * sysmon_blocked.go; steps
 * H1-H5, E1-E4, L1-L6, B1-B4 of sched/README.md).
 *
 * A slot, three workers of which the first has it, and tasks 0 and 2 from outside. Task 0
 * makes task 1 runnable in its own next-slot, where only its worker and the monitor look,
 * declares that it blocks, and waits until task 1 has run. With RETAKE it does not declare
 * that and waits for task 2 as well; with LATE it first waits for task 2 and then makes
 * task 1 runnable. The monitor looks whenever there is something to be done. Task 2
 * declares, too, and comes back at once; with PLAIN it does not declare. Stop comes when
 * all is done; with EARLY at any moment, and every worker that waits then goes on. A worker that is
 * not woken to search takes one look without being counted, as in quiescence.pml. Q1 to Q4
 * are one step.
 *
 * Proved: no worker waits for ever beside a slot or work; a slot has one holder, and a token
 * one grant; whenever the scheduler would be found quiescent, nothing is queued or in hand
 * anywhere; when Stop says that all have left, no turn runs; each task is run or left to be
 * discarded, once; the idle worker of a worker that was detached by the monitor is not listed as
 * detached.
 *
 * Mutants: RESERVE_DETACHED (a slot is reserved from a holder that is DETACHED, K3: the token
 * reaches another), CLAIM_ONCE (claim does not read the holder again: so it was until this
 * model found it, K3), NO_L1 (left without a hold, K39), NO_L6 (left without a last look,
 * K1), HOLDER_FIRST (L5 before L4), BACK_LEAVES (B3 failed and the token is not taken, K16),
 * COUNT_KEPT (B4 keeps the count of a searcher), DETACH_BLIND (H2 is a store), NO_H1
 * (detached by the monitor without a hold, K39), NO_H5 (the detached worker's next-slot is not
 * looked at, K10), IDLE_LATE (E1 dropped: a worker sleeps while it may lose its slot),
 * RELEASE_FIRST (E4 releases before it queues), NO_LEFT (a slot has no count of its own),
 * LIST_LATE (listed as detached after H2: the idle worker of H3 may be one).
 */
#define W 1
#define N 3
#define ALL ((1 << W) - 1)
#define T 3
#define NONE 7
#define NOWORKER 14
#define RESERVED 13

mtype = { RUNNING, ASKED, OVERDUE, DETACHED, IDLE };
mtype = { USED, COLD, HOT };

byte bits = ALL, searching, holds;
byte q;                                 /* the inject queue, a set of tasks */
byte own[N];                            /* next-slot and ring of each worker, sets of tasks */
byte hand[N] = NONE, handed[N] = NONE;  /* one task each */
byte holder[W] = NONE;
byte slot[N] = NONE;
mtype state[N] = IDLE;
mtype idleWorker[N] = COLD;
bool token[N], uncounted[N], dismissed[N], listed[N], inTurn[N];
bool stop, ended, looking;
byte left = W, pushed;
byte ran[T];

#define SET(i) ((bits >> (i)) & 1)
#define DONE (ran[0] && ran[1] && ran[2])
#define LOCALS byte j = NOWORKER, k, h = NONE

inline wake(search) {
	atomic {
		j = NOWORKER;
		if
		:: searching > 0 || bits == 0
		:: else ->
			j = 0;
			do :: !SET(j) -> j++ :: else -> break od;
			bits = bits & ~(1 << j); searching = searching + search
		fi
	}
}

/* h becomes an idle worker */
inline take() {
	atomic {
		k = 0; h = NONE;
		do :: k < N -> if :: idleWorker[k] == HOT -> h = k :: else fi; k++ :: else -> break od;
		if :: h != NONE -> left-- :: else fi;
		k = 0;
		do :: k < N && h == NONE -> if :: idleWorker[k] == COLD -> h = k :: else fi; k++ :: else ->
			break od;
		assert(h != NONE); idleWorker[h] = USED; k = 0
	}
}

/* h becomes the holder of slot j, whose bit the caller has cleared; NONE: it had none */
inline claim() {
	do
	:: h = holder[j];
		if
		:: h == NONE ->
			if
			:: atomic { holder[j] == NONE -> holder[j] = RESERVED; break }
			:: atomic { holder[j] != NONE -> skip }
			fi
#ifdef RESERVE_DETACHED
		:: h != NONE && state[h] == DETACHED -> atomic { holder[j] = RESERVED; h = NONE; break }
#else
		:: h != NONE && state[h] == DETACHED -> holder[j] != h || state[h] != DETACHED
#endif
#ifdef CLAIM_ONCE
		:: h != NONE && state[h] != DETACHED -> break
#else
		:: h != NONE && state[h] != DETACHED -> if :: holder[j] == h -> break :: else fi
#endif
		fi
	od
}

inline grant() { atomic { assert(!token[h]); token[h] = 1 } }

/* the holder of slot j gets task t, or NONE, and the token */
inline rise(t) {
	claim();
	if
	:: h == NONE -> take(); slot[h] = j; holder[j] = h
	:: else
	fi;
	atomic { assert(handed[h] == NONE); handed[h] = t };
	grant();
	h = NONE; j = NOWORKER
}

inline notify() {
	wake(1);
	if :: j != NOWORKER -> rise(NONE) :: else fi
}

inline inject(t) {
	wake(0);
	if
	:: j != NOWORKER -> rise(t)
	:: else -> atomic { assert(!((q >> (t)) & 1)); q = q | (1 << (t)) }; notify()
	fi
}

#if defined(NO_L1) || defined(NO_H1) || defined(RELEASE_FIRST)
inline release() { atomic { if :: holds > 0 -> holds-- :: else fi } }
#else
inline release() { atomic { assert(holds > 0); holds-- } }
#endif

/* hand[me] becomes one task of the set */
inline pick(set) {
	d_step {
		if
		:: set & 1 -> hand[me] = 0
		:: !(set & 1) && (set & 2) -> hand[me] = 1
		:: !(set & 3) && (set & 4) -> hand[me] = 2
		:: else -> hand[me] = NONE
		fi;
		if :: hand[me] != NONE -> set = set & ~(1 << hand[me]) :: else fi
	}
}

inline sitAgain() {
	atomic { holder[slot[me]] = me; inSlot = 1 };
	state[me] = RUNNING;
	left--;
	release()
}

/* inSlot: the worker came back with its slot, or never left it */
inline leaveSlot() {
#ifndef NO_L1
	holds++;                                /* L1 */
#endif
	atomic {                                /* L2 */
		inSlot = (state[me] != DETACHED);
		if :: inSlot -> state[me] = DETACHED :: else fi
	};
	apart = 1;
	if
	:: !inSlot -> release()                 /* the monitor was faster */
	:: else ->
#ifdef NO_LEFT
		skip;
#else
		left++;
#endif
L3:		atomic { q = q | own[me]; own[me] = 0 };
#ifdef HOLDER_FIRST
		holder[slot[me]] = NONE;
#endif
L4:		atomic { assert(!SET(slot[me])); bits = bits | (1 << slot[me]) };
#ifndef HOLDER_FIRST
L5:		holder[slot[me]] = NONE;
#endif
#ifndef NO_L6
L6:		if :: q != 0 -> notify() :: else fi;
#endif
		gone = 1
	fi;
	inSlot = 0
}

inline retakeSlot() {
	gone = 0;
	state[me] = IDLE;                       /* B1 */
	atomic {                                /* B2 */
		inSlot = (holder[slot[me]] == NONE);
		if :: inSlot -> holder[slot[me]] = me :: else fi
	};
	if
	:: !inSlot -> state[me] = DETACHED
	:: else ->
B3:		atomic {
			cleared = SET(slot[me]);
			if :: cleared -> bits = bits & ~(1 << slot[me]) :: else fi
		};
#ifndef BACK_LEAVES
		if :: !cleared -> atomic { token[me] -> token[me] = 0 } :: else fi;
#endif
		apart = 0;
B4:		sitAgain();
		if
		:: !cleared ->
			if
			:: handed[me] != NONE -> atomic { own[me] = own[me] | (1 << handed[me]); handed[me] = NONE };
				notify()
			:: handed[me] == NONE && !uncounted[me] ->
#ifndef COUNT_KEPT
				atomic { assert(searching > 0); searching-- };
#endif
				if :: q != 0 -> notify() :: else fi
			:: else -> uncounted[me] = 0
			fi
		:: else
		fi
	fi;
	inSlot = 0; cleared = 0
}

proctype worker(byte me) {
	LOCALS;
	bool counted, apart, inSlot, gone, cleared;
end:
park:	atomic { token[me] -> token[me] = 0;
		if :: dismissed[me] -> dismissed[me] = 0; goto retired :: else fi;
		hand[me] = handed[me]; handed[me] = NONE;
		counted = (hand[me] == NONE && !uncounted[me]); uncounted[me] = 0
	};
	if :: hand[me] != NONE -> goto takeUp :: else -> goto find fi;

takeUp:	skip;
#ifdef IDLE_LATE
	if :: state[me] == DETACHED -> goto giveUp :: else fi;
#endif
E3:	state[me] = RUNNING;

turn:	atomic { inTurn[me] = 1; assert(!ran[hand[me]]) };
	if
	:: hand[me] == 0 ->
#ifdef RETAKE
#ifdef LATE
		ran[2] || stop; own[me] = own[me] | 2
#else
		own[me] = own[me] | 2; (ran[1] && ran[2]) || stop
#endif
#else
		own[me] = own[me] | 2;
		leaveSlot();
		ran[1] || stop;
		if :: gone -> retakeSlot() :: else fi
#endif
#ifndef PLAIN
	:: hand[me] == 2 ->
		leaveSlot();
		if :: gone -> retakeSlot() :: else fi
#endif
	:: else
	fi;
	atomic { ran[hand[me]]++; assert(ran[hand[me]] == 1); hand[me] = NONE; inTurn[me] = 0 };

	if :: stop -> goto leave :: else fi;
	atomic { cleared = (state[me] != DETACHED); if :: cleared -> state[me] = RUNNING :: else fi };
	if :: !cleared -> goto giveUp :: else -> cleared = 0 fi;
	pick(own[me]);
	if :: hand[me] != NONE -> goto turn :: else fi;
#ifndef IDLE_LATE
E1:	atomic { cleared = (state[me] != DETACHED); if :: cleared -> state[me] = IDLE :: else fi };
	if :: !cleared -> goto giveUp :: else -> cleared = 0 fi;
#endif

find:	if :: stop -> goto leave :: else fi;
	pick(q);
	if
	:: hand[me] != NONE ->
		if
		:: counted -> atomic { searching--; counted = 0 };
			if :: q != 0 -> notify() :: else fi
		:: else
		fi;
		goto takeUp
	:: else
	fi;
E2:	atomic { assert(!SET(slot[me])); bits = bits | (1 << slot[me]);
	searching = searching - counted; counted = 0 };
	if
	:: stop -> atomic {
			if
			:: SET(slot[me]) -> bits = bits & ~(1 << slot[me]); searching++; counted = 1; goto find
			:: else -> goto park
			fi }
	:: !stop && q != 0 -> atomic {
			if
			:: SET(slot[me]) -> bits = bits & ~(1 << slot[me]); goto find
			:: else -> goto park
			fi }
	:: else -> goto park
	fi;

giveUp:
#ifdef RELEASE_FIRST
	release();
#endif
E4:	if
	:: own[me] != 0 -> atomic { q = q | own[me]; own[me] = 0 }; notify()
	:: else
	fi;
	apart = 0; slot[me] = NONE;
	state[me] = IDLE;
	atomic {                                /* under the lock of the idle workers */
		listed[me] = 0;
		if
		:: ended -> cleared = 0
		:: else -> cleared = 1; idleWorker[me] = HOT
		fi
	};
#ifndef RELEASE_FIRST
	release();
#endif
	if :: cleared -> cleared = 0; goto park :: else fi;
	goto away;

leave:	if :: state[me] == DETACHED -> release() :: else fi;
away:	atomic { assert(left > 0); left-- };
	goto stopped;
retired:	idleWorker[me] = COLD;
	atomic { assert(left > 0); left--; goto park };
stopped:	skip
}

proctype pusher(byte t) {
	LOCALS;
	wake(0);
	if
	:: j != NOWORKER -> rise(t)
	:: else ->
		holds++;                        /* an admission */
		q = q | (1 << t);
		notify();
		release()
	fi;
	pushed++
}

/* a look would change something */
#define PENDING(s) (state[s] == RUNNING || state[s] == ASKED || \
	(state[s] == OVERDUE && (q != 0 || own[s] != 0)))
#define WATCHED (holder[0] < N && PENDING(holder[0]))
#ifdef NO_H5
#define LOST false
#else
#define LOST ((listed[0] && own[0]) || (listed[1] && own[1]) || (listed[2] && own[2]))
#endif

/* moves what worker s has in its slot and ring to the inject queue */
inline drain(s) {
	if
	:: own[s] != 0 ->
		holds++;
		atomic { moved = own[s]; own[s] = 0 };
		atomic { q = q | moved; moved = 0 };
		notify();
		release()
	:: else
	fi
}

proctype monitor() {
	LOCALS;
	byte i, s, moved;
	bool ok;
	do
	:: DONE || stop -> break
	:: atomic { !stop && (WATCHED || LOST) -> looking = 1 };
#ifndef NO_H5
		s = 0;
		do
		:: s < N -> if :: listed[s] -> drain(s) :: else fi; s++         /* H5 */
		:: else -> break
		od;
#endif
		i = 0;
		do
		:: i < W ->
			s = holder[i];
			if
			:: s >= N
			:: s < N && state[s] == RUNNING -> atomic { if :: state[s] == RUNNING ->
				state[s] = ASKED :: else fi }
			:: s < N && state[s] == ASKED -> atomic { if :: state[s] == ASKED ->
				state[s] = OVERDUE :: else fi }
			:: s < N && state[s] == OVERDUE && (q != 0 || own[s] != 0) ->
#ifndef NO_H1
H1:				holds++;
#endif
#ifndef LIST_LATE
				listed[s] = 1;         /* only the monitor and E4 look at it */
#endif
#ifdef DETACH_BLIND
H2:				state[s] = DETACHED; ok = 1;
#else
H2:				atomic { ok = (state[s] == OVERDUE); if :: ok -> state[s] = DETACHED :: else fi };
#endif
				if
				:: ok ->
					left++;
#ifdef LIST_LATE
					listed[s] = 1;
#endif
H3:					take();
					assert(!listed[h]);
					slot[h] = i; holder[i] = h;
					uncounted[h] = 1;
					grant();
					h = NONE;
#ifndef NO_H5
H4:					drain(s)
#endif
				:: else -> listed[s] = 0; release()
				fi

				:: s < N && !(state[s] == RUNNING || state[s] == ASKED ||
					(state[s] == OVERDUE && (q != 0 || own[s] != 0)))
			fi;
			i++
		:: else -> break
		od;
		atomic { looking = 0; i = 0; s = 0; ok = 0 }
	od
}

/* Q1 to Q4 */
proctype asking() {
	if
	:: atomic { bits == ALL && searching == 0 && holds == 0 && q == 0 && !stop ->
		byte i;
		do
		:: i < N -> assert(own[i] == 0 && hand[i] == NONE && handed[i] == NONE); i++
		:: else -> break
		od }
	:: stop
	fi
}

proctype stopper() {
	LOCALS;
	byte i;
	bool ok;
#ifndef EARLY
	DONE && pushed == 2;
#endif
P1:	stop = 1;
	!looking;
	do
	:: i < W ->
P2:		atomic { ok = SET(i); if :: ok -> bits = bits & ~(1 << i); searching++ :: else fi };
		if
		:: ok -> j = i; claim();
			if
			:: h == NONE -> left--
			:: else -> grant(); h = NONE
			fi;
			j = NOWORKER
		:: else
		fi;
		i++
	:: else -> break
	od;
	atomic { ended = 1; i = 0 };
	atomic {
		do
		:: i < N ->
			if
			:: idleWorker[i] == HOT -> idleWorker[i] = USED; dismissed[i] = 1; assert(!token[i]);
				token[i] = 1
			:: else
			fi;
			i++
		:: else -> break
		od
	};
P3:	left == 0;
	d_step {
		i = 0;
		do
		:: i < N -> assert(!inTurn[i]); i++
		:: else -> break
		od
	}
}

init {
	byte i;
	atomic {
		do
		:: i < N ->
			if :: i < W -> slot[i] = i; holder[i] = i; idleWorker[i] = USED :: else fi;
			run worker(i); i++
		:: else -> break
		od;
		run pusher(0); run pusher(2); run asking(); run stopper();
#ifdef RETAKE
		run monitor();
#endif
		i = 0
	}
}
