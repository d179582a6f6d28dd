/* The local queue and stealing from it, with slots that are used again (sched/ring.go).
 *
 * An owner pushes TASKS tasks through a ring of SIZE slots and takes the oldest when it is
 * full; THIEVES thieves try TRIES times each. NEWEST: the owner takes whenever it likes, the
 * oldest or the newest. A slot is three words: the task, which the one that claimed the slot
 * reads and clears with plain accesses, here steps of their own; and the two receipts.
 * EMPTY: another worker asks whether there is anything to steal, as those do that are about
 * to sleep.
 *
 * Proved: each task is taken once. Thieves see the tasks in order, and so does the owner
 * where it takes the oldest; its newest is newer than all that wait. No slot is filled
 * before its last task was read, and no slot is refused that is free. A ring that looks
 * empty was empty at some moment of the look, except for the one task that its owner was
 * about to take.
 *
 * Mutants: NO_RECEIPT (push trusts head: the slot of a slow thief is overwritten, K32),
 * RECEIPT_EARLY (a thief leaves its receipt before it reads), STORE_HEAD (a thief looks
 * at head and then stores it), POP_STORE (so does the owner), TAIL_EARLY (published
 * before it is filled), NARROW (indices wrap after four: K31), TAIL_FIRST (the look
 * reads tail before head, as a thief must not). With NEWEST: NEWEST_NO_FENCE (N2 before
 * N1), NEWEST_HIDES (N1 steps back behind all that wait), NEWEST_NO_CAS (the only task is
 * taken without N3), NEWEST_STORE (N3 looks at head and then stores it), NEWEST_NEXT_BACK
 * (next stays back after N3, as tail does), NEWEST_EQUAL (a look compares for
 * equality), NEWEST_RECEIPT (left also where nothing was claimed through head),
 * NEWEST_NO_RECEIPT (not even after N3).
 */
#ifndef TASKS
#define TASKS 5
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef TRIES
#define TRIES 2
#endif
#ifdef NARROW
#define WRAP(i) ((i) % 4)
#define DIFF(a, b) (((a) - (b) + 5) % 4 - 1)    /* -1 to 2, as tail may be off head */
#else
#define WRAP(i) (i)
#define DIFF(a, b) ((a) - (b))          /* an int, even of bytes: it may be negative */
#endif
#ifdef NEWEST_EQUAL
#define NOTHING(t, h) ((t) == (h))
#else
#define NOTHING(t, h) (DIFF(t, h) <= 0)
#endif
#ifdef NO_RECEIPT
#define ROOM (next - head < SIZE)
#else
#define ROOM (popped[next % SIZE] == WRAP(next - SIZE + 1) || \
	stolen[next % SIZE] == WRAP(next - SIZE + 1))
#endif
#define LOOKER THIEVES

byte head = SIZE, tail = SIZE;          /* indices start at SIZE: receipt 0 is no task's */
byte next = SIZE;                       /* the owner's own; does not wrap */
bool back;                              /* N1 is done, and the owner has not decided yet */
byte task[SIZE], popped[SIZE], stolen[SIZE];
bool unread[SIZE];                      /* filled, and its taker has not read it */
bool owing[SIZE];                       /* its thief has read it, and owes the receipt */
bool taken[TASKS + 1];
bool wasEmpty[THIEVES + 1] = 1;         /* since that look began; 1 where there is none */

/* By what the owner knows, since tail may be what is wrong. */
#define IS_EMPTY (DIFF(WRAP(next - back), head) <= 0)

inline take() { assert(t != 0 && !taken[t]); taken[t] = 1 }
inline takeOldest() { take(); assert(t > mine); mine = t }
inline takeNewest() { take(); k = t + 1; do :: k < i -> assert(taken[k]); k++ :: else ->
	break od; k = 0 }

/* head or tail has moved */
inline note() {
	if
	:: IS_EMPTY -> k = 0; do :: k <= THIEVES -> wasEmpty[k] = 1; k++ :: else -> break od; k = 0
	:: else
	fi
}

inline pop() {
	h = head;
	if
	:: h == WRAP(next) -> t = 0
	:: else ->
		if
#ifdef POP_STORE
		:: true -> atomic { head = WRAP(h + 1); note() };
#else
		:: atomic { head == h -> head = WRAP(h + 1); note() };
#endif
			t = task[h % SIZE];
			atomic { unread[h % SIZE] = 0; task[h % SIZE] = 0; popped[h % SIZE] = WRAP(h + 1); takeOldest() }
		:: atomic { head != h -> t = 255 }
		fi
	fi
}

