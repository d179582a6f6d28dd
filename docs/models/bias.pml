/* Biases: appending to an actor's mail without a locked instruction, and how another takes
 * that away (internal/kernel/mpsc/bias.go), under total store order.
 *
 * Two workers, which both may send, run the actor and take it from each other; P is outside
 * and pushes. A worker's stores to its window, to `more` and to its queue go through a store
 * buffer, first in first out, which drains whenever it likes and must be empty before a
 * locked instruction of that worker takes effect; the worker itself sees the newest. What
 * only an owner touches, and hands on with the task (the hand, `last`, links), is written at
 * once. What is queued may be taken by either worker, and its own pop is locked as well. A
 * worker may send within a turn. The fence waits for the buffer to drain, which is the same
 * as draining it then. A walk of the consumer is one step, as in mailbox.pml. A message is
 * its node, and nodes are not used again; for that, see mailbox.pml.
 *
 * END: the actor may end in any turn. STOP: a goroutine that is no worker may take it and discard
 * it. SLOT: what a worker schedules may go to its next-slot, from which the worker takes it
 * without a locked instruction. WEAK: plain stores, those to `more`, may overtake all
 * others, as on arm64. TRY: a worker may push and wake without a mark, as it does with what
 * the runtime itself sends, and while it is granted no biases. ALONE: there is no worker 1.
 *
 * Proved: each message is run or refused or left over, once, in the order of its sender,
 * and after everything that others sent and that its sender could know of when it sent it:
 * what memory shows by then. No process touches `more` while another appends or may be about to,
 * or has a store to it under way. The actor is never queued or running twice, and no turn
 * finds it without mail, so that turns come to an end; then it is idle or has ended, and
 * nothing is left.
 *
 * Mutants: NO_FENCE (T2 dropped), FENCE_FIRST (T2 before T1), LOOK_FIRST (T2 and T3 before
 * T1), NO_WAIT (T3 dropped), HEAD_KEPT (T1 dropped: the bias goes on), NO_REVOKE (a thief
 * runs what is appended under the bias), DISCARD_BLIND (the one that discards revokes nothing),
 * NO_REBASE (what was pushed keeps the old mark below it), ONE_LOOK (L2 dropped: the look before
 * L1 is enough), BUSY_LOOK (L2 asks only whether the actor is scheduled), LAST_LOOK (senders look
 * at `last` instead of the head; ALONE: then only the order among senders breaks), OPEN_LATE (L1
 * after L2), SHUT_EARLY (L4 before L3), PUSHED_FIRST (drain takes what was pushed before `more`),
 * DRAIN_PUSHED (drain leaves `more` for the next turn if something was pushed), IDLE_BLIND
 * (tryIdle ignores `more`), CLOSE_FORGETS (close does), HAND_EARLY (the hand is filled before the
 * swap that wakes), HAND_LATE (only after the scheduling).
 */
#ifndef WS
#define WS 3                            /* messages of worker 0, */
#endif
#ifndef VS
#define VS 0                            /* of worker 1, */
#endif
#ifndef PS
#define PS 1                            /* and of P */
#endif
#ifndef BATCH
#define BATCH 2
#endif
#define TOTAL (WS + VS + PS)            /* numbered from 1: W's, V's, P's; 7 at most */
#define P 2
#define NOWORKER 2                        /* as a worker: the owner of noBias */
#ifdef STOP
#define BUFFERS 3
#else
#define BUFFERS 2
#endif
#define NIL 0
#define MARK(w) (TOTAL + 1 + (w))
#define CLOSED (TOTAL + 4)
#define WHO(m) ((m) <= WS -> 0 : ((m) <= WS + VS -> 1 : P))
#define NO(m) ((m) <= WS -> (m) : ((m) <= WS + VS -> (m) - WS : (m) - WS - VS))

/* The entries of a store buffer. MORE has the new list; another the number of the message
 * that others may know of once they see it, or 0. */
