/* The mailbox: a stack whose top node stays in place
 * (internal/kernel/mpsc/mailbox.go), with nodes that are recycled.
 *
 * NP producers push NM messages each, with nodes from a pool of NODES to which nodes that
 * have run return at once. The mailbox's actor may be queued once, and two workers take
 * it. END: the actor may end after any message (close). Producer 0 pushes as those outside
 * do: pushBusy first, then push. A walk of the consumer is one step: it touches only
 * what the consumer owns, and no step of a producer can change that.
 *
 * Proved: each message is run or refused or left over, once, in the order of its
 * producer; the actor is never queued or running twice; no process looks into a node that
 * was recycled; nothing leaks; when all is over, the actor is idle or has ended.
 *
 * Mutants: RECYCLE_TOP (the top node is recycled once it has run: ABA), IDLE_STORE
 * (tryIdle looks and then stores), IDLE_TOUCH (tryIdle clears `last` after its swap),
 * IDLE_QUIET (the loser of tryIdle does not go on), WOKE_LATE (push looks for idle and then
 * pushes), LINK_LATE (push links its node after publishing it), PUSH_CLOSED (push does
 * not look for the mark of the end), CLOSE_STORE (close looks and then stores),
 * CLOSE_LEAVES (close forgets what has not been drained), DRAIN_TOP (drain takes the top
 * only).
 */
#ifndef NP
#define NP 2
#endif
#ifndef NM
#define NM 2
#endif
#ifndef NODES
#define NODES 3
#endif
#ifndef BATCH
#define BATCH 2
#endif
#define TOTAL (NP * NM)
#define NIL 0
#define CLOSED (NODES + 1)

byte head, last, fifo;                  /* nodes are numbered from 1 */
byte next[NODES + 2];
bool used[NODES + 2];                   /* not in the pool */
byte who[NODES + 2], no[NODES + 2];     /* the message in a node */
byte seen[NP];                          /* of each producer's, the last that was run or left over */
byte ran, dead, queued, running;
byte inTurn;                            /* workers that may still hand back nodes */
bool ended;

inline schedule() { atomic { queued++; assert(queued + running == 1) } }

inline recycle(n) { atomic { if :: n != NIL -> assert(used[n]); used[n] = 0; who[n] = 0;
	no[n] = 0 :: else fi; n = 0 } }

/* one message is done: in order, and never twice */
inline done(n) { assert(used[n] && no[n] == seen[who[n]] + 1); seen[who[n]]++ }

/* first becomes the chain from h down to but without end, turned around. Others read
 * no `next`, so the order of these writes does not matter to them. */
inline reversed(h, end) {
	d_step {
		first = NIL;
		do
		:: h != end -> assert(h != NIL && used[h]); t = next[h]; next[h] = first; first = h; h = t
		:: else -> break
		od;
		t = 0; h = 0
	}
}

proctype producer(byte me) {
	byte h, m, i;
	bool outside = (me == 0);
	do
	:: i < NM ->
		i++;
		atomic {                        /* any free node */
			if
			:: !used[1] -> m = 1
			:: !used[2] -> m = 2
#if NODES > 2
			:: !used[3] -> m = 3
#endif
#if NODES > 3
			:: !used[4] -> m = 4
#endif
			fi;
			used[m] = 1; who[m] = me; no[m] = i
		};
again:		h = head;
		if
		:: outside && h == NIL -> outside = 0; goto again          /* admission; then push */
#ifndef PUSH_CLOSED
		:: h == CLOSED ->                                          /* refused: a dead letter */
			atomic { dead++; assert(ended); recycle(m) }; goto sent
#endif
		:: else
		fi;
#ifndef LINK_LATE
		next[m] = h;
#endif
#ifdef WOKE_LATE
		h = (head == NIL);
		atomic { next[m] = head; head = m };
		if
		:: h -> schedule()
		:: else
		fi;
#else
		if
		:: atomic { head == h -> head = m };
#ifdef LINK_LATE
			next[m] = h;
#endif
			if :: h == NIL -> schedule() :: else fi
		:: else -> goto again
		fi;
#endif
sent:		atomic { m = 0; h = 0; outside = (me == 0) }
	:: else -> break
	od
}

proctype worker() {
	byte h, m, t, first, left, spent;
end:	do
	:: atomic { queued > 0 -> queued--; running++; inTurn++; left = BATCH };
		if
		:: fifo == NIL ->                                          /* drain */
			h = head;
			if
			:: h == last -> goto tryIdle
			:: else
			fi;
#ifdef DRAIN_TOP
			atomic { spent = last; last = h; next[h] = NIL; fifo = h };
#else
			atomic { spent = last; last = h; reversed(h, spent); fifo = first; first = 0 };
#endif
			recycle(spent)
		:: else
		fi;
turn:		if
		:: fifo != NIL && left > 0 ->
			atomic {
				m = fifo; fifo = next[m]; left--; ran++;
				done(m)
			};
			if
#ifndef RECYCLE_TOP
			:: m == last -> m = 0
#endif
			:: else -> recycle(m)
			fi;
#ifdef END
			if
			:: goto close
			:: goto turn
			fi
#else
			goto turn
#endif
		:: fifo != NIL && left == 0 -> goto requeue
		:: else
		fi;

tryIdle:
#ifdef IDLE_TOUCH
		spent = last;
		if
		:: atomic { head == spent -> head = NIL; running--; m = 1 }
		:: else -> m = 0
		fi;
		if
		:: m -> last = NIL
		:: else -> spent = 0
		fi;
#else
		atomic { spent = last; last = NIL };
		if
#ifdef IDLE_STORE
		:: head == spent -> atomic { head = NIL; running--; m = 1 }
#else
		:: atomic { head == spent -> head = NIL; running--; m = 1 }
#endif
		:: else -> atomic { last = spent; spent = 0; m = 0 }
		fi;
#endif
		if
		:: m -> m = 0;
			recycle(spent);
			goto off
		:: else
		fi;
#ifdef IDLE_QUIET
		running--; goto off;
#endif
requeue:	atomic { running--; queued++; assert(queued + running == 1); left = 0 };
		goto off;

#ifdef END
close:		ended = 1;
#ifdef CLOSE_STORE
		h = head; head = CLOSED;
#else
		atomic { h = head; head = CLOSED };
#endif
		atomic {
			if :: fifo == NIL -> spent = last :: else fi;
#ifdef CLOSE_LEAVES
			first = NIL;
#else
			reversed(h, last);
#endif
			last = NIL
		};
		recycle(spent);
		do                                                      /* dead letters, oldest first */
		:: fifo != NIL -> atomic { m = fifo; fifo = next[m]; dead++; done(m); recycle(m) }
		:: else -> break
		od;
		do
		:: first != NIL -> atomic { m = first; first = next[m]; dead++; done(m); recycle(m) }
		:: else -> break
		od;
		running--;
#endif
off:		atomic { inTurn--; h = 0; m = 0; left = 0; first = 0; spent = 0 }
	od
}

init {
	byte i;
	atomic {
		run worker(); run worker();
		do :: i < NP -> run producer(i); i++ :: else -> break od;
		i = 1
	};
	(_nr_pr == 3 && queued + running + inTurn == 0);
	assert(ran + dead == TOTAL);
	assert(head == (ended -> CLOSED : NIL) && fifo == NIL && last == NIL);
	do :: i <= NODES -> assert(!used[i]); i++ :: else -> break od
}
