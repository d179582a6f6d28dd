/* The next-slot: Dekker's algorithm under total store order (sched/next_slot.go).
 *
 * The owner's plain and release stores go through a store buffer, first in first
 * out, which drains whenever it likes and must be empty before an RMW takes effect.
 * The monitor's accesses are sequentially consistent. Task i is the i-th filling,
 * so that `full` is 2i-1 while it is in the slot.
 *
 * Proved: every filling is taken exactly once, by the owner or by the monitor, and
 * the monitor takes only the one that it has seen.
 *
 * Mutants: NO_FENCE (O2 dropped), FENCE_FIRST (O2 before O1), CLEAR_FIRST (the owner
 * clears the task before O3), NO_VERDICT (O4 does not wait), NO_RESET (O4 leaves
 * `taken` behind), TASK_LATE (full is published before the task), ASK_LATE (M2
 * before M1), NO_STAMP (M2 looks for any odd value), NO_LEAVE (M2 failed and revoke
 * is left at `asked`).
 */
#ifndef FILLS
#define FILLS 3
#endif
#ifndef LOOKS
#define LOOKS 3
#endif
#define NONE 0
#define ASKED 1
#define TAKEN 2
#define TASK 0
#define FULL 1

byte mem[2];              /* what all but the owner see */
byte revoke = NONE;
chan buffer = [4] of { byte, byte };
byte taken[FILLS + 1];    /* how often task i was taken */

inline take(t) { atomic { assert(t != 0); taken[t]++; assert(taken[t] == 1) } }

proctype drain() {        /* the processor empties the store buffer when it likes */
	byte at, v;
end:	do
	:: atomic { buffer ? at, v -> mem[at] = v; at = 0; v = 0 }
	od
}

proctype owner() {
	byte task, filled, mine;
	byte i = 1;
	do
	:: i <= FILLS ->
		/* put */
		task = i; filled++;
#ifdef TASK_LATE
		buffer ! FULL, filled; buffer ! TASK, task;
#else
		buffer ! TASK, task; buffer ! FULL, filled;
#endif
		/* prepare, and the end of the turn */
#ifdef FENCE_FIRST
O2:		empty(buffer);
#endif
O1:		filled++; buffer ! FULL, filled;
#ifndef NO_FENCE
#ifndef FENCE_FIRST
O2:		empty(buffer);                  /* the RMW that ends the turn */
#endif
#endif
		/* takePrepared */
		mine = task;
#ifdef CLEAR_FIRST
		buffer ! TASK, 0;
#endif
O3:		if
		:: revoke == NONE -> take(mine)
		:: else ->
#ifdef NO_VERDICT
O4:			if
			:: revoke == NONE -> take(mine)
			:: atomic { revoke != NONE -> revoke = NONE }
			fi
#else
O4:			revoke != ASKED;
			if
			:: revoke == NONE -> take(mine)
			:: revoke == TAKEN -> atomic { empty(buffer) ->
#ifndef NO_RESET
				revoke = NONE
#endif
			   }
			fi
#endif
		fi;
#ifndef CLEAR_FIRST
		buffer ! TASK, 0;
#endif
		task = 0; i++
	:: else -> break
	od
}

proctype monitor() {
	byte stamp, now, t, looks;
	do
	:: looks < LOOKS ->
		looks++;
		now = mem[FULL];
		if
		:: (now == stamp && (stamp & 1)) ->
#ifdef ASK_LATE
M2:			if
			:: mem[FULL] == stamp -> skip
			:: else -> goto next
			fi;
M1:			if
			:: atomic { revoke == NONE -> revoke = ASKED }
			:: else -> goto next
			fi;
#else
M1:			if
			:: atomic { revoke == NONE -> revoke = ASKED }
			:: else -> goto next
			fi;
M2:			if
#ifdef NO_STAMP
			:: (mem[FULL] & 1) -> skip
#else
			:: mem[FULL] == stamp -> skip
#endif
			:: else ->
#ifndef NO_LEAVE
				revoke = NONE;
#endif
				goto next
			fi;
#endif
M3:			t = mem[TASK];
M4:			revoke = TAKEN;
			take(t);
			assert(2 * t - 1 == stamp)      /* it has waited since the last look */
		:: else
		fi;
next:		stamp = now; t = 0
	:: else -> break
	od
}

init {
	byte i = 1;
	atomic { run drain(); run owner(); run monitor() };
	(_nr_pr == 2);                                  /* only drain is left */
	do
	:: i <= FILLS -> assert(taken[i] == 1); i++
	:: else -> break
	od
}