#define OPEN 1
#define MORE 2
#define SHUT 3
#define QUEUE 4
#define TELL 5

byte head;                              /* a message, a mark, CLOSED or NIL */
byte next[TOTAL + 1];
chan fifo = [TOTAL] of { byte };        /* in hand */
byte last;
int more;                               /* three bits each, the oldest lowest */
bool window[BUFFERS];
byte queued;
chan buffer[BUFFERS] = [6] of { byte, int };
byte pending[BUFFERS];                  /* how many MORE are in the buffer, */
int newest[BUFFERS];                    /* and the newest of them */

byte told[3];                           /* of each sender's, what others may know of */
short knew[TOTAL + 1];                  /* `told` when the message was sent, three bits each */
byte seen[3];                           /* of each sender's, the last that was run or left over */
byte within[BUFFERS];                   /* appends after L2 whose L4 others do not see */
byte sent, ran, dead, running;
byte kept;                              /* next-slots that it is in */
bool keeps[BUFFERS];                    /* it is in the worker's next-slot */
bool ended;

#define once() assert(queued + running + kept <= 1)
#define others(x, w) ((w == 0 || x[0] == 0) && (w == 1 || x[1] == 0))

/* the process that reads or writes more is alone */
inline touch() { assert(others(pending, me) && others(within, me)) }

inline tell(s, n) { if :: n > told[s] -> told[s] = n :: else fi }

/* one message is over: in order, after what it knew of, and never twice */
inline over(m) {
	assert(NO(m) == seen[WHO(m)] + 1);
	assert((knew[m] & 7) <= seen[0] && ((knew[m] >> 3) & 7) <= seen[1] && (knew[m] >> 6) <= seen[2]);
	seen[WHO(m)]++; knew[m] = 0
}

/* what s may have learned before it looks at the head is what memory shows by then */
inline look(s) {
	knew[m] = (s == 0 -> 0 : told[0]) | (s == 1 -> 0 : told[1] << 3) | (s == P -> 0 : told[2] << 6);
#ifdef LAST_LOOK
	h = ((s != P && last == MARK(s)) -> last : head)
#else
	h = head
#endif
}

inline store(at, n) { buffer[me] ! at, n }

inline schedule() {
#ifdef SLOT
	if
	:: atomic { nfull(buffer[me]) -> kept++; once(); keeps[me] = 1; store(TELL, i) }
	:: store(QUEUE, i)
	fi
#else
	store(QUEUE, i)
#endif
}

inline put() { do :: list != 0 -> fifo ! list & 7; list = list >> 3 :: else -> break od }

/* what a worker sees of more: the newest that it has stored itself, before memory does */
#define view (pending[me] -> newest[me] : more)

/* takeMore moves more to the hand */
inline takeMore() {
	atomic {
		nfull(buffer[me]);
		touch();
		list = view;
		if
		:: list != 0 -> put(); pending[me]++; newest[me] = 0; store(MORE, 0)
		:: else
		fi
	}
}

/* from h down to last, oldest first, to the hand */
inline takePushed() {
	top = h;
	do
	:: h != last -> assert(h != NIL && h <= TOTAL); list = (list << 3) | h; t = next[h];
		next[h] = 0; h = t
	:: else -> break
	od;
	put(); last = top; top = 0; t = 0; h = 0
}

#define mustRevoke (MARK(0) <= last && last < MARK(NOWORKER) && last != MARK(me))

inline fence() { empty(buffer[theirs]) && empty(buffer[me]) }

