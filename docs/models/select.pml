/* Select of package process (process/party.go, wait_queue.go, select.go): a party that
 * receives from either of two channels without buffers, ROUNDS times, and a sender at each.
 * With CANCEL, the party is told to end at any moment, and the senders when it has ended;
 * with CANCEL_SENDERS as well, they are at any moment.
 *
 * A sender waits at one channel, so it has no ticket that is compared: whoever takes its offer
 * out of the queue, under the channel's lock, decides. The counterpart then writes the ticket,
 * which says to the sender that it need not take the lock; a sender that is to end takes the
 * lock and looks whether its offer is still there.
 *
 * Proved: each value that a sender takes for sent was received, once, and no other; the
 * party and the senders come to their ends, so no wake-up is lost; a party that was
 * cancelled has committed what its counterpart takes for committed.
 *
 * Mutants: WAKE_LOST (a notice to a party that runs is dropped), PARK_STORE (it parks
 * without looking for a notice in the same step), CLAIM_BLIND (a counterpart writes the
 * ticket without comparing), WITHDRAW_BLIND (the party withdraws without comparing),
 * ONE_LOCK (it polls one channel while its offer stands at the other), OPEN_LATE (it opens
 * its ticket when the offers can be seen), SINGLE_TAKEN (a sender that is to end takes itself
 * for withdrawn), SINGLE_UNLOCKED (it looks at its ticket, and not at the queue under the
 * lock), SINGLE_LEFT (it leaves its offer behind).
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define OPEN 0
#define WITHDRAWN 9
#define RUNS 0
#define NOTIFIED 1
#define PARKED 2

byte won[3] = WITHDRAWN;       /* tickets: 0 is the party that selects, c + 1 sender c */
byte st[3];
bit held[2];                   /* the lock of a channel */
bit offered[2];                /* the party's receive is in the queue of channel c */
bit sending[2];                /* the sender is in the queue of channel c */
byte received[2], sent[2];
bit cancelled;
bit told[2];                   /* sender c is to end */
byte finished;

inline lock(c) { atomic { !held[c] -> held[c] = 1 } }
inline unlock(c) { held[c] = 0 }

inline wake(p) {
	if
	:: atomic { st[p] == PARKED -> st[p] = RUNS }
#ifdef WAKE_LOST
	:: atomic { st[p] == RUNS -> skip }
#else
	:: atomic { st[p] == RUNS -> st[p] = NOTIFIED }
#endif
	:: atomic { st[p] == NOTIFIED -> skip }
	fi
}

inline suspend(p) {
#ifdef PARK_STORE
	if
	:: st[p] == NOTIFIED -> st[p] = RUNS
	:: else -> st[p] = PARKED
	fi;
#else
	atomic {
		if
		:: st[p] == RUNS -> st[p] = PARKED
		:: else -> st[p] = RUNS
		fi
	};
#endif
	st[p] != PARKED
}

/* claim commits party p to case i, unless it was faster */
inline claim(p, i) {
#ifdef CLAIM_BLIND
	won[p] = i; ok = 1
#else
	atomic { if :: won[p] == OPEN -> won[p] = i; ok = 1 :: else -> ok = 0 fi }
#endif
}

/* poll receives from channel c if its sender waits; the lock is held */
inline poll(c) {
	if
	:: ok == 0 && sending[c] ->
		sending[c] = 0;
		won[c + 1] = 1; /* no other decides it: the offer was in the queue */
		ok = 1;
		received[c]++; wake(c + 1)
	:: else
	fi
}

active proctype selecting() {
	byte round, mine; bit ok, byOther, live;
	do
	:: round == ROUNDS || cancelled -> break /* Select begins by looking for its end */
	:: else ->
again:
		ok = 0;
#ifdef ONE_LOCK
		won[0] = OPEN;
		lock(0); poll(0); if :: !ok -> offered[0] = 1 :: else fi; unlock(0);
		lock(1); poll(1); if :: !ok -> offered[1] = 1 :: else fi; unlock(1);
		if :: ok -> lock(0); offered[0] = 0; unlock(0); round++ :: else -> goto waits fi;
		goto next;
#else
		lock(0); lock(1);
		poll(0); poll(1);
		if
		:: ok -> unlock(1); unlock(0); round++; goto next
		:: else
		fi;
#ifndef OPEN_LATE
		won[0] = OPEN;
#endif
		offered[0] = 1; offered[1] = 1;
		unlock(1); unlock(0);
#ifdef OPEN_LATE
		won[0] = OPEN;
#endif
#endif
waits:
		if
		:: won[0] == OPEN -> suspend(0)
		:: else
		fi;
		live = !cancelled;
#ifdef WITHDRAW_BLIND
		byOther = (won[0] != OPEN);
		if :: !byOther -> won[0] = WITHDRAWN :: else fi;
#else
		atomic {
			byOther = (won[0] != OPEN);
			if :: !byOther -> won[0] = WITHDRAWN :: else fi
		};
#endif
		lock(0); lock(1);
		offered[0] = 0; offered[1] = 0;
		unlock(1); unlock(0);
		if
		:: byOther -> mine = won[0]; received[mine - 1]++; round++
		:: !byOther && !live -> break
		:: !byOther && live -> goto again
		fi;
next:
		mine = 0; byOther = 0
	od;
#ifdef CANCEL
	told[0] = 1; wake(1); /* no party receives from them any more */
	told[1] = 1; wake(2);
#endif
	finished++
}

/* withdraw takes back the offer of sender c. ok: it was not taken */
inline withdraw(c) {
#ifdef SINGLE_UNLOCKED
	ok = (won[c + 1] == OPEN);
	lock(c);
#else
	lock(c);
	ok = sending[c];
#endif
#ifdef SINGLE_TAKEN
	ok = 1;
#endif
#ifndef SINGLE_LEFT
	sending[c] = 0;
#endif
	unlock(c)
}

proctype sender(byte c) {
	bit ok;
	lock(c);
	if
	:: offered[c] ->
		offered[c] = 0;
		claim(0, c + 1)
	:: else -> ok = 0
	fi;
	if
	:: ok ->
		unlock(c);
		sent[c]++;
		wake(0)
	:: else ->
		won[c + 1] = OPEN;
		sending[c] = 1;
		unlock(c);
		do
		:: won[c + 1] != OPEN -> sent[c]++; break
		:: won[c + 1] == OPEN ->
			suspend(c + 1);
			if
			:: told[c] -> withdraw(c); if :: ok -> break :: else fi
			:: else
			fi
		od
	fi;
	finished++
}

active proctype canceller() {
#ifdef CANCEL
	cancelled = 1;
	wake(0);
#endif
	skip
}

active proctype senders_canceller() {
#ifdef CANCEL_SENDERS
	told[0] = 1; wake(1);
	told[1] = 1; wake(2);
#endif
	skip
}

init {
	run sender(0);
	run sender(1);
	finished == 3;
	assert(sent[0] == received[0] && sent[1] == received[1]);
#ifndef CANCEL
	assert(received[0] == 1 && received[1] == 1)
#endif
}
