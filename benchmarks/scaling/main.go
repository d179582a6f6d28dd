// Command scaling is a model of the scheduler with many workers: a simulation, and no measurement.
// It prints the speed-up of each number of workers over one, and the main use of the workers' time
// other than work.
//
//	go run .
//
// It simulates run queues, stealing one task at a time from victims in turn, waking one sleeper
// unless one searches, and cache lines that all workers write to, which take one write at a time.
// It leaves out the governor, the GC, the memory of the machine, and turns that block.
package main

import "fmt"

// costs are in ns.
type costs struct {
	message float64 // a message within a worker: send, turn and receive
	send    float64 // the sender's part of it
	spawn   float64 // making a task runnable
	probe   float64 // looking at a victim that has nothing
	steal   float64 // taking a task from a victim, with the misses that follow
	wake    float64 // from the token to the first turn
	line    float64 // writing to a line that another processor has written to
}

// measured are the costs as measured on two processors. Costs that do not show there are guesses.
var measured = costs{
	message: 45,   // pingpong: 44 to 48
	send:    25,   // of fanin's 36
	spawn:   60,   // fjcreate and fjthrput, less the actor
	probe:   50,   // 4 if the line is in the cache; with many a guess
	steal:   1000, // as the governor has it
	wake:    5000, // a thread that sleeps; 1,000 to 50,000
	line:    60,   // decision 9: 53 to 56 for a message that crosses
}

// result holds the times of one simulated program.
type result struct {
	time                         float64 // until all is done
	work, search, waited, asleep float64 // of all workers
}

func (r result) limit(workers int) string {
	all := r.time * float64(workers)
	if r.work/all >= 0.9 {
		return "none"
	}
	name, most := "asleep: too little to do, or not woken yet", r.asleep
	if r.search > most {
		name, most = "stealing and searching", r.search
	}
	if r.waited > most {
		name = "the shared line"
	}
	return name
}

// program is something that runs on so many workers.
type program struct {
	name string
	run  func(c costs, workers int) result
}

var programs = []program{
	{"1,000 pairs", func(c costs, n int) result { return tree(c, n, 1000, 1, 2000*c.message) }},
	{"fork-join, tasks of 1 µs", func(c costs, n int) result { return tree(c, n, 10, 5, 1000) }},
	{"fork-join, tasks of 10 µs", func(c costs, n int) result { return tree(c, n, 10, 5, 10_000) }},
	{"fan-in", fanIn},
	{"ring", ring},
}

func main() {
	sizes := []int{1, 2, 4, 8, 16, 32, 64, 128, 192}
	fmt.Print("| modelled: times as fast as one |")
	for _, n := range sizes {
		fmt.Printf(" %d |", n)
	}
	fmt.Println(" limit at 192 |")
	for _, p := range programs {
		one := p.run(measured, 1).time
		fmt.Printf("| %s |", p.name)
		var last result
		for _, n := range sizes {
			last = p.run(measured, n)
			fmt.Printf(" %.3g |", one/last.time)
		}
		fmt.Printf(" %s |\n", last.limit(sizes[len(sizes)-1]))
	}
}

// sharedLine takes one write at a time.
type sharedLine struct{ free float64 }

// write returns when a write that begins at now has ended, and how long it had to wait.
func (l *sharedLine) write(now, cost float64) (end, waited float64) {
	begin := max(now, l.free)
	l.free = begin + cost
	return l.free, begin - now
}

// ring is one message that goes round: at any time one worker has something to do.
func ring(c costs, workers int) result {
	const hops = 100_000
	r := result{time: hops * c.message, work: hops * c.message}
	r.asleep = r.time * float64(workers-1)
	return r
}

// fanIn is many senders, shared out among all workers but one, and one receiver. All write to the
// head of its mailbox.
func fanIn(c costs, workers int) (r result) {
	const messages = 100_000
	if workers == 1 {
		r.time = messages * c.message
		r.work = r.time
		return r
	}
	var head sharedLine
	clocks := make([]float64, workers-1)
	received := 0.0
	for i := range messages {
		s := &clocks[i%len(clocks)]
		end, waited := head.write(*s+c.send, c.line)
		*s = end
		r.waited += waited
		received = max(received, end) + c.message - c.send + c.line/2 // the line of the message itself
	}
	r.time = received
	r.work = messages * (c.message + 1.5*c.line)
	r.asleep = max(0, r.time*float64(workers)-r.work-r.waited)
	return r
}