inline revoke() {
	theirs = last - MARK(0);
#ifdef FENCE_FIRST
	fence();
#endif
#ifdef LOOK_FIRST
	fence();
	!window[theirs];
#endif
#ifndef HEAD_KEPT
	atomic {                                                /* T1 */
		empty(buffer[me]);
		if
		:: head == last -> head = MARK(me); h = 0
		:: else -> h = 1
		fi
	};
#endif
#ifndef LOOK_FIRST
#ifndef NO_FENCE
#ifndef FENCE_FIRST
	fence();                                                /* T2 */
#endif
#endif
#ifndef NO_WAIT
	!window[theirs];                                        /* T3 */
#endif
#endif
#ifndef HEAD_KEPT
	atomic {
#ifndef NO_REBASE
		if
		:: h ->                                         /* rebase: no sender reads these links */
			t = head;
			do
			:: next[t] != last -> t = next[t]; assert(t != NIL)
			:: else -> break
			od;
			next[t] = MARK(me)
		:: else
		fi;
#endif
		last = MARK(me); h = 0; t = 0
	};
#endif
	theirs = 0
}

inline close() {
#ifndef CLOSE_FORGETS
	takeMore();
#endif
	atomic { empty(buffer[me]) -> ended = 1; h = head; head = CLOSED };
	atomic { takePushed(); last = NIL };
	do                                                      /* dead letters, oldest first */
	:: atomic { nempty(fifo) -> fifo ? m; dead++; over(m); m = 0 }
	:: empty(fifo) -> break
	od
}

/* others see a MORE */
inline appear() {
	more = n; n = 0; pending[me]--;
	if :: pending[me] == 0 -> newest[me] = 0 :: else fi
}

proctype drain(byte me) {               /* the processor empties the store buffer when it likes */
	byte at;
	int n;
end:	do
	:: atomic { buffer[me] ? at, n ->
			if
			:: at == OPEN -> window[me] = 1
			:: at == MORE -> appear()
			:: at == SHUT -> window[me] = 0;
				if :: n -> within[me]-- :: else fi
			:: at == QUEUE -> queued++; once()
			:: at == TELL
			fi;
			tell(me, n);
			at = 0; n = 0
		}
#ifdef WEAK
	:: atomic { buffer[me] ?? MORE, n -> appear() }
#endif
	od
}

#ifdef BUSY_LOOK
#define stillMine (head != NIL && head != CLOSED)
#elif defined(LAST_LOOK)
#define stillMine (last == MARK(me))
#else
#define stillMine (head == MARK(me))
#endif

