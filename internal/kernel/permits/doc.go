// Package permits has the semaphore for goroutines that send to an actor from outside. It is FIFO:
// waiting goroutines go on in the order in which they came. It knows the actor only as a
// [Receiver], which says whether it lets goroutines in.
//
// There are permits for a fixed number of messages. A goroutine that finds no permit, or finds the
// receiver closed to it, waits in line. A permit is returned when the message has run. The messages
// need no mark: the goroutine that completes the n-th push, n a multiple of [Step], pushes a permit
// return after it, a message of the runtime's own. When the permit return runs, all messages before
// it have run.
//
//	L1  take a free permit; if there is none, under the lock: collect the free permits,
//	    and take one if no goroutine waits, or wait: the permit comes with the token
//	L2  push the message
//	L3  count the push; each Step-th: push the permit return
//	L4  the permit return runs, under the lock: give Step permits to the goroutines that
//	    wait, the first in line first, and set the remaining ones free
//
// At most [Max] messages wait: a permit is returned only for a push that lies before the permit
// return, and so ran before it. No goroutine waits for ever. Suppose that all permits were taken
// and no permit return was on its way: then fewer than Step pushes would have no permit return, yet
// all 2·Step permits would be pushes without one. No goroutine is overtaken: no permit is free
// while a goroutine waits, because a goroutine that joins the line collects the free permits, and
// they are set free only when the line is empty. Collected permits are not lost: their collector
// takes one and sets the others free, or waits and so leaves them to the next Release.
//
// A receiver that begins to let goroutines in calls Release(0) afterwards. So a goroutine that
// found it closed, under the lock, is in line by then, or finds it open.
//
// A mailbox with a bound has as many permits as its limit. Each of its messages has a permit,
// whoever the sender is, so the free permits count the messages that may still come. Senders that
// cannot wait take a permit although none is free ([Semaphore.Exceed]). Returned permits first make
// up for these, before a goroutine in line gets one. Such messages say that they have a permit, and
// the owner returns it before they run.
package permits
