/* The turns of package process (process/turn.go, coroutine.go): workers that run processes on
 * coroutines, and processes that change places without a return to their worker's goroutine.
 *
 * Each of PROCS processes runs ROUNDS turns. In a turn it wakes each process that is parked,
 * and then parks: it gives its task up, and another worker may have the task from then on,
 * while the process is still on its coroutine. It is out when its coroutine is parked, which
 * the goroutine that runs after it says. Having given its task up, a process takes the next
 * task of its worker's queue and changes places with that process if it is out; otherwise it
 * leaves the task to the worker's goroutine, which waits until the process is out.
 *
 * A goroutine outside wakes processes too, by way of the inject queue. Worker goroutines move
 * tasks from there, and from each other's queues, to their own. So, as in sched, nothing comes
 * into a worker's queue between the step in which a process gives its task up there and the
 * one in which it takes the next. With OPEN_QUEUE the goroutine outside puts tasks into the
 * queues of workers at any moment.
 *
 * Proved: no process is resumed while it is not out, no two goroutines run one process, and no
 * goroutine waits for ever.
 *
 * Mutants: NO_WAIT (the one that resumes does not look whether the process is out),
 * OUT_EARLY (a process says itself that it is out, before it has changed places), MUST_WAIT
 * (a process that has given its task up waits for the next one to be out). MUST_WAIT holds
 * without OPEN_QUEUE: the process that is waited for has given its task up earlier than the
 * one that waits, so that no two wait for each other.
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef PROCS
#define PROCS 3
#endif
#define WORKERS 2
#define NONE 9
#define RUNS 0
#define NOTIFIED 1
#define PARKED 2
#define ENDED 3
#define QUEUED(w, p) queued[(w) * PROCS + (p)]

byte st[PROCS] = PARKED;
bit out[PROCS] = 1;        /* its coroutine is parked, as others see it */
bit runs[PROCS];           /* its coroutine runs */
byte on[PROCS];            /* its worker */
byte behind[PROCS] = NONE; /* the process that it has changed places with */
bit queued[6];             /* in a worker's queue: of each worker, each process */
bit injected[PROCS];
bit wruns[WORKERS] = 1;    /* the worker's goroutine runs */
byte from[WORKERS] = NONE; /* the process that gave the worker back */
byte then[WORKERS] = NONE; /* the process that it is to run */
bit again[WORKERS];        /* from is to be queued again */
byte ended;

/* take finds t in the queue of worker w, or NONE */
inline take(w, t) {
	atomic {
		if
		:: QUEUED(w, 0) -> t = 0
		:: QUEUED(w, 1) -> t = 1
#if PROCS > 2
		:: QUEUED(w, 2) -> t = 2
#endif
		:: else -> t = NONE
		fi;
		if :: t != NONE -> QUEUED(w, t) = 0 :: else fi
	}
}

inline ready(t) {
#ifndef NO_WAIT
	out[t];
#endif
	out[t] = 0
}

inline give_back(p, w) {
	atomic {
		assert(!wruns[w]);
		from[w] = p; wruns[w] = 1; runs[p] = 0
	}
}

proctype worker(byte w) {
	byte t, v;
	do
	:: then[w] != NONE -> t = then[w]; then[w] = NONE; goto go_on
	:: then[w] == NONE ->
		take(w, t);
		if
		:: t != NONE ->
go_on:
			ready(t);
			atomic { assert(!runs[t]); on[t] = w; behind[t] = NONE; wruns[w] = 0; runs[t] = 1 };
			wruns[w];
			out[from[w]] = 1;
			if :: again[w] -> again[w] = 0; QUEUED(w, from[w]) = 1 :: else fi;
			from[w] = NONE
		:: t == NONE ->
end_idle:
			atomic { /* from the inject queue, or another worker's */
				if
				:: injected[0] -> injected[0] = 0; QUEUED(w, 0) = 1
				:: injected[1] -> injected[1] = 0; QUEUED(w, 1) = 1
#if PROCS > 2
				:: injected[2] -> injected[2] = 0; QUEUED(w, 2) = 1
#endif
				:: QUEUED(1 - w, 0) -> QUEUED(1 - w, 0) = 0; QUEUED(w, 0) = 1
				:: QUEUED(1 - w, 1) -> QUEUED(1 - w, 1) = 0; QUEUED(w, 1) = 1
#if PROCS > 2
				:: QUEUED(1 - w, 2) -> QUEUED(1 - w, 2) = 0; QUEUED(w, 2) = 1
#endif
#ifdef OPEN_QUEUE
				:: QUEUED(w, 0) || QUEUED(w, 1) || QUEUED(w, PROCS - 1)
#endif
				fi
			}
		fi
	od
}

proctype process(byte p) {
	byte w, q, turn; bit gone;
end_parked:
	runs[p];
	do
	::
		w = on[p];
		if :: behind[p] != NONE -> out[behind[p]] = 1; behind[p] = NONE :: else fi;
		turn++;
		q = 0;
		do
		:: q == PROCS -> break
		:: q < PROCS ->
			atomic { /* wake */
				if
				:: q != p && st[q] == PARKED -> st[q] = RUNS; QUEUED(w, q) = 1
				:: q != p && st[q] == RUNS -> st[q] = NOTIFIED
				:: else
				fi
			};
			q++
		od;
		atomic { /* give the task up */
			if
			:: turn == ROUNDS -> st[p] = ENDED; ended++; gone = 1
			:: turn < ROUNDS && st[p] == RUNS -> st[p] = PARKED; gone = 1
			:: turn < ROUNDS && st[p] == NOTIFIED -> st[p] = RUNS; gone = 0
			fi
		};
		if
		:: !gone -> again[w] = 1; give_back(p, w)
		:: gone ->
			take(w, q);
			if
			:: q == NONE -> give_back(p, w)
#ifndef MUST_WAIT
			:: q != NONE && !out[q] -> then[w] = q; give_back(p, w)
#endif
#ifdef MUST_WAIT
			:: q != NONE ->
#else
			:: q != NONE && out[q] ->
#endif
				ready(q);
#ifdef OUT_EARLY
				out[p] = 1;
#endif
				atomic { assert(!runs[q]); on[q] = w; behind[q] = p; runs[p] = 0; runs[q] = 1 }
			fi
		fi;
end_away:
		runs[p]
	od
}

#define wakeable(q) st[q] == PARKED

inline wake_from_outside(q) {
	atomic {
		if
		:: st[q] == PARKED ->
			st[q] = RUNS;
#ifdef OPEN_QUEUE
			if :: QUEUED(0, q) = 1 :: QUEUED(1, q) = 1 fi
#else
			injected[q] = 1
#endif
		:: else
		fi
	}
}

proctype outside() {
	do
	:: ended == PROCS -> break
	:: wakeable(0) -> wake_from_outside(0)
	:: wakeable(1) -> wake_from_outside(1)
#if PROCS > 2
	:: wakeable(2) -> wake_from_outside(2)
#endif
	od
}

init {
	atomic {
		run worker(0); run worker(1);
		run process(0); run process(1);
#if PROCS > 2
		run process(2);
#endif
		run outside()
	};
	ended == PROCS
}