proctype worker(byte me; byte first; byte sends) {
	byte h, m, t, top, i, left, theirs;
	int list;
	bool on, again;
end:	do
	:: atomic { i < sends -> i++; m = first + i; look(me)
#ifdef TRY
			; if :: again = 1 :: skip fi
#endif
		};
		if
		:: h == MARK(me) && !again ->
#ifndef OPEN_LATE
			store(OPEN, 0);                                 /* L1 */
#endif
#ifdef ONE_LOOK
			within[me]++;
#else
			if
			:: atomic { stillMine -> within[me]++ }         /* L2 */
			:: atomic { !stillMine -> again = 1 };
#ifndef OPEN_LATE
				store(SHUT, 0);
#endif
				goto push
			fi;
#endif
#ifdef OPEN_LATE
			store(OPEN, 0);
#endif
#ifdef SHUT_EARLY
			store(SHUT, 0);
#endif
			atomic {                                        /* L3 */
				nfull(buffer[me]);
				touch();
				list = view;
				do :: list >> t -> t = t + 3 :: else -> break od;
				list = list | (m << t);
				pending[me]++; newest[me] = list; store(MORE, list);
				list = 0; t = 0
			};
			store(SHUT, i);                                 /* L4 */
			goto done
		:: else
		fi;
swap:		if
		:: h == CLOSED -> atomic { dead++; assert(ended); knew[m] = 0; goto done }
		:: h == NIL && !again ->
#ifdef HAND_EARLY
			atomic { fifo ! m; last = MARK(me) };
#endif
			if
			:: atomic { head == NIL && empty(buffer[me]) -> head = MARK(me) };
#ifdef HAND_LATE
				schedule();
#endif
#ifndef HAND_EARLY
				atomic { fifo ! m; last = MARK(me) };
#endif
#ifndef HAND_LATE
				schedule();
#endif
				goto done
			:: atomic { head != NIL -> again = 1 }
			fi
		:: else ->
			if
			:: atomic { head == h && empty(buffer[me]) -> head = m; next[m] = h;
					if
					:: h == NIL
					:: else -> tell(me, i); goto done
					fi
				};
				schedule();
				goto done
			:: atomic { head != h -> again = 1 }
			fi
		fi;
push:		h = head;
		goto swap;
done:		atomic { m = 0; h = 0; again = 0; sent++ }

	/* a turn */
	:: atomic { !on && queued && empty(buffer[me]) -> queued--; running++; on = 1; left = BATCH };
		goto turn
#ifdef SLOT
	:: atomic { !on && keeps[me] -> keeps[me] = 0; kept--; running++; on = 1; left = BATCH };
		goto turn
#endif
	:: atomic { on && left && nempty(fifo) -> fifo ? m; left--; ran++; over(m); m = 0 }
	:: on && empty(fifo) -> goto tryIdle
	:: on && left == 0 && nempty(fifo) -> goto requeue
#ifdef END
	:: on -> close(); atomic { running--; on = 0; left = 0 }
#endif
	od;

turn:
#ifndef NO_REVOKE
	if
	:: mustRevoke -> revoke()
	:: else
	fi;
#endif
	if
	:: len(fifo) <= 1 ->                                    /* drain, or join */
		h = head;
#ifdef PUSHED_FIRST
		atomic { takePushed() };
		takeMore()
#else
#ifdef DRAIN_PUSHED
		if
		:: h != last
		:: else -> takeMore()
		fi;
#else
		takeMore();
#endif
		atomic { takePushed() }
#endif
	:: else
	fi;
	assert(nempty(fifo));
	goto end;

tryIdle:
#ifndef IDLE_BLIND
	atomic {
		touch();
		if
		:: view -> goto requeue
		:: else
		fi
	};
#endif
	if
	:: atomic { head == last && empty(buffer[me]) -> head = NIL; last = NIL; running--; on = 0;
		left = 0; goto end }
	:: head != last
	fi;
requeue: atomic { nfull(buffer[me]) -> running--; on = 0; left = 0; schedule(); goto end }
}

proctype outside() {                    /* P */
	byte h, m, i;
	do
	:: i < PS ->
		atomic { i++; m = WS + VS + i; look(P) };
swap:		if
		:: h == CLOSED -> atomic { dead++; assert(ended); knew[m] = 0 }
		:: else ->
			if
			:: atomic { head == h -> head = m; next[m] = h;
					if
					:: h == NIL
					:: else -> tell(P, i); goto done
					fi
				};
				atomic { queued++; once(); tell(P, i) }
			:: head != h -> h = head; goto swap
			fi
		fi;
done:		atomic { sent++; m = 0; h = 0 }
	:: else -> break
	od
}

#ifdef STOP
proctype stopper(byte me) {
	byte h, m, t, top, theirs;
	int list;
end:	atomic { queued -> queued--; running++ };
#ifndef DISCARD_BLIND
	if
	:: mustRevoke -> revoke()
	:: else
	fi;
#endif
	close();
	running--
}
#endif

init {
	atomic {
		run drain(0); run drain(1);
#ifdef STOP
		run drain(NOWORKER); run stopper(NOWORKER);
#endif
		run worker(0, 0, WS);
#ifndef ALONE
		run worker(1, WS, VS);
#endif
		run outside()
	};
	(sent == TOTAL && queued + running + kept == 0 && empty(buffer[0]) && empty(buffer[1]));
	assert(ran + dead == TOTAL);
	assert(head == (ended -> CLOSED : NIL) && empty(fifo) && last == NIL && more == 0)
}
