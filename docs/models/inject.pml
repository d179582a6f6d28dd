/* The inject queue (sched/mpmcq.go): segments of cells that are claimed by
 * fetch-and-add, each used once.
 *
 * PUSHERS pushers push EACH tasks, POPPERS poppers pop TRIES times, and a looker asks
 * whether the queue is empty. A pusher and a popper may spoil each other's cells for
 * ever; whatever would need more than SEGS segments of SIZE cells is cut off.
 *
 * Proved: each task is taken once, every popper sees those of one pusher in order, and
 * a queue that is said to be empty was empty at some moment of the call.
 *
 * Mutants: PUSH_STORE (a pusher stores into its cell), POP_READ (a popper that finds
 * nothing leaves no mark), NEXT_STORE (extend stores `next`), NEXT_FIRST (drained reads
 * `next` before the counters), COUNTS_SWAPPED (it reads enq before deq), NO_NEXT (it
 * does not read `next`: the false empty of K29), JUMP (a popper moves head to tail),
 * REUSE (a drained segment is used again: K29, and K28's ABA).
 */
#ifndef PUSHERS
#define PUSHERS 2
#endif
#ifndef EACH
#define EACH 2
#endif
#ifndef POPPERS
#define POPPERS 1
#endif
#ifndef TRIES
#define TRIES 2
#endif
#ifndef SEGS
#define SEGS 3
#endif
#ifndef SIZE
#define SIZE 2
#endif
#define TASKS (PUSHERS * EACH)
#define MARK 255
#define NONE 255
#define LOOKER POPPERS

byte deq[SEGS], enq[SEGS], next[SEGS] = NONE, segs = 1;
byte cell[SEGS * SIZE];                 /* 0, a task from 1, or the mark */
byte head, tail;
byte live;                              /* tasks in cells that no popper has claimed */
bool taken[TASKS + 1], wasEmpty[POPPERS + 1];
bool cut;

#define AT(s, i) cell[(s) * SIZE + (i)]

inline note() {
	if
	:: live == 0 -> k = 0; do :: k <= POPPERS -> wasEmpty[k] = 1; k++ :: else -> break od; k = 0
	:: else
	fi
}

/* a task has come to cell i of segment s */
inline lives(s, i) { if :: (i) >= deq[s] -> live++ :: else fi }

/* n becomes a segment that starts with task t */
inline allocate(t) {
	if
	:: segs < SEGS -> n = segs; segs++
#ifdef REUSE
	:: free != NONE -> n = free; free = NONE;
		k = 1; do :: k < SIZE -> AT(n, k) = 0; k++ :: else -> break od; k = 0
#endif
	:: else -> cut = 1; n = NONE
	fi;
	if :: n != NONE -> AT(n, 0) = t; enq[n] = 1; deq[n] = 0; next[n] = NONE :: else fi
}
#ifdef REUSE
byte free = NONE;
#endif

proctype pusher(byte me) {
	byte s, i, n, t, k, no;
	do
	:: no < EACH && !cut ->
		no++; t = me * EACH + no;
again:		if :: cut -> break :: else fi;
		s = tail;
		atomic { i = enq[s]; enq[s]++ };
		if
		:: i >= SIZE ->
			n = next[s];
			if
			:: n == NONE ->
#ifdef NEXT_STORE
				atomic { allocate(t); if :: cut -> break :: else fi };
				atomic { next[s] = n; live++; k = 1 };
#else
				atomic {
					if
					:: next[s] == NONE ->
						allocate(t);
						if :: cut -> break :: else fi;
						next[s] = n; live++; k = 1
					:: else
					fi
				};
#endif
				if
				:: k -> k = 0; atomic { if :: tail == s -> tail = n :: else fi }; goto pushed
				:: else -> n = next[s]
				fi
			:: else
			fi;
			atomic { if :: tail == s -> tail = n :: else fi };
			goto again
		:: else ->
			if
#ifdef PUSH_STORE
			:: atomic { true -> AT(s, i) = t; lives(s, i) }
#else
			:: atomic { AT(s, i) == 0 -> AT(s, i) = t; lives(s, i) }
			:: atomic { AT(s, i) != 0 -> goto again }
#endif
			fi
		fi;
pushed:		atomic { s = 0; i = 0; n = 0 }
	:: else -> break
	od
}

/* ok: segment s is drained */
inline drained() {
#ifdef NEXT_FIRST
	ok = (next[s] == NONE);
	i = deq[s];
	ok = (ok && i >= enq[s]);
#else
#ifdef COUNTS_SWAPPED
	i = enq[s];
	ok = (deq[s] >= i);
#else
	i = deq[s];
	ok = (i >= enq[s]);
#endif
#ifndef NO_NEXT
	if :: ok -> ok = (next[s] == NONE) :: else fi;
#endif
#endif
	i = 0
}

inline forward() {
#ifdef JUMP
	atomic { if :: head == s -> head = tail :: else fi }
#else
	atomic { if :: head == s -> head = n;
#ifdef REUSE
			free = s
#endif
		:: else fi }
#endif
}

proctype popper(byte me) {
	byte s, i, n, t, k, tries, last[PUSHERS];
	bool ok;
	do
	:: tries < TRIES && !cut ->
		tries++;
		wasEmpty[me] = (live == 0);
again:		if :: cut -> break :: else fi;
		s = head;
		drained();
		if
		:: ok -> assert(wasEmpty[me])
		:: else ->
			atomic { i = deq[s]; deq[s]++;
				if
				:: i < SIZE -> if :: AT(s, i) != 0 && AT(s, i) != MARK -> live--; note() :: else fi
				:: else
				fi };
			if
			:: i >= SIZE ->
				n = next[s];
				if
				:: n == NONE -> assert(wasEmpty[me])
				:: else -> forward(); goto again
				fi
			:: else ->
				atomic {
					t = AT(s, i);
#ifdef POP_READ
					if :: t != 0 -> AT(s, i) = MARK :: else fi
#else
					AT(s, i) = MARK
#endif
				};
				if
				:: t == 0 -> goto again
				:: else -> atomic {
					assert(t != MARK && !taken[t]);
					taken[t] = 1;
					assert(t > last[(t - 1) / EACH]);
					last[(t - 1) / EACH] = t }
				fi
			fi
		fi;
		atomic { s = 0; i = 0; n = 0; t = 0; ok = 0 }
	:: else -> break
	od
}

proctype looker() {
	byte s, i, n;
	bool ok;
	wasEmpty[LOOKER] = (live == 0);
again:	s = head;
	drained();
	if
	:: ok -> assert(wasEmpty[LOOKER])
	:: else ->
		if
		:: deq[s] < SIZE
		:: else ->
			n = next[s];
			if
			:: n == NONE -> assert(wasEmpty[LOOKER])
			:: else -> forward(); goto again
			fi
		fi
	fi
}

init {
	byte i, t;
	atomic {
		do :: i < PUSHERS -> run pusher(i); i++ :: else -> break od;
		i = 0;
		do :: i < POPPERS -> run popper(i); i++ :: else -> break od;
		run looker();
		i = 0
	};
	(_nr_pr == 1);
	d_step {
		do                                      /* what is left is in unclaimed cells */
		:: i < SEGS * SIZE ->
			t = cell[i];
			if
			:: t != 0 && t != MARK && (i % SIZE) >= deq[i / SIZE] -> assert(!taken[t]); taken[t] = 1
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 1;
		do :: i <= TASKS -> assert(taken[i] || cut); i++ :: else -> break od
	}
}
