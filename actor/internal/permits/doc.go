// Package permits has the semaphore for goroutines that send to an actor from outside. It is FIFO:
// waiting goroutines go on in the order in which they came. All it knows of the actor is whether it
// lets goroutines in, by [Receiver].
//
// There are permits for a fixed number of messages. A goroutine that finds none, or finds the
// receiver closed to it, waits in line. A permit is returned when the message has run. The receiver
// need not know which of its messages came this way: the goroutine that completes the n-th push, n
// a multiple of [Step], pushes a permit return after it, a message of the runtime's own. When that
// runs, all messages before it have run.
//
//	L1  take a free permit; if there is none, under the lock: collect the free ones, and
//	    take one if no goroutine waits, or wait: the permit comes with the token
//	L2  push the message
//	L3  count the push; each Step-th: push the permit return
//	L4  the permit return runs, under the lock: give Step permits to those who wait first,
//	    and set the others free
//
// At most [Max] messages wait: a permit is returned only for a push that lies before the permit
// return, hence ran before it. No goroutine waits for ever. Suppose that all permits were taken and
// nothing was on its way: then fewer than Step pushes would have no permit return, yet all 2·Step
// permits would be pushes without one. No goroutine is overtaken: no permit is free while one
// waits, because a goroutine that joins the line collects the free ones, and they are set free only
// when the line is empty. What is collected is not lost: its collector takes one, or waits and so
// leaves them to the next Release.
//
// The receiver that begins to let goroutines in calls Release(0) afterwards. So a goroutine that
// found it closed, under the lock, is in line by then, or finds it open.
//
// A mailbox with a bound has as many permits as its limit, and each message in it has one, from
// whomever it comes: the free permits are the count of what may still come. Senders that cannot wait
// take one although there is none ([Semaphore.Exceed]); what is lacking is made up for before any
// goroutine in line is given one. Such messages say that they have a permit, and the owner returns
// it before they run.
package permits