inline popNewest() {
	h = head;
	if
	:: h == WRAP(next) -> t = 0
	:: else ->
#ifdef NEWEST_HIDES
N1:		atomic { n = next - 1; tail = h; back = 1; note() };
#else
N1:		atomic { n = next - 1; tail = WRAP(n); back = 1; note() };
#endif
#ifndef NEWEST_NO_FENCE
N2:		h = head;
#endif
		if
#ifdef NEWEST_NO_CAS
		:: atomic { DIFF(WRAP(n), h) >= 0 -> next = n; back = 0; won = 1; h = 0 };
#else
		:: atomic { DIFF(WRAP(n), h) > 0 -> next = n; back = 0; won = 1; h = 0 };
#endif
#ifdef NEWEST_HIDES
			tail = WRAP(n)
#endif
#ifdef NEWEST_RECEIPT
			popped[n % SIZE] = WRAP(n + 1)
#endif
		:: else ->
N3:			if
#ifdef NEWEST_STORE
			:: h == WRAP(n) -> atomic { head = WRAP(n + 1); won = 1; note() }
			:: else
#else
			:: atomic { head == WRAP(n) -> head = WRAP(n + 1); won = 1; note() }
			:: head != WRAP(n)
#endif
			fi;
			atomic {
#ifdef NEWEST_NEXT_BACK
				next = n;
#endif
				back = 0; h = 0; note();
#ifndef NEWEST_NO_RECEIPT
				if :: won -> popped[n % SIZE] = WRAP(n + 1) :: else fi
#endif
			}
		fi;
		if
		:: atomic { won -> t = task[n % SIZE] };
			atomic { unread[n % SIZE] = 0; task[n % SIZE] = 0; won = 0; n = 0; takeNewest() }
		:: atomic { !won -> t = 0; n = 0 }
		fi
	fi
}

proctype owner() {
	byte h, t, k, n, mine, i = 1;
	bool won;
	do
	:: i <= TASKS && ROOM ->
#ifdef TAIL_EARLY
		atomic { next++; tail = WRAP(next); note() };
		atomic { task[(next - 1) % SIZE] = i; unread[(next - 1) % SIZE] = 1; i++ }
#else
		atomic { assert(!unread[next % SIZE]); task[next % SIZE] = i; unread[next % SIZE] = 1 };
		atomic { next++; tail = WRAP(next); i++; note() }
#endif
#ifdef NEWEST
	:: atomic { true -> assert(i > TASKS || ROOM || unread[next % SIZE] || owing[next % SIZE]) };
		if :: pop() :: popNewest() fi;
#else
	:: atomic { i > TASKS || !ROOM -> assert(i > TASKS || unread[next % SIZE] || owing[next % SIZE]) };
		pop();
#endif
		if
		:: atomic { i > TASKS && t == 0 -> h = 0; mine = 0; break }
		:: atomic { i <= TASKS || t != 0 -> h = 0; t = 0 }
		fi
	od
}

proctype thief(byte me) {
	byte h, t, k, mine, tries;
	do
	:: tries < TRIES ->
		atomic { tries++; wasEmpty[me] = IS_EMPTY };
again:
#ifdef TAIL_FIRST
		t = tail; h = head;
		if :: atomic { NOTHING(t, h) -> assert(wasEmpty[me]); t = 0; goto done } :: else -> t = 0 fi;
#else
		h = head;
		if :: atomic { NOTHING(tail, h) -> assert(wasEmpty[me]); goto done } :: else fi;
#endif
		if
#ifdef STORE_HEAD
		:: true -> atomic { head = WRAP(h + 1); note(); wasEmpty[me] = 1 };
#else
		:: atomic { head == h -> head = WRAP(h + 1); note(); wasEmpty[me] = 1 };
#endif
#ifdef RECEIPT_EARLY
			stolen[h % SIZE] = WRAP(h + 1);
#endif
			t = task[h % SIZE];
			atomic { unread[h % SIZE] = 0; owing[h % SIZE] = 1; task[h % SIZE] = 0; takeOldest(); t = 0 };
#ifndef RECEIPT_EARLY
			atomic { stolen[h % SIZE] = WRAP(h + 1); owing[h % SIZE] = 0 }
#endif
		:: atomic { head != h -> goto again }
		fi;
done:		h = 0
	:: else -> mine = 0; break
	od
}

#ifdef EMPTY
proctype looker() {
	byte h;
	wasEmpty[LOOKER] = IS_EMPTY;
	h = head;
	if :: NOTHING(tail, h) -> assert(wasEmpty[LOOKER]) :: else fi;
	atomic { wasEmpty[LOOKER] = 1; h = 0 }
}
#endif

init {
	byte i;
	atomic {
		do :: i < SIZE -> popped[i] = WRAP(i + 1); stolen[i] = WRAP(i + 1); i++ :: else -> break od;
		i = 0;
		run owner();
		do :: i < THIEVES -> run thief(i); i++ :: else -> break od;
#ifdef EMPTY
		run looker();
#endif
		i = 1
	};
	(_nr_pr == 1);
	do :: i <= TASKS -> assert(taken[i]); i++ :: else -> break od
}
