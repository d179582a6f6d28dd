/* The local queue and stealing from it, with slots that are used again (sched/ring.go).
 *
 * An owner pushes TASKS tasks through a ring of SIZE slots and pops when it is full;
 * THIEVES thieves try TRIES times each. A slot is three words: the task, which whoever
 * claimed it reads and clears with plain accesses, here steps of their own; and the two
 * receipts. EMPTY: somebody else asks whether there is anything to steal, as those do
 * who are about to sleep.
 *
 * Proved: each task is taken once, every taker sees the tasks in order, no slot is
 * filled before its last task was read, and a ring that looks empty was empty at some
 * moment of the look.
 *
 * Mutants: NO_RECEIPT (push trusts head: the slot of a slow thief is overwritten, K32),
 * RECEIPT_EARLY (a thief leaves its receipt before it reads), STORE_HEAD (a thief looks
 * at head and then stores it), POP_STORE (so does the owner), TAIL_EARLY (published
 * before it is filled), NARROW (indices wrap after four: K31), TAIL_FIRST (the look
 * reads tail before head, as a thief must not).
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
#else
#define WRAP(i) (i)
#endif
#define LOOKER THIEVES

byte head = SIZE, tail = SIZE;          /* indices start at SIZE: receipt 0 is no task's */
byte task[SIZE], popped[SIZE], stolen[SIZE];
bool unread[SIZE];                      /* filled, and its taker has not read it */
bool taken[TASKS + 1];
bool wasEmpty[THIEVES + 1];             /* since that look began */

inline take(t) { assert(t != 0 && !taken[t] && t > mine); taken[t] = 1; mine = t }

/* head or tail has moved */
inline note() {
	if
	:: head == tail -> k = 0; do :: k <= THIEVES -> wasEmpty[k] = 1; k++ :: else -> break od; k = 0
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
			atomic { unread[h % SIZE] = 0; task[h % SIZE] = 0; popped[h % SIZE] = WRAP(h + 1); take(t) }
		:: atomic { head != h -> t = 255 }
		fi
	fi
}

proctype owner() {
	byte h, t, k, mine, next = SIZE, i = 1;
	do
	:: i <= TASKS ->
		if
#ifdef NO_RECEIPT
		:: next - head < SIZE ->
#else
		:: atomic { popped[next % SIZE] == WRAP(next - SIZE + 1) || stolen[next % SIZE] == WRAP(next - SIZE + 1) } ->
#endif
#ifdef TAIL_EARLY
			next++;
			atomic { tail = WRAP(next); note() };
			atomic { task[(next - 1) % SIZE] = i; unread[(next - 1) % SIZE] = 1 };
#else
			atomic { assert(!unread[next % SIZE]); task[next % SIZE] = i; unread[next % SIZE] = 1 };
			next++;
			atomic { tail = WRAP(next); note() };
#endif
			i++
		:: else -> pop()
		fi
	:: else -> pop(); if :: t == 0 -> break :: else fi
	od
}

proctype thief(byte me) {
	byte h, t, k, mine, tries;
	do
	:: tries < TRIES ->
		tries++;
		atomic { wasEmpty[me] = (head == tail); h = 0 };
again:
#ifdef TAIL_FIRST
		t = tail; h = head;
		if :: h == t -> assert(wasEmpty[me]); t = 0; goto done :: else -> t = 0 fi;
#else
		h = head;
		if :: h == tail -> assert(wasEmpty[me]); goto done :: else fi;
#endif
		if
#ifdef STORE_HEAD
		:: true -> atomic { head = WRAP(h + 1); note() };
#else
		:: atomic { head == h -> head = WRAP(h + 1); note() };
#endif
#ifdef RECEIPT_EARLY
			stolen[h % SIZE] = WRAP(h + 1);
#endif
			t = task[h % SIZE];
			atomic { unread[h % SIZE] = 0; task[h % SIZE] = 0; take(t); t = 0 };
#ifndef RECEIPT_EARLY
			stolen[h % SIZE] = WRAP(h + 1)
#endif
		:: atomic { head != h -> goto again }
		fi;
done:		skip
	:: else -> break
	od
}

#ifdef EMPTY
proctype looker() {
	byte h;
	wasEmpty[LOOKER] = (head == tail);
	h = head;
	if :: h == tail -> assert(wasEmpty[LOOKER]) :: else fi
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
